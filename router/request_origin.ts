/**
 * Origin verification, the first check against cross-site request forgery: Fetch Metadata's `Sec-Fetch-Site`, or RFC
 * 6454's `Origin` if the browser does not send it.
 *
 * @module
 */

/** The initiator of a request, as the browser reports it. */
export type RequestOrigin =
  /** The same origin, or a trusted one. */
  | "trusted"
  /** Any other origin, subdomains and sibling domains included. */
  | "cross_origin"
  /** Not reported: a token is required. */
  | "unknown";

/** Safe methods, RFC 9110 §9.2.1. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS", "TRACE"];

/**
 * Whether a request has a safe method and needs no check. The handshake of a WebSocket is a GET that other sites can send
 * with the user's cookies, RFC 6455 §10.2: it needs one.
 */
export function isSafe(request: Request): boolean {
  return SAFE_METHODS.includes(request.method) && !isHandshake(request);
}

/** Whether a request opens a WebSocket. A page cannot send a token with it, but the browser sends the origin. */
export function isHandshake({ method, headers }: Request): boolean {
  if (method !== "GET") return false;
  return /\bwebsocket\b/i.test(headers.get("Upgrade") ?? "") ||
    headers.get("Sec-Fetch-Mode") === "websocket";
}

/**
 * Creates the check of a request's origin.
 *
 * @param trustedOrigins Other origins whose pages may act for the user: `https://app.example.com`.
 * @throws {TypeError} If one is not a serialized origin: scheme and host in lower case, no path, no default port.
 */
export function originVerifier(
  trustedOrigins: readonly string[] = [],
): (request: Request) => RequestOrigin {
  for (const origin of trustedOrigins) requireOrigin(origin);
  const trusted = new Set(trustedOrigins);
  return (request) => {
    const site = request.headers.get("Sec-Fetch-Site");
    if (site === "same-origin") return "trusted";
    const origin = request.headers.get("Origin");
    if (origin !== null && trusted.has(origin)) return "trusted";
    if (site !== null) return "cross_origin"; // cross-site, same-site, none, and future values
    if (origin === null) return "unknown";
    return isSameOrigin(origin, request) ? "trusted" : "cross_origin";
  };
}

/**
 * Whether an origin has the host of the request. With a proxy the request's scheme may be http while the page's is https;
 * a page over http is accepted on a loopback host only, since it can be forged on the network.
 */
function isSameOrigin(origin: string, request: Request): boolean {
  const from = parseOrigin(origin);
  const to = parseUrl(request.url);
  if (from === undefined || to === undefined) return false;
  if (from.protocol === "http:" && (to.protocol === "https:" || !isLoopback(from.hostname))) {
    return false;
  }
  const own = parseUrl(`${from.protocol}//${to.host}`); // without the default port of the scheme
  return own !== undefined && own.host === from.host;
}

/** Loopback hosts, W3C Secure Contexts §3.1. */
const LOOPBACK_REGEXP = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

function isLoopback(hostname: string): boolean {
  return LOOPBACK_REGEXP.test(hostname);
}

function requireOrigin(origin: string): void {
  if (parseOrigin(origin) !== undefined) return;
  throw new TypeError(
    `Cannot trust origin ${
      JSON.stringify(origin)
    }: write it as https://host or https://host:port, without wildcards`,
  );
}

/** A host name has up to 253 characters. */
const MAX_LENGTH = 300;

/** Parses a URL. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses an origin as browsers write that of a page: `https://host` or `https://host:port`, also `http`.
 *
 * @returns `undefined` for any other spelling, `null`, and a wildcard, which a URL may have, but no page.
 */
export function parseOrigin(text: unknown): URL | undefined {
  const url = typeof text === "string" && text.length <= MAX_LENGTH ? parseUrl(text) : undefined;
  if (url === undefined || url.origin !== text || !/^https?:$/.test(url.protocol)) return undefined;
  return url.hostname.includes("*") ? undefined : url;
}
