/**
 * Events for logs, alarms and audits. They contain no password, token, key or cookie, and no user input: users sometimes
 * type a password into an identifier field.
 *
 * In every event `sub` is the user's subject id, `sessionId` the public identifier of a session, `route` the pattern of
 * the route (empty if none matched), and `address` the client's address, if known.
 *
 * @module
 */

import type {
  AuthorizationError,
  AuthorizationPageRefusal,
  OAuthFailure,
  RegistrationRefusal,
  TokenRefusal,
} from "./oauth_reasons.ts";

export type * from "./oauth_reasons.ts";

/** What a message to a user is for. */
export type AccountMessageKind =
  | "verify_email"
  | "change_email"
  | "email_changing"
  | "email_changed"
  | "reset_password"
  | "sign_in_link"
  | "sign_in_code";

/** Why a login failed. The client gets the same response for every reason. */
export type LoginFailure =
  | "user_unknown"
  | "user_disabled"
  | "password_unset"
  | "password_wrong";

/** Why a request was rejected as a cross-site request forgery. The client does not get the reason. */
export type CsrfFailure =
  | "cross_origin"
  | "cookie_ambiguous"
  | "token_missing"
  | "token_malformed"
  | "token_differs_from_cookie"
  | "token_of_another_session";

/** Why a registration of a passkey or a sign-in with one failed. WebAuthn Level 3 §7.1 and §7.2 have the steps. */
export type WebAuthnFailure =
  | "algorithm_not_offered"
  | "algorithm_unsupported"
  | "attestation_invalid"
  | "attestation_malformed"
  | "attestation_unsupported"
  | "attestation_untrusted"
  | "authenticator_data_malformed"
  | "backup_eligibility_changed"
  | "backup_flags_invalid"
  | "challenge_foreign"
  | "challenge_unknown"
  | "client_data_malformed"
  | "counter_regressed"
  | "credential_id_invalid"
  | "credential_not_allowed"
  | "credential_taken"
  | "credential_unknown"
  | "cross_origin"
  | "key_invalid"
  | "origin_unexpected"
  | "response_malformed"
  | "rp_id_mismatch"
  | "signature_invalid"
  | "top_origin_unexpected"
  | "type_wrong"
  | "user_absent"
  | "user_changed"
  | "user_disabled"
  | "user_handle_mismatch"
  | "user_handle_missing"
  | "user_unverified";

/** Kind of a second factor. */
export type FactorKind = "totp" | "recovery_code";

/** Why a second factor was rejected. The client gets the same response for every reason. */
export type FactorFailure =
  | "code_reused"
  | "code_wrong"
  | "enrolment_expired"
  | "factor_missing"
  | "secret_unreadable"
  | "user_refused";

/** At what a query of a service for breached passwords failed. */
export type BreachQueryFailure = "connection" | "content" | "status";

/**
 * Which limit expired a session. Most stores do not return a session after its absolute limit, so that no event is
 * emitted for it.
 */
export type SessionExpiry = "absolute_limit" | "idle_limit";

