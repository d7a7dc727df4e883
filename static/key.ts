/**
 * Keys of files, and which paths name one. Invalid paths are rejected, never corrected.
 *
 * @module
 */

/** Why a path names no file. */
export type KeyRefusal = "traversal" | "missing";

/** What the path after a mount's prefix names. */
export type ParsedKey =
  | { readonly key: string }
  | { readonly refused: KeyRefusal };

// deno-lint-ignore no-control-regex -- these are rejected
const PLAIN_REGEXP = /^(?:\/[^./%\\\x00-\x1f\x7f][^/%\\\x00-\x1f\x7f]*)+$/;
/** A `..` between separators, encoded or not. */
const TRAVERSAL_REGEXP = /(?:^|\/|%2F|%5C)\.\.(?:\/|%2F|%5C|$)/;
const KEY_REGEXP =
  // deno-lint-ignore no-control-regex -- these are rejected
  /^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*(?:\/[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*)*$/;

/**
 * Parses the canonical path after a mount's prefix: `/sub/a.txt` is the key `sub/a.txt`. Empty segments, encoded slashes
 * and backslashes, control characters and names that start with a dot are invalid.
 */
export function parseKey(rest: string): ParsedKey {
  if (PLAIN_REGEXP.test(rest) && rest.isWellFormed()) return { key: rest.slice(1) };
  if (TRAVERSAL_REGEXP.test(rest)) return { refused: "traversal" };
  if (!rest.startsWith("/") || /%(?:2F|5C)/.test(rest)) return { refused: "missing" };
  const key = rest.slice(1).replaceAll("%25", "%");
  return isAssetKey(key) ? { key } : { refused: "missing" };
}

/** Whether a key is valid: whether {@linkcode parseKey} returns it for some path. */
export function isAssetKey(key: string): boolean {
  return KEY_REGEXP.test(key) && key.isWellFormed();
}
