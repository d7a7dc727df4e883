/**
 * The cookies of authentication and their common attributes: `Secure`, `HttpOnly`, `Path=/`, `SameSite`, and a prefix
 * that user agents enforce (RFC 6265bis §4.1.3).
 *
 * @module
 */

import { MAX_COOKIE_AGE } from "./_set_cookie.ts";
import { warnConsole } from "../_report.ts";
import { type CookieReading, readCookie, serializeCookie } from "./cookie.ts";

/**
 * The purpose of a cookie: `sid` has the token of a session, `csrf` the CSRF token, `presid` binds that token before there
 * is a session, `dev` identifies a device after a sign-in, `mfa` has the ticket of a sign-in that needs a second factor, and
 * `mfadev` spares a browser the second factor.
 */
export type CookieKind = "sid" | "csrf" | "presid" | "dev" | "mfa" | "mfadev";

/** Options of {@linkcode cookiePolicy}. */
export interface CookiePolicyOptions {
  /**
   * Shares the session with this host and its subdomains. The prefix of the cookie becomes `__Secure-`, and any of these
   * hosts can then set it for the others. The other cookies are sent only to the host that sets them.
   *
   * @default all cookies are sent only to the host that sets them, with the prefix `__Host-`
   */
  domain?: string | undefined;
  /** Whether the cookies are sent with cross-site requests. @default {"Lax"} */
  sameSite?: "Strict" | "Lax" | "None" | undefined;
  /**
   * Distinguishes the cookies from those of another application on the same host, on any port: with `admin` the name is
   * `__Host-admin-sid`. 1 to 32 of a-z, A-Z, 0-9 and `_`.
   */
  name?: string | undefined;
  /** Called once if `domain` is set. @default {console.warn} */
  warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode CookiePolicy.set}. */
export interface SetCookieOptions {
  /**
   * Lifetime of the cookie in seconds, up to 400 days.
   *
   * @default 400 days for `dev`; until the browser closes for the others
   */
  maxAge?: number;
}

/** Reads and writes the cookies of authentication. Created by {@linkcode cookiePolicy}, and frozen. */
export interface CookiePolicy {
  /** Names of the cookies, with their prefix. */
  readonly names: Readonly<Record<CookieKind, string>>;
  /** Prefix of the names of cookies that are sent only to the host that sets them: `__Host-`, or with a `name` `__Host-admin-`. */
  readonly hostPrefix: string;
  /** Reads a cookie. A duplicate is `ambiguous`; neither value may be used. */
  read(request: Request, kind: CookieKind): CookieReading;
  /**
   * Returns the value of a `Set-Cookie` field that sets a cookie.
   *
   * @throws {TypeError} If the value has an invalid character.
   * @throws {RangeError} If the value is too long, or `maxAge` is not an integer up to 400 days.
   */
  set(kind: CookieKind, value: string, options?: SetCookieOptions): string;
  /** Returns the value of a `Set-Cookie` field that deletes a cookie. */
  clear(kind: CookieKind): string;
}

/**
 * One row for each kind: whether `domain` applies to it, and its default lifetime (until the browser closes if there is
 * none). Cookies that need not be shared keep the prefix `__Host-`, which other hosts cannot set.
 */
const KINDS: Readonly<Record<CookieKind, { readonly shared?: true; readonly maxAge?: number }>> = {
  sid: { shared: true },
  csrf: {},
  presid: {},
  dev: { maxAge: MAX_COOKIE_AGE },
  mfa: {},
  mfadev: {},
};

const NAME_REGEXP = /^\w{1,32}$/;

/**
 * Creates the policy of all authentication cookies.
 *
 * @throws {TypeError} If `domain` is not a host name, `sameSite` not one of its three values, or `name` invalid.
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
  const { domain, sameSite = "Lax", name, warn = warnConsole } = options;
  if (name !== undefined && !NAME_REGEXP.test(name)) {
    throw new TypeError("Cannot name cookies: name must be 1 to 32 of a-z, A-Z, 0-9 and _");
  }
  const own = name === undefined ? "" : `${name}-`;
  const isShared = (kind: CookieKind) => domain !== undefined && KINDS[kind].shared === true;
  const nameOf = (kind: CookieKind) => (isShared(kind) ? "__Secure-" : "__Host-") + own + kind;
  const kinds = Object.keys(KINDS) as CookieKind[];
  const names = Object.freeze(
    Object.fromEntries(kinds.map((kind) => [kind, nameOf(kind)])),
  ) as Readonly<Record<CookieKind, string>>;

  function serialize(kind: CookieKind, value: string, maxAge?: number): string {
    return serializeCookie(names[kind], value, {
      sameSite,
      ...(domain !== undefined && isShared(kind) ? { domain } : {}),
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  }

  serialize("sid", ""); // throws for invalid options, before the first sign-in
  if (domain !== undefined) {
    warn(
      "The session cookie has a domain instead of the prefix __Host-: every subdomain can read and set it",
    );
  }
  return Object.freeze({
    names,
    hostPrefix: `__Host-${own}`,
    read(request: Request, kind: CookieKind): CookieReading {
      return readCookie(request.headers.get("cookie"), names[kind]);
    },
    set(kind: CookieKind, value: string, { maxAge }: SetCookieOptions = {}): string {
      return serialize(kind, value, maxAge ?? KINDS[kind].maxAge);
    },
    clear: (kind: CookieKind) => serialize(kind, "", 0),
  });
}
