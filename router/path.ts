/**
 * The canonical form of a path. Matcher, guards and static lookup all use the path that is derived here, once, from the
 * raw request target; frameworks that route on one form and look up another have been bypassed
 * (CVE-2026-29087, CVE-2026-39406).
 *
 * @module
 */

// First in the file: minifiers inline only leading constants.
const COLON = 0x3a;
const PLUS = 0x2b;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const NUMBER_SIGN = 0x23;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** A parsed request target. */
export interface Target {
  /** Canonical path: each segment decoded once, `%2F`, `%5C` and `%25` left encoded; raw when `bad`. */
  readonly path: string;
  /** Whether the authority is invalid, or the path has a malformed escape, a NUL or a control character. */
  readonly bad: boolean;
  /** Index in the URL where the raw path starts. */
  readonly start: number;
  /** Index in the URL where the raw path ends. */
  readonly end: number;
}

/** Escapes that stay encoded: decoded, they would change the segments or be decoded twice. */
const KEPT_ESCAPES_REGEXP = /%(2f|5c|25)/gi;
/** URL parsers strip or rewrite these, so that components would disagree on the path. */
// deno-lint-ignore no-control-regex -- these are rejected
const CONTROL_REGEXP = /[\x00-\x1f\x7f]/;

/** A host and a port, RFC 3986 §3.2: a name without escapes, an IPv4 or a bracketed IPv6 address. */
const AUTHORITY_REGEXP = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Whether a part of a URL can be a host and a port. On a Unix socket Deno puts the socket there: `http+unix://…`. */
function isAuthority(url: string, from: number, to: number): boolean {
  return url.charCodeAt(4) === PLUS || AUTHORITY_REGEXP.test(url.slice(from, to));
}

/**
 * Extracts the path of a URL as the server delivered it, up to `?` or `#`. `new URL()` would remove dot segments before
 * they could be rejected. Empty and dot segments are kept.
 */
export function parseTarget(url: string): Target {
  const authority = url.charCodeAt(4) === COLON ? 7 : url.indexOf("://") + 3; // after "http://" or another scheme
  let at = authority;
  while (isNameCharacter(url.charCodeAt(at))) at++;
  let plain = at > authority;
  if (url.charCodeAt(at) === COLON) { do at++; while (isDigit(url.charCodeAt(at))); }
  for (; at < url.length && !isDelimiter(url.charCodeAt(at)); at++) plain = false;
  const start = at;
  // The server builds the authority from the Host field, unchecked. RFC 9112 §3.2 requires 400 for an invalid host.
  const bad = start === authority || (!plain && !isAuthority(url, authority, start));
  let unusual = false;
  for (; at < url.length && !isPathEnd(url.charCodeAt(at)); at++) {
    if (isUnusual(url.charCodeAt(at))) unusual = true;
  }
  const raw = start === at ? "/" : url.slice(start, at);
  const path = unusual ? decodePath(raw) : raw;
  return { path: path ?? raw, bad: bad || path === undefined, start, end: at };
}

/**
 * The canonical form of a raw path.
 *
 * @returns `undefined` if an escape is malformed, or the path has a NUL or a raw control character.
 */
export function decodePath(raw: string): string | undefined {
  if (CONTROL_REGEXP.test(raw)) return undefined;
  try {
    const path = decodeURIComponent(
      raw.replaceAll("\\", "%5C").replace(
        KEPT_ESCAPES_REGEXP,
        (escape) => "%25" + escape.slice(1).toUpperCase(),
      ),
    );
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined; // URIError: a malformed escape
  }
}

/** Completes the decoding of one parameter: the three kept escapes become `/`, `\` and `%`. */
export function decodeParam(text: string): string {
  return text.includes("%") ? text.replace(KEPT_ESCAPES_REGEXP, keptCharacter) : text;
}

/**
 * Joins a prefix and a path: `/api` and `/` become `/api`.
 *
 * @throws {TypeError} If the path does not start with a slash and is not `*`.
 */
export function joinPaths(prefix: string, path: string): string {
  if (!path.startsWith("/") && path !== "*") {
    throw new TypeError(`Cannot use path "${path}": it does not start with /`);
  }
  if (prefix === "" || prefix === "/") return path;
  const base = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path === "/" ? base : path === "*" ? base + "/*" : base + path;
}

/**
 * The path for a mounted application: the raw path after the prefix's segments.
 *
 * @param target Target of the request, whose path starts with the prefix.
 * @param depth Number of segments of the prefix.
 * @returns `undefined` if a URL parser would turn the rest into a path that no outer guard saw: with a segment that
 * decodes to `.` or `..`, an empty one before the last, or a malformed one.
 */
export function mountRemainder(url: string, target: Target, depth: number): string | undefined {
  let from = target.start;
  for (let i = 0; i < depth; i++) {
    from = url.indexOf("/", from + 1);
    if (from === -1 || from > target.end) from = target.end;
  }
  const rest = url.slice(from, target.end) || "/";
  const decoded = decodePath(rest);
  if (decoded === undefined) return undefined;
  const segments = decoded.slice(1).split("/");
  const last = segments.length - 1;
  if (segments.some((segment, i) => isDotSegment(segment) || (segment === "" && i < last))) {
    return undefined;
  }
  return rest.replaceAll("\\", "%5C").replaceAll(" ", "%20"); // a URL parser reads `\` as `/` and trims spaces
}

function isDotSegment(segment: string): boolean {
  return segment === "." || segment === "..";
}

function keptCharacter(escape: string): string {
  return escape === "%2F" ? "/" : escape === "%5C" ? "\\" : "%";
}

function isDelimiter(code: number): boolean {
  return code === SLASH || isPathEnd(code);
}

function isPathEnd(code: number): boolean {
  return code === QUESTION_MARK || code === NUMBER_SIGN;
}

/** Whether a character may make a path differ from its canonical form. */
function isUnusual(code: number): boolean {
  return code === PERCENT || code === BACKSLASH || code <= 0x20 || code === 0x7f;
}

/** Letters, digits and `-._~`, RFC 3986 §2.3. */
function isNameCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || isDigit(code) || (code >= 0x41 && code <= 0x5a) ||
    code === 0x2e || code === 0x2d || code === 0x5f || code === 0x7e;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
