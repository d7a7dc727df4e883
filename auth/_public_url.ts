/**
 * Which addresses this server may ask for a document that somebody else names: none that lead into its own network, so that
 * nobody makes it read what only it can reach.
 *
 * @module
 */

import { type Ip, type IpRange, isInRange, parseIp, parseIpRange } from "./_ip.ts";

/** Options of {@linkcode publicUrl}. */
export interface PublicUrlOptions {
  /** Also takes `http:` and `https:` to this machine itself, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
}

/** The machine itself: RFC 1122 §3.2.1.3, RFC 4291 §2.5.3. */
const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/** What of IPv4 is not public, from IANA's registry of special-purpose addresses (RFC 6890) and those of multicast. */
const NOT_PUBLIC_V4: readonly string[] = [
  "0.0.0.0/8", // this network, RFC 791 §3.2; on Linux this machine
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // shared behind a carrier's NAT, RFC 6598
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, RFC 3927; where clouds keep their secrets
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
 * All that was ever given out of IPv6, RFC 4291 §2.4. What is not in it: unspecified, loopback, unique local, link-local,
 * multicast, and all forms of an IPv4 address but 6to4 and Teredo.
 */
const PUBLIC_V6 = "2000::/3";

/** What of {@linkcode PUBLIC_V6} is not public. */
const NOT_PUBLIC_V6: readonly string[] = [
  "2001::/23", // protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4, RFC 7526: any IPv4 address may be inside
  "3fff::/20", // documentation, RFC 9637
];

/**
 * Reads the address of a document that is to be fetched: `https:`, without user name and password, to a name or a public
 * IP address. Names are not resolved: one that leads to a private address is not noticed here.
 *
 * @param cannot What fails without it: `Cannot set up remote keys`.
 * @returns A URL of our own, which nobody changes later.
 * @throws {TypeError} If the address is refused. It is not part of the message: there may be a password in it.
 */
export function publicUrl(
  cannot: string,
  address: string | URL,
  { insecureLoopback = false }: PublicUrlOptions = {},
): URL {
  const url = parseUrl(address);
  if (url === undefined) throw new TypeError(`${cannot}: the address is no URL`);
  const refusal = refusalOf(url, insecureLoopback === true);
  if (refusal !== undefined) throw new TypeError(`${cannot}: ${refusal}`);
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

/** Why an address is refused. The URL has one spelling of each host: `0x7f.1`, `2130706433` and `127.0.0.1.` are one. */
function refusalOf(url: URL, mayLoop: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "the URL is not https";
  if (url.username !== "" || url.password !== "") return "the URL has a user name or password";
  // An empty label is in no name of the DNS; resolvers may skip it, and read `localhost..` as they like
  if (url.hostname.includes("..")) return "the URL's host is no name";
  const host = hostOf(url);
  const isLoopback = typeof host === "string" ? isLocalName(host) : isIn(host, LOOPBACK);
  if (isLoopback && mayLoop) return undefined;
  if (url.protocol !== "https:") {
    return "the URL is not https; for tests, insecureLoopback lets http to localhost pass";
  }
  if (isLoopback) return "the URL leads to this machine, which only insecureLoopback allows";
  if (typeof host === "string" || isPublic(host)) return undefined;
  return "the URL's IP address is not a public one";
}

/** A URL's host as an IP address, or as a name without the dot that ends it at the root, RFC 1034 §3.1. */
function hostOf({ hostname }: URL): Ip | string {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return parseIp(bare) ?? bare;
}

/** RFC 6761 §6.3: these names lead to the machine itself. */
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
