/**
 * Refresh tokens: opaque, used once, of which only the digest is stored. The tokens that follow from one sign-in are a
 * family, which ends when one of them is used again, RFC 9700 §4.14.2.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { digestText } from "../_kdf.ts";
import { randomId, randomToken } from "../_random.ts";
import {
  checkSessionId,
  copyJson,
  grantOf,
  isAhead,
  parseRefreshToken,
  refreshLimits,
  toFamilyInfo,
} from "./_refresh_limits.ts";
import { readScope } from "../_scope.ts";
import { type Authentication, requireAuthentication } from "../principal.ts";
import { checkStoredFamily, checkStoredUser, isDisabled, isRevoked } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import type {
  IssueRefreshTokenOptions,
  RefreshFailure,
  RefreshService,
  RefreshServiceOptions,
  RotateRefreshTokenOptions,
} from "./refresh_types.ts";
import type { RefreshFamily, RefreshTokenStore } from "../stores/types.ts";

/**
 * Creates a service for refresh tokens.
 *
 * @throws {TypeError} If refreshTokens or users are missing.
 * @throws {RangeError} If a limit is not an integer from 1 to 34,560,000 (400 days), or `lifetime` is longer than
 * `familyLifetime`.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, refreshService } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const { refreshTokens, users } = inMemoryAuthStores();
 * await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 *
 * const refresh = refreshService({ refreshTokens, users });
 * const authentication = { sub: "u1", securityStamp: "s1", authTime: 1_700_000_000, amr: ["pwd"] };
 * const first = await refresh.issue(authentication, { scope: ["notes:read"] });
 * const second = await refresh.rotate(first.refreshToken);
 * assertEquals([second.sub, second.scope], ["u1", ["notes:read"]]);
 *
 * // One of two who have the first token has stolen it: the second is dead too
 * await assertRejects(() => refresh.rotate(first.refreshToken));
 * await assertRejects(() => refresh.rotate(second.refreshToken));
 * ```
 */
