/**
 * Protection against cross-site request forgery: origin verification, and signed double-submit tokens bound to the
 * session.
 *
 * A token is `hex(HMAC-SHA-256).hex(random)`. It is set in an HttpOnly cookie and sent back in a header field; the HMAC
 * covers the digest of the session's cookie, so that neither a planted cookie nor another session's token is accepted.
 * Before there is a session, the token is bound to a random cookie instead.
 *
 * @module
 */

import { decodeHex, encodeHex, equalText, joinFields } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { digestText } from "../_kdf.ts";
import { isHandshake, isSafe } from "../../router/request_origin.ts";
import { originCheck } from "./origin_check.ts";
import { randomBytes, randomToken } from "../_random.ts";
import type { CookiePolicy } from "./cookie_policy.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";

/** Options of {@linkcode csrfService}. */
export interface CsrfServiceOptions {
  /** Signs tokens. */
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** Names and attributes of cookies: the same as for sessions, since tokens are bound to the session's cookie. */
  readonly cookies: CookiePolicy;
  /** Header field that carries the token. @default {"X-CSRF-Token"} */
  readonly header?: string | undefined;
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** The time, in seconds since the epoch; for events. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** A new token. */
export interface IssuedCsrfToken {
  /**
   * The value that the page sends back in the header field. Send it in a JSON response of its own: in a compressed page
   * that reflects input, it could be guessed byte by byte (BREACH).
   */
  readonly token: string;
  /** Values of `Set-Cookie` header fields for the same response; none if the browser has the cookies. */
  readonly cookies: readonly string[];
}

/** Issues and checks tokens. */
export interface CsrfService {
  /** Header field that carries the token. */
  readonly header: string;
  /**
   * Issues a token for a request's session, or returns the browser's current token if it is still valid: the pages of one
   * browser share it. A response that creates or revokes a session gets a new token.
   *
   * @param session Token of the session that the response creates; `null` if the response revokes it. By default, the
   * session of the request.
   * @throws {AuthError} `csrf_failed`, if the request has two session cookies.
   */
  issue(request: Request, session?: string | null): Promise<IssuedCsrfToken>;
  /**
   * What the tokens of a request are bound to, and what identifies its browser: a digest of the cookie of its session, or of
   * the one that is used before a session.
   *
   * @throws {AuthError} `csrf_failed`, if the request has two of these cookies.
   * @returns `undefined` if it has none.
   */
  binding(request: Request): Promise<string | undefined>;
  /**
   * Checks the origin and the token of a request. Safe methods pass, except for the handshake of a WebSocket, whose origin
   * is checked.
   *
   * @throws {AuthError} `csrf_failed`
   */
  check(request: Request): Promise<void>;
  /**
   * Checks the origin of a request, and the token only if the origin is unknown: for clients other than browsers, and for
   * old browsers. Safe methods pass.
   *
   * @throws {AuthError} `csrf_failed`
   */
  checkOrigin(request: Request): Promise<void>;
}

/** 32 bytes of HMAC, 32 random bytes. */
const TOKEN_REGEXP = /^([0-9a-f]{64})\.([0-9a-f]{64})$/;
const RANDOM_BYTES = 32;

/**
 * Creates a CSRF service.
 *
 * @throws {TypeError} If keys or cookies are missing, or an origin or the name of the header field is invalid.
 *
 * @example
 * ```ts
 * import { cookiePolicy, csrfService, deriveKeys, generateSecret } from "@gatehouse/http/auth";
 * import { assertRejects } from "@std/assert";
 *
 * const keys = deriveKeys(generateSecret());
 * const csrf = csrfService({ keys, cookies: cookiePolicy() });
 *
 * const page = new Request("https://example.com/");
 * const { token, cookies } = await csrf.issue(page);
 * const Cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
 *
 * const url = "https://example.com/notes";
 * const headers = { Cookie, "X-CSRF-Token": token, "Sec-Fetch-Site": "same-origin" };
 * await csrf.check(new Request(url, { method: "POST", headers }));
 *
 * const forged = { ...headers, "Sec-Fetch-Site": "cross-site" };
 * await assertRejects(() => csrf.check(new Request(url, { method: "POST", headers: forged })));
 * ```
 */
export function csrfService(options: CsrfServiceOptions): CsrfService {
  const { keys, cookies, header = "X-CSRF-Token", trustedOrigins } = options;
  if (typeof keys?.sign !== "function" || typeof cookies?.read !== "function") {
    throw new TypeError(
      "Cannot create CSRF service: keys or cookies are missing; deriveKeys() and cookiePolicy() create them",
    );
  }
  const { events, warn } = options;
  const context = { events, now: createClock(options.now), warn };
  const { isTrusted, failure } = originCheck({ trustedOrigins, ...context });
  new Headers([[header, ""]]); // throws a TypeError for an invalid name

  /** What a token is bound to: the session's cookie, or else the one used before a session. */
  async function bindingOf(request: Request): Promise<string | undefined> {
    for (const kind of ["sid", "presid"] as const) {
      const reading = cookies.read(request, kind);
      if (reading.status === "ambiguous") throw failure("cookie_ambiguous");
      if (reading.status === "found") return await binding(kind, reading.value);
    }
    return undefined;
  }

  async function issue(request: Request, session?: string | null): Promise<IssuedCsrfToken> {
    const queued: string[] = [];
    let bound = typeof session === "string" ? await binding("sid", session) : undefined;
    if (session === undefined) {
      bound = await bindingOf(request);
      const cookie = cookies.read(request, "csrf");
      const token = cookie.status === "found" ? cookie.value : "";
      if (bound !== undefined && await isValid(token, bound)) return { token, cookies: [] };
    }
    if (bound === undefined) {
      const presid = randomToken();
      queued.push(cookies.set("presid", presid));
      bound = await binding("presid", presid);
    }
    const random = randomBytes(RANDOM_BYTES);
    const mac = await keys.sign("csrf", joinFields([bound, random]));
    const token = `${encodeHex(mac)}.${encodeHex(random)}`;
    return { token, cookies: [...queued, cookies.set("csrf", token)] };
  }

  /** Whether a token was signed for a binding. */
  async function isValid(token: string, bound: string): Promise<boolean> {
    const [, mac = "", random = ""] = TOKEN_REGEXP.exec(token) ?? [];
    if (mac === "") return false;
    return await keys.verify("csrf", joinFields([bound, decodeHex(random)]), decodeHex(mac));
  }

  async function checkToken(request: Request): Promise<void> {
    const token = request.headers.get(header);
    if (token === null || token === "") throw failure("token_missing");
    if (!TOKEN_REGEXP.test(token)) throw failure("token_malformed");
    const cookie = cookies.read(request, "csrf");
    if (cookie.status === "ambiguous") throw failure("cookie_ambiguous");
    if (cookie.status === "absent" || !equalText(cookie.value, token)) {
      throw failure("token_differs_from_cookie");
    }
    const bound = await bindingOf(request);
    if (bound === undefined || !await isValid(token, bound)) {
      throw failure("token_of_another_session");
    }
  }

  /** Checks the origin, and the token if it is required or the origin is unknown. */
  async function checkRequest(request: Request, requiresToken: boolean): Promise<void> {
    if (isSafe(request)) return;
    if (isTrusted(request) && (!requiresToken || isHandshake(request))) return;
    await checkToken(request);
  }

  return Object.freeze({
    header,
    issue,
    binding: bindingOf,
    check: (request: Request) => checkRequest(request, true),
    checkOrigin: (request: Request) => checkRequest(request, false),
  });
}

/** Contains the kind, so that a token from before a session is not valid for a session with the same value. */
async function binding(kind: "sid" | "presid", value: string): Promise<string> {
  return `${kind} ${await digestText(value)}`;
}
