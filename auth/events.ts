/**
 * Events: what happened, for logs, alarms and audits. They carry no password, token, key or cookie, and no text that
 * somebody typed: an identifier field now and then holds a password.
 *
 * @module
 */

/** Why a login failed. The client gets the same answer whatever the reason. */
export type LoginFailure =
  | "user_unknown"
  | "user_disabled"
  | "password_unset"
  | "password_wrong";

/** Why a request was taken for a forgery. The client only hears that it was. */
export type CsrfFailure =
  | "cross_origin"
  | "cookie_ambiguous"
  | "token_missing"
  | "token_malformed"
  | "token_differs_from_cookie"
  | "token_of_another_session";

/** Why a session ended by itself. At the absolute limit most stores give it no more, and nobody is told. */
export type SessionExpiry = "absolute_limit" | "idle_limit";

/** What every event has. */
export interface EventBase {
  /** When, in seconds since the epoch. */
  readonly at: number;
}

/** A credential was there, and was not valid. */
export interface CredentialRefused extends EventBase {
  /** Name of the event. */
  readonly type: "credential.refused";
  /** Name of the strategy. */
  readonly strategy: string;
  /** What the strategy calls it. */
  readonly code: string;
  /** What the strategy says of it. */
  readonly message: string;
  /** Pattern of the route; empty where none matched. */
  readonly route: string;
  /** Address of the client, if known. */
  readonly address?: string;
}

/** The authorization manager refused. */
export interface AuthorizationRefused extends EventBase {
  /** Name of the event. */
  readonly type: "authz.denied";
  /** What the manager says of it. */
  readonly reason: string;
  /** Pattern of the route; empty where none matched. */
  readonly route: string;
  /** Subject id of who asked; absent for anonymous requests. */
  readonly sub?: string;
  /** Address of the client, if known. */
  readonly address?: string;
}

/** Somebody signed in with a password. */
export interface LoginSucceeded extends EventBase {
  /** Name of the event. */
  readonly type: "login.succeeded";
  /** Subject id of the user. */
  readonly sub: string;
  /** Address of the client, if known. */
  readonly address?: string;
}

/** Somebody tried to sign in with a password. */
export interface LoginFailed extends EventBase {
  /** Name of the event. */
  readonly type: "login.failed";
  /** What was wrong. */
  readonly reason: LoginFailure;
  /** Subject id of the user, if there is one. */
  readonly sub?: string;
  /** Address of the client, if known. */
  readonly address?: string;
}

/** The throttle refused an attempt. */
export interface LoginThrottled extends EventBase {
  /** Name of the event. */
  readonly type: "login.throttled";
  /** What was tried. */
  readonly attempt: "login" | "registration";
  /** Seconds until another attempt is allowed. */
  readonly retryAfter: number;
  /** Address of the client, if known. */
  readonly address?: string;
}

/** An account was created. */
export interface UserCreated extends EventBase {
  /** Name of the event. */
  readonly type: "user.created";
  /** Its subject id. */
  readonly sub: string;
}

/** A user signs in by another identifier from now on. */
export interface UserIdentifierChanged extends EventBase {
  /** Name of the event. */
  readonly type: "user.identifier_changed";
  /** Its subject id. */
  readonly sub: string;
}

/** An account was closed. */
export interface UserDisabled extends EventBase {
  /** Name of the event. */
  readonly type: "user.disabled";
  /** Its subject id. */
  readonly sub: string;
}

/** An account was opened again. */
export interface UserEnabled extends EventBase {
  /** Name of the event. */
  readonly type: "user.enabled";
  /** Its subject id. */
  readonly sub: string;
}

/** An account was removed. */
export interface UserRemoved extends EventBase {
  /** Name of the event. */
  readonly type: "user.removed";
  /** Its subject id. */
  readonly sub: string;
}

/** A request was taken for a forgery. */
export interface CsrfFailed extends EventBase {
  /** Name of the event. */
  readonly type: "csrf.failed";
  /** What was wrong. */
  readonly reason: CsrfFailure;
  /** The page's origin, if `reason` is `cross_origin` and the browser says it. */
  readonly origin?: string;
}

