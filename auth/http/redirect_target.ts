/**
 * Where a page may send people on after a sign-in: never to another site.
 *
 * @module
 */

/** Longer ones do not fit into every server's line of a request, beside the rest of it. */
const MAX_LENGTH = 2048;

/** What browsers read as the end of a path's host: `//`, `\`, and what they leave out before they look, WHATWG URL §4.4. */
// deno-lint-ignore no-control-regex
const MISLEADING_REGEXP = /\/\/|\\|[\x00-\x1f\x7f]/;

/**
 * The path, as a URL writes it, if it is one of this service: it begins with one slash, has no backslash, control
 * character or double slash, in the path not even encoded ones, and is no longer than 2,048 characters. For `?next=` of a
 * page where people sign in.
 *
 * @param text What a request says, which may be anything, even nothing or a list.
 * @param fallback What stands for everything else. @default {"/"}
 *
 * @example
 * ```ts
 * import { safeRedirectPath } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(safeRedirectPath("/notes?page=2"), "/notes?page=2");
 * assertEquals(safeRedirectPath("//evil.example"), "/");
 * assertEquals(safeRedirectPath("/\\evil.example", "/home"), "/home");
 * ```
 */
export function safeRedirectPath(text: unknown, fallback: string = "/"): string {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return fallback;
  if (!text.startsWith("/") || MISLEADING_REGEXP.test(text)) return fallback;
  try {
    const [given = ""] = text.split(/[?#]/, 1);
    if (MISLEADING_REGEXP.test(decodeURIComponent(given))) return fallback;
    const { origin, pathname, search, hash } = new URL(text, "http://localhost");
    const path = pathname + search + hash;
    return origin === "http://localhost" && path.length <= MAX_LENGTH ? path : fallback;
  } catch {
    return fallback; // half an escape
  }
}
