// The token of a link in a message, which its page has in the address.

/** The token. */
export const token = new URLSearchParams(location.search).get("token") ?? "";

/** Removes it from the address, and so from the browser's history, once it is used. */
export function forgetToken() {
  history.replaceState(null, "", location.pathname);
}
