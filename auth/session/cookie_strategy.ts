/**
 * The strategy that authenticates by the session's cookie.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import type { CookiePolicy } from "./cookie_policy.ts";
import { createPrincipal, type Principal } from "../principal.ts";
import { setUserLookup } from "./principal_user.ts";
import type { ActiveSession, SessionService } from "./types.ts";
import { authenticated, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";

/** Options of {@linkcode sessionCookieStrategy}. */
export interface SessionCookieStrategyOptions {
  /** Verifies tokens. */
  readonly sessions: Pick<SessionService, "verify">;
  /** Reads the cookie. */
  readonly cookies: Pick<CookiePolicy, "names" | "read">;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates the strategy that finds a session by its cookie. A duplicate cookie fails with `session_ambiguous`, and an
 * unknown, expired or revoked session with `session_expired`.
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
 * const headers = { Cookie: "__Host-sid=unknown" };
 * const invalid = new Request("https://example.com/", { headers });
 * assertEquals((await strategy.authenticate({ request: invalid })).status, "failed");
 *
 * const anonymous = new Request("https://example.com/");
 * assertEquals((await strategy.authenticate({ request: anonymous })).status, "no-credential");
 * ```
 */
export function sessionCookieStrategy(options: SessionCookieStrategyOptions): AuthStrategy {
  const { sessions, cookies } = options;
  const now = createClock(options.now);
  if (typeof sessions?.verify !== "function" || typeof cookies?.read !== "function") {
    throw new TypeError("Cannot create session strategy: sessions or cookies are missing");
  }
  return Object.freeze<AuthStrategy>({
    name: "session",
    scheme: { type: "cookie", name: cookies.names.sid },
    async authenticate({ request, recheck = false }) {
      const cookie = cookies.read(request, "sid");
      if (cookie.status === "absent") return noCredential();
      if (cookie.status === "ambiguous") {
        return authFailed("session_ambiguous", "Duplicate session cookie");
      }
      const active = await sessions.verify(cookie.value, { touch: !recheck });
      if (active === undefined) {
        return authFailed("session_expired", "The session is unknown or has expired");
      }
      const { id, sub, authTime, amr, acr } = active.session;
      const init = { sub, method: "session", sessionId: id, authTime, amr, acr };
      const principal = createPrincipal(init, { now });
      ACTIVE.set(principal, active);
      setUserLookup(principal, () => active.user);
      return authenticated(principal);
    },
  });
}

/** The session and the user of a principal that the strategy created. */
export function activeSessionOf(principal: Principal): ActiveSession | undefined {
  return ACTIVE.get(principal);
}

const ACTIVE: WeakMap<Principal, ActiveSession> = /* @__PURE__ */ new WeakMap();
