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
  | "unknown";

/** Methods that change nothing, RFC 9110 §9.2.1. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Whether a request changes nothing, so that it needs no check. The handshake of a WebSocket is a GET that other sites may
 * send with the user's cookies, RFC 6455 §10.2: it opens what a check would have refused.
 */
export function isSafe(request: Request): boolean {
  return SAFE_METHODS.includes(request.method) && !isHandshake(request);
}

/** Whether a request opens a WebSocket. No page can put a token into one, but its browser says where it is from. */
export function isHandshake({ method, headers }: Request): boolean {
  if (method !== "GET") return false;
  return /\bwebsocket\b/i.test(headers.get("Upgrade") ?? "") ||
    headers.get("Sec-Fetch-Mode") === "websocket";
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
    if (origin === null) return "unknown";
    return isOwnOrigin(origin, request) ? "own" : "foreign";
  };
}

/**
 * Whether an origin's host is the request's. Behind a proxy the request's scheme may be http; the page's is https, except
 * on this machine: a page that came in the clear may be anybody's.
 */
function isOwnOrigin(origin: string, request: Request): boolean {
  const from = parseUrl(origin);
  const to = parseUrl(request.url);
  if (from === undefined || to === undefined || !isWebOrigin(from, origin)) return false;
  if (from.protocol === "http:" && (to.protocol === "https:" || !isLoopback(from.hostname))) {
    return false;
  }
  const own = parseUrl(`${from.protocol}//${to.host}`); // where :443 is the default, it is no part of the host
  return own !== undefined && own.host === from.host;
}

/** Names and addresses of this machine, W3C Secure Contexts §3.1. */
const LOOPBACK_REGEXP = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

function isLoopback(hostname: string): boolean {
  return LOOPBACK_REGEXP.test(hostname);
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
