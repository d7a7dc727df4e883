/**
 * Refresh tokens: opaque, single-use, stored as digests. The tokens of one sign-in are a family, which is revoked when one
 * of them is reused, RFC 9700 §4.14.2.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { digestText } from "../_kdf.ts";
import { oldestBeyond } from "../_oldest.ts";
import { randomId, randomToken } from "../_random.ts";
import {
  checkSessionId,
  copyJson,
  familyIdOf,
  grantOf,
  isAhead,
  isFirstParty,
  parseRefreshToken,
  refreshLimits,
  toFamilyInfo,
} from "./_refresh_limits.ts";
import { readScope } from "../_scope.ts";
import { type Authentication, requireAuthentication } from "../principal.ts";
import {
  checkedRefreshTokens,
  checkedUserReader,
  isDisabled,
  isRevoked,
} from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import type {
  IssueRefreshTokenOptions,
  RefreshFailure,
  RefreshService,
  RefreshServiceOptions,
  RotateRefreshTokenOptions,
} from "./refresh_types.ts";
import type { RefreshFamily, RefreshRotation, RefreshTokenStore } from "../stores/types.ts";

/** Families of a user that an authorization server did not grant: a new one revokes the oldest. */
const MAX_FAMILIES = 100;

/**
 * Creates a service for refresh tokens. A user has at most 100 families, which the service revokes from the oldest; those with
 * `data`, such as the grants of an authorization server, are not counted, except those of {@linkcode tokenService}.
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
 * // Reuse of the first token means that it was stolen: the family is revoked
 * await assertRejects(() => refresh.rotate(first.refreshToken));
 * await assertRejects(() => refresh.rotate(second.refreshToken));
 * ```
 */
export function refreshService(options: RefreshServiceOptions): RefreshService {
  return createRefreshService(options, () => ({ next: randomToken() }));
}

/** The secret that follows another one, and what is stored if the rotation may be repeated. */
type NextSecret = { readonly next: string } & Pick<RefreshRotation, "previous">;

