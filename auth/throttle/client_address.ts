/**
 * Who is asking: the client's address, behind proxies too, and the unit by which attempts are counted.
 *
 * @module
 */

import { withoutBlanks } from "../_header.ts";
import {
  firstBits,
  formatIp,
  type Ip,
  type IpRange,
  isInRange,
  parseIpNode,
  parseIpRange,
} from "../_ip.ts";
import { onceEach, warnConsole } from "../_report.ts";

/** Options of {@linkcode clientAddressReader}. */
export interface ClientAddressOptions {
  /**
   * The address of whoever is connected to this server, or of the client where the host says so. `args` are what the
   * host hands to `fetch` behind the request. What it throws passes on to the caller.
   *
   * @default what `Deno.serve` and Bun say of a connection over TCP
   */
  clientAddress?: ClientAddressReader | undefined;
  /**
   * Addresses and ranges (`10.0.0.0/8`, `2001:db8::/32`) of the proxies in front of this server. Only what they say in
   * `X-Forwarded-For` counts. Behind a proxy that is not listed, all clients have its address.
   *
   * @default none: `X-Forwarded-For` is ignored
   */
  trustedProxies?: readonly string[] | undefined;
  /** Told once of each reason why an address is not known. @default {console.warn} */
  warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What runtimes hand to `fetch` behind the request: `Deno.serve` about the connection, Bun its server. */
interface HostInfo {
  readonly remoteAddr?: { readonly transport?: unknown; readonly hostname?: unknown };
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null;
}

/** So many entries of `X-Forwarded-For` are looked at, from its end: more proxies nobody has in a row. */
const MAX_HOPS = 32;

/** What one household or one machine has of IPv6, and changes at will within: RFC 7421 §1, RFC 8981. */
const IPV6_BUCKET_BITS = 64;

/** Behind a translator all of IPv4 has these addresses, RFC 6052 §2.1. */
const TRANSLATED_V4: IpRange = {
  ip: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  bits: 96,
};

const UNKNOWN_ADDRESS = "Cannot limit attempts by address: the client's address is not known; " +
  "hand on what the host gives behind the request, or give the option clientAddress";

const MALFORMED_FORWARD = "Cannot limit attempts by address: a trusted proxy sends no " +
  "X-Forwarded-For, or one that is no list of addresses";

const UNLISTED_PROXY =
  "X-Forwarded-For is ignored: whoever sends it is no trusted proxy. If it is a proxy of yours, all " +
  "clients share its attempts until it stands in the option trustedProxies";

/**
 * Tells the address of a request's client; `args` are what the host hands to `fetch` behind the request. `undefined` if it
 * is not known.
 */
export type ClientAddressReader = (request: Request, ...args: unknown[]) => string | undefined;

/**
 * Makes what says where a request comes from: the connection's other end or, if that is a trusted proxy, the last entry
 * of `X-Forwarded-For` that is no trusted proxy. Entries before it are what anybody may have sent, and are not looked at.
 * If all are trusted, the first one is meant; without any, or with one on the way that is no address, the client is unknown.
 *
 * @returns What takes a request, and what the host hands to `fetch` behind it; `undefined` if the client is unknown.
 *
 * @throws {TypeError} If `trustedProxies` is no list of addresses and ranges, or `clientAddress` no function.
 *
 * @example
 * ```ts
 * import { clientAddressReader } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const clientAddress = clientAddressReader({ trustedProxies: ["10.0.0.0/8"] });
 * const headers = { "X-Forwarded-For": "198.51.100.7, 203.0.113.9" };
 * const request = new Request("https://example.com/", { headers });
 *
 * const viaProxy = { remoteAddr: { transport: "tcp", hostname: "10.0.0.1" } };
 * assertEquals(clientAddress(request, viaProxy), "203.0.113.9");
 *
 * const direct = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } };
 * assertEquals(clientAddress(request, direct), "192.0.2.1");
 * ```
 */
export function clientAddressReader(options: ClientAddressOptions = {}): ClientAddressReader {
  const { clientAddress = connectedAddress, trustedProxies = [], warn = warnConsole } = options;
  if (typeof clientAddress !== "function") {
    throw new TypeError("Cannot read client addresses: clientAddress is no function");
  }
  const trusted = parseProxies(trustedProxies);
  const warnOnce = onceEach(warn);
  return (request, ...args) => {
    const peer: unknown = clientAddress(request, ...args) ?? undefined;
    if (peer !== undefined && typeof peer !== "string") {
      throw new TypeError("Cannot read client address: clientAddress gave no text");
    }
    if (peer === undefined || peer === "") {
      warnOnce(UNKNOWN_ADDRESS);
      return undefined;
    }
    const forwarded = request.headers.get("x-forwarded-for");
    if (!isTrusted(parseIpNode(peer), trusted)) {
      if (forwarded !== null) warnOnce(UNLISTED_PROXY);
      return peer;
    }
    const address = originOf(forwarded ?? "", trusted);
    if (address === undefined) warnOnce(MALFORMED_FORWARD);
    return address;
  };
}

/**
 * The unit by which attempts from an address are counted: an IPv4 address as it is, an IPv6 address by its first 64 bits,
 * which are one customer's, an IPv6 address that maps or translates an IPv4 address (`::ffff:0:0/96`, RFC 4291 §2.5.5.2;
 * `64:ff9b::/96`, RFC 6052 §2.1) as the latter. Brackets, port and zone are dropped.
 *
 * @returns `undefined` if the text is no address.
 *
 * @example
 * ```ts
 * import { addressBucket } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(addressBucket("2001:db8:0:1:aaaa::1"), "2001:db8:0:1::/64");
 * assertEquals(addressBucket("::ffff:192.0.2.1"), "192.0.2.1");
 * ```
 */
export function addressBucket(address: string): string | undefined {
  const ip = parseIpNode(address);
  if (ip === undefined) return undefined;
  if (ip.length === 4) return formatIp(ip);
  if (isInRange(ip, TRANSLATED_V4)) return formatIp(ip.slice(12));
  return `${formatIp(firstBits(ip, IPV6_BUCKET_BITS))}/${IPV6_BUCKET_BITS}`;
}

function parseProxies(proxies: readonly string[]): readonly IpRange[] {
  if (!Array.isArray(proxies)) {
    throw new TypeError("Cannot trust proxies: trustedProxies is no list");
  }
  return proxies.map((text: unknown, i) => {
    const range = typeof text === "string" ? parseIpRange(text) : undefined;
    if (range !== undefined) return range;
    throw new TypeError(
      `Cannot trust proxies: trustedProxies[${i}] is no address, and no range whose other bits are 0 such as 10.0.0.0/8`,
    );
  });
}

/** The default reader. A Unix socket has no address of a client. */
function connectedAddress(request: Request, host?: unknown): string | undefined {
  const { remoteAddr, requestIP } = (host ?? {}) as HostInfo;
  if (remoteAddr?.transport === "tcp") return remoteAddr.hostname as string | undefined;
  if (typeof requestIP !== "function") return undefined;
  return requestIP.call(host, request)?.address as string | undefined;
}

/** The last entry that is no trusted proxy, or the first of all. */
function originOf(forwarded: string, trusted: readonly IpRange[]): string | undefined {
  let address: string | undefined;
  for (let hop = 0, end = forwarded.length; hop < MAX_HOPS && end >= 0; hop++) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const entry = withoutBlanks(forwarded, comma + 1, end);
    end = comma;
    if (entry === "") continue; // RFC 9110 §5.6.1.2
    const ip = parseIpNode(entry);
    if (ip === undefined) return undefined;
    address = formatIp(ip);
    if (!isTrusted(ip, trusted)) return address;
  }
  return address;
}

function isTrusted(ip: Ip | undefined, trusted: readonly IpRange[]): boolean {
  return ip !== undefined && trusted.some((range) => isInRange(ip, range));
}
