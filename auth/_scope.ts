/**
 * Scopes, RFC 6749 §3.3.
 *
 * @module
 */

/** RFC 6749 §3.3: visible ASCII without quotes and backslashes. */
const SCOPE_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Checks scopes and returns a frozen copy; `undefined` is returned as it is.
 *
 * @param cannot Start of the message: `Cannot create API key`.
 * @throws {TypeError} If `scope` is not an array of strings.
 * @throws {RangeError} If a scope is not a `scope-token`, or a duplicate.
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
  const tokens: readonly unknown[] = Array.isArray(scope) ? [...scope] : [undefined];
  if (!tokens.every((token) => typeof token === "string")) {
    throw new TypeError(`${cannot}: scope must be an array of strings`);
  }
  if (tokens.every((token) => SCOPE_REGEXP.test(token)) && new Set(tokens).size === tokens.length) {
    return Object.freeze(tokens);
  }
  throw new RangeError(
    `${cannot}: scope must not have duplicates, spaces, quotes or backslashes`,
  );
}

/**
 * Whether a principal passes where scopes are named: with a `scope`, even an empty one, it needs all of them, unless that is
 * `any`. A principal without `scope` is not limited.
 */
export function hasScope(
  principal: { readonly scope?: readonly string[] } | undefined,
  named: readonly string[] | "any" | undefined,
): boolean {
  if (principal?.scope === undefined || named === "any") return true;
  const { scope } = principal;
  return named !== undefined && named.length > 0 && named.every((each) => scope.includes(each));
}
