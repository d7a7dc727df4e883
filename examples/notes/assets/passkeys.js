// Passkeys: the browser's own functions, WebAuthn Level 3 §5.1, between the requests of each ceremony.

import { send } from "./send.js";

const { PublicKeyCredential, navigator: { credentials } } = globalThis;

/** Whether the browser has them. */
export const hasPasskeys = PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined &&
  PublicKeyCredential.parseRequestOptionsFromJSON !== undefined;

/**
 * Creates a passkey.
 *
 * @param {{ identifier?: string }} account Makes an account with the passkey; without it the passkey is the user's own.
 * @param {string} name What the user calls it.
 */
export function createPasskey(account, name) {
  return outcomeOf(async () => {
    const options = await post("POST /auth/webauthn/register/options", account);
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await credentials.create({ publicKey });
    return await post("POST /auth/webauthn/register/verify", { ...credential.toJSON(), name });
  });
}

/** Signs in with the passkey that the user chooses in the browser's dialog. @param {boolean} remember */
export function signInWithPasskey(remember) {
  return outcomeOf(async () => {
    const options = await post("POST /auth/webauthn/login/options", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await credentials.get({ publicKey });
    return await verify(credential, options, remember);
  });
}

/**
 * Offers passkeys in the autofill of the field with `autocomplete="username webauthn"`. A challenge has a lifetime: the offer
 * is renewed before.
 *
 * @param {AbortSignal} signal Ends the offer.
 * @returns {Promise<((remember: boolean) => ReturnType<typeof outcomeOf>) | undefined>} Signs in with the passkey that the
 * user chose; `undefined` if none was, or the browser does not offer any.
 */
export async function chosenInAutofill(signal) {
  if (!await PublicKeyCredential?.isConditionalMediationAvailable?.() || !hasPasskeys) return;
  while (!signal.aborted) {
    const renewal = new AbortController();
    try {
      const options = await post("POST /auth/webauthn/login/options", {});
      renewLater(renewal, options.timeout * 0.8);
      const credential = await credentials.get({
        mediation: "conditional",
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        signal: AbortSignal.any([signal, renewal.signal]),
      });
      return (remember) => outcomeOf(() => verify(credential, options, remember));
    } catch {
      if (!renewal.signal.aborted) return; // dismissed, or refused: the button is still there
    }
  }
}

/** Tells the browser which passkeys the user has, so that it offers no removed one. §5.1.10.3 */
export async function signalPasskeys() {
  const { ok, content } = await send("GET /auth/webauthn/credentials");
  if (ok) await signal("signalAllAcceptedCredentials", content.signals.allAcceptedCredentials);
}

/** Calls a function of the browser, if it has it. Whatever comes of it, the page goes on: the browser only offers more. */
async function signal(name, options) {
  await PublicKeyCredential?.[name]?.(options).catch(() => {});
}

async function verify(credential, { rpId }, remember) {
  try {
    return await post("POST /auth/webauthn/login/verify", { ...credential.toJSON(), remember });
  } catch (error) {
    if (error.refusal?.code === "credential_unknown") { // the browser need not offer it again, §5.1.10.2
      await signal("signalUnknownCredential", { rpId, credentialId: credential.id });
    }
    throw error;
  }
}

/**
 * Aborts when an offer should be renewed: not while the page has no focus, since the browser's dialog may be open or
 * nobody may be there, and a moment after the focus returned, since the dialog may have been answered.
 */
function renewLater(renewal, ms) {
  setTimeout(() => {
    if (document.hasFocus()) return renewal.abort();
    addEventListener("focus", () => setTimeout(() => renewal.abort(), 1_000), { once: true });
  }, ms);
}

/** @returns What the service answered. @throws {{ refusal: import("./messages.js").Refusal }} If it refused. */
async function post(route, body) {
  const { ok, content, refusal } = await send(route, { body });
  if (ok) return content;
  throw Object.assign(new Error(refusal.code), { refusal });
}

/** Errors of the browser that say more than that nothing came of it, §5.1.3 and §5.1.4. */
const CODES = new Map([
  ["InvalidStateError", "passkey_exists"],
  ["NotAllowedError", "dismissed"], // nobody wanted it, or nobody answered: the browser does not say
  ["AbortError", "dismissed"],
]);

/** The outcome of a ceremony, like that of `send()`. */
async function outcomeOf(ceremony) {
  try {
    return { ok: true, content: await ceremony() };
  } catch (error) {
    const code = CODES.get(error.name) ?? "passkeys_unavailable";
    return { ok: false, refusal: error.refusal ?? { status: 0, code } };
  }
}
