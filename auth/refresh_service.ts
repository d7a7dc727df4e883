/**
 * Refresh tokens: opaque, used once, of which only the digest is stored. The tokens that follow from one sign-in are a
 * family, which ends when one of them is used again, RFC 9700 §4.14.2.
 *
 * @module
 */

import { checkedClock } from "./_clock.ts";
import { createEmitter } from "./_emit.ts";
import { digestText } from "./_kdf.ts";
import { randomId, randomToken } from "./_random.ts";
import {
  checkSessionId,
  copyJson,
  grantOf,
  isAhead,
  parseRefreshToken,
  refreshClock,
  type RefreshFamilyInfo,
  type RefreshGrant,
  showFamily,
} from "./_refresh_rules.ts";
import { readScope } from "./_scope.ts";
import { requireAuthentication } from "./_session_rules.ts";
import { isDisabled, isRevoked, readFamily, readUser } from "./_stored.ts";
import { AuthError } from "./error.ts";
import type { AuthEventListener } from "./events.ts";
import type { Authentication } from "./principal.ts";
import type { RefreshFamily, RefreshTokenStore, UserStore } from "./store_types.ts";

/** Options of {@linkcode refreshService}. */
export interface RefreshServiceOptions {
  /** Keeps the families. */
  readonly refreshTokens: RefreshTokenStore;
  /** Keeps users: every rotation asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /**
   * Seconds from a token's making to its end. A lower one holds at once for families that were never rotated, and for
   * others from their next rotation on.
   *
   * @default {1_209_600} 14 days, or `familyLifetime` if that is less
   */
  readonly lifetime?: number | undefined;
  /** Seconds from the sign-in, whatever happens. A lower one holds for all families at once. @default {2_592_000} 30 days */
  readonly familyLifetime?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default console.warn */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What is said of a new family beside whose it is. */
export interface IssueRefreshTokenOptions {
  /** Public identifier of the session that it belongs to: it ends when that is revoked, not where it ends by itself. */
  readonly sessionId?: string | undefined;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[] | undefined;
  /** Whatever should be known at each rotation, JSON: the client. No secret: it is kept as it is. */
  readonly data?: unknown;
}

/** A token to hand out. */
export interface IssuedRefreshToken {
  /** The token: 66 characters, `familyId.secret`. Nothing else can be made from what is stored. */
  readonly refreshToken: string;
  /** When it ends, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Which tokens follow from one sign-in; nobody gets in by it. */
  readonly familyId: string;
}

/** The next token, and what the family stands for: the sign-in it began with, unchanged. */
export interface RotatedRefreshToken extends IssuedRefreshToken, RefreshGrant {}

/** Why a refresh token was refused; `reason` of the error. The client gets the same answer whatever the reason. */
export type RefreshFailure =
  | "malformed"
  | "not_found"
  | "revoked"
  | "reused"
  | "expired"
  | "user_unknown"
  | "user_disabled"
  | "stamp_changed";

/** Issues, rotates, lists and revokes refresh tokens. */
export interface RefreshService {
  /**
   * Begins a family.
   *
   * @throws {TypeError} If the authentication is none, `sessionId` is an empty text, `scope` no list of texts, or `data` not
   * JSON.
   * @throws {RangeError} If a scope is not a word as RFC 6749 §3.3 has it, or there twice.
   */
  issue(
    authentication: Authentication,
    options?: IssueRefreshTokenOptions,
  ): Promise<IssuedRefreshToken>;
  /**
   * Takes a token in exchange for the next one. Of several who present the same token at once one gets the next, and it
   * dies with the family by what the others did. A client that lost the answer signs in again.
   *
   * @throws {AuthError} `invalid_refresh_token`, if it is not the current token of a family that lives, or its user is
   * gone, disabled, or has changed the password since. Any other secret of a family that is known ends the family.
   */
  rotate(refreshToken: string): Promise<RotatedRefreshToken>;
  /**
   * Ends the family of a token, used up or not; nothing happens if there is none. The secret is not looked at: a wrong
   * one would be reuse, and end the family as well. RFC 7009 §2.2 answers all of these alike.
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Families of a user by which there are next tokens to be had, the newest first: where the user is signed in by
   * programs. None of a user who is unknown or disabled.
   */
  list(sub: string): Promise<readonly RefreshFamilyInfo[]>;
  /**
   * Ends one of a user's families. Access tokens of it go on until they end.
   *
   * @returns Whether the user had it: `false` for one that is another's, or was revoked before.
   */
  end(sub: string, familyId: string): Promise<boolean>;
}

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
  const { refreshTokens, users, events, warn } = options;
  if (typeof refreshTokens?.rotate !== "function" || typeof users?.findBySub !== "function") {
    throw new TypeError("Cannot create refresh service: refreshTokens or users are missing");
  }
  const now = checkedClock(options.now);
  const clock = refreshClock(options);
  const emit = createEmitter({ events, now, warn });

  function hasEnded(family: RefreshFamily, at: number): boolean {
    return isAhead(family, at) || at >= clock.currentEnd(family);
  }

  /** Why a family gets no next token, whoever presents what. */
  async function refusalOf(family: RefreshFamily, at: number): Promise<RefreshFailure | undefined> {
    if (hasEnded(family, at)) return "expired";
    const user = readUser(await users.findBySub(family.sub));
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

    async rotate(refreshToken: string) {
      const presented = parseRefreshToken(refreshToken);
      if (presented === undefined) throw refused("malformed");
      const { familyId, secret } = presented;
      const family = readFamily(await refreshTokens.find(familyId));
      if (family === null) throw refused("not_found");
      if (isRevoked(family)) throw refused("revoked");
      const at = now();
      const refusal = await refusalOf(family, at);
      const [fromHash, next] = [await digestText(secret), randomToken()];
      // Who is refused gets here too, and has the secret put back in its own place. A rotation would cost the user the
      // family where a copy of the users lags; to stop before this step would let a stolen secret pass unnoticed, since
      // whether it is the current one is for the store alone to say.
      const to = refusal === undefined
        ? { toHash: await digestText(next), expiresAt: clock.nextEnd(family, at) }
        : { toHash: fromHash, expiresAt: clock.currentEnd(family) };
      const outcome = await refreshTokens.rotate({ familyId, fromHash, now: at, ...to });
      const grant = grantOf(family);
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
      const user = readUser(await users.findBySub(sub));
      if (user === null || isDisabled(user)) return [];
      return (await refreshTokens.list(sub))
        .filter((family) => readFamily(family) !== null && !isRevoked(family))
        .filter((family) => !hasEnded(family, at) && family.securityStamp === user.securityStamp)
        .sort((a, b) => b.createdAt - a.createdAt)
        .map((family) => showFamily(family, clock.currentEnd(family)));
    },

    async end(sub: string, familyId: string) {
      const family = readFamily(await refreshTokens.find(familyId));
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
