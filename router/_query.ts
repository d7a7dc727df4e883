/**
 * Query parsing by the rules of `application/x-www-form-urlencoded` (WHATWG URL §5.1), without URLSearchParams, which
 * is several times slower on short queries.
 *
 * @module
 */

import type { Query } from "./markers.ts";

// First in the file, and not imported from path.ts: minifiers inline only leading constants of the same file.
const PERCENT = 0x25;
const PLUS = 0x2b;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;

/**
 * Class of params and queries. They inherit nothing, as from `Object.create(null)`, but V8 reads and writes them as fast as
 * other objects. A function, since the prototype of a class would have a `constructor`.
 */
export const Bare = function () {} as unknown as new () => Record<string, string | string[]>;
Bare.prototype = Object.freeze(Object.create(null));

/** What a request without parameters, or without a query, has: one frozen object for all of them. */
export const EMPTY: Readonly<Record<string, never>> = Object.freeze(
  new Bare() as Record<string, never>,
);

/**
 * Parses the query that starts at an index of a URL.
 *
 * @param from Index of the `?`; without one there, the query is empty.
 * @returns An object that inherits nothing: one value is a string, a repeated name an array.
 */
export function parseQuery(url: string, from: number): Query {
  if (url.charCodeAt(from) !== QUESTION_MARK) return EMPTY;
  const query = new Bare();
  // Looks at each character once: on short queries, several searches for delimiters and escapes take longer.
  for (let start = from + 1, at = start, equals = -1, encoded = false;; at++) {
    const code = at < url.length ? url.charCodeAt(at) : NUMBER_SIGN;
    if (code === AMPERSAND || code === NUMBER_SIGN) {
      if (at > start) addPair(query, url, start, equals === -1 ? at : equals, at, encoded);
      if (code === NUMBER_SIGN) return query;
      start = at + 1;
      equals = -1;
      encoded = false;
    } else if (code === EQUALS && equals === -1) equals = at;
    else if (code === PERCENT || code === PLUS) encoded = true;
  }
}

/** Adds the name up to `equals`, and the value after it. */
function addPair(
  query: Record<string, string | string[]>,
  url: string,
  start: number,
  equals: number,
  end: number,
  encoded: boolean,
): void {
  let name = url.slice(start, equals);
  let value = url.slice(equals + 1, end);
  if (encoded) {
    name = decode(name);
    value = decode(value);
  }
  const known = query[name];
  if (known === undefined) query[name] = value;
  else if (typeof known === "string") query[name] = [known, value];
  else known.push(value);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return new URLSearchParams("=" + text).get("") ?? ""; // malformed escapes stay, bad UTF-8 becomes U+FFFD
  }
}
