/**
 * `sessionCookieStrategy`: the session's cookie as a credential.
 *
 * @module
 */

import type { CookiePolicy } from "./cookie_policy.ts";
import { createPrincipal, type Principal } from "../principal.ts";
import type { ActiveSession, SessionService } from "./types.ts";
import { authenticated, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";

/** Options of {@linkcode sessionCookieStrategy}. */
export interface SessionCookieStrategyOptions {
  /** Verifies tokens. */
  readonly sessions: Pick<SessionService, "verify">;
  /** Says which cookie has the token. */
  readonly cookies: Pick<CookiePolicy, "names" | "read">;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * Makes the strategy that finds a session by its cookie. A cookie that is there twice fails, and so does a session that
 * has ended: `session_expired`.
 *
 * @throws {TypeError} If sessions or cookies are missing.
 *
 * @example
 * ```ts
 * import {
 *   cookiePolicy,
 *   inMemoryAuthStores,
 *   sessionCookieStrategy,
 *   sessionService,
 * } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const sessions = sessionService(inMemoryAuthStores());
 * const strategy = sessionCookieStrategy({ sessions, cookies: cookiePolicy() });
 *
 * const headers = { Cookie: "__Host-sid=made-up" };
 * const forged = new Request("https://example.com/", { headers });
 * assertEquals((await strategy.authenticate({ request: forged })).status, "failed");
 *
 * const anonymous = new Request("https://example.com/");
 * assertEquals((await strategy.authenticate({ request: anonymous })).status, "no-credential");
 * ```
 */
export function sessionCookieStrategy(options: SessionCookieStrategyOptions): AuthStrategy {
  const { sessions, cookies, now } = options;
  if (typeof sessions?.verify !== "function" || typeof cookies?.read !== "function") {
    throw new TypeError("Cannot create session strategy: sessions or cookies are missing");
  }
  return Object.freeze<AuthStrategy>({
    name: "session",
    scheme: { type: "cookie", name: cookies.names.sid },
    async authenticate({ request }) {
      const cookie = cookies.read(request, "sid");
      if (cookie.status === "absent") return noCredential();
      if (cookie.status === "ambiguous") {
        return authFailed("session_ambiguous", "The session's cookie is there twice");
      }
      const active = await sessions.verify(cookie.value);
      if (active === undefined) return authFailed("session_expired", "There is no such session");
      const { id, sub, authTime, amr, acr } = active.session;
      const init = { sub, method: "session", sessionId: id, authTime, amr, acr };
      const principal = createPrincipal(init, { now });
      ACTIVE.set(principal, active);
      return authenticated(principal);
    },
  });
}

/** The session that a principal was made from here, and its user. */
export function activeSessionOf(principal: Principal): ActiveSession | undefined {
  return ACTIVE.get(principal);
}

const ACTIVE: WeakMap<Principal, ActiveSession> = /* @__PURE__ */ new WeakMap();
