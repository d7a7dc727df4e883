/**
 * The cookies that authentication sets, and what they all have in common: `Secure`, `HttpOnly`, `Path=/`, `SameSite`, and
 * a prefix that user agents enforce (RFC 6265bis §4.1.3).
 *
 * @module
 */

import { MAX_COOKIE_AGE } from "./_set_cookie.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { type CookieReading, readCookie, serializeCookie } from "./cookie.ts";

/**
 * What a cookie is for: `sid` carries a session, `csrf` the token against forged requests, `presid` binds that token
 * before there is a session, `dev` knows a browser from an earlier sign-in.
 */
export type CookieKind = "sid" | "csrf" | "presid" | "dev";

/** Options of {@linkcode cookiePolicy}. */
export interface CookiePolicyOptions {
  /**
   * Shares the session with all hosts below this one. The prefix of its cookie becomes `__Secure-`, and any of those hosts
   * can then set it, for all others. The other cookies stay with the host that sets them.
   *
   * @default all cookies stay with the host that sets them, under the prefix `__Host-`
   */
  domain?: string | undefined;
  /** Whether requests that other sites begin carry the cookies. @default {"Lax"} */
  sameSite?: "Strict" | "Lax" | "None" | undefined;
  /**
   * Tells the cookies apart from those of another application on the same host, ports aside: `admin` makes
   * `__Host-admin-sid`. 1 to 32 of a-z, A-Z, 0-9 and `_`.
   */
  name?: string | undefined;
  /** Told once if `domain` is there. @default {console.warn} */
  warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode CookiePolicy.set}. */
export interface SetCookieOptions {
  /**
   * For how many seconds the cookie is kept, up to 400 days.
   *
   * @default 400 days for `dev`; the others go when the browser closes
   */
  maxAge?: number;
}

/** Reads and writes the cookies of authentication. Made by {@linkcode cookiePolicy}, and frozen. */
export interface CookiePolicy {
  /** Names of the cookies, with their prefix. */
  readonly names: Readonly<Record<CookieKind, string>>;
  /** Reads a cookie. One that is there twice is `ambiguous`, and must not count as any of the two. */
  read(request: Request, kind: CookieKind): CookieReading;
  /**
   * A `Set-Cookie` field's value that sets a cookie.
   *
   * @throws {TypeError} If the value has a character that no cookie may have.
   * @throws {RangeError} If the value is too long, or `maxAge` no whole number up to 400 days.
   */
  set(kind: CookieKind, value: string, options?: SetCookieOptions): string;
  /** A `Set-Cookie` field's value that deletes a cookie. */
  clear(kind: CookieKind): string;
}

/**
 * One row for each kind: whether hosts below the domain share it, and for how long it is kept if the caller does not say;
 * without a time, for a visit. What nobody needs to share keeps the prefix that no other host can set.
 */
const KINDS: Readonly<Record<CookieKind, { readonly shared?: true; readonly maxAge?: number }>> = {
  sid: { shared: true },
  csrf: {},
  presid: {},
  dev: { maxAge: MAX_COOKIE_AGE },
};

const NAME_REGEXP = /^\w{1,32}$/;

/**
 * Makes the policy that all cookies of authentication follow.
 *
 * @throws {TypeError} If an option is unknown, `domain` is no host name, `sameSite` none of the three words, or `name` cannot be one.
 *
 * @example
 * ```ts
 * import { cookiePolicy } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const cookies = cookiePolicy();
 * assertEquals(
 *   cookies.set("sid", "31d4d96e407aad42"),
 *   "__Host-sid=31d4d96e407aad42; Path=/; Secure; HttpOnly; SameSite=Lax",
 * );
 * const headers = { Cookie: "__Host-sid=31d4d96e407aad42" };
 * const request = new Request("https://example.com/", { headers });
 * assertEquals(cookies.read(request, "sid"), { status: "found", value: "31d4d96e407aad42" });
 * ```
 */
export function cookiePolicy(options: CookiePolicyOptions = {}): CookiePolicy {
  rejectUnknownOptions<CookiePolicyOptions>("Cannot make cookies", options, {
    domain: true,
    sameSite: true,
    name: true,
    warn: true,
  });
  const { domain, sameSite = "Lax", name, warn = warnConsole } = options;
  if (name !== undefined && !NAME_REGEXP.test(name)) {
    throw new TypeError("Cannot name cookies: name is not 1 to 32 of a-z, A-Z, 0-9 and _");
  }
  const own = name === undefined ? "" : `${name}-`;
  const isShared = (kind: CookieKind) => domain !== undefined && KINDS[kind].shared === true;
  const nameOf = (kind: CookieKind) => (isShared(kind) ? "__Secure-" : "__Host-") + own + kind;
  const names = Object.freeze({
    sid: nameOf("sid"),
    csrf: nameOf("csrf"),
    presid: nameOf("presid"),
    dev: nameOf("dev"),
  });

  function serialize(kind: CookieKind, value: string, maxAge?: number): string {
    return serializeCookie(names[kind], value, {
      sameSite,
      ...(domain !== undefined && isShared(kind) ? { domain } : {}),
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  }

  serialize("sid", ""); // Wrong options are refused now, and not at the first sign-in
  if (domain !== undefined) {
    warn(
      "The session cookie has a domain, and loses the prefix __Host-: every host below the domain can read it and set it " +
        "for the others; leave domain out unless hosts have to share their sessions",
    );
  }
  return Object.freeze({
    names,
    read(request: Request, kind: CookieKind): CookieReading {
      return readCookie(request.headers.get("cookie"), names[kind]);
    },
    set(kind: CookieKind, value: string, { maxAge }: SetCookieOptions = {}): string {
      return serialize(kind, value, maxAge ?? KINDS[kind].maxAge);
    },
    clear: (kind: CookieKind) => serialize(kind, "", 0),
  });
}
