/**
 * Failures of sign-ins with a provider: reasons for events, and the error that the client gets.
 *
 * @module
 */

import { AuthError, type AuthErrorCode } from "../error.ts";
import type { OAuthFailure } from "../events.ts";

/** Options of {@linkcode oauthError}. */
export interface OAuthErrorOptions {
  /** More about the reason, for events only: it may contain text of the provider's claims. */
  readonly detail?: string | undefined;
  /** The underlying error. Never sent. */
  readonly cause?: unknown;
}

/** What an error was created for. */
interface OAuthErrorInfo {
  readonly reason: OAuthFailure;
  readonly detail: string | undefined;
}

const INFO: WeakMap<object, OAuthErrorInfo> = /* @__PURE__ */ new WeakMap();

/** The error for a failed sign-in. The client gets a code that does not depend on text of the provider. */
export function oauthError(
  reason: OAuthFailure,
  { detail, cause }: OAuthErrorOptions = {},
): AuthError {
  const error = new AuthError(codeOf(reason), { reason, cause });
  INFO.set(error, { reason, detail });
  return error;
}

/** The reason of an error of {@linkcode oauthError}; `undefined` for any other value. */
export function failureOf(error: unknown): OAuthFailure | undefined {
  return infoOf(error)?.reason;
}

/** The detail of such an error. */
export function detailOf(error: unknown): string | undefined {
  return infoOf(error)?.detail;
}

function infoOf(error: unknown): OAuthErrorInfo | undefined {
  return error instanceof AuthError ? INFO.get(error) : undefined;
}

/** Throws the error for a reason unless a condition holds. */
export function check(
  condition: boolean,
  reason: OAuthFailure,
  options?: OAuthErrorOptions,
): asserts condition {
  if (!condition) throw oauthError(reason, options);
}

function codeOf(reason: OAuthFailure): AuthErrorCode {
  switch (reason) {
    case "user_refused":
    case "user_disabled":
      return "access_denied";
    case "identifier_taken":
      return "identifier_unavailable";
    case "identity_taken":
      return "identity_taken";
    case "registration_closed":
      return "identity_unknown";
    case "provider_unreachable":
      return "service_unavailable";
    case "acr_mismatch":
    case "at_hash_mismatch":
    case "auth_time_too_old":
    case "azp_mismatch":
    case "browser_mismatch":
    case "id_token_missing":
    case "id_token_refused":
    case "iss_mismatch":
    case "iss_missing":
    case "issued_too_early":
    case "link_session_ended":
    case "logout_token_refused":
    case "nonce_mismatch":
    case "profile_refused":
    case "provider_mismatch":
    case "provider_refused":
    case "response_malformed":
    case "state_missing":
    case "state_unknown":
    case "sub_malformed":
    case "sub_mismatch":
    case "token_refused":
    case "token_response_malformed":
    case "userinfo_refused":
      return "oauth_failed";
  }
}
