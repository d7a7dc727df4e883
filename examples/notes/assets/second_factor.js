// The forms of /second-factor and /step-up.

import { send } from "./send.js";
import { attempt, enhance } from "./forms.js";
import { hasPasskeys, signInWithPasskey } from "./passkeys.js";

const totp = document.querySelector("#totp");
const recovery = document.querySelector("#recovery");
const { code, rememberBrowser, passkey } = totp.elements;
const { next } = totp.dataset;
const isStepUp = new URL(totp.action).pathname === "/auth/step-up";
const route = isStepUp ? "POST /auth/step-up" : "POST /auth/login/second-factor";

const done = () => location.assign(next);

enhance(totp, () => {
  const more = rememberBrowser === undefined ? {} : { rememberBrowser: rememberBrowser.checked };
  return send(route, { body: { totp: code.value, ...more } });
}, { done });
enhance(
  recovery,
  () => send(route, { body: { recoveryCode: recovery.elements.code.value } }),
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
