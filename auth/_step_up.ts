/**
 * Step-up authentication: whether the sign-in is recent enough, and by the required methods.
 *
 * @module
 */

import { SKEW_SECONDS } from "./_clock.ts";
import type { Principal } from "./principal.ts";

/**
 * Why a sign-in does not suffice: the principal lacks a method, or all of the contexts, or authenticated too long ago, or at an
 * unknown time, as the owner of an API key did.
 *
 * @param now The time, in seconds since the epoch.
 * @returns An explanation for the client; `undefined` if it suffices.
 */
export function stepUpFailure(
  principal: Principal,
  { amr = [], acr, maxAge }: {
    readonly amr?: readonly string[];
    readonly acr?: readonly string[];
    readonly maxAge?: number;
  },
  now: () => number,
): string | undefined {
  const missing = amr.filter((method) => !principal.amr?.includes(method));
  if (acr?.includes(principal.acr ?? "") === false) missing.push(acr.join(" or "));
  if (missing.length > 0) {
    return `The sign-in lacks the authentication method ${missing.join(", ")}`;
  }
  if (maxAge === undefined || isRecent(principal, maxAge, now())) return undefined;
  return "The last sign-in is too long ago";
}

/** A time in the future is accepted as far as clocks may differ; 0 means unknown. */
function isRecent({ authTime }: Principal, maxAge: number, now: number): boolean {
  const age = now - authTime;
  return authTime > 0 && age <= maxAge && age >= -SKEW_SECONDS;
}
