/**
 * The step-up check of guards: whether the sign-in is recent enough, and by the required methods.
 *
 * @module
 */

import type { StepUpOptions } from "../../router/types.ts";
import { SKEW_SECONDS } from "../_clock.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";
import type { AuthStrategy } from "../strategy.ts";

/** What {@linkcode checkStepUp} needs to know of the request. */
export interface StepUpContext {
  /** The strategy that found the credential. */
  readonly by: AuthStrategy | undefined;
  /** The guard's challenge. */
  readonly challenge: string;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
}

/**
 * Why a sign-in does not suffice: the principal lacks a method, or authenticated too long ago, or at an unknown time, as the
 * owner of an API key did.
 *
 * @returns `insufficient_authentication`; `undefined` if it suffices.
 */
export function checkStepUp(
  principal: Principal,
  { amr = [], maxAge }: StepUpOptions,
  { by, challenge, now }: StepUpContext,
): AuthError | undefined {
  const missing = amr.filter((method) => !principal.amr?.includes(method));
  const isMethod = missing.length > 0;
  if (!isMethod && (maxAge === undefined || isRecent(principal, maxAge, now()))) return undefined;
  const needed = maxAge === undefined ? "" : `, max_age="${maxAge}"`;
  const bearer = `Bearer error="insufficient_user_authentication"${needed}`; // RFC 9470 §3
  return new AuthError("insufficient_authentication", {
    detail: isMethod
      ? `The sign-in lacks the authentication method ${missing.join(", ")}`
      : "The last sign-in is too long ago",
    headers: { "WWW-Authenticate": by?.scheme?.type === "bearer" ? bearer : challenge },
  });
}

/** A time in the future is accepted as far as clocks may differ; 0 means unknown. */
function isRecent({ authTime }: Principal, maxAge: number, now: number): boolean {
  const age = now - authTime;
  return authTime > 0 && age <= maxAge && age >= -SKEW_SECONDS;
}
