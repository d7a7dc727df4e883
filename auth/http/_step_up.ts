/**
 * The step-up check of guards.
 *
 * @module
 */

import type { StepUpOptions } from "../../router/types.ts";
import { stepUpFailure } from "../_step_up.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";
import { tokenChallenge } from "./_scope_check.ts";

/** What {@linkcode checkStepUp} needs to know of the request. */
export interface StepUpContext {
  /** The guard's challenge. */
  readonly challenge: string;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
}

/** The error of a sign-in that does not suffice, `insufficient_authentication`; `undefined` if it does. */
export function checkStepUp(
  principal: Principal,
  needed: StepUpOptions,
  { challenge, now }: StepUpContext,
): AuthError | undefined {
  const detail = stepUpFailure(principal, needed, now);
  if (detail === undefined) return undefined;
  const { acr, maxAge } = needed;
  const context = acr === undefined ? "" : `, acr_values="${acr.join(" ")}"`;
  const age = maxAge === undefined ? "" : `, max_age="${maxAge}"`;
  const error = "insufficient_user_authentication"; // RFC 9470 §3
  return new AuthError("insufficient_authentication", {
    detail,
    headers: {
      "WWW-Authenticate": tokenChallenge(error, principal, challenge, context + age) ?? challenge,
    },
  });
}
