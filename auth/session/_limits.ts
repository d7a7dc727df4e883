/**
 * Rules of sessions that need no store: limits, and the public members of sessions and users.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import { requireSeconds } from "../_options.ts";
import type { SessionExpiry } from "../events.ts";
import type { SessionInfo, SessionLimits } from "./types.ts";
import type { Session } from "../stores/types.ts";

/** Limits as a service applies them. */
export interface EffectiveLimits {
  /** Seconds from the creation of the session. */
  readonly absolute: number;
  /** Seconds without a request. */
  readonly idle: number;
  /** Seconds after which a use is recorded: at most a minute, and a tenth of the idle limit. */
  readonly touchAfter: number;
  /** The limit that a session has exceeded, if any. */
  expiryReason(session: Session, at: number): SessionExpiry | undefined;
}

const USER_AGENT_LENGTH = 256;

/** The limits of a session. */
export function limitsFor(
  limits: { readonly transient: EffectiveLimits; readonly persistent: EffectiveLimits },
  session: Pick<Session, "persistent">,
): EffectiveLimits {
  return session.persistent ? limits.persistent : limits.transient;
}

/** Checks limits and adds defaults. @throws {RangeError} If one is not an integer from 1 to 400 days, or `idle` is longer than `absolute`. */
export function sessionLimits(limits: SessionLimits): EffectiveLimits {
  const { absolute = 86_400 } = limits;
  const { idle = Math.min(3_600, absolute) } = limits;
  requireSeconds("Cannot create session service", { absolute, idle });
  if (idle > absolute) {
    throw new RangeError("Cannot create session service: idle must not be longer than absolute");
  }
  return {
    absolute,
    idle,
    touchAfter: Math.max(1, Math.min(60, Math.floor(idle / 10))),
    expiryReason({ createdAt, activeAt, expiresAt }, at) {
      if (createdAt > at + SKEW_SECONDS) return "absolute_limit"; // created while a clock was ahead
      // The earlier of the stored limit and the current one: a lowered limit applies to existing sessions
      if (at >= Math.min(expiresAt, createdAt + absolute)) return "absolute_limit";
      if (at >= activeAt + idle) return "idle_limit";
      return undefined;
    },
  };
}

/** The public members of a session, listed because a store may return additional ones. */
export function toSessionInfo(session: Session): SessionInfo {
  const {
    id,
    sub,
    createdAt,
    activeAt,
    expiresAt,
    persistent,
    authTime,
    amr,
    acr,
    userAgent,
    provider,
  } = session;
  return {
    id,
    sub,
    createdAt,
    activeAt,
    expiresAt,
    ...(persistent ? { persistent: true } : {}),
    authTime,
    amr,
    ...(typeof acr === "string" ? { acr } : {}),
    ...(typeof userAgent === "string" ? { userAgent } : {}),
    ...(typeof provider?.name === "string" ? { provider: provider.name } : {}),
  };
}

/** At most 256 UTF-16 units, and well-formed: stores reject a lone surrogate. */
export function truncateUserAgent(userAgent: string): string {
  return userAgent.slice(0, USER_AGENT_LENGTH).toWellFormed();
}
