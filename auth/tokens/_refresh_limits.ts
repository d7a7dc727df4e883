/**
 * What decides about refresh tokens without a question to anybody: their shape, their limits, what a family grants.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import { requireSeconds } from "../_options.ts";
import type { RefreshFamily } from "../stores/types.ts";
import type { RefreshFamilyInfo, RefreshGrant } from "./refresh_types.ts";

/** Limits as the service applies them. */
export interface RefreshClock {
  /** When a family that begins now ends. */
  familyEnd(createdAt: number): number;
  /** When a token that is made now ends: never later than its family. */
  nextEnd(family: RefreshTimes, at: number): number;
  /** When the current token ends. */
  currentEnd(family: RefreshTimes & Pick<RefreshFamily, "expiresAt" | "generation">): number;
}

/** The times of a family that no rotation moves. */
export type RefreshTimes = Pick<RefreshFamily, "createdAt" | "familyExpiresAt">;

/**
 * 16 and 32 bytes; the last character of each part has no bit that belongs to no byte, or several texts would stand for
 * the same bytes.
 */
const TOKEN_REGEXP = /^([\w-]{21}[AQgw])\.([\w-]{42}[AEIMQUYcgkosw048])$/;

/** The parts of a token, if it can be one. */
export function parseRefreshToken(
  token: unknown,
): { readonly familyId: string; readonly secret: string } | undefined {
  const [, familyId, secret] = typeof token === "string" ? TOKEN_REGEXP.exec(token) ?? [] : [];
  return familyId === undefined || secret === undefined ? undefined : { familyId, secret };
}

/** Reads limits. @throws {RangeError} If one is not an integer from 1 to 400 days, or the family's is the shorter one. */
export function refreshLimits(limits: {
  readonly lifetime?: number | undefined;
  readonly familyLifetime?: number | undefined;
}): RefreshClock {
  const { familyLifetime = 2_592_000 } = limits;
  const { lifetime = Math.min(1_209_600, familyLifetime) } = limits;
  const cannot = "Cannot create refresh service";
  requireSeconds(cannot, { lifetime, familyLifetime });
  if (lifetime > familyLifetime) {
    throw new RangeError(`${cannot}: lifetime is longer than familyLifetime`);
  }
  const familyEnd = (createdAt: number) => createdAt + familyLifetime;
  // The earlier of what was promised then and what is set now: a limit that was lowered holds for all
  const wholeEnd = ({ createdAt, familyExpiresAt }: RefreshTimes) =>
    Math.min(familyExpiresAt, familyEnd(createdAt));
  return {
    familyEnd,
    nextEnd: (family, at) => Math.min(at + lifetime, wholeEnd(family)),
    currentEnd(family) {
      const { createdAt, expiresAt, generation } = family;
      // Of later tokens nobody knows when they were made
      const fresh = generation === 0 ? createdAt + lifetime : Infinity;
      return Math.min(expiresAt, fresh, wholeEnd(family));
    },
  };
}

/** Whether a family was made while the clock was ahead: its limits would be as much longer. */
export function isAhead({ createdAt }: RefreshTimes, at: number): boolean {
  return createdAt > at + SKEW_SECONDS;
}

/** What a family's tokens stand for. Its members are named: a store may give more than it was given, and null for nothing. */
export function grantOf(family: RefreshFamily): RefreshGrant {
  const { sub, securityStamp, authTime, amr, acr } = family;
  return {
    sub,
    securityStamp,
    authTime,
    amr,
    ...(typeof acr === "string" ? { acr } : {}),
    ...givenAtIssue(family),
  };
}

/** A family as it may be shown. Its members are named, as those of its grant. */
export function toFamilyInfo(family: RefreshFamily, expiresAt: number): RefreshFamilyInfo {
  const { id, createdAt, amr, authTime } = family;
  return { familyId: id, createdAt, expiresAt, ...givenAtIssue(family), amr, authTime };
}

function givenAtIssue(
  { sessionId, scope, data }: RefreshFamily,
): Pick<RefreshGrant, "sessionId" | "scope" | "data"> {
  return {
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(Array.isArray(scope) ? { scope } : {}),
    ...(data === undefined ? {} : { data }),
  };
}

/** Checks the session that tokens belong to. @throws {TypeError} If it is neither left out nor a text with something in it. */
export function checkSessionId(cannot: string, sessionId: unknown): void {
  if (sessionId === undefined || (typeof sessionId === "string" && sessionId !== "")) return;
  throw new TypeError(`${cannot}: sessionId is not a text with something in it`);
}

/** A copy of data as a store keeps it. @throws {TypeError} If it is not JSON: a function, a bigint, an object that holds itself. */
export function copyJson(cannot: string, data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data));
  } catch {
    // the runtime's own error says which member it was
    throw new TypeError(`${cannot}: data is not JSON`);
  }
}
