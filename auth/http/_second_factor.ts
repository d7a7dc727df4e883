/**
 * The refusal of sign-ins that need a second factor, and what bodies say of it.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { FactorProof } from "../factors/factor_types.ts";
import { invalid } from "./_route_bodies.ts";

/**
 * The error of a sign-in whose first factor was verified.
 *
 * @param ticket For clients without cookies.
 */
export function secondFactorRequired(ticket?: string): AuthError {
  return new AuthError("mfa_required", {
    detail: "The account has a second factor",
    extensions: { factors: ["totp", "recovery_code"], ...(ticket === undefined ? {} : { ticket }) },
  });
}

/** Reads a code of the authenticator app, or a recovery code. */
export function readProof(
  { totp, recoveryCode }: Readonly<Record<string, unknown>>,
): FactorProof {
  if (typeof totp === "string" && recoveryCode === undefined) return { totp };
  if (typeof recoveryCode === "string" && totp === undefined) return { recoveryCode };
  throw invalid("", "Expected either totp or recoveryCode, a string");
}
