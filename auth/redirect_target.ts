/**
 * `safeRedirectPath`: the target of a redirect after a sign-in, never another site.
 *
 * @module
 */

/** Longer ones exceed the limit of some servers for a request line. */
const MAX_LENGTH = 2048;

/** What browsers parse as a host: `//`, `\`, and the control characters that they strip first, WHATWG URL §4.4. */
// deno-lint-ignore no-control-regex
const MISLEADING_REGEXP = /\/\/|\\|[\x00-\x1f\x7f]/;

/**
 * Returns a path of this service in the form that a URL parser serializes, or the fallback: it must start with one slash,
 * contain no backslash, control character or double slash, in the path not even percent-encoded, and have at most 2,048
 * characters. For the parameter `?next=` of a sign-in page.
 *
 * @param value Value from a request, of any type.
 * @param fallback Returned for every other value. @default {"/"}
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
export function safeRedirectPath(value: unknown, fallback: string = "/"): string {
  if (typeof value !== "string" || value.length > MAX_LENGTH) return fallback;
  if (!value.startsWith("/") || MISLEADING_REGEXP.test(value)) return fallback;
  try {
    const [given = ""] = value.split(/[?#]/, 1);
    if (MISLEADING_REGEXP.test(decodeURIComponent(given))) return fallback;
    const { origin, pathname, search, hash } = new URL(value, "http://localhost");
    const path = pathname + search + hash;
    return origin === "http://localhost" && path.length <= MAX_LENGTH ? path : fallback;
  } catch {
    return fallback; // malformed percent-encoding
  }
}
