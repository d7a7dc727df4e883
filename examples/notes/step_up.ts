/**
 * Step-up: what needs a recent sign-in, and the second factor of users who have one.
 *
 * @module
 */

import { AuthError, type AuthRuntime, type Principal } from "@gatehouse/http";

/** Seconds since the sign-in, at most, to delete an account. */
export const MAX_AGE = 300;

/**
 * Requires that the principal signed in with the second factor, if the user has one.
 *
 * @throws {AuthError} `insufficient_authentication`
 */
export async function requireSecondFactor(
  { secondFactors }: Pick<AuthRuntime, "secondFactors">,
  { sub, amr = [] }: Principal,
): Promise<void> {
  if (amr.includes("mfa") || !await secondFactors?.has(sub)) return;
  throw new AuthError("insufficient_authentication", {
    detail: "The sign-in lacks the second factor",
  });
}

/** Whether the principal meets both. */
export async function isSteppedUp(
  { secondFactors, now }: Pick<AuthRuntime, "secondFactors" | "now">,
  { sub, amr = [], authTime }: Principal,
): Promise<boolean> {
  if (now() - authTime > MAX_AGE) return false;
  return amr.includes("mfa") || !await secondFactors?.has(sub);
}
