/**
 * Refusals of tokens: one error for all, which says the client nothing of why.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { TokenFailure } from "./types.ts";

/** A refusal. */
export function refused(reason: TokenFailure, cause?: unknown): AuthError {
  return new AuthError(isLate(reason) ? "token_expired" : "invalid_token", { reason, cause });
}

/** Whether a token was good, once: a client then asks for the next one. */
function isLate(reason: TokenFailure): boolean {
  return reason === "exp_passed" || reason === "max_age_passed";
}