/** All events: one row for each, with the members that it has besides `type` and `at`. */
export interface AuthEventMap {
  /** A strategy rejected a credential; `code` and `message` are the strategy's. */
  "credential.refused": {
    strategy: string;
    code: string;
    message: string;
    route: string;
    address?: string;
  };
  /** The authorization manager denied access, for its `reason`. Without `sub` the request was anonymous. */
  "authz.denied": { reason: string; route: string; sub?: string; address?: string };
  /** A user signed in with a password. */
  "login.succeeded": { sub: string; address?: string };
  /** A sign-in with a password failed. Without `sub` there is no such user. */
  "login.failed": { reason: LoginFailure; sub?: string; address?: string };
  /** The throttle rejected an attempt; the next one is allowed after `retryAfter` seconds. */
  "login.throttled": {
    attempt: "login" | "registration" | "challenge" | "token" | "factor" | "message" | "userCode";
    retryAfter: number;
    address?: string;
  };
  /** An account was created. */
  "user.created": { sub: string };
  /** The identifier that a user signs in with was changed. */
  "user.identifier_changed": { sub: string };
  /** A user showed that mail to their e-mail address arrives. */
  "email.verified": { sub: string };
  /** The e-mail address of a user was replaced by another one, which is verified. */
  "email.changed": { sub: string };
  /** A message could not be delivered; after the second attempt `gaveUp` is true. */
  "delivery.failed": { kind: AccountMessageKind; gaveUp: boolean; sub?: string };
  /** An account was disabled. */
  "user.disabled": { sub: string };
  /** An account was enabled again. */
  "user.enabled": { sub: string };
  /** An account was deleted. */
  "user.removed": { sub: string };
  /** A request was rejected as a forgery. `origin` is the page's, if `reason` is `cross_origin` and the browser sent it. */
  "csrf.failed": { reason: CsrfFailure; origin?: string };
  /** A password was changed, by its owner or by `reset()`. */
  "password.changed": { sub: string };
  /** A password was removed by its owner, who signs in with a passkey. */
  "password.removed": { sub: string };
  /** A password's hash was replaced by one with the current parameters. */
  "password.rehashed": { sub: string };
  /** A password could not be compared with those of data breaches; `accepted` is what `onFailure` decided. */
  "breach_query.failed": { reason: BreachQueryFailure; accepted: boolean };
  /** A second factor was confirmed by its first code, in place of an earlier one of its kind. */
  "factor.added": { sub: string; kind: FactorKind };
  /** The second factors of a user were removed, with the recovery codes. */
  "factor.removed": { sub: string; kind: FactorKind };
  /** A second factor was verified. */
  "factor.used": { sub: string; kind: FactorKind; address?: string };
  /** A second factor was rejected, or its first code when it was set up. */
  "factor.failed": { sub: string; kind: FactorKind; reason: FactorFailure; address?: string };
  /** Recovery codes were created. Earlier ones are invalid. */
  "recovery_codes.created": { sub: string };
  /** A session was created. */
  "session.created": { sub: string; sessionId: string };
  /** One session was revoked, or all of the user's, or all except `exceptSessionId`. */
  "session.revoked": { sub: string; sessionId?: string; exceptSessionId?: string };
  /** An expired session was presented. */
  "session.expired": { sub: string; sessionId: string; reason: SessionExpiry };
  /** A refresh token was exchanged. `familyId` identifies all tokens of one sign-in; it is not enough to use or revoke them. */
  "refresh.rotated": { sub: string; familyId: string; sessionId?: string };
  /** A refresh token was used twice: one of its two holders has stolen it. The family was revoked. */
  "refresh.reuse_detected": { sub: string; familyId: string; sessionId?: string };
  /** A refresh token was revoked by its client or its user. With a session or an account, that event is the only one. */
  "refresh.revoked": { sub: string; familyId: string; sessionId?: string };
  /** A new signing key was generated, with its algorithm (RFC 7518) and key id. */
  "key.rotated": { alg: string; kid: string };
  /** A passkey was registered. */
  "webauthn.registered": { sub: string; credentialId: string };
  /** A user signed in with a passkey; `userVerified` is false if the authenticator only tested the user's presence. */
  "webauthn.asserted": {
    sub: string;
    credentialId: string;
    userVerified: boolean;
    address?: string;
  };
  /**
   * A registration of a passkey or a sign-in with one failed. `detail` is what
   * `verifyAttestation` said, or the unexpected origin.
   */
  "webauthn.failed": {
    ceremony: "registration" | "authentication";
    reason: WebAuthnFailure;
    sub?: string;
    credentialId?: string;
    detail?: string;
    address?: string;
  };
  /** A passkey was presented with a signature counter that is not greater than the last one: there may be a copy. It was refused. */
  "webauthn.counter_regressed": { sub: string; credentialId: string };
  /** A passkey was renamed. */
  "webauthn.renamed": { sub: string; credentialId: string };
  /** A passkey was removed. */
  "webauthn.removed": { sub: string; credentialId: string };
  /** A user signed in with an OAuth provider, with an account that existed or was created. */
  "oauth.completed": { provider: string; sub: string; account: "known" | "created" };
  /** A sign-in with an OAuth provider, or its link to an account, failed. `detail` is why the preset or a token's check refused it. */
  "oauth.failed": { provider: string; reason: OAuthFailure; detail?: string; sub?: string };
  /** An identity at an OAuth provider was linked to an account. */
  "identity.linked": { sub: string; provider: string };
  /** An identity was removed from an account. */
  "identity.unlinked": { sub: string; provider: string };
  /** The authorization server refused an authorization request, or by a page a logout request. The client gets `error` if `reason` has one of its values. */
  "authorization.refused": {
    reason: AuthorizationPageRefusal | AuthorizationError;
    clientId?: string;
    address?: string;
  };
  /** A user has given a client access; `grantId` identifies it, and the client's tokens. */
  "grant.created": { sub: string; clientId: string; grantId: string };
  /** An authorization code was used twice: it was stolen, or the client is broken. The grant was revoked. */
  "code.replayed": { clientId: string; grantId: string };
  /** The authorization server refused a request to its token or revocation endpoint. */
  "token.refused": { reason: TokenRefusal; clientId?: string; address?: string };
  /** A client was told that a session has ended, Back-Channel Logout 1.0. */
  "logout.delivered": { sub: string; clientId: string; sessionId: string };
  /** A client could not be told that a session has ended; after the last attempt `gaveUp` is true. */
  "logout.failed": { sub: string; clientId: string; sessionId: string; gaveUp: boolean };
  /** A client has registered itself at an authorization server, RFC 7591. */
  "client.registered": { clientId: string; address?: string };
  /** An authorization server did not register a client. */
  "client.refused": { reason: RegistrationRefusal; address?: string };
  /** An API key was created; `apiKeyId` is its public identifier. */
  "api_key.created": { sub: string; apiKeyId: string };
  /** One API key was revoked, or all of the user's. */
  "api_key.revoked": { sub: string; apiKeyId?: string };
}

/** An event: its type, when it happened (`at`, in seconds since the epoch), and the members of its row. */
export type AuthEvent = {
  readonly [Type in keyof AuthEventMap]:
    & { readonly type: Type; readonly at: number }
    & Readonly<AuthEventMap[Type]>;
}[keyof AuthEventMap];

/** Called for every event and not awaited. What it throws or rejects with is reported by `warn` and fails no request. */
export type AuthEventListener = (event: AuthEvent) => void | Promise<void>;
