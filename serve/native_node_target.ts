/**
 * The URL of a request that Node received, RFC 9112 §3.2 and §3.3: checked, and in the form that `new URL()` gives it.
 *
 * @module
 */

import type { IncomingMessage } from "node:http";

/** The scheme of a connection. */
export type Scheme = "http" | "https";

/** Finds the URL of a request; `undefined` if its target or its `Host` is malformed. */
export type UrlReader = (incoming: IncomingMessage) => string | undefined;

/** Authorities that are remembered. Clients choose them, so that there must be a limit. */
const MAX_AUTHORITIES = 256;

/** A host and a port, RFC 3986 §3.2: a name without escapes, an IPv4 or a bracketed IPv6 address. */
const AUTHORITY_REGEXP = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Path and query of which `new URL()` changes nothing, unless there are dot segments. */
const PLAIN_REGEXP = /^\/[\w\-.~!$&'()*+,;=:@%/[\]|]*(?:\?[\w\-.~!$&()*+,;=:@%/?[\]|]*)?$/;
const DOT_SEGMENT_REGEXP = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** What no target may have, and URL parsers remove or rewrite: a fragment, and all but visible ASCII. */
const FORBIDDEN_REGEXP = /[^!-~]|#/;
/** A backslash in the path: URL parsers read it as a slash. */
const BACKSLASH_REGEXP = /^[^?]*\\/;

/** The absolute form, RFC 9112 §3.2.2: scheme, authority, and path with query. */
const ABSOLUTE_REGEXP = /^(https?):\/\/([^/?#\\]*)(.*)$/is;

/**
 * Creates a reader of URLs. Its results are serialized URLs, so that `new URL()` and `new Request()` read the same path from
 * them as the router. Dot segments are removed; a target is refused if it has a fragment, a
 * backslash in its path, or anything but visible ASCII characters.
 */
export function urlReader(scheme: Scheme): UrlReader {
  const origins = new Map<string, string>();

  /** The origin of an authority, or `undefined` if that is malformed. */
  function originOf(authority: string): string | undefined {
    const known = origins.get(authority);
    if (known !== undefined || !AUTHORITY_REGEXP.test(authority)) return known;
    const origin = parseOrigin(`${scheme}://${authority}`);
    if (origins.size >= MAX_AUTHORITIES) origins.clear();
    if (origin !== undefined) origins.set(authority, origin);
    return origin;
  }

  let lastHost: string | undefined;
  let lastOrigin: string | undefined;
  return (incoming) => {
    const { url: target = "", rawHeaders } = incoming;
    const host = hostOf(rawHeaders) ?? defaultHost(incoming);
    if (host === undefined) return undefined;
    if (host !== lastHost) {
      lastOrigin = originOf(host);
      lastHost = host;
    }
    const origin = lastOrigin;
    if (origin === undefined) return undefined;
    if (target.startsWith("/")) return join(origin, target);
    if (target === "*") return incoming.method === "OPTIONS" ? `${origin}/` : undefined;
    const [, given = "", authority = "", rest = ""] = ABSOLUTE_REGEXP.exec(target) ?? [];
    if (given.toLowerCase() !== scheme) return undefined; // RFC 9110 §7.4: https only over TLS
    const other = originOf(authority); // which counts, not Host
    return other === undefined ? undefined : join(other, rest.startsWith("/") ? rest : `/${rest}`);
  };
}

/** The only `Host`; the empty string, which is malformed, if there are several. */
function hostOf(rawHeaders: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    if (host !== undefined) return "";
    host = rawHeaders[i + 1];
  }
  return host;
}

/** HTTP/1.0 has no `Host`: the address that the client connected to. */
function defaultHost({ httpVersionMajor, httpVersionMinor, socket }: IncomingMessage):
  | string
  | undefined {
  if (httpVersionMajor !== 1 || httpVersionMinor !== 0) return undefined;
  const { localAddress, localPort } = socket;
  if (localAddress === undefined) return "localhost"; // a Unix socket
  const address = localAddress.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/%.*$/, "");
  return `${address.includes(":") ? `[${address}]` : address}:${localPort}`;
}

function parseOrigin(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined; // a port above 65,535, for example
  }
}

function join(origin: string, target: string): string | undefined {
  if (PLAIN_REGEXP.test(target) && !DOT_SEGMENT_REGEXP.test(target)) return origin + target;
  if (FORBIDDEN_REGEXP.test(target) || BACKSLASH_REGEXP.test(target)) return undefined;
  return new URL(origin + target).href;
}
