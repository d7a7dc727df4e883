/**
 * URLs that this server may fetch although an untrusted party chose them: none of its own network (server-side request
 * forgery).
 *
 * @module
 */

import { type Ip, type IpRange, isInRange, parseIp, parseIpRange } from "./_ip.ts";

/** Options of {@linkcode publicUrl}. */
export interface PublicUrlOptions {
  /** Also allows `http:` and `https:` to the loopback interface, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
}

/** Loopback: RFC 1122 §3.2.1.3, RFC 4291 §2.5.3. */
const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/** Non-public IPv4 ranges: IANA's special-purpose address registry (RFC 6890), and multicast. */
const NOT_PUBLIC_V4: readonly string[] = [
  "0.0.0.0/8", // this network, RFC 791 §3.2; loopback on Linux
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // shared behind a carrier's NAT, RFC 6598
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, RFC 3927; cloud metadata services
  "172.16.0.0/12", // private, RFC 1918
  "192.0.0.0/24", // protocol assignments, RFC 6890
  "192.0.2.0/24", // documentation, RFC 5737
  "192.88.99.0/24", // relays of 6to4, RFC 7526
  "192.168.0.0/16", // private, RFC 1918
  "198.18.0.0/15", // benchmarking, RFC 2544
  "198.51.100.0/24", // documentation, RFC 5737
  "203.0.113.0/24", // documentation, RFC 5737
  "224.0.0.0/4", // multicast, RFC 5771
  "240.0.0.0/4", // reserved, RFC 1112 §4, and broadcast
];

/**
 * The allocated global unicast range of IPv6, RFC 4291 §2.4. It excludes unspecified, loopback, unique local, link-local
 * and multicast addresses, and embedded IPv4 addresses except 6to4 and Teredo.
 */
const PUBLIC_V6 = "2000::/3";

/** Non-public ranges of {@linkcode PUBLIC_V6}. */
const NOT_PUBLIC_V6: readonly string[] = [
  "2001::/23", // protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4, RFC 7526: embeds any IPv4 address
  "3fff::/20", // documentation, RFC 9637
];

/**
 * Checks the URL of a document to be fetched: `https:`, without user name and password, to a name or a public IP address.
 * Names are not resolved: a name that resolves to a private address is not detected.
 *
 * @param cannot Prefix of error messages: `Cannot set up remote keys`.
 * @returns A copy of the URL.
 * @throws {TypeError} If the URL is rejected. The message does not contain it, because it may contain a password.
 */
export function publicUrl(
  cannot: string,
  address: string | URL,
  { insecureLoopback = false }: PublicUrlOptions = {},
): URL {
  const url = parseUrl(address);
  if (url === undefined) throw new TypeError(`${cannot}: invalid URL`);
  const rejection = rejectionOf(url, insecureLoopback === true);
  if (rejection !== undefined) throw new TypeError(`${cannot}: ${rejection}`);
  return url;
}

function parseUrl(address: unknown): URL | undefined {
  if (typeof address !== "string" && !(address instanceof URL)) return undefined;
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** Why a URL is rejected. The URL parser normalizes hosts: `0x7f.1`, `2130706433` and `127.0.0.1.` are the same. */
function rejectionOf(url: URL, allowLoopback: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "the URL must be https";
  if (url.username !== "" || url.password !== "") {
    return "the URL must not contain a user name or password";
  }
  // Empty labels are invalid in DNS; resolvers differ in how they read `localhost..`
  if (url.hostname.includes("..")) return "the host of the URL is invalid";
  const host = hostOf(url);
  const isLoopback = typeof host === "string" ? isLocalName(host) : isIn(host, LOOPBACK);
  if (isLoopback && allowLoopback) return undefined;
  if (url.protocol !== "https:") {
    return "the URL must be https; for tests, insecureLoopback allows http to localhost";
  }
  if (isLoopback) return "the URL is a loopback address, which only insecureLoopback allows";
  if (typeof host === "string" || isPublic(host)) return undefined;
  return "the IP address of the URL is not public";
}

/** The host as an IP address, or as a name without the trailing dot of the root, RFC 1034 §3.1. */
function hostOf({ hostname }: URL): Ip | string {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return parseIp(bare) ?? bare;
}

/** RFC 6761 §6.3: names of the loopback interface. */
function isLocalName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function isPublic(ip: Ip): boolean {
  if (ip.length === 4) return !isIn(ip, NOT_PUBLIC_V4);
  return isIn(ip, [PUBLIC_V6]) && !isIn(ip, NOT_PUBLIC_V6);
}

function isIn(ip: Ip, ranges: readonly string[]): boolean {
  return ranges.map(parseIpRange).some((range: IpRange | undefined) =>
    range !== undefined && isInRange(ip, range)
  );
}
