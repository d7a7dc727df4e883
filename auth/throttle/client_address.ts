/**
 * The client's address, directly or through proxies, and the unit by which attempts are counted.
 *
 * @module
 */

import { trimOws } from "../_header.ts";
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
   * Returns the address of the peer that is connected to this server, or of the client if the host provides it. `args`
   * are the arguments that the host passes to `fetch` after the request. What it throws is passed on to the caller.
   *
   * @default the peer address that `Deno.serve` and Bun provide for TCP
   */
  clientAddress?: ClientAddressReader | undefined;
  /**
   * Addresses and ranges (`10.0.0.0/8`, `2001:db8::/32`) of the proxies in front of this server. Only their
   * `X-Forwarded-For` is trusted. All clients of a proxy that is not listed have its address.
   *
   * @default none: `X-Forwarded-For` is ignored
   */
  trustedProxies?: readonly string[] | undefined;
  /** Called once for each reason why an address is unknown. @default {console.warn} */
  warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The second argument of `fetch`: connection info of `Deno.serve`, or the server of Bun. */
interface HostInfo {
  readonly remoteAddr?: { readonly transport?: unknown; readonly hostname?: unknown };
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null;
}

/** How many entries of `X-Forwarded-For` are read, from its end. */
const MAX_HOPS = 32;

/** The prefix of one customer, within which a client can change its address: RFC 7421 §1, RFC 8981. */
const IPV6_BUCKET_BITS = 64;

/** The addresses of IPv4 clients through NAT64, RFC 6052 §2.1. */
const TRANSLATED_V4: IpRange = {
  ip: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  bits: 96,
};

const UNKNOWN_ADDRESS = "Cannot limit attempts by address: the client's address is unknown; " +
  "pass on the host's arguments after the request, or set the option clientAddress";

const MALFORMED_FORWARD = "Cannot limit attempts by address: a trusted proxy sends " +
  "no X-Forwarded-For, or one that is not a list of addresses";

const UNLISTED_PROXY =
  "X-Forwarded-For is ignored: its sender is not a trusted proxy. If it is your proxy, all its clients " +
  "share one count until it is listed in the option trustedProxies";

/**
 * Returns the address of a request's client, or `undefined` if it is unknown. `args` are the arguments that the host
 * passes to `fetch` after the request.
 */
export type ClientAddressReader = (request: Request, ...args: unknown[]) => string | undefined;

/**
 * Creates a reader of client addresses: the address of the peer or, if that is a trusted proxy, the last entry of
 * `X-Forwarded-For` that is not a trusted proxy. Earlier entries can be forged and are not read. If all entries are
 * trusted, the first one is returned. Without entries, or if an entry that is read is not an address, the client is
 * unknown.
 *
 * @throws {TypeError} If `trustedProxies` is not an array of addresses and ranges, or `clientAddress` not a function.
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
    throw new TypeError("Cannot read client addresses: clientAddress must be a function");
  }
  const trusted = parseProxies(trustedProxies);
  const warnOnce = onceEach(warn);
  return (request, ...args) => {
    const peer: unknown = clientAddress(request, ...args) ?? undefined;
    if (peer !== undefined && typeof peer !== "string") {
      throw new TypeError("Cannot read client address: clientAddress must return a string");
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
 * The unit by which attempts from an address are counted: an IPv4 address itself, and the /64 prefix of an IPv6 address.
 * An IPv6 address that maps or translates an IPv4 address (`::ffff:0:0/96`, RFC 4291 §2.5.5.2; `64:ff9b::/96`, RFC 6052
 * §2.1) counts as that one. Brackets, port and zone are dropped.
 *
 * @returns `undefined` if the string is not an address.
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
    throw new TypeError("Cannot trust proxies: trustedProxies must be an array");
  }
  return proxies.map((text: unknown, i) => {
    const range = typeof text === "string" ? parseIpRange(text) : undefined;
    if (range !== undefined) return range;
    throw new TypeError(
      `Cannot trust proxies: trustedProxies[${i}] must be an address, or a range such as 10.0.0.0/8 with zero host bits`,
    );
  });
}

/** The default reader. A Unix socket has no client address. */
function connectedAddress(request: Request, host?: unknown): string | undefined {
  const { remoteAddr, requestIP } = (host ?? {}) as HostInfo;
  if (remoteAddr?.transport === "tcp") return remoteAddr.hostname as string | undefined;
  if (typeof requestIP !== "function") return undefined;
  return requestIP.call(host, request)?.address as string | undefined;
}

/** The last entry that is not a trusted proxy, or the first entry. */
function originOf(forwarded: string, trusted: readonly IpRange[]): string | undefined {
  let address: string | undefined;
  for (let hop = 0, end = forwarded.length; hop < MAX_HOPS && end >= 0; hop++) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(",", end - 1);
    const entry = trimOws(forwarded, comma + 1, end);
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
