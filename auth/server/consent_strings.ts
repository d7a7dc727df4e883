/**
 * Texts of the built-in pages of the authorization server.
 *
 * @module
 */

/** Texts of the pages. `{client}` and `{host}` are replaced. */
export interface ConsentStrings {
  /** Language of the texts, BCP 47. */
  readonly lang: string;
  /** Title of the consent page. */
  readonly title: string;
  /** What the client wants. */
  readonly request: string;
  /** Above the list of scopes. */
  readonly scopes: string;
  /** Where the response goes. */
  readonly redirect: string;
  /** Where it goes for a program on the user's device. */
  readonly loopback: string;
  /** Button that allows. */
  readonly allow: string;
  /** Button that refuses. */
  readonly deny: string;
  /** Title of the error page. */
  readonly errorTitle: string;
  /** What the error page says; the reason follows. */
  readonly error: string;
  /** Button of the page that returns to the client by a form. */
  readonly continue: string;
}

/** English. */
export const ENGLISH: ConsentStrings = /* @__PURE__ */ Object.freeze({
  lang: "en",
  title: "Allow access?",
  request: "{client} wants to access your account",
  scopes: "It will be able to:",
  redirect: "You will be sent to {host}",
  loopback: "You will be sent to a program on this device, {host}. Allow this only if you have just started it.",
  allow: "Allow",
  deny: "Cancel",
  errorTitle: "This request cannot be completed",
  error: "The application that sent you here made a request that is not valid. Go back and try again.",
  continue: "Continue",
});