export function refreshService(options: RefreshServiceOptions): RefreshService {
  const { refreshTokens, users, events, warn } = options ?? {};
  if (typeof refreshTokens?.rotate !== "function" || typeof users?.findBySub !== "function") {
    throw new TypeError("Cannot create refresh service: refreshTokens or users are missing");
  }
  const now = createClock(options.now);
  const clock = refreshLimits(options);
  const emit = createEmitter({ events, now, warn });

  function isExpired(family: RefreshFamily, at: number): boolean {
    return isAhead(family, at) || at >= clock.currentEnd(family);
  }

  /** Why a family gets no next token, whoever presents what. */
  async function refusalOf(family: RefreshFamily, at: number): Promise<RefreshFailure | undefined> {
    if (isExpired(family, at)) return "expired";
    const user = checkStoredUser(await users.findBySub(family.sub));
    if (user === null) return "user_unknown";
    if (isDisabled(user)) return "user_disabled";
    return user.securityStamp === family.securityStamp ? undefined : "stamp_changed";
  }

  return Object.freeze({
    async issue(authentication: Authentication, options: IssueRefreshTokenOptions = {}) {
      const cannot = "Cannot issue refresh token";
      const at = now();
      const { sub, securityStamp, authTime, amr, acr } = requireAuthentication(
        authentication,
        at,
        cannot,
      );
      const { sessionId, data } = options;
      const scope = readScope(cannot, options.scope);
      checkSessionId(cannot, sessionId);
      const [id, secret] = [randomId(), randomToken()];
      const familyExpiresAt = clock.familyEnd(at);
      const family: RefreshFamily = {
        id,
        sub,
        securityStamp,
        ...(sessionId === undefined ? {} : { sessionId }),
        currentHash: await digestText(secret),
        generation: 0,
        revoked: false,
        createdAt: at,
        expiresAt: clock.nextEnd({ createdAt: at, familyExpiresAt }, at),
        familyExpiresAt,
        authTime,
        amr: [...amr],
        ...(acr === undefined ? {} : { acr }),
        ...(scope === undefined ? {} : { scope }),
        ...(data === undefined ? {} : { data: copyJson(cannot, data) }),
      };
      await refreshTokens.create(family);
      return { refreshToken: `${id}.${secret}`, expiresAt: family.expiresAt, familyId: id };
    },

    async rotate(refreshToken: string, { prepare }: RotateRefreshTokenOptions = {}) {
      const presented = parseRefreshToken(refreshToken);
      if (presented === undefined) throw refused("malformed");
      const { familyId, secret } = presented;
      const family = checkStoredFamily(await refreshTokens.find(familyId));
      if (family === null) throw refused("not_found");
      if (isRevoked(family)) throw refused("revoked");
      const at = now();
      const refusal = await refusalOf(family, at);
      const [fromHash, next] = [await digestText(secret), randomToken()];
      const grant = grantOf(family);
      if (refusal === undefined && equalText(fromHash, family.currentHash)) await prepare?.(grant);
      // Who is refused gets here too, and has the secret put back in its own place. A rotation would cost the user the
      // family where a copy of the users lags; to stop before this step would let a stolen secret pass unnoticed, since
      // whether it is the current one is for the store alone to say.
      const to = refusal === undefined
        ? { toHash: await digestText(next), expiresAt: clock.nextEnd(family, at) }
        : { toHash: fromHash, expiresAt: clock.currentEnd(family) };
      const outcome = await refreshTokens.rotate({
        familyId,
        found: family,
        fromHash,
        now: at,
        ...to,
      });
      const told = { sub: grant.sub, familyId, sessionId: grant.sessionId };
      if (outcome === "reused") emit("refresh.reuse_detected", told);
      requireRotated(outcome);
      if (refusal !== undefined) throw refused(refusal);
      emit("refresh.rotated", told);
      return {
        refreshToken: `${familyId}.${next}`,
        expiresAt: to.expiresAt,
        familyId,
        ...grant,
      };
    },

    async revoke(refreshToken: string) {
      const { familyId } = parseRefreshToken(refreshToken) ?? {};
      if (familyId !== undefined) await refreshTokens.revoke({ familyId });
    },

    async list(sub: string) {
      const at = now();
      const user = checkStoredUser(await users.findBySub(sub));
      if (user === null || isDisabled(user)) return [];
      const found = await refreshTokens.list(sub);
      for (const family of found) checkStoredFamily(family);
      return found
        .filter((family) => !isRevoked(family) && !isExpired(family, at))
        .filter(({ securityStamp }) => securityStamp === user.securityStamp)
        .sort((a, b) => b.createdAt - a.createdAt)
        .map((family) => toFamilyInfo(family, clock.currentEnd(family)));
    },

    async revokeById(sub: string, familyId: string) {
      const family = checkStoredFamily(await refreshTokens.find(familyId));
      // The id as well: a store that takes an object for a query, or is not exact in its texts, finds another one
      if (family === null || family.id !== familyId || family.sub !== sub) return false;
      if (isRevoked(family)) return false;
      await refreshTokens.revoke({ familyId });
      return true;
    },
  });
}

type RotationOutcome = Awaited<ReturnType<RefreshTokenStore["rotate"]>>;

function requireRotated(outcome: RotationOutcome): void {
  switch (outcome) {
    case "rotated":
      return;
    case "reused":
    case "expired":
    case "revoked":
    case "not_found":
      throw refused(outcome);
  }
  outcome satisfies never; // what a store answers from elsewhere must not come out as a success
  throw new TypeError("Cannot rotate refresh token: the store gave no answer that is known");
}

/** One error for all, so that a client learns nothing of a token that is not its own. */
function refused(reason: RefreshFailure): AuthError {
  return new AuthError("invalid_refresh_token", { reason });
}
