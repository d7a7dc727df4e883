// Creates and revokes API keys. A key is in the page from its creation until the page is left, and nowhere else.

import { send } from "./send.js";
import { enhance, setBusy, showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { reload } from "./reload.js";
import { writeTimes } from "./times.js";

const form = document.querySelector("#make");
const made = document.querySelector("#made");
const field = document.querySelector("#key");
const copied = document.querySelector("#copy-status");
const list = document.querySelector("#api-keys");
const message = document.querySelector("#key-message");
const status = document.querySelector("#key-status");

enhance(form, make, {
  done({ key, info }) {
    form.reset();
    setBusy(form, false);
    hideKey();
    status.textContent = "";
    field.value = key;
    made.dataset.id = info.id;
    made.hidden = false;
    field.select();
    field.focus();
    refresh();
  },
});

document.querySelector("#copy").addEventListener("click", async () => {
  copied.textContent = "";
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    copied.textContent = "The key is copied.";
  } catch {
    copied.textContent = "Your browser does not let pages copy. Copy the selected key yourself.";
    field.focus();
  }
});

list.addEventListener("click", ({ target }) => {
  const item = target.closest("button")?.closest("[data-id]");
  if (item) revoke(item);
});

// Neither the back button nor the browser's memory of forms shows it again
addEventListener("pagehide", hideKey);

function make() {
  const { name, scope, expiresInDays } = form.elements;
  return send("POST /api-keys", {
    body: {
      name: name.value,
      scope: [...scope].filter(({ checked }) => checked).map(({ value }) => value),
      ...(expiresInDays.value === "" ? {} : { expiresInDays: Number(expiresInDays.value) }),
    },
  });
}

function hideKey() {
  made.hidden = true;
  field.value = "";
  copied.textContent = "";
}

async function revoke(item) {
  const { id } = item.dataset;
  setBusy(list, true);
  message.textContent = "";
  status.textContent = "";
  const { ok, refusal } = await send("DELETE /api-keys/{id}", { params: { id } });
  setBusy(list, false);
  if (ok || refusal.code === "no_such_api_key") {
    item.remove();
    if (made.dataset.id === id) hideKey();
    refresh();
  }
  if (!ok) return showMessage(message, describeRefusal(refusal));
  status.textContent = "The key is revoked. Programs that use it are refused from now on.";
  status.focus(); // the button that had the focus is gone
}

async function refresh() {
  await reload(list);
  setBusy(list, false);
}

writeTimes(list);
setBusy(list, false);
