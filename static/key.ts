/**
 * Which paths name a file. What is refused is refused as it is spelt, never corrected into something else.
 *
 * @module
 */

/** Why a path names no file. */
export type KeyRefusal = "traversal" | "missing";

/** What a path behind the mount's prefix names. */
export type ParsedKey =
  | { readonly key: string }
  | { readonly refused: KeyRefusal };

// deno-lint-ignore no-control-regex -- they are what is refused
const PLAIN_REGEXP = /^(?:\/[^./%\\\x00-\x1f\x7f][^/%\\\x00-\x1f\x7f]*)+$/;
/** A `..` between separators of any spelling. */
const TRAVERSAL_REGEXP = /(?:^|\/|%2F|%5C)\.\.(?:\/|%2F|%5C|$)/;
const KEY_REGEXP =
  // deno-lint-ignore no-control-regex -- they are what is refused
  /^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*(?:\/[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*)*$/;

/**
 * Reads a key from the canonical path behind a mount's prefix: `/sub/a.txt` names `sub/a.txt`. Empty segments, encoded
 * slashes and backslashes, control characters and names that start with a dot name nothing.
 */
export function parseKey(rest: string): ParsedKey {
  if (PLAIN_REGEXP.test(rest) && rest.isWellFormed()) return { key: rest.slice(1) };
  if (TRAVERSAL_REGEXP.test(rest)) return { refused: "traversal" };
  if (!rest.startsWith("/") || /%(?:2F|5C)/.test(rest)) return { refused: "missing" };
  const key = rest.slice(1).replaceAll("%25", "%");
  return isAssetKey(key) ? { key } : { refused: "missing" };
}

/** Whether a file may have this key: what {@linkcode parseKey} gives for some path. */
export function isAssetKey(key: string): boolean {
  return KEY_REGEXP.test(key) && key.isWellFormed();
}
