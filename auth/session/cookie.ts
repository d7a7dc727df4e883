/**
 * Cookies on the wire, RFC 6265bis (draft-ietf-httpbis-rfc6265bis-22, whose sections are named here). What is written is
 * what §4.1.1 allows and user agents keep; anything else throws. What is read is left as it came: no decoding, no guess.
 *
 * @module
 */

import { skipBlanks, trimOws, withoutBlanks } from "../_header.ts";
import { checkPair, checkPrefix, checkScope, checkTime } from "./_set_cookie.ts";

/** A cookie as a request carries it. */
export interface CookiePair {
  /** Its name, never empty. */
  readonly name: string;
  /** Its value, raw. */
  readonly value: string;
}

/** What a request says of one cookie. */
export type CookieReading =
  | { readonly status: "absent" }
  | {
    readonly status: "found";
    /** Its value, raw. */
    readonly value: string;
  }
  /** The name is there more than once. Nothing tells which one is ours: §4.2.2 forbids to go by their order. */
  | { readonly status: "ambiguous" };

/** Attributes of a cookie. */
export interface CookieAttributes {
  /** Where on the host it is sent: a path in ASCII, without spaces. @default {"/"} */
  path?: string;
  /** The host that gets it along with all hosts below. Without it, only the host that sets it does. */
  domain?: string;
  /** For how many seconds it is kept, up to 400 days; 0 deletes it. Without a time, it goes when the browser closes. */
  maxAge?: number;
  /** Until when it is kept, in seconds since the epoch; user agents cut it at 400 days. `maxAge` goes before it. */
  expires?: number;
  /** Whether requests that other sites begin carry it, §4.1.2.7. @default {"Lax"} */
  sameSite?: "Strict" | "Lax" | "None";
  /** Whether it is kept apart for each site that embeds the host. @default {false} */
  partitioned?: boolean;
  /** Leaves `Secure` out: the cookie is sent in the clear too. @default {false} */
  insecureTransport?: boolean;
  /** Leaves `HttpOnly` out: scripts in the page may read it. @default {false} */
  insecureScriptAccess?: boolean;
}

const ABSENT: CookieReading = /* @__PURE__ */ Object.freeze({ status: "absent" });
const AMBIGUOUS: CookieReading = /* @__PURE__ */ Object.freeze({ status: "ambiguous" });

const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/** What no name that was read has in it: it ends at the first of these, and blanks around it are dropped. */
const NEVER_A_NAME_REGEXP = /[;=]|^[\t ]|[\t ]$/;

/**
 * Reads a `Cookie` header field: all cookies in their order, a name that comes twice as often as it comes. Never throws,
 * and takes time in proportion to the field's length.
 *
 * Spaces and tabs around names and values are dropped, and no other character: `\u00a0__Host-sid` is not `__Host-sid`.
 * Quotes belong to the value (§4.1.1), and percent signs mean nothing. What has no name has no use, and is left out.
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
    const name = withoutBlanks(pair, 0, equals);
    if (name !== "") cookies.push({ name, value: withoutBlanks(pair, equals + 1, pair.length) });
  }
  return cookies;
}

/**
 * Reads one cookie, as {@linkcode parseCookies} would, without a list of the others.
 *
 * @param header The `Cookie` field, or `null` if the request has none.
 * @param name Its exact name.
 * @returns Whether it is there, and its value; `ambiguous` if it is there twice, be it with the same value.
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
  if (at === -1 || name === "" || NEVER_A_NAME_REGEXP.test(name)) return ABSENT;
  let value: string | undefined;
  for (; at !== -1; at = header.indexOf(name, at + name.length)) {
    const before = trimOws(header, 0, at);
    if (before > 0 && header.charCodeAt(before - 1) !== SEMICOLON) continue;
    const equals = skipBlanks(header, at + name.length, header.length);
    if (header.charCodeAt(equals) !== EQUALS) continue;
    if (value !== undefined) return AMBIGUOUS;
    const semicolon = header.indexOf(";", equals);
    value = withoutBlanks(header, equals + 1, semicolon === -1 ? header.length : semicolon);
  }
  return value === undefined ? ABSENT : { status: "found", value };
}

/**
 * Writes the value of a `Set-Cookie` header field. `Secure`, `HttpOnly`, `SameSite=Lax` and `Path=/` are there unless the
 * attributes say otherwise. A cookie is deleted by `maxAge: 0` and the same name, path and domain.
 *
 * @param name A token, RFC 9110 §5.6.2.
 * @param value Octets that §4.1.1 lets a value have: ASCII without controls, spaces, quotes, commas, semicolons and
 * backslashes. Encode everything else, as base64url for example.
 * @throws {TypeError} If name, value or an attribute has a character that it must not have, or the attributes do not go
 * together: a prefix of the name wants others, `SameSite=None` and `Partitioned` want `Secure`.
 * @throws {RangeError} If name and value are over 4,096 bytes or the path is over 1,024, where user agents drop them, or
 * a time is no whole number of seconds or out of range.
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
  checkTime({ maxAge, expires });

  // §4.1.1 has no Max-Age of 0; §4.1.2 deletes by a date in the past
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
