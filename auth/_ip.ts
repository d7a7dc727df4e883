/**
 * IP addresses: parsed by RFC 4291 §2.2, formatted by RFC 5952, and ranges by RFC 4632 §3.1.
 *
 * @module
 */

/** The 4 or 16 bytes of an address. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is the IPv4 address. */
export type Ip = readonly number[];

/** All addresses with a common prefix. */
export interface IpRange {
  readonly ip: Ip;
  /** Length of the prefix, in bits. */
  readonly bits: number;
}

/** Longer than any valid address with brackets, zone and port. */
const MAX_TEXT_LENGTH = 100;

/** An address in brackets, RFC 3986 §3.2.2, with an optional port. */
const BRACKETS_REGEXP = /^\[([^[\]]*:[^[\]]*)\](?::\d{1,5})?$/;

/** An IPv4 address with a port. */
const PORT_REGEXP = /^([\d.]+):\d{1,5}$/;

/** An IPv6 address with a zone, RFC 4007 §11. */
const ZONE_REGEXP = /^([^%]*:[^%]*)%[\w.~-]+$/;

/** A byte in decimal digits; some parsers read a leading zero as octal. */
const BYTE_REGEXP = /^(?:0|[1-9]\d{0,2})$/;

const GROUP_REGEXP = /^[0-9a-f]{1,4}$/i;

const RANGE_REGEXP = /^([^/]+)\/(0|[1-9]\d{0,2})$/;

/** The prefix of IPv4-mapped IPv6 addresses. */
const MAPPED_PREFIX: Ip = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Parses an address without anything around it. */
export function parseIp(text: string): Ip | undefined {
  const ip = parseV4(text) ?? parseV6(text);
  return ip !== undefined && isMapped(ip) ? ip.slice(12) : ip;
}

/** Parses an address as hosts and proxies write it; brackets, port and zone are dropped. */
export function parseIpNode(text: string): Ip | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const bare = (BRACKETS_REGEXP.exec(text) ?? PORT_REGEXP.exec(text))?.[1] ?? text;
  return parseIp(ZONE_REGEXP.exec(bare)?.[1] ?? bare);
}

/**
 * Parses an address or a range: `10.0.0.0/8`, `2001:db8::/32`. Host bits must be zero: `10.0.0.1/8` could mean one
 * address or 16 million.
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [, base = text, length] = RANGE_REGEXP.exec(text) ?? [];
  const ip = parseIp(base);
  if (ip === undefined) return undefined;
  if (length === undefined) return { ip, bits: ip.length * 8 };
  // The prefix of a mapped address is counted from the start of its 128 bits
  const bits = Number(length) - (ip.length === 4 && base.includes(":") ? 96 : 0);
  if (bits < 0 || bits > ip.length * 8) return undefined;
  return firstBits(ip, bits).every((byte, i) => byte === ip[i]) ? { ip, bits } : undefined;
}

/** Whether an address is in a range. No IPv4 address is in an IPv6 range, not even in `::/0`. */
export function isInRange(ip: Ip, range: IpRange): boolean {
  return ip.length === range.ip.length &&
    firstBits(ip, range.bits).every((byte, i) => byte === range.ip[i]);
}

/** An address with zeros after its first bits. */
export function firstBits(ip: Ip, bits: number): Ip {
  return ip.map((byte, i) => {
    const rest = Math.min(8, Math.max(0, bits - i * 8));
    return byte & (0xff00 >> rest);
  });
}

/** Formats an address: RFC 5952 §4 for IPv6. */
export function formatIp(ip: Ip): string {
  if (ip.length === 4) return ip.join(".");
  const groups = Array.from({ length: 8 }, (_, i) => (ip[2 * i] ?? 0) * 256 + (ip[2 * i + 1] ?? 0));
  const [start, length] = longestZeros(groups);
  const text = groups.map((group) => group.toString(16));
  if (length < 2) return text.join(":"); // RFC 5952 §4.2.2
  return `${text.slice(0, start).join(":")}::${text.slice(start + length).join(":")}`;
}

function parseV4(text: string): Ip | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => BYTE_REGEXP.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** RFC 4291 §2.2: eight groups, `::` for one or more zero groups, the last two optionally as an IPv4 address. */
function parseV6(text: string): Ip | undefined {
  const [left = "", right, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const head = parseGroups(left, right === undefined);
  const tail = parseGroups(right ?? "", true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The bytes of groups between colons. */
function parseGroups(text: string, mayEndInV4: boolean): Ip | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    const v4 = mayEndInV4 && i === groups.length - 1 ? parseV4(group) : undefined;
    if (v4 !== undefined) bytes.push(...v4);
    else if (GROUP_REGEXP.test(group)) {
      const number = parseInt(group, 16);
      bytes.push(number >> 8, number & 0xff);
    } else return undefined;
  }
  return bytes;
}

function isMapped(ip: Ip): boolean {
  return ip.length === 16 && MAPPED_PREFIX.every((byte, i) => byte === ip[i]);
}

/** The first of the longest runs of zero groups: RFC 5952 §4.2.3. */
function longestZeros(groups: readonly number[]): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  let length = 0;
  for (const [i, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best[1]) best = [i - length + 1, length];
  }
  return best;
}
