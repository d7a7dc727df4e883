// Sets up, moves and removes the authenticator app on /security, and shows recovery codes. Keys and codes are in the page until
// it is left, and nowhere else.

import { send } from "./send.js";
import { enhance, setBusy, showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { hideCodes, showCodes } from "./recovery_codes.js";
import { reload } from "./reload.js";

/** Draws QR codes; loaded when one is needed. */
const UQR = "/scripts/uqr.js";

const section = document.querySelector("#factor-section");
const factors = section.querySelector("#factors");
const message = section.querySelector(".message");
const status = section.querySelector(".notice");
const enrol = section.querySelector("#enrol");
const confirm = section.querySelector("#confirm");
const dialog = document.querySelector("#remove-dialog");

/** What the buttons of the section do. */
const ACTIONS = {
  async "set-up"() {
    const { content, ...outcome } = await send("POST /auth/second-factors/totp/start");
    if (outcome.ok) showKey(content, await import(UQR));
    return outcome;
  },
  async renew() {
    const { content, ...outcome } = await send("POST /auth/second-factors/recovery-codes");
    if (outcome.ok) show(content.recoveryCodes);
    return outcome;
  },
  remove() {
    dialog.querySelector(".message").textContent = "";
    dialog.showModal();
    return { ok: true };
  },
};

factors.addEventListener("click", async ({ target }) => {
  const action = ACTIONS[target.closest("button")?.id];
  if (action === undefined) return;
  message.textContent = status.textContent = "";
  setBusy(factors, true);
  const { ok, refusal } = await action();
  setBusy(factors, false);
  if (!ok) showMessage(message, describeRefusal(refusal));
});

enhance(
  confirm,
  () =>
    send("POST /auth/second-factors/totp/confirm", { body: { code: confirm.elements.code.value } }),
  {
    done({ recoveryCodes }) {
      hideKey();
      if (recoveryCodes.length > 0) show(recoveryCodes);
      refresh("Signing in asks for a code of the app from now on.");
    },
  },
);
confirm.querySelector("#cancel").addEventListener("click", () => {
  hideKey();
  factors.hidden = false;
});

const remove = dialog.querySelector("form");
enhance(remove, () => send("POST /auth/second-factors/remove"), {
  done() {
    setBusy(remove, false);
    dialog.close();
    hideCodes();
    refresh("The app is removed.");
  },
});
remove.querySelector("[data-action=close]").addEventListener("click", () => dialog.close());

// Neither the back button nor the browser's memory of forms shows a key again
addEventListener("pagehide", hideKey);

function showKey({ secret, uri }, { renderSVG }) {
  const svg = renderSVG(uri, { border: 4 });
  enrol.querySelector("#qr").src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  enrol.querySelector("#otpauth").href = uri;
  enrol.querySelector("#secret").textContent = secret.replace(/.{4}(?=.)/g, "$& ");
  hideCodes();
  factors.hidden = true;
  enrol.hidden = false;
  enrol.focus();
}

function hideKey() {
  enrol.hidden = true;
  enrol.querySelector("#qr").removeAttribute("src");
  enrol.querySelector("#otpauth").removeAttribute("href");
  enrol.querySelector("#secret").textContent = "";
  confirm.reset();
  setBusy(confirm, false);
}

/** Shows new codes; the number of those that are left is another one then. */
function show(codes) {
  showCodes(codes, () => refresh("Use one of the codes when you are without your phone."));
}

/** Shows the current state, and what has changed in it. */
async function refresh(text) {
  await reload(factors);
  factors.hidden = false;
  setBusy(factors, false);
  status.textContent = text;
  if (document.querySelector("#codes").hidden) status.focus(); // the button that had the focus is gone
}

setBusy(factors, false);
