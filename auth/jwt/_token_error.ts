/**
 * Refusals of tokens: one error for all, which says the client nothing of why.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { TokenFailure } from "./types.ts";

/** A refusal. */
export function tokenError(reason: TokenFailure, cause?: unknown): AuthError {
  return new AuthError(isExpiry(reason) ? "token_expired" : "invalid_token", { reason, cause });
}

/** Whether a token was good, once: a client then asks for the next one. */
function isExpiry(reason: TokenFailure): boolean {
  return reason === "expired" || reason === "max_age_exceeded";
}
