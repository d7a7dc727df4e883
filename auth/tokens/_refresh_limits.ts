/**
 * Pure rules of refresh tokens: their format, their limits, what a family grants.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import { digestText } from "../_kdf.ts";
import { requireSeconds } from "../_options.ts";
import type { RefreshFamily } from "../stores/types.ts";
import type { RefreshFamilyInfo, RefreshGrant } from "./refresh_types.ts";

/** The effective limits of a service. */
export interface EffectiveRefreshLimits {
  /** When a new family expires. */
  familyExpiry(createdAt: number): number;
  /** When a new token expires: never later than its family. */
  nextExpiry(family: RefreshTimes, at: number): number;
  /** When the current token expires. */
  currentExpiry(family: RefreshTimes & Pick<RefreshFamily, "expiresAt" | "generation">): number;
}

/** The times of a family that a rotation does not change. */
export type RefreshTimes = Pick<RefreshFamily, "createdAt" | "familyExpiresAt">;

/**
 * The handle of the family and the secret of the token, 16 and 32 random bytes. The unused bits of the last character of each part are 0, so that each token has one spelling.
 */
const TOKEN_REGEXP = /^([\w-]{21}[AQgw])\.([\w-]{42}[AEIMQUYcgkosw048])$/;

/** The parts of a token; `undefined` if it is malformed. */
export async function parseRefreshToken(
  token: unknown,
): Promise<
  { readonly handle: string; readonly familyId: string; readonly secret: string } | undefined
> {
  const [, handle, secret] = typeof token === "string" ? TOKEN_REGEXP.exec(token) ?? [] : [];
  if (handle === undefined || secret === undefined) return undefined;
  return { handle, secret, familyId: await familyIdOf(handle) };
}

/**
 * The public identifier of a family: the digest of the handle, which only holders of its tokens know. Pages and events show
 * the identifier; who saw it there can make no token that counts as one of the family, neither to refresh, nor to revoke it.
 */
export async function familyIdOf(handle: string): Promise<string> {
  return await digestText(handle);
}

/** Reads limits. @throws {RangeError} If one is not an integer from 1 to 400 days, or `familyLifetime` is less than `lifetime`. */
export function refreshLimits(limits: {
  readonly lifetime?: number | undefined;
  readonly familyLifetime?: number | undefined;
}): EffectiveRefreshLimits {
  const { familyLifetime = 2_592_000 } = limits;
  const { lifetime = Math.min(1_209_600, familyLifetime) } = limits;
  const cannot = "Cannot create refresh service";
  requireSeconds(cannot, { lifetime, familyLifetime });
  if (lifetime > familyLifetime) {
    throw new RangeError(`${cannot}: lifetime must not exceed familyLifetime`);
  }
  const familyExpiry = (createdAt: number) => createdAt + familyLifetime;
  // The earlier of the stored and the current limit: a lowered limit applies to all families
  const effectiveFamilyExpiry = ({ createdAt, familyExpiresAt }: RefreshTimes) =>
    Math.min(familyExpiresAt, familyExpiry(createdAt));
  return {
    familyExpiry,
    nextExpiry: (family, at) => Math.min(at + lifetime, effectiveFamilyExpiry(family)),
    currentExpiry(family) {
      const { createdAt, expiresAt, generation } = family;
      // The issue time of later tokens is not stored
      const fresh = generation === 0 ? createdAt + lifetime : Infinity;
      return Math.min(expiresAt, fresh, effectiveFamilyExpiry(family));
    },
  };
}

/** The data of the families of a token service. */
export interface TokenAudience {
  readonly clientId: string;
  readonly audience: string;
  /** Whether the scopes are the defaults of the service, not requested ones. */
  readonly isDefaultScope: boolean;
  /** Whether there is no scope because the tokens are not limited, and not because a store has lost it. */
  readonly isUnlimited?: boolean;
}

/** Whether a family is a sign-in at the application itself: it has no data, or that of a token service. */
export function isFirstParty({ data }: Pick<RefreshFamily, "data">): boolean {
  const { isDefaultScope } = (data ?? {}) as Partial<TokenAudience>;
  return data === undefined || data === null || typeof isDefaultScope === "boolean";
}

/** Whether a family was created while the clock was ahead, which would extend its limits. */
export function isAhead({ createdAt }: RefreshTimes, at: number): boolean {
  return createdAt > at + SKEW_SECONDS;
}

/**
 * What the tokens of a family grant, as a copy: callers must not change the family that is written back. Members are listed,
 * because a store may return more, and `null` for absent ones.
 */
export function grantOf(family: RefreshFamily): RefreshGrant {
  const { sub, securityStamp, authTime, amr, acr } = family;
  return {
    sub,
    securityStamp,
    authTime,
    amr: [...amr],
    ...(typeof acr === "string" ? { acr } : {}),
    ...givenAtIssue(family),
  };
}

/** The public data of a family. */
export function toFamilyInfo(family: RefreshFamily, expiresAt: number): RefreshFamilyInfo {
  const { id, createdAt, amr, authTime } = family;
  return { familyId: id, createdAt, expiresAt, ...givenAtIssue(family), amr, authTime };
}

function givenAtIssue(
  { sessionId, scope, data }: RefreshFamily,
): Pick<RefreshGrant, "sessionId" | "scope" | "data"> {
  return {
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(Array.isArray(scope) ? { scope: [...scope] } : {}),
    ...(data === undefined ? {} : { data: structuredClone(data) }),
  };
}

/** Checks the session of tokens. @throws {TypeError} If it is present and not a non-empty string. */
export function checkSessionId(cannot: string, sessionId: unknown): void {
  if (sessionId === undefined || (typeof sessionId === "string" && sessionId !== "")) return;
  throw new TypeError(`${cannot}: sessionId must be a non-empty string`);
}

/** A JSON copy of data. @throws {TypeError} If it cannot be serialized: a function, a bigint, a cycle. */
export function copyJson(cannot: string, data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data));
  } catch {
    // the runtime's message may contain the data
    throw new TypeError(`${cannot}: data must be JSON`);
  }
}
