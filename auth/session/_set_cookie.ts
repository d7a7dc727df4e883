/**
 * The rules of `Set-Cookie` fields, RFC 6265bis (draft-ietf-httpbis-rfc6265bis-22; section numbers refer to it).
 *
 * @module
 */

import { HTTP_TOKEN_REGEXP } from "../_header.ts";

/** The attributes that decide where a cookie is sent. */
export interface CookieScope {
  readonly path: string;
  readonly domain: string | undefined;
  readonly sameSite: string;
  readonly partitioned: boolean | undefined;
  readonly secure: boolean;
}

/** The attributes that the prefix of a name constrains. */
export interface PrefixedAttributes {
  readonly path: string;
  readonly domain: string | undefined;
  readonly secure: boolean;
  readonly httpOnly: boolean;
}

/** The attributes that decide when a cookie expires. */
export interface CookieExpiry {
  readonly maxAge: number | undefined;
  readonly expires: number | undefined;
}

/** The longest lifetime of a cookie in user agents, §5.5: 400 days, in seconds. */
export const MAX_COOKIE_AGE: number = 400 * 24 * 60 * 60;

/** What a prefix of a cookie's name requires. All prefixes require `Secure`. */
interface PrefixRule {
  readonly prefix: string;
  /** Whether it requires `Path=/` and no `Domain`. */
  readonly host: boolean;
  /** Whether it requires `HttpOnly`. */
  readonly http: boolean;
}

/** The last two are from draft-ietf-httpbis-layered-cookies, the successor of RFC 6265bis. All matching rows apply. */
const PREFIX_RULES: readonly PrefixRule[] = [
  { prefix: "__Secure-", host: false, http: false }, // §4.1.3.1
  { prefix: "__Host-", host: true, http: false }, // §4.1.3.2
  { prefix: "__Http-", host: false, http: true },
  { prefix: "__Host-Http-", host: true, http: true },
];

const SAME_SITES: readonly string[] = ["Strict", "Lax", "None"];

/** The limits of §5.6 and §5.7, in bytes: user agents drop a longer cookie or attribute. */
const MAX_PAIR_BYTES = 4096;
const MAX_ATTRIBUTE_BYTES = 1024;

/** Dates that user agents parse, §5.1.1: from the year 1601 to the year 9999. */
const MIN_EXPIRES = -11_644_473_600;
const MAX_EXPIRES = 253_402_300_799;

/** `cookie-octet`s, §4.1.1. */
const VALUE_REGEXP = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** `av-octet`s, §4.1.1, without the space, which no request path has. */
const PATH_REGEXP = /^\/[\x21-\x3a\x3c-\x7e]*$/;

/** A host name, RFC 1034 §3.5 and RFC 1123 §2.1. User agents ignore one with a trailing dot, §4.1.2.3. */
const DOMAIN_REGEXP =
  /^(?=.{1,253}$)[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?)*$/i;

/** Checks name and value. @throws {TypeError | RangeError} If one is invalid, or both are too long. */
export function checkPair(name: string, value: string): void {
  if (!matches(name, HTTP_TOKEN_REGEXP)) throw invalid("name must be a token");
  if (!matches(value, VALUE_REGEXP)) {
    throw invalid("value has characters that cookies must not have; encode it");
  }
  // Both are ASCII: length is bytes
  if (name.length + value.length > MAX_PAIR_BYTES) {
    throw outOfRange(`name and value must not be over ${MAX_PAIR_BYTES} bytes`);
  }
}

/** Checks the attributes that decide where a cookie is sent. @throws {TypeError | RangeError} If one is invalid. */
export function checkScope(scope: CookieScope): void {
  const { path, domain, sameSite, partitioned, secure } = scope;
  if (!matches(path, PATH_REGEXP)) {
    throw invalid(
      "path must start with / and be ASCII without spaces, controls and semicolons",
    );
  }
  if (path.length > MAX_ATTRIBUTE_BYTES) {
    throw outOfRange(`path must not be over ${MAX_ATTRIBUTE_BYTES} bytes`);
  }
  if (domain !== undefined && !matches(domain, DOMAIN_REGEXP)) {
    throw invalid("domain must be a host name");
  }
  if (!SAME_SITES.includes(sameSite)) throw invalid("sameSite must be Strict, Lax or None");
  // §5.7; user agents drop the cookie
  if (sameSite === "None" && !secure) throw invalid("SameSite=None requires Secure");
  // draft-cutler-httpbis-partitioned-cookies §2.1
  if (partitioned && !secure) throw invalid("Partitioned requires Secure");
}

/**
 * Checks the prefix of a name. User agents compare prefixes case-insensitively (§5.4), and drop a cookie whose attributes
 * do not match.
 *
 * @throws {TypeError} If an attribute does not match the prefix.
 */
export function checkPrefix(name: string, attributes: PrefixedAttributes): void {
  const { path, domain, secure, httpOnly } = attributes;
  const lower = name.toLowerCase();
  for (const { prefix, host, http } of PREFIX_RULES) {
    if (!lower.startsWith(prefix.toLowerCase())) continue;
    if (!secure) throw invalid(`the prefix ${prefix} requires Secure`);
    if (host && path !== "/") throw invalid(`the prefix ${prefix} requires the path /`);
    if (host && domain !== undefined) throw invalid(`the prefix ${prefix} allows no domain`);
    if (http && !httpOnly) throw invalid(`the prefix ${prefix} requires HttpOnly`);
  }
}

/**
 * Checks when a cookie expires. A `Max-Age` above the limit of user agents is rejected, since they would shorten it; a
 * date is not compared with a clock.
 *
 * @throws {TypeError | RangeError} If a time is not an integer, or out of range.
 */
export function checkExpiry({ maxAge, expires }: CookieExpiry): void {
  if (maxAge !== undefined) checkSeconds("maxAge", maxAge, 0, MAX_COOKIE_AGE);
  if (expires !== undefined) checkSeconds("expires", expires, MIN_EXPIRES, MAX_EXPIRES);
}

function checkSeconds(option: string, seconds: number, min: number, max: number): void {
  if (typeof seconds !== "number") throw invalid(`${option} must be a number`);
  if (!Number.isInteger(seconds) || seconds < min || seconds > max) {
    throw outOfRange(`${option} must be an integer of seconds from ${min} to ${max}`);
  }
}

function matches(text: unknown, regexp: RegExp): text is string {
  return typeof text === "string" && regexp.test(text);
}

function invalid(state: string): TypeError {
  return new TypeError(`Cannot serialize cookie: ${state}`);
}

function outOfRange(state: string): RangeError {
  return new RangeError(`Cannot serialize cookie: ${state}`);
}
