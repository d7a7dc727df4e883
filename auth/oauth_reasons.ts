/**
 * Why requests of OAuth failed: reasons in the events of sign-ins with providers, and of the authorization server.
 *
 * @module
 */

/** Why a sign-in with an OAuth provider failed. The client gets `oauth_failed`, whatever the reason. */
export type OAuthFailure =
  | "acr_mismatch"
  | "at_hash_mismatch"
  | "auth_time_too_old"
  | "azp_mismatch"
  | "browser_mismatch"
  | "id_token_missing"
  | "id_token_refused"
  | "identifier_taken"
  | "identity_taken"
  | "iss_mismatch"
  | "iss_missing"
  | "issued_too_early"
  | "link_session_ended"
  | "logout_token_refused"
  | "nonce_mismatch"
  | "profile_refused"
  | "provider_mismatch"
  | "provider_refused"
  | "provider_unreachable"
  | "registration_closed"
  | "response_malformed"
  | "state_missing"
  | "state_unknown"
  | "sub_malformed"
  | "sub_mismatch"
  | "token_refused"
  | "token_response_malformed"
  | "user_disabled"
  | "user_refused"
  | "userinfo_refused";

/** Why an authorization server answers a user by a page: of an authorization or logout request, or of the code of a device. */
export type AuthorizationPageRefusal =
  | "browser_mismatch"
  | "client_disabled"
  | "client_document_invalid"
  | "client_document_unreachable"
  | "client_unknown"
  | "consent_forged"
  | "id_token_hint_invalid"
  | "interaction_unknown"
  | "logout_forged"
  | "parameter_repeated"
  | "redirect_uri_mismatch"
  | "redirect_uri_missing"
  | "request_malformed"
  | "request_uri_unknown"
  | "user_code_unknown";

/** Error that an authorization server redirects to the client, RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6. */
export type AuthorizationError =
  | "access_denied"
  | "consent_required"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "login_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "unauthorized_client"
  | "unmet_authentication_requirements"
  | "unsupported_response_type";

/** Why an authorization server refused a request to its token or revocation endpoint. The client gets an error of RFC 6749 §5.2. */
export type TokenRefusal =
  | "assertion_refused"
  | "assertion_reused"
  | "client_disabled"
  | "client_unknown"
  | "credentials_malformed"
  | "credentials_repeated"
  | "method_mismatch"
  | "secret_wrong"
  | "body_malformed"
  | "content_type_wrong"
  | "parameter_missing"
  | "parameter_repeated"
  | "grant_type_unknown"
  | "grant_type_not_allowed"
  | "code_unknown"
  | "code_replayed"
  | "client_mismatch"
  | "redirect_uri_mismatch"
  | "verifier_wrong"
  | "refresh_token_refused"
  | "user_refused"
  | "scope_too_wide"
  | "token_not_revocable"
  | "resource_refused"
  | "device_code_expired"
  | "device_denied"
  | "slow_down"
  | ProofRefusal;

/** Why a DPoP proof was refused, RFC 9449 §4.3. */
export type ProofRefusal =
  /** There is none, and the client must send one. */
  | "dpop_proof_missing"
  /** It is not one signed JWT of the required type, with the required claims and its public key. */
  | "dpop_proof_malformed"
  /** It is for another method, URL or token. */
  | "dpop_proof_mismatch"
  /** It is too old, or its time is in the future. */
  | "dpop_proof_expired"
  /** It was used before. */
  | "dpop_proof_replayed"
  /** Its key is not the one that the code or token is bound to. */
  | "dpop_key_mismatch"
  /** It has no valid nonce of the server. */
  | "dpop_nonce_required";

/** Why an authorization server did not register a client; those with an error of RFC 7591 §3.2.2 are sent to it. */
export type RegistrationRefusal =
  | "initial_access_token_wrong"
  | "invalid_client_metadata"
  | "invalid_redirect_uri";
