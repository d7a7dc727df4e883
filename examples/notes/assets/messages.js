// Messages for refusals. This module does not use the page, so that tests can import it.

/**
 * A refusal, as `send.js` returns it.
 *
 * @typedef {{
 *   status: number,
 *   code: string,
 *   retryAfter?: number,
 *   violations?: { pointer: string, message: string }[],
 * }} Refusal
 */

/** Messages by code. Some name the field that caused the refusal. */
const WORDS = new Map(Object.entries({
  access_denied: { text: "This belongs to somebody else." },
  address_needed: { field: "identifier", text: "Enter your e-mail address." },
  credential_unknown: {
    text: "This passkey was removed from your account. Use another one, or your password.",
  },
  csrf_failed: {
    text:
      "The service can't tell that this came from its own page. Reload the page and try again; " +
      "if that does not help, allow cookies for this site.",
  },
  email_missing: { text: "Your account has no e-mail address. Add one first." },
  email_taken: { text: "Somebody else has verified this address here." },
  email_unverified: { text: "Verify your e-mail address first." },
  identity_taken: {
    text: "This account is linked to somebody else here. Sign in with it to see to whom.",
  },
  identity_unknown: { text: "Nobody here has linked this account." },
  identifier_unavailable: {
    field: "identifier",
    text: "Somebody has registered with this already. Choose another one, or sign in.",
  },
  insufficient_authentication: {
    text: "Show again that it is you: you signed in a while ago, or without your second factor.",
    signIn: "again",
  },
  insufficient_scope: { text: "The key or token is not good for this." },
  invalid_challenge: { text: "That took too long. Try again." },
  invalid_code: {
    field: "code",
    text: "This is not the code, or it has expired. After five wrong ones, ask for another code.",
  },
  invalid_credentials: { text: "The name or the password is wrong." },
  invalid_identifier: {
    field: "identifier",
    text:
      "Enter one e-mail address or one name, of at most 254 characters, without spaces, quotes, commas and brackets.",
  },
  invalid_link: { text: "This link was used before, has expired, or is not complete." },
  invalid_refresh_token: {
    text: "Your sign-in has ended. Sign in again to go on.",
    signIn: true,
  },
  invalid_second_factor: {
    field: "code",
    text: "This code is wrong, or was used before. Take the next one that the app shows.",
  },
  invalid_token: { text: "The token is not valid here. Sign in again to go on.", signIn: true },
  last_way_in: {
    text: "Without it you could not sign in any more. Add another way to sign in first.",
  },
  mfa_expired: {
    text: "This took too long, or too many codes were wrong. Sign in again.",
    signIn: true,
  },
  mfa_required: { text: "Your account has a second factor. Sign in on the page for it." },
  no_such_api_key: {
    text: "That key is revoked already. Reload the page to see those that are left.",
  },
  no_such_note: { text: "The note is not there any more." },
  no_such_program: {
    text: "That program is signed out already. Reload the page to see those that are left.",
  },
  no_such_session: {
    text: "That session has ended already. Reload the page to see those that go on.",
  },
  oauth_failed: { text: "Signing in there did not work. Try again, or sign in another way." },
  offline: { text: "The service does not answer. Check your connection, then try again." },
  passkey_exists: { text: "There is a passkey of yours on this device already." },
  passkeys_unavailable: { text: "Passkeys do not work in this browser, or not at this address." },
  payload_too_large: { text: "That is too long for the service." },
  service_unavailable: { text: "The service has too much to do just now. Try again in a moment." },
  session_ambiguous: {
    text: "Your browser has two sessions here. Delete the cookies of this site, and sign in again.",
  },
  session_expired: { text: "Your session has ended. Sign in again to go on.", signIn: true },
  token_expired: { text: "The token has ended. Sign in again to go on.", signIn: true },
  too_many_credentials: {
    text: "You have too many passkeys. Remove those that you use no more.",
  },
  too_many_keys: { text: "You have too many keys. Revoke those that you use no more." },
  unauthenticated: {
    text: "You are not signed in any more. Sign in again to go on.",
    signIn: true,
  },
  weak_password: { field: "password", text: "Choose another password." },
  webauthn_failed: { text: "The passkey was not accepted. Try again, or sign in another way." },
  wrong_password: { text: "The current password is wrong." },
}));

const UNKNOWN = { text: "That did not work, and the service does not say why. Try again later." };

/**
 * The message for a refusal: a text for the whole form, or texts for its fields, one line
 * for each reason, and whether to offer signing in, by somebody who is signed in `again`.
 *
 * @param {Refusal} refusal
 * @returns {{ text: string, fields: Map<string, string>, signIn: boolean | "again" }}
 */
export function describeRefusal({ code, retryAfter, violations = [] }) {
  const fields = new Map();
  for (const { pointer, message } of violations) {
    const name = pointer.split("/")[1] ?? "";
    const text = /[.!?]$/.test(message) ? message : `${message}.`;
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${text}` : text);
  }
  if (code === "throttled") return { text: throttledText(retryAfter), fields, signIn: false };
  const { text, field, signIn = false } = WORDS.get(code) ?? UNKNOWN;
  if (fields.size > 0) return { text: "", fields, signIn };
  if (field !== undefined) return { text: "", fields: new Map([[field, text]]), signIn };
  return { text, fields, signIn };
}

function throttledText(seconds) {
  return `Too many attempts. Try again ${waitText(seconds)}.`;
}

/** A time to wait, never rounded down: a retry that is too early would have to wait again. */
function waitText(seconds) {
  if (!Number.isFinite(seconds) || seconds <= 0) return "later";
  if (seconds < 120) return seconds === 1 ? "in a second" : `in ${Math.ceil(seconds)} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in ${Math.ceil(minutes / 60)} hours`;
}
