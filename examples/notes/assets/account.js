// The forms of /register and /sign-in.

import { send } from "./send.js";
import { attempt, enhance, showMessage } from "./forms.js";
import { describeRefusal } from "./messages.js";
import { askForSecondFactor, keepAddress } from "./sign_in.js";
import { chosenInAutofill, createPasskey, hasPasskeys, signInWithPasskey } from "./passkeys.js";

const form = document.querySelector("#account");
const { identifier, password, remember, show, passkey } = form.elements;
const { "send-link": sendLink, "send-code": sendCode } = form.elements;
const { next, passkeyName } = form.dataset;
const isSignIn = new URL(form.action).pathname === "/auth/login";

const done = () => location.assign(next);
const refused = (refusal) => askForSecondFactor(refusal, next);
/** Ends the offer of passkeys in the autofill, which no other request of the browser can stand beside. */
let offer = new AbortController();

enhance(form, submit, { done, refused, idle: offerPasskeys });
show.addEventListener("change", () => {
  password.type = show.checked ? "text" : "password";
});
if (hasPasskeys) {
  passkey.addEventListener("click", () => {
    const required = isSignIn ? [] : [identifier];
    attempt(form, submitPasskey, { done, refused, idle: offerPasskeys, required });
  });
  offerPasskeys();
} else {
  document.querySelector("#passkey-hint").textContent = "This browser has no passkeys.";
  form.querySelector(".or").remove();
  passkey.remove();
}
sendLink?.addEventListener("click", () => {
  byMail("POST /auth/link/start", () => location.assign("/sign-in/link"));
});
sendCode?.addEventListener("click", () => {
  byMail("POST /auth/code/start", () => {
    keepAddress(identifier.value);
    location.assign(`/sign-in/code?${new URLSearchParams({ next })}`);
  });
});

// What a provider has refused, by the code in the address
const error = new URLSearchParams(location.search).get("error");
if (error !== null) {
  const { text, fields } = describeRefusal({ status: 400, code: error });
  showMessage(form.querySelector(".message"), { text: text || [...fields.values()].join(" ") });
}

function submit() {
  offer.abort();
  const credentials = { identifier: identifier.value, password: password.value };
  return isSignIn
    ? send("POST /auth/login", { body: { ...credentials, remember: remember.checked } })
    : send("POST /auth/register", { body: credentials });
}

function submitPasskey() {
  offer.abort();
  if (isSignIn) return signInWithPasskey(remember.checked);
  return createPasskey({ identifier: identifier.value }, passkeyName);
}

/** Has a message sent to the address in the form. */
function byMail(route, whenSent) {
  attempt(form, () => {
    offer.abort();
    const email = identifier.value;
    if (!email.includes("@")) return { ok: false, refusal: { status: 0, code: "address_needed" } };
    return send(route, { body: { email, remember: remember.checked } });
  }, { done: whenSent, idle: offerPasskeys, required: [identifier] });
}

async function offerPasskeys() {
  if (!isSignIn) return;
  offer.abort();
  offer = new AbortController();
  const signIn = await chosenInAutofill(offer.signal);
  if (signIn === undefined) return;
  attempt(form, () => signIn(remember.checked), {
    done,
    refused,
    idle: offerPasskeys,
    required: [],
  });
}
