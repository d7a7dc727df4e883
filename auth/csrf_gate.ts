/**
 * The first check against cross-site request forgery: what the browser itself says of where a request comes from. Fetch
 * Metadata's `Sec-Fetch-Site`, and RFC 6454's `Origin` where a browser does not send it.
 *
 * @module
 */

/** Where a request comes from, as its browser says. */
export type RequestSource =
  /** The application's own pages, or a trusted origin's. */
  | "own"
  /** Anywhere else, a sibling domain included. */
  | "foreign"
  /** No browser has said: a token has to. */
  | "unsaid";

/** Methods that change nothing, RFC 9110 §9.2.1. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "TRACE"];

/** Whether a request's method changes nothing, so that it needs no check. */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.includes(method);
}

/**
 * Makes the gate.
 *
 * @param trustedOrigins Other origins whose pages may act for the user: `https://app.example.com`.
 * @throws {TypeError} If one is no origin in its one spelling: scheme and host in lower case, no path, no default port.
 */
export function csrfGate(
  trustedOrigins: readonly string[] = [],
): (request: Request) => RequestSource {
  for (const origin of trustedOrigins) checkOrigin(origin);
  const trusted = new Set(trustedOrigins);
  return (request) => {
    const site = request.headers.get("Sec-Fetch-Site");
    if (site === "same-origin") return "own";
    const origin = request.headers.get("Origin");
    if (origin !== null && trusted.has(origin)) return "own";
    if (site !== null) return "foreign"; // cross-site, same-site, none, and what is yet to come
    if (origin === null) return "unsaid";
    return isOwnOrigin(origin, request) ? "own" : "foreign";
  };
}

/** Whether an origin's host is the request's. The scheme is the proxy's affair, except that https never comes from http. */
function isOwnOrigin(origin: string, request: Request): boolean {
  const from = parseUrl(origin);
  const to = parseUrl(request.url);
  if (from === undefined || to === undefined || !isWebOrigin(from, origin)) return false;
  if (to.protocol === "https:" && from.protocol !== "https:") return false;
  const own = parseUrl(`${from.protocol}//${to.host}`); // where :443 is the default, it is no part of the host
  return own !== undefined && own.host === from.host;
}

/** Whether a URL was written as an origin of the Web is, RFC 6454 §6.2. "null" is none. */
function isWebOrigin(url: URL, written: string): boolean {
  return url.origin === written && /^https?:$/.test(url.protocol);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkOrigin(origin: string): void {
  const url = parseUrl(origin);
  if (url === undefined || !isWebOrigin(url, origin)) {
    throw new TypeError(
      `Cannot trust origin ${
        JSON.stringify(origin)
      }: write it as https://host or https://host:port`,
    );
  }
}
