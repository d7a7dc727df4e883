/**
 * Why the authorization server refuses, and what the client or the user's browser sees of it.
 *
 * @module
 */

import type { AuthorizationError, AuthorizationPageRefusal, TokenRefusal } from "../../events.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";

declare const CHECKED: unique symbol;

/**
 * Where a response to an authorization request goes. Only `findTarget()` creates one, after the client and its redirect URI were
 * found valid: without it there is no redirect.
 */
export interface ResponseTarget {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly isLoopback: boolean;
  readonly responseMode: "query" | "form_post";
  readonly state: string | undefined;
  readonly [CHECKED]: true;
}

/** A refusal. */
export type Failure =
  | {
    readonly kind: "page";
    readonly reason: AuthorizationPageRefusal;
    readonly clientId?: string | undefined;
  }
  | {
    readonly kind: "redirect";
    readonly target: ResponseTarget;
    readonly error: AuthorizationError;
    /** Explanation for the client's developer; fixed text. */
    readonly description?: string | undefined;
  }
  | {
    readonly kind: "token";
    readonly reason: TokenRefusal;
    readonly clientId?: string | undefined;
    /** Whether the client tried HTTP Basic authentication, which needs a challenge. */
    readonly isBasic?: boolean | undefined;
    /** The nonce that the client's next DPoP proof needs. */
    readonly nonce?: string | undefined;
  }
  /** The user of a device has not decided yet, RFC 8628 §3.5. It is no event, and counts as no refusal. */
  | { readonly kind: "waiting" };

/** A refusal on its way to the response. */
export class ServerRefusal extends Error {
  /** Name of the class. */
  override readonly name = "ServerRefusal";
  /** The refusal. */
  readonly failure: Failure;

  /** Wraps a refusal. */
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** A refusal by a page: nothing is known about where a redirect could go. */
export function refusePage(reason: AuthorizationPageRefusal, clientId?: string): ServerRefusal {
  return new ServerRefusal({ kind: "page", reason, clientId });
}

/** A refusal by a redirect to the client. */
export function refuseRedirect(
  target: ResponseTarget,
  error: AuthorizationError,
  description?: string,
): ServerRefusal {
  return new ServerRefusal({ kind: "redirect", target, error, description });
}

/** A refusal of a request that the client itself sends. */
export function refuseToken(
  reason: TokenRefusal,
  more: {
    readonly clientId?: string | undefined;
    readonly isBasic?: boolean;
    readonly nonce?: string | undefined;
  } = {},
): ServerRefusal {
  return new ServerRefusal({ kind: "token", reason, ...more });
}

/** Error codes of the token endpoint, RFC 6749 §5.2 and RFC 8628 §3.5. */
export type TokenError =
  | "access_denied"
  | "expired_token"
  | "invalid_client"
  | "invalid_dpop_proof"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "slow_down"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_token_type"
  | "use_dpop_nonce";

/** What the client sees of a reason, RFC 6749 §5.2. */
export function tokenErrorOf(reason: TokenRefusal): TokenError {
  switch (reason) {
    case "assertion_refused":
    case "assertion_reused":
    case "client_disabled":
    case "client_unknown":
    case "credentials_malformed":
    case "method_mismatch":
    case "secret_wrong":
      return "invalid_client";
    case "credentials_repeated": // §2.3: not more than one method in each request
    case "body_malformed":
    case "content_type_wrong":
    case "parameter_missing":
    case "parameter_repeated":
      return "invalid_request";
    case "token_not_revocable":
      return "unsupported_token_type"; // RFC 7009 §2.2.1
    case "grant_type_unknown":
      return "unsupported_grant_type";
    case "grant_type_not_allowed":
      return "unauthorized_client";
    case "code_unknown":
    case "code_replayed":
    case "client_mismatch":
    case "redirect_uri_mismatch":
    case "verifier_wrong":
    case "refresh_token_refused":
    case "user_refused":
    case "dpop_key_mismatch":
      return "invalid_grant";
    case "dpop_proof_missing":
    case "dpop_proof_malformed":
    case "dpop_proof_mismatch":
    case "dpop_proof_expired":
    case "dpop_proof_replayed":
      return "invalid_dpop_proof"; // RFC 9449 §5
    case "dpop_nonce_required":
      return "use_dpop_nonce"; // §8
    case "scope_too_wide":
      return "invalid_scope";
    case "resource_refused":
      return "invalid_target"; // RFC 8707 §2
    case "device_code_expired":
      return "expired_token";
    case "device_denied":
      return "access_denied";
    case "slow_down":
      return "slow_down";
  }
}

/** Status of the page for a reason. */
export function pageStatusOf(reason: AuthorizationPageRefusal): 400 | 403 | 404 | 503 {
  switch (reason) {
    case "client_disabled":
    case "client_document_invalid":
    case "client_unknown":
    case "id_token_hint_invalid":
    case "parameter_repeated":
    case "redirect_uri_mismatch":
    case "redirect_uri_missing":
    case "request_malformed":
    case "request_uri_unknown":
      return 400;
    case "browser_mismatch":
    case "consent_forged":
    case "logout_forged":
      return 403;
    case "interaction_unknown":
    case "user_code_unknown":
      return 404;
    case "client_document_unreachable":
      return 503;
  }
}