/** The service, by what it makes of a secret. */
export function createRefreshService(
  options: RefreshServiceOptions,
  nextSecret: (secret: string, at: number) => NextSecret | Promise<NextSecret>,
): RefreshService {
  const { events, warn } = options ?? {};
  if (
    typeof options?.refreshTokens?.rotate !== "function" ||
    typeof options.users?.findBySub !== "function"
  ) {
    throw new TypeError("Cannot create refresh service: refreshTokens or users are missing");
  }
  const refreshTokens = checkedRefreshTokens(options.refreshTokens);
  const users = checkedUserReader(options.users);
  const now = createClock(options.now);
  const limits = refreshLimits(options);
  const emit = createEmitter({ events, now, warn });

  function isExpired(family: RefreshFamily, at: number): boolean {
    return isAhead(family, at) || at >= limits.currentExpiry(family);
  }

  /** Why a family gets no next token, whatever secret is presented. */
  async function refusalOf(family: RefreshFamily, at: number): Promise<RefreshFailure | undefined> {
    if (isExpired(family, at)) return "expired";
    const user = await users.findBySub(family.sub);
    if (user === null) return "user_unknown";
    if (isDisabled(user)) return "user_disabled";
    return user.securityStamp === family.securityStamp ? undefined : "stamp_changed";
  }

  async function revoke({ id: familyId, sub, sessionId }: RefreshFamily): Promise<void> {
    await refreshTokens.revoke({ familyId });
    emit("refresh.revoked", { sub, familyId, sessionId });
  }

  /** Makes room for a new family, as {@linkcode sessionService} does for a session. */
  async function revokeOldest(sub: string): Promise<void> {
    const found = (await options.refreshTokens.list(sub)).filter(isFirstParty);
    for (const family of oldestBeyond(found, MAX_FAMILIES - 1)) await revoke(family);
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
      const [handle, secret] = [randomId(), randomToken()];
      const [id, currentHash] = await Promise.all([familyIdOf(handle), digestText(secret)]);
      const familyExpiresAt = limits.familyExpiry(at);
      const family: RefreshFamily = {
        id,
        sub,
        securityStamp,
        ...(sessionId === undefined ? {} : { sessionId }),
        currentHash,
        generation: 0,
        revoked: false,
        createdAt: at,
        expiresAt: limits.nextExpiry({ createdAt: at, familyExpiresAt }, at),
        familyExpiresAt,
        authTime,
        amr: [...amr],
        ...(acr === undefined ? {} : { acr }),
        ...(scope === undefined ? {} : { scope }),
        ...(data === undefined ? {} : { data: copyJson(cannot, data) }),
      };
      if (isFirstParty(family)) await revokeOldest(sub);
      await refreshTokens.create(family);
      return { refreshToken: `${handle}.${secret}`, expiresAt: family.expiresAt, familyId: id };
    },

    async rotate(refreshToken: string, { prepare }: RotateRefreshTokenOptions = {}) {
      const presented = await parseRefreshToken(refreshToken);
      if (presented === undefined) throw rejected("malformed");
      const { handle, familyId, secret } = presented;
      const family = await refreshTokens.find(familyId);
      if (family === null) throw rejected("not_found");
      if (isRevoked(family)) throw rejected("revoked");
      const at = now();
      const refusal = await refusalOf(family, at);
      const { next, previous } = await nextSecret(secret, at);
      const [fromHash, nextHash] = await Promise.all([digestText(secret), digestText(next)]);
      const grant = grantOf(family);
      const subject = { sub: grant.sub, familyId, sessionId: grant.sessionId };
      async function present(
        to: Pick<RefreshRotation, "toHash" | "expiresAt" | "previous">,
      ): Promise<void> {
        const rotation = { familyId, found: family ?? undefined, fromHash, now: at, ...to };
        const outcome = await refreshTokens.rotate(rotation);
        if (outcome === "reused") emit("refresh.reuse_detected", subject);
        requireRotated(outcome);
      }
      // Refused requests call the store as well: only it can detect reuse. They write the same hash, so the client's token
      // stays valid if the refusal came from a stale replica.
      const same = { toHash: fromHash, expiresAt: limits.currentExpiry(family) };
      if (refusal !== undefined) {
        await present(same);
        throw rejected(refusal);
      }
      if (prepare !== undefined) {
        // A stale replica does not know the newest token: only the store can tell it from a reused one
        if (!equalText(fromHash, family.currentHash)) await present(same);
        await prepare({ ...grant, familyId });
      }
      const expiresAt = limits.nextExpiry(family, at);
      await present({ toHash: nextHash, expiresAt, previous });
      emit("refresh.rotated", subject);
      return {
        refreshToken: `${handle}.${next}`,
        expiresAt,
        familyId,
        ...grant,
      };
    },

    async revoke(refreshToken: string) {
      const { familyId } = await parseRefreshToken(refreshToken) ?? {};
      const family = familyId === undefined ? null : await refreshTokens.find(familyId);
      if (family !== null && !isRevoked(family)) await revoke(family);
    },

    async find(refreshToken: string) {
      const { familyId, secret = "" } = await parseRefreshToken(refreshToken) ?? {};
      const family = familyId === undefined ? null : await refreshTokens.find(familyId);
      if (family === null || isRevoked(family) || isExpired(family, now())) return undefined;
      const isCurrent = equalText(await digestText(secret), family.currentHash);
      return { sub: family.sub, isCurrent, ...toFamilyInfo(family, limits.currentExpiry(family)) };
    },

    async list(sub: string) {
      const at = now();
      const user = await users.findBySub(sub);
      if (user === null || isDisabled(user)) return [];
      const found = await refreshTokens.list(sub);
      return found
        .filter((family) => !isRevoked(family) && !isExpired(family, at))
        .filter(({ securityStamp }) => securityStamp === user.securityStamp)
        .sort((a, b) => b.createdAt - a.createdAt)
        .map((family) => toFamilyInfo(family, limits.currentExpiry(family)));
    },

    async revokeById(sub: string, familyId: string) {
      const family = await refreshTokens.find(familyId);
      // Compare the id too: a store that takes an object for a query, or compares inexactly, returns another family
      if (family === null || family.id !== familyId || family.sub !== sub) return false;
      if (isRevoked(family)) return false;
      await revoke(family);
      return true;
    },
  });
}

type RotationOutcome = Awaited<ReturnType<RefreshTokenStore["rotate"]>>;

function requireRotated(outcome: RotationOutcome): void {
  switch (outcome) {
    case "rotated":
      return;
    case "repeated":
    case "reused":
    case "expired":
    case "revoked":
    case "not_found":
      throw rejected(outcome);
  }
  outcome satisfies never; // an unknown answer of a custom store must not count as success
  throw new TypeError("Cannot rotate refresh token: the store returned an unknown result");
}

/** One error for all reasons, so that a client learns nothing about a foreign token. */
function rejected(reason: RefreshFailure): AuthError {
  return new AuthError("invalid_refresh_token", { reason });
}
