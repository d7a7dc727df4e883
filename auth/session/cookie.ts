/**
 * Cookies on the wire, RFC 6265bis (draft-ietf-httpbis-rfc6265bis-22; section numbers refer to it). Only cookies that
 * §4.1.1 allows and user agents accept are written; anything else throws. Values are read without decoding.
 *
 * @module
 */

import { skipOws, skipOwsBackward, trimOws } from "../_header.ts";
import { checkExpiry, checkPair, checkPrefix, checkScope } from "./_set_cookie.ts";

/** A cookie of a request. */
export interface CookiePair {
  /** Its name, never empty. */
  readonly name: string;
  /** Its value, raw. */
  readonly value: string;
}

/** The result of reading one cookie of a request. */
export type CookieReading =
  | { readonly status: "absent" }
  | {
    readonly status: "found";
    /** Its value, raw. */
    readonly value: string;
  }
  /** The name occurs more than once. Servers must not rely on the order: §4.2.2. */
  | { readonly status: "ambiguous" };

/** Attributes of a cookie. */
export interface CookieAttributes {
  /** Path that the cookie is sent to, in ASCII without spaces. @default {"/"} */
  path?: string;
  /** Host that the cookie is sent to, with its subdomains. @default the host that sets it, without subdomains */
  domain?: string;
  /** Lifetime in seconds, up to 400 days; 0 deletes the cookie. @default until the browser closes */
  maxAge?: number;
  /** Expiry in seconds since the epoch; user agents limit it to 400 days. `maxAge` has precedence. */
  expires?: number;
  /** Whether it is sent with cross-site requests, §4.1.2.7. @default {"Lax"} */
  sameSite?: "Strict" | "Lax" | "None";
  /** Whether it is stored separately for each embedding site. @default {false} */
  partitioned?: boolean;
  /** Omits `Secure`: the cookie is sent over http too. @default {false} */
  insecureTransport?: boolean;
  /** Omits `HttpOnly`: scripts can read it. @default {false} */
  insecureScriptAccess?: boolean;
}

const ABSENT: CookieReading = /* @__PURE__ */ Object.freeze({ status: "absent" });
const AMBIGUOUS: CookieReading = /* @__PURE__ */ Object.freeze({ status: "ambiguous" });

const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/** Matches what cannot be a parsed name: it ends at a delimiter, and OWS around it is dropped. */
const IMPOSSIBLE_NAME_REGEXP = /[;=]|^[\t ]|[\t ]$/;

/**
 * Parses a `Cookie` header field: all cookies in order, duplicates included. It never throws, and takes linear time.
 *
 * Only spaces and tabs around names and values are dropped: `\u00a0__Host-sid` is not `__Host-sid`. Quotes are part of the
 * value (§4.1.1), and percent-encoding is not decoded. Pairs without a name are skipped.
 *
 * @param header The field, or `null` if the request has none.
 *
 * @example
 * ```ts
 * import { parseCookies } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseCookies("SID=31d4d96e407aad42; lang=en-US"), [
 *   { name: "SID", value: "31d4d96e407aad42" },
 *   { name: "lang", value: "en-US" },
 * ]);
 * ```
 */
export function parseCookies(header: string | null): readonly CookiePair[] {
  if (header === null) return [];
  const cookies: CookiePair[] = [];
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals === -1) continue;
    const name = trimOws(pair, 0, equals);
    if (name !== "") cookies.push({ name, value: trimOws(pair, equals + 1, pair.length) });
  }
  return cookies;
}

/**
 * Reads one cookie, as {@linkcode parseCookies} does, without creating an array of all cookies.
 *
 * @param header The `Cookie` field, or `null` if the request has none.
 * @param name Its exact name.
 * @returns Its value, if it is there; `ambiguous` for a duplicate, even with the same value.
 *
 * @example
 * ```ts
 * import { readCookie } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readCookie("lang=en; __Host-sid=7", "__Host-sid"), { status: "found", value: "7" });
 * assertEquals(readCookie("a=1; a=2", "a"), { status: "ambiguous" });
 * assertEquals(readCookie(null, "a"), { status: "absent" });
 * ```
 */
export function readCookie(header: string | null, name: string): CookieReading {
  if (header === null) return ABSENT;
  let at = header.indexOf(name);
  if (at === -1 || name === "" || IMPOSSIBLE_NAME_REGEXP.test(name)) return ABSENT;
  let value: string | undefined;
  for (; at !== -1; at = header.indexOf(name, at + name.length)) {
    const before = skipOwsBackward(header, 0, at);
    if (before > 0 && header.charCodeAt(before - 1) !== SEMICOLON) continue;
    const equals = skipOws(header, at + name.length, header.length);
    if (header.charCodeAt(equals) !== EQUALS) continue;
    if (value !== undefined) return AMBIGUOUS;
    const semicolon = header.indexOf(";", equals);
    value = trimOws(header, equals + 1, semicolon === -1 ? header.length : semicolon);
  }
  return value === undefined ? ABSENT : { status: "found", value };
}

/**
 * Serializes the value of a `Set-Cookie` header field, by default with `Secure`, `HttpOnly`, `SameSite=Lax` and `Path=/`.
 * `maxAge: 0` with the same name, path and domain deletes a cookie.
 *
 * @param name A token, RFC 9110 §5.6.2.
 * @param value ASCII without controls, spaces, quotes, commas, semicolons and backslashes, §4.1.1. Encode anything else,
 * for example as base64url.
 * @throws {TypeError} If name, value or an attribute has an invalid character, or attributes contradict each other: a
 * prefix of the name requires others, `SameSite=None` and `Partitioned` require `Secure`.
 * @throws {RangeError} If name and value are over 4,096 bytes or the path is over 1,024, which user agents drop, or a
 * time is not an integer or out of range.
 *
 * @example
 * ```ts
 * import { serializeCookie } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   serializeCookie("__Host-sid", "31d4d96e407aad42", { maxAge: 3600 }),
 *   "__Host-sid=31d4d96e407aad42; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax",
 * );
 * ```
 */
export function serializeCookie(
  name: string,
  value: string,
  attributes: CookieAttributes = {},
): string {
  const { path = "/", domain, maxAge, expires, sameSite = "Lax", partitioned } = attributes;
  const secure = attributes.insecureTransport !== true;
  const httpOnly = attributes.insecureScriptAccess !== true;
  checkPair(name, value);
  checkScope({ path, domain, sameSite, partitioned, secure });
  checkPrefix(name, { path, domain, secure, httpOnly });
  checkExpiry({ maxAge, expires });

  // §4.1.1 does not allow a Max-Age of 0; §4.1.2 deletes with a date in the past
  const until = maxAge === 0 ? 0 : expires;
  let field = `${name}=${value}; Path=${path}`;
  if (domain !== undefined) field += `; Domain=${domain}`;
  if (maxAge !== undefined && maxAge !== 0) field += `; Max-Age=${maxAge}`;
  if (until !== undefined) field += `; Expires=${new Date(until * 1000).toUTCString()}`;
  if (secure) field += "; Secure";
  if (httpOnly) field += "; HttpOnly";
  field += `; SameSite=${sameSite}`;
  if (partitioned) field += "; Partitioned";
  return field;
}
