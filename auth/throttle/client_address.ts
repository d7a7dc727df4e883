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

/**
 * What is between this server and its clients:
 *
 * - `"direct"`: nothing. The client is the connected peer, whose address `Deno.serve`, `serveNode` and Bun
 *   provide for TCP.
 * - `proxies`: proxies with these addresses and ranges (`10.0.0.0/8`, `2001:db8::/32`). Their `X-Forwarded-For` is trusted,
 *   and no other one; all clients of a proxy that is not listed have its address.
 * - `clientAddress`: a host that provides the address in its own way. What the function throws is passed on to the caller.
 */
export type Deployment =
  | "direct"
  | { readonly proxies: readonly string[] }
  | { readonly clientAddress: ClientAddressReader };

/** Options of {@linkcode clientAddressReader}. */
export interface ClientAddressOptions {
  /** What is between this server and its clients. @default {"direct"} */
  deployment?: Deployment | undefined;
  /** Called once for each reason why an address is unknown. @default {console.warn} */
  warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The second argument of `fetch`: connection info of `Deno.serve` and `serveNode`, or the server of Bun. */
interface HostInfo {
  readonly remoteAddr?: { readonly transport?: unknown; readonly hostname?: unknown };
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null;
}

/** How many entries of `X-Forwarded-For` are read, from its end. */
const MAX_HOPS = 32;

/** The prefix of one customer, within which a client can change its address: RFC 7421 §1, RFC 8981. */
const NETWORK_BITS = 64;

/** The usual prefix of a site, which one customer may have: RFC 6177 §2. */
const SITE_BITS = 48;

/** IPv6 prefixes before an IPv4 address, which is the client's: NAT64, RFC 6052 §2.1, and 6to4, RFC 3056 §2. */
const EMBEDDED_V4: readonly IpRange[] = [
  { ip: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96 },
  { ip: [0x20, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 16 },
];

/** The warning for an omitted `deployment`. */
export const UNKNOWN_DEPLOYMENT: string =
  'The option deployment is missing: clients are counted by the address of the connection, as with "direct"; ' +
  "behind a proxy, list its addresses in deployment.proxies, or all clients share one count";

const UNKNOWN_ADDRESS = "Cannot limit attempts by address: the client's address is unknown; " +
  "pass on the host's arguments, or set deployment.clientAddress";

const MALFORMED_FORWARD =
  "Cannot limit attempts by address: a trusted proxy sends no X-Forwarded-For, or a malformed one";

const UNLISTED_PROXY =
  "X-Forwarded-For is ignored: its sender is not in deployment.proxies. Clients of your own proxy share one count";

/**
 * Returns the address of a request's client, or `undefined` if it is unknown. `args` are the arguments that the host
 * passes to `fetch` after the request.
 */
export type ClientAddressReader = (request: Request, ...args: unknown[]) => string | undefined;

/**
 * Creates a reader of client addresses. If the peer is a trusted proxy, the client is the last entry of `X-Forwarded-For` that
 * is not a trusted proxy. Earlier entries can be forged and are not read. If all entries are trusted, the first one is
 * returned. Without entries, or if an entry that is read is not an address, the client is unknown.
 *
 * @throws {TypeError} If `deployment` is not `"direct"`, or an object with one member: `proxies`, an array of addresses and
 * ranges, or `clientAddress`, a function.
 *
 * @example
 * ```ts
 * import { clientAddressReader } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const clientAddress = clientAddressReader({ deployment: { proxies: ["10.0.0.0/8"] } });
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
  const { deployment = "direct", warn = warnConsole } = options;
  const { clientAddress, trusted } = readDeployment(deployment);
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
    if (trusted === undefined) return peer;
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
 * The units by which attempts from an address are counted, the narrowest first: an IPv4 address itself; of an IPv6 address the
 * /64 and the /48. An IPv6 address that contains the client's IPv4 address (`::ffff:0:0/96`, RFC 4291 §2.5.5.2;
 * `64:ff9b::/96`, RFC 6052 §2.1; `2002::/16`, RFC 3056 §2) counts as that one. Brackets, port and zone are dropped.
 *
 * @returns `undefined` if the string is not an address.
 *
 * @example
 * ```ts
 * import { addressBuckets } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const buckets = ["2001:db8:0:1::/64", "2001:db8::/48"];
 * assertEquals(addressBuckets("2001:db8:0:1:aaaa::1"), buckets);
 * assertEquals(addressBuckets("::ffff:192.0.2.1"), ["192.0.2.1"]);
 * ```
 */
export function addressBuckets(address: string): readonly string[] | undefined {
  const ip = parseIpNode(address);
  if (ip === undefined) return undefined;
  if (ip.length === 4) return [formatIp(ip)];
  const embedding = EMBEDDED_V4.find((range) => isInRange(ip, range));
  if (embedding !== undefined) {
    const start = embedding.bits / 8;
    return [formatIp(ip.slice(start, start + 4))];
  }
  return [NETWORK_BITS, SITE_BITS].map((bits) => `${formatIp(firstBits(ip, bits))}/${bits}`);
}

/** A deployment after its checks. */
interface DeploymentReader {
  readonly clientAddress: ClientAddressReader;
  /** The trusted proxies, if there may be some. */
  readonly trusted?: readonly IpRange[];
}

/** @throws {TypeError} If the shape is another one. */
function readDeployment(deployment: Deployment): DeploymentReader {
  if (deployment === "direct") return { clientAddress: connectedAddress };
  const members = Object.entries(deployment ?? {});
  const [name, value]: readonly [string?, unknown?] = members[0] ?? [];
  if (typeof deployment === "object" && members.length === 1) {
    if (name === "proxies") {
      return { clientAddress: connectedAddress, trusted: parseProxies(value) };
    }
    if (name === "clientAddress" && typeof value === "function") {
      return { clientAddress: value as ClientAddressReader };
    }
  }
  throw new TypeError(
    'Cannot read client addresses: deployment must be "direct", { proxies: [...] } or { clientAddress: function }',
  );
}

function parseProxies(proxies: unknown): readonly IpRange[] {
  if (!Array.isArray(proxies)) {
    throw new TypeError("Cannot trust proxies: deployment.proxies must be an array");
  }
  return proxies.map((text: unknown, i) => {
    const range = typeof text === "string" ? parseIpRange(text) : undefined;
    if (range !== undefined) return range;
    throw new TypeError(
      `Cannot trust proxies: deployment.proxies[${i}] must be an address, or a range such as 10.0.0.0/8`,
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
