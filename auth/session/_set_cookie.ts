/**
 * What a server may put into `Set-Cookie`, RFC 6265bis (draft-ietf-httpbis-rfc6265bis-22, whose sections are named here).
 *
 * @module
 */

import { HTTP_TOKEN_REGEXP } from "../_http_token.ts";

/** What decides where a cookie goes. */
export interface CookieScope {
  readonly path: string;
  readonly domain: string | undefined;
  readonly sameSite: string;
  readonly partitioned: boolean | undefined;
  readonly secure: boolean;
}

/** What the prefix of a name speaks of. */
export interface CookiePromise {
  readonly path: string;
  readonly domain: string | undefined;
  readonly secure: boolean;
  readonly httpOnly: boolean;
}

/** When a cookie ends. */
export interface CookieTime {
  readonly maxAge: number | undefined;
  readonly expires: number | undefined;
}

/** The longest time that user agents keep a cookie, §5.5: 400 days, in seconds. */
export const MAX_COOKIE_AGE: number = 400 * 24 * 60 * 60;

/** What a prefix of a cookie's name promises. All of them promise `Secure`. */
interface PrefixRule {
  readonly prefix: string;
  /** Whether it promises `Path=/`, and no `Domain`. */
  readonly host: boolean;
  /** Whether it promises `HttpOnly`. */
  readonly http: boolean;
}

/** The two last are of draft-ietf-httpbis-layered-cookies, which follows RFC 6265bis. All rows that match count. */
const PREFIX_RULES: readonly PrefixRule[] = [
  { prefix: "__Secure-", host: false, http: false }, // §4.1.3.1
  { prefix: "__Host-", host: true, http: false }, // §4.1.3.2
  { prefix: "__Http-", host: false, http: true },
  { prefix: "__Host-Http-", host: true, http: true },
];

const SAME_SITES: readonly string[] = ["Strict", "Lax", "None"];

/** The limits of §5.6 and §5.7, in bytes: user agents drop what is longer, the cookie or the attribute. */
const MAX_PAIR_BYTES = 4096;
const MAX_ATTRIBUTE_BYTES = 1024;

/** Dates of four digits that a user agent reads, §5.1.1: from the year 1601 to the year 9999. */
const MIN_EXPIRES = -11_644_473_600;
const MAX_EXPIRES = 253_402_300_799;

/** `cookie-octet`s, §4.1.1. */
const VALUE_REGEXP = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** `av-octet`s, §4.1.1, but for the space, which no path of a request has. */
const PATH_REGEXP = /^\/[\x21-\x3a\x3c-\x7e]*$/;

/** A host name, RFC 1034 §3.5 and RFC 1123 §2.1. A dot at its end makes user agents ignore it, §4.1.2.3. */
const DOMAIN_REGEXP =
  /^(?=.{1,253}$)[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?)*$/i;

/** Name and value. @throws {TypeError | RangeError} If one is not what it must be, or both are too long. */
export function checkPair(name: string, value: string): void {
  if (!isText(name, HTTP_TOKEN_REGEXP)) throw wrong("the name is no token");
  if (!isText(value, VALUE_REGEXP)) {
    throw wrong("the value has characters that no cookie may have; encode it");
  }
  // Both are ASCII: their length is their bytes
  if (name.length + value.length > MAX_PAIR_BYTES) {
    throw outOfRange(`name and value are over ${MAX_PAIR_BYTES} bytes`);
  }
}

/** Where a cookie goes. @throws {TypeError | RangeError} If an attribute is not what it must be. */
export function checkScope(scope: CookieScope): void {
  const { path, domain, sameSite, partitioned, secure } = scope;
  if (!isText(path, PATH_REGEXP)) {
    throw wrong(
      "the path has to start with / and be ASCII without spaces, controls and semicolons",
    );
  }
  if (path.length > MAX_ATTRIBUTE_BYTES) {
    throw outOfRange(`the path is over ${MAX_ATTRIBUTE_BYTES} bytes`);
  }
  if (domain !== undefined && !isText(domain, DOMAIN_REGEXP)) {
    throw wrong("the domain is no host name");
  }
  if (!SAME_SITES.includes(sameSite)) throw wrong("sameSite is not Strict, Lax or None");
  // §5.7; user agents drop the cookie
  if (sameSite === "None" && !secure) throw wrong("SameSite=None needs Secure");
  // draft-cutler-httpbis-partitioned-cookies §2.1
  if (partitioned && !secure) throw wrong("Partitioned needs Secure");
}

/**
 * What the name promises. User agents compare prefixes without case (§5.4), and drop a cookie that breaks the promise.
 *
 * @throws {TypeError} If an attribute does not keep the promise.
 */
export function checkPrefix(name: string, promise: CookiePromise): void {
  const { path, domain, secure, httpOnly } = promise;
  const lower = name.toLowerCase();
  for (const { prefix, host, http } of PREFIX_RULES) {
    if (!lower.startsWith(prefix.toLowerCase())) continue;
    if (!secure) throw wrong(`the prefix ${prefix} needs Secure`);
    if (host && path !== "/") throw wrong(`the prefix ${prefix} needs the path /`);
    if (host && domain !== undefined) throw wrong(`the prefix ${prefix} allows no domain`);
    if (http && !httpOnly) throw wrong(`the prefix ${prefix} needs HttpOnly`);
  }
}

/**
 * When a cookie ends. A `Max-Age` that would be cut is refused, because a caller who counts on it would be wrong; a date
 * is not compared with a clock.
 *
 * @throws {TypeError | RangeError} If a time is no number, no whole number, or out of range.
 */
export function checkTime({ maxAge, expires }: CookieTime): void {
  if (maxAge !== undefined) checkSeconds("maxAge", maxAge, 0, MAX_COOKIE_AGE);
  if (expires !== undefined) checkSeconds("expires", expires, MIN_EXPIRES, MAX_EXPIRES);
}

function checkSeconds(option: string, seconds: number, min: number, max: number): void {
  if (typeof seconds !== "number") throw wrong(`${option} is no number`);
  if (!Number.isInteger(seconds) || seconds < min || seconds > max) {
    throw outOfRange(`${option} is no whole number of seconds from ${min} to ${max}`);
  }
}

function isText(text: unknown, regexp: RegExp): text is string {
  return typeof text === "string" && regexp.test(text);
}

function wrong(state: string): TypeError {
  return new TypeError(`Cannot serialize cookie: ${state}`);
}

function outOfRange(state: string): RangeError {
  return new RangeError(`Cannot serialize cookie: ${state}`);
}
