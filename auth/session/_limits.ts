/**
 * What decides about sessions without a question to anybody: their limits, what is shown of them, what they are made of.
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
  /** Seconds from the beginning, whatever happens. */
  readonly absolute: number;
  /** Seconds without a request. */
  readonly idle: number;
  /** After how many seconds a use is noted: at most a minute, and a tenth of the idle limit. */
  readonly touchAfter: number;
  /** Which rule has ended a session. */
  expiryReason(session: Session, at: number): SessionExpiry | undefined;
}

const USER_AGENT_LENGTH = 256;

/** The limits that hold for a session. */
export function limitsFor(
  clocks: { readonly transient: EffectiveLimits; readonly persistent: EffectiveLimits },
  session: Pick<Session, "persistent">,
): EffectiveLimits {
  return session.persistent ? clocks.persistent : clocks.transient;
}

/** Reads limits. @throws {RangeError} If one is not an integer from 1 to 400 days, or `idle` is longer than `absolute`. */
export function sessionLimits(limits: SessionLimits): EffectiveLimits {
  const { absolute = 86_400 } = limits;
  const { idle = Math.min(3_600, absolute) } = limits;
  requireSeconds("Cannot create session service", { absolute, idle });
  if (idle > absolute) {
    throw new RangeError("Cannot create session service: idle is longer than absolute");
  }
  return {
    absolute,
    idle,
    touchAfter: Math.min(60, Math.floor(idle / 10)),
    expiryReason({ createdAt, activeAt, expiresAt }, at) {
      if (createdAt > at + SKEW_SECONDS) return "absolute_limit"; // made while the clock was ahead
      // The earlier of what was promised then and what is set now: a limit that was lowered holds for all
      if (at >= Math.min(expiresAt, createdAt + absolute)) return "absolute_limit";
      if (at >= activeAt + idle) return "idle_limit";
      return undefined;
    },
  };
}

/** A session as it may be shown. Its members are named: a store may give more than it was given. */
export function toSessionInfo(session: Session): SessionInfo {
  const {
    id,
    sub,
    createdAt,
    activeAt,
    expiresAt,
    persistent: persistent,
    authTime,
    amr,
    acr,
    userAgent,
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
  };
}

/** Cut and well-formed: half a character is no text that every store takes. */
export function truncateUserAgent(userAgent: string): string {
  return userAgent.slice(0, USER_AGENT_LENGTH).toWellFormed();
}
