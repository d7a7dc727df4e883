/**
 * Parts of header fields: tokens (RFC 9110 §5.6.2) and optional white space (OWS, §5.6.3).
 *
 * @module
 */

/** A token, as the name of a header field or of a cookie. */
export const HTTP_TOKEN_REGEXP: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The part of a string from `start` to `end` without OWS at its ends; `trim()` would remove `\u00a0` and others too. */
export function trimOws(text: string, start: number, end: number): string {
  const from = skipOws(text, start, end);
  return text.slice(from, skipOwsBackward(text, from, end));
}

/** Index of the first character from `start` that is not OWS; `end` if there is none. */
export function skipOws(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isOws(text.charCodeAt(at))) at++;
  return at;
}

/** Index after the last character before `end` that is not OWS; `start` if there is none. */
export function skipOwsBackward(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isOws(text.charCodeAt(at - 1))) at--;
  return at;
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
