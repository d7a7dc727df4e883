/**
 * Cross-site request forgery: signed double-submit tokens bound to the session, behind a gate that asks the browser.
 *
 * A token is `hex(HMAC-SHA-256).hex(random)`. It stands in an HttpOnly cookie and comes back in a header field; the
 * code covers the digest of the session's cookie, so that neither a planted cookie nor another session's token passes.
 * Before there is a session, a random cookie of its own takes the session's place.
 *
 * @module
 */

import { decodeHex, encodeHex, equalText, joinFields } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { csrfGate, isHandshake, isSafe } from "./_fetch_metadata.ts";
import { createEmitter } from "../_emit.ts";
import { digestText } from "../_kdf.ts";
import { randomBytes, randomToken } from "../_random.ts";
import type { CookiePolicy } from "./cookie_policy.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener, CsrfFailure } from "../events.ts";

/** Options of {@linkcode csrfService}. */
export interface CsrfServiceOptions {
  /** Signs tokens. */
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** Names and attributes of cookies: those that sessions have too, since tokens are bound to the session's cookie. */
  readonly cookies: CookiePolicy;
  /** Header field that carries the token. @default {"X-CSRF-Token"} */
  readonly header?: string | undefined;
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** The time, in seconds since the epoch; for events. */
  readonly now?: (() => number) | undefined;
  /** Is told of refusals, and why. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** A token that was made. */
export interface IssuedCsrfToken {
  /**
   * What the page sends back in the header field. Hand it over in JSON of its own: in a compressed page that repeats what a
   * request said, it could be guessed byte by byte (BREACH).
   */
  readonly token: string;
  /** Values of `Set-Cookie` header fields, which the same response has to carry; none if the browser has them. */
  readonly cookies: readonly string[];
}

/** Makes and checks tokens. */
export interface CsrfService {
  /** Header field that carries the token. */
  readonly header: string;
  /**
   * Makes a token for a request's session, or gives the one that the browser has if it still holds: two pages of one
   * browser share it. A response that begins or ends a session gets a new one.
   *
   * @param session Token of the session that the response begins; `null` if the response ends it. By default, the one
   * that the request presents.
   * @throws {AuthError} `csrf_failed`, if the request presents two sessions.
   */
  issue(request: Request, session?: string | null): Promise<IssuedCsrfToken>;
  /**
   * Checks a request by gate and token. Safe methods pass, except for the handshake of a WebSocket, which is checked by
   * the gate.
   *
   * @throws {AuthError} `csrf_failed`
   */
  check(request: Request): Promise<void>;
  /**
   * Checks a request by the gate alone, and by the token only where the browser does not say where it comes from: clients
   * that are no browsers, and old ones. Safe methods pass.
   *
   * @throws {AuthError} `csrf_failed`
   */
  checkOrigin(request: Request): Promise<void>;
}

/** 32 bytes of HMAC, 32 bytes of chance. */
const TOKEN_REGEXP = /^([0-9a-f]{64})\.([0-9a-f]{64})$/;
const RANDOM_BYTES = 32;

/** A host's name has up to 253 characters. */
const MAX_ORIGIN = 300;

const REFUSAL = "The request carries no valid CSRF token, or comes from another site";

/**
 * Creates a CSRF service.
 *
 * @throws {TypeError} If keys or cookies are missing, or an origin or the header field's name is none.
 *
 * @example
 * ```ts
 * import { cookiePolicy, csrfService, deriveKeys } from "@gatehouse/http/auth";
 * import { assertRejects } from "@std/assert";
 *
 * const keys = deriveKeys("a secret of at least 32 bytes, kept");
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
      "Cannot create CSRF service: keys or cookies are missing; deriveKeys() and cookiePolicy() make them",
    );
  }
  const sourceOf = csrfGate(trustedOrigins);
  const { events, warn } = options;
  const emit = createEmitter({ events, now: createClock(options.now), warn });
  new Headers([[header, ""]]); // throws a TypeError if it is no name

  /** What a token is bound to: the session's cookie, else that before the session. */
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
      if (bound !== undefined && await holds(token, bound)) return { token, cookies: [] };
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

  /** Whether a token was signed for what it is bound to. */
  async function holds(token: string, bound: string): Promise<boolean> {
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
    if (bound === undefined || !await holds(token, bound)) {
      throw failure("token_of_another_session");
    }
  }

  function failure(reason: CsrfFailure, origin?: string): AuthError {
    emit("csrf.failed", { reason, origin });
    return new AuthError("csrf_failed", { reason, detail: REFUSAL });
  }

  /** The gate, and the token where it is wanted or the browser has not said where the request is from. */
  async function checkAll(request: Request, wantsToken: boolean): Promise<void> {
    if (isSafe(request)) return;
    switch (sourceOf(request)) {
      case "foreign":
        throw failure("cross_origin", originOf(request));
      case "own":
        if (wantsToken && !isHandshake(request)) await checkToken(request);
        return;
      case "unknown":
        return await checkToken(request);
    }
  }

  return Object.freeze({
    header,
    issue,
    check: (request: Request) => checkAll(request, true),
    checkOrigin: (request: Request) => checkAll(request, false),
  });
}

/** Where a page is that sent a request, as its browser says; whatever else stands there is nobody's origin. */
function originOf({ headers }: Request): string | undefined {
  const origin = headers.get("Origin") ?? "";
  return origin.length <= MAX_ORIGIN && URL.canParse(origin) && new URL(origin).origin === origin
    ? origin
    : undefined;
}

/** The kind stands in it, so that a token from before a session is none of a session with the same value. */
async function binding(kind: "sid" | "presid", value: string): Promise<string> {
  return `${kind} ${await digestText(value)}`;
}
