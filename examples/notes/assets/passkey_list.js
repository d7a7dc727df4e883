// Creates, renames and removes passkeys.

import { send } from "./send.js";
import { enhance, setBusy } from "./forms.js";
import { createPasskey, hasPasskeys, signalPasskeys } from "./passkeys.js";
import { reload } from "./reload.js";
import { writeTimes } from "./times.js";

const create = document.querySelector("#create");
const list = document.querySelector("#passkeys");
const status = document.querySelector("#list-status");
const rename = document.querySelector("#rename");
const remove = document.querySelector("#remove");
const newName = rename.querySelector("input");

/** The passkey that a dialog is about. */
let chosen;

enhance(create, () => {
  status.textContent = "";
  return createPasskey({}, create.elements.name.value);
}, {
  done({ credential }) {
    setBusy(create, false);
    refresh(`You can sign in with “${credential.name}” from now on.`);
  },
});
if (!hasPasskeys) {
  create.querySelector("button").disabled = true;
  create.querySelector(".message").textContent = "This browser has no passkeys.";
}

list.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button === null) return;
  const dialog = button.dataset.action === "rename" ? rename : remove;
  chosen = button.closest("[data-id]").dataset;
  status.textContent = "";
  dialog.querySelector(".message").textContent = "";
  newName.value = chosen.name;
  remove.querySelector("[data-part=name]").textContent = `“${chosen.name}”`;
  dialog.showModal();
  if (dialog === rename) newName.select();
});

change(rename, async () => {
  const name = newName.value;
  const { ok, refusal } = await send("POST /auth/webauthn/credentials/rename", {
    body: { id: chosen.id, name },
  });
  return { ok, refusal, content: `The passkey is called “${name.trim()}” now.` };
});
change(remove, async () => {
  const { ok, refusal } = await send("POST /auth/webauthn/credentials/remove", {
    body: { id: chosen.id },
  });
  if (ok || refusal.status === 404) await signalPasskeys();
  return { ok, refusal, content: `“${chosen.name}” is removed.` };
});

/** Sends the form of a dialog. What was removed elsewhere is taken off the list, too. */
function change(dialog, submit) {
  const form = dialog.querySelector("form");
  enhance(form, async () => {
    const { ok, refusal, content } = await submit();
    if (refusal?.status !== 404) return { ok, refusal, content };
    return { ok: true, content: "That passkey was removed before." };
  }, {
    done(text) {
      setBusy(form, false);
      dialog.close();
      refresh(text);
    },
  });
  form.querySelector("[data-action=close]").addEventListener("click", () => dialog.close());
}

/** Shows the current list, and what has changed in it. */
async function refresh(text) {
  const page = await reload(list);
  setBusy(list, false);
  const suggested = page?.querySelector("#create [name=name]").defaultValue;
  if (suggested !== undefined) create.elements.name.value = suggested;
  status.textContent = text;
  status.focus(); // the button that had the focus is gone
}

writeTimes(list);
setBusy(list, false);
