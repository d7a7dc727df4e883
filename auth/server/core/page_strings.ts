/**
 * Texts of the built-in pages of the authorization server.
 *
 * @module
 */

/**
 * Texts of the pages. In `request`, `redirect`, `loopback` and `signOutRequest`, `{client}` is replaced by the client's name and `{host}` by the host
 * that the response is sent to. They are text, not HTML.
 */
export interface ConsentStrings {
  /** Language of the texts, BCP 47. */
  readonly lang: string;
  /** Title of the consent page, a question. */
  readonly title: string;
  /** What the client wants, with `{client}`. */
  readonly request: string;
  /** Who is signed in, with `{account}`: what the user signs in with. */
  readonly account: string;
  /** Above the list of scopes. */
  readonly scopes: string;
  /** Where the browser goes after either answer, with `{host}`. */
  readonly redirect: string;
  /** Warning under it if that is a program on the user's device. */
  readonly loopback: string;
  /** Button that allows. */
  readonly allow: string;
  /** Button that refuses. */
  readonly deny: string;
  /** Title of the page on which the code of a device is entered. */
  readonly deviceTitle: string;
  /** What is to be entered there. */
  readonly deviceCode: string;
  /** The entered code is not valid. */
  readonly deviceUnknown: string;
  /** Warning of the page that asks for consent, with `{code}`: the code that the device must show. */
  readonly deviceWarning: string;
  /** Title after consent. */
  readonly deviceAllowed: string;
  /** Title after a refusal. */
  readonly deviceDenied: string;
  /** What the user does after either. */
  readonly deviceDone: string;
  /** Title of the error page. */
  readonly errorTitle: string;
  /** What the error page says; the reason follows. */
  readonly error: string;
  /** Button that goes on: of the page that returns to the client by a form, and of the code of a device. */
  readonly continue: string;
  /** Title of the page that asks whether to sign out, a question. */
  readonly signOutTitle: string;
  /** Who asks for it, with `{client}`. */
  readonly signOutRequest: string;
  /** Button that signs out. */
  readonly signOut: string;
  /** Button that does not. */
  readonly stay: string;
  /** Title of the page after it. */
  readonly signedOutTitle: string;
  /** Title of that page if the user stays signed in. */
  readonly stayedTitle: string;
  /** What it says under either title. */
  readonly signedOut: string;
}

/** English. */
export const ENGLISH: ConsentStrings = /* @__PURE__ */ Object.freeze({
  lang: "en",
  title: "Allow access?",
  request: "{client} wants to access your account",
  account: "You are signed in as {account}",
  scopes: "It will be able to:",
  redirect: "You will be sent to {host}",
  loopback:
    "This is a program on your device, and any program there can pretend to be {client}. Allow access only if you have just started to sign in with it.",
  allow: "Allow",
  deny: "Cancel",
  deviceTitle: "Connect a device",
  deviceCode: "Enter the code that your device shows",
  deviceUnknown:
    "This code is not valid, has expired, or was entered in another browser. Compare it with your device, or start again there.",
  deviceWarning:
    "Allow access only if you have started this yourself, and the device in front of you shows the code {code}. If somebody has sent you the code or a link, cancel: they would get access to your account.",
  deviceAllowed: "Device connected",
  deviceDenied: "Access refused",
  deviceDone: "Go back to your device. You can close this page.",
  errorTitle: "Something went wrong",
  error:
    "Your request could not be completed. Go back to the application that sent you here and try again.",
  continue: "Continue",
  signOutTitle: "Sign out?",
  signOutRequest: "{client} asks you to sign out here, too",
  signOut: "Sign out",
  stay: "Stay signed in",
  signedOutTitle: "You are signed out",
  stayedTitle: "You are still signed in",
  signedOut: "You can close this page.",
});
