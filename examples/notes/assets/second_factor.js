// The forms of /second-factor and /step-up.

import { send } from "./client.js";
import { attempt, enhance } from "./forms.js";
import { hasPasskeys, signInWithPasskey } from "./passkeys.js";

const totp = document.querySelector("#totp");
const recovery = document.querySelector("#recovery");
const { code, rememberBrowser, passkey } = totp.elements;
const { next } = totp.dataset;
const path = new URL(totp.action).pathname;

const done = () => location.assign(next);

enhance(totp, () => {
  const more = rememberBrowser === undefined ? {} : { rememberBrowser: rememberBrowser.checked };
  return send("POST", path, { totp: code.value, ...more });
}, { done });
enhance(
  recovery,
  () => send("POST", path, { recoveryCode: recovery.elements.code.value }),
  { done },
);
if (!hasPasskeys) {
  totp.querySelector(".or")?.remove();
  passkey?.remove();
}
passkey?.addEventListener("click", () => {
  attempt(totp, () => signInWithPasskey(false), { done, required: [] });
});
code.focus();
