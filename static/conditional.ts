/**
 * Conditional requests, RFC 9110 §13, by entity tags.
 *
 * @module
 */

/** A request with preconditions: a `Request`, or the request of a handler. */
export interface ConditionalRequest {
  /** The method. */
  readonly method: string;
  /** Header fields. */
  readonly headers: Headers;
}

/**
 * Evaluates the preconditions of a request that would succeed without them, RFC 9110 §13.2.2. Dates are ignored, as
 * by every server that sends no `Last-Modified` (§13.1.3, §13.1.4).
 *
 * @param etag Current entity tag, as in the response: `"abc"` or `W/"abc"`; `undefined` if there is no representation.
 * @returns The status to answer with instead, 304 or 412; `undefined` to continue.
 *
 * @example
 * ```ts
 * import { checkPreconditions } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const url = "http://localhost/notes/7";
 * const read = new Request(url, { headers: { "If-None-Match": '"v1", "v2"' } });
 * assertEquals(checkPreconditions(read, '"v2"'), 304);
 *
 * const write = new Request(url, { method: "PUT", headers: { "If-Match": '"v1"' } });
 * assertEquals(checkPreconditions(write, '"v2"'), 412);
 * assertEquals(checkPreconditions(write, '"v1"'), undefined);
 * ```
 */
export function checkPreconditions(
  { method, headers }: ConditionalRequest,
  etag: string | undefined,
): 304 | 412 | undefined {
  if (UNCONDITIONAL_METHODS.has(method)) return undefined;
  const match = headers.get("if-match");
  if (match !== null && !listsTag(match, etag, "strong")) return 412;
  const noneMatch = headers.get("if-none-match");
  if (noneMatch === null || !listsTag(noneMatch, etag, "weak")) return undefined;
  return method === "GET" || method === "HEAD" ? 304 : 412;
}

/**
 * Whether a field lists a tag. A malformed field lists none, so that `If-Match` fails and `If-None-Match` is ignored.
 *
 * @param how Strong comparison needs two strong tags, weak comparison ignores `W/`, RFC 9110 §8.8.3.2.
 */
function listsTag(field: string, etag: string | undefined, how: "strong" | "weak"): boolean {
  if (etag === undefined) return false;
  if (field === "*") return true;
  const isWeak = etag.startsWith("W/");
  if (how === "strong" && isWeak) return false;
  if (field === etag) return true;
  const opaque = isWeak ? etag.slice(2) : etag;
  let found = false;
  for (let at = 0; at < field.length;) {
    MEMBER_REGEXP.lastIndex = at;
    const member = MEMBER_REGEXP.exec(field);
    if (member === null) return false;
    if (member[2] === opaque && (how === "weak" || member[1] === undefined)) found = true;
    at = MEMBER_REGEXP.lastIndex;
  }
  return found;
}

/** Methods that neither select nor modify a representation, RFC 9110 §13.2.1. */
const UNCONDITIONAL_METHODS: ReadonlySet<string> = new Set(["CONNECT", "OPTIONS", "TRACE"]);

/** One member of a list of entity tags, which may be empty, and the comma after it: RFC 9110 §5.6.1.2, §8.8.3. */
const MEMBER_REGEXP = /[\t ]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,|$)/y;