/** A password was changed, by its owner or by `reset()`. */
export interface PasswordChanged extends EventBase {
  /** Name of the event. */
  readonly type: "password.changed";
  /** Subject id of the user. */
  readonly sub: string;
}

/** A password's hash was replaced by one with the current parameters. */
export interface PasswordRehashed extends EventBase {
  /** Name of the event. */
  readonly type: "password.rehashed";
  /** Subject id of the user. */
  readonly sub: string;
}

/** A session began. */
export interface SessionCreated extends EventBase {
  /** Name of the event. */
  readonly type: "session.created";
  /** Subject id of the user. */
  readonly sub: string;
  /** The session's public identifier. */
  readonly sessionId: string;
}

/** Sessions were ended. */
export interface SessionRevoked extends EventBase {
  /** Name of the event. */
  readonly type: "session.revoked";
  /** Subject id of the user. */
  readonly sub: string;
  /** Public identifier of the one session; absent where all of a user ended. */
  readonly sessionId?: string;
  /** Public identifier of the one that was kept. */
  readonly exceptSessionId?: string;
}

/** A session was presented that has ended by itself. */
export interface SessionExpired extends EventBase {
  /** Name of the event. */
  readonly type: "session.expired";
  /** Subject id of the user. */
  readonly sub: string;
  /** The session's public identifier. */
  readonly sessionId: string;
  /** Which rule ended it. */
  readonly reason: SessionExpiry;
}

/** A refresh token was exchanged for the next one. */
export interface RefreshRotated extends EventBase {
  /** Name of the event. */
  readonly type: "refresh.rotated";
  /** Subject id of the user. */
  readonly sub: string;
  /** Which tokens follow from one sign-in. Nobody gets in by it, but who knows it can end them. */
  readonly familyId: string;
  /** Public identifier of the session that it belongs to. */
  readonly sessionId?: string;
}

/** A refresh token came that had been exchanged before: one of the two who have it has stolen it. Its family has ended. */
export interface RefreshReuseDetected extends EventBase {
  /** Name of the event. */
  readonly type: "refresh.reuse_detected";
  /** Subject id of the user. */
  readonly sub: string;
  /** Which tokens follow from one sign-in. Nobody gets in by it, but who knows it can end them. */
  readonly familyId: string;
  /** Public identifier of the session that it belongs to. */
  readonly sessionId?: string;
}

/** A new signing key was made. */
export interface KeyRotated extends EventBase {
  /** Name of the event. */
  readonly type: "key.rotated";
  /** Algorithm, RFC 7518. */
  readonly alg: string;
  /** Key id. */
  readonly kid: string;
}

/** An API key was made. */
export interface ApiKeyCreated extends EventBase {
  /** Name of the event. */
  readonly type: "api_key.created";
  /** Subject id of the user. */
  readonly sub: string;
  /** Public identifier of the key. */
  readonly apiKeyId: string;
}

/** API keys were ended. */
export interface ApiKeyRevoked extends EventBase {
  /** Name of the event. */
  readonly type: "api_key.revoked";
  /** Subject id of the user. */
  readonly sub: string;
  /** Public identifier of the one key; absent where all of a user ended. */
  readonly apiKeyId?: string;
}

/** Everything that a listener is told of. */
export type AuthEvent =
  | ApiKeyCreated
  | ApiKeyRevoked
  | AuthorizationRefused
  | CredentialRefused
  | CsrfFailed
  | KeyRotated
  | LoginFailed
  | LoginSucceeded
  | LoginThrottled
  | PasswordChanged
  | PasswordRehashed
  | RefreshReuseDetected
  | RefreshRotated
  | SessionCreated
  | SessionExpired
  | SessionRevoked
  | UserCreated
  | UserDisabled
  | UserEnabled
  | UserIdentifierChanged
  | UserRemoved;

/** Is told of events. What it throws or rejects with is warned of, and breaks no request; nobody waits for it. */
export type AuthEventListener = (event: AuthEvent) => void | Promise<void>;
