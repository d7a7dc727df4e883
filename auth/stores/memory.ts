/**
 * Stores in memory: for tests, for development, and for a service that is one process and may forget everything when it
 * ends.
 *
 * @module
 */

import { nowSeconds } from "../_clock.ts";
import { memoryApiKeyStore } from "./_memory_api_keys.ts";
import { memoryCredentialStore } from "./_memory_credentials.ts";
import { memoryRefreshTokenStore } from "./_memory_refresh_tokens.ts";
import { memorySessionStore } from "./_memory_sessions.ts";
import { memoryKeyStore, memoryStateStore } from "./_memory_states.ts";
import { memoryLoginThrottle } from "./_memory_throttle.ts";
import { memoryUserStore } from "./_memory_users.ts";
import type { AuthStores } from "./types.ts";

/** Options of {@linkcode inMemoryAuthStores}. */
export interface InMemoryAuthStoresOptions {
  /** The time, in seconds since the epoch. */
  readonly now?: () => number;
  /**
   * Keys that the throttle counts attempts under. Beyond them it forgets, of those whose last attempt is longest ago, the
   * ones with the fewest attempts, but none that is locked: of those it keeps every one. @default {100_000}
   */
  readonly maxThrottleKeys?: number;
}

/**
 * Makes stores that keep everything in this process, and lose it with the process. Each step is done in one synchronous
 * turn, so every compare-and-swap has one winner.
 *
 * Records are copied as JSON and frozen. What has ended is never returned, and its memory comes back with later writes;
 * API keys alone stay until they are revoked. A `sub`, a session's id or token, a refresh family's id and an API key's id
 * that is taken rejects with an `Error`.
 *
 * Of refresh tokens, the secret is looked at before the time: any secret but the current one revokes the family, even
 * where the token has ended by then. A family that has itself ended is `not_found`.
 *
 * @throws {TypeError} If `now` is not a function.
 * @throws {RangeError} If `maxThrottleKeys` is not a whole number from 1 on.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { states } = inMemoryAuthStores();
 * await states.put("nonce", { returnTo: "/notes" }, Date.now() / 1000 + 600);
 * assertEquals(await states.consume("nonce"), { returnTo: "/notes" });
 * assertEquals(await states.consume("nonce"), null);
 * ```
 */
export function inMemoryAuthStores(options: InMemoryAuthStoresOptions = {}): AuthStores {
  const { now = nowSeconds, maxThrottleKeys = 100_000 } = options;
  if (typeof now !== "function") {
    throw new TypeError("Cannot create stores: now is not a function");
  }
  if (!Number.isSafeInteger(maxThrottleKeys) || maxThrottleKeys < 1) {
    throw new RangeError("Cannot create stores: maxThrottleKeys is not a whole number from 1 on");
  }
  return {
    users: memoryUserStore(),
    sessions: memorySessionStore(now),
    credentials: memoryCredentialStore(),
    states: memoryStateStore(now),
    refreshTokens: memoryRefreshTokenStore(now),
    keys: memoryKeyStore(),
    throttle: memoryLoginThrottle(maxThrottleKeys),
    apiKeys: memoryApiKeyStore(),
  };
}
