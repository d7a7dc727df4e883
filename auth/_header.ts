/**
 * Spaces and tabs around the parts of header fields, RFC 9110 §5.6.3. `trim()` would take `\u00a0` and others too.
 *
 * @module
 */

/** A part of a text without the spaces and tabs at its ends. */
export function withoutBlanks(text: string, start: number, end: number): string {
  const from = skipBlanks(text, start, end);
  return text.slice(from, trimOws(text, from, end));
}

/** Where the first character from `start` on is that is no blank; `end` if there is none. */
export function skipBlanks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Behind the last character before `end` that is no blank; `start` if there is none. */
export function trimOws(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
