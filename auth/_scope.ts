/**
 * Scopes, RFC 6749 §3.3.
 *
 * @module
 */

/** RFC 6749 §3.3: visible ASCII but for quotes and backslashes. */
const SCOPE_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/**
 * A list of scopes, copied; `undefined` where nothing is said of them.
 *
 * @param cannot What fails without: `Cannot create API key`.
 * @throws {TypeError} If it is no list of texts.
 * @throws {RangeError} If one is no word as the RFC has it, or there twice.
 */
export function readScope<Scope extends readonly string[] | undefined>(
  cannot: string,
  scope: Scope,
): Scope;
export function readScope(
  cannot: string,
  scope: readonly string[] | undefined,
): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  const words: readonly unknown[] = Array.isArray(scope) ? [...scope] : [undefined];
  if (!words.every((word) => typeof word === "string")) {
    throw new TypeError(`${cannot}: scope is no list of texts`);
  }
  if (words.every((word) => SCOPE_REGEXP.test(word)) && new Set(words).size === words.length) {
    return Object.freeze(words); // whoever gets it in an answer must not add to it
  }
  throw new RangeError(
    `${cannot}: scope has a word with blanks, quotes or backslashes, or one twice`,
  );
}
