/**
 * Types of the session service.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { RefreshTokenStore, Session, SessionStore, UserStore } from "../stores/types.ts";
import type { UserInfo } from "../users/user_info.ts";

/** Lifetime of sessions. */
export interface SessionLimits {
  /** Seconds from the creation of the session. @default {86_400} 24 h, SP 800-63B-4 §2.2.3 (AAL2) */
  readonly absolute?: number | undefined;
  /** Seconds without a request; counted to the minute. @default {3_600} 1 h, or `absolute` if that is less */
  readonly idle?: number | undefined;
}

/** Options of {@linkcode sessionService}. */
export interface SessionServiceOptions extends SessionLimits {
  /** Limits of persistent sessions. @default {PERSISTENT_SESSION} */
  readonly persistent?: SessionLimits | undefined;
  /** Persists sessions. */
  readonly sessions: SessionStore;
  /** Persists users; the user of a session is read with every request. */
  readonly users: Pick<UserStore, "findBySub">;
  /** Persists refresh tokens; those of a session are revoked with it. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode SessionService.create}. */
export interface NewSessionOptions {
  /** The token of the request: its session is revoked, so that an attacker who planted it does not share the new one. */
  readonly replaces?: string | undefined;
  /** Whether the session outlives the browser: "keep me signed in". @default {false} */
  readonly persistent?: boolean | undefined;
  /** The browser's `User-Agent`, for the user's list of sessions; truncated to 256 characters. */
  readonly userAgent?: string | null | undefined;
}

/** The public members of a session. */
export interface SessionInfo extends Omit<Session, "tokenHash" | "securityStamp" | "provider"> {
  /** Name of the OAuth provider that the user signed in with. */
  readonly provider?: string;
}

/** Which sessions {@linkcode SessionService.revokeByProvider} revokes. */
export type ProviderSelector =
  | {
    /** The provider's id of its session. */
    readonly sid: string;
    /** Only sessions of this user. */
    readonly sub?: string | undefined;
  }
  | {
    /** All sessions of this user with the provider. */
    readonly sub: string;
    readonly sid?: undefined;
  };

/** A new session. */
export interface NewSession {
  /** The token for the browser: 256 random bits in 43 characters. Only its digest is stored. */
  readonly token: string;
  /** The session. */
  readonly session: SessionInfo;
}

/** A valid session. */
export interface ActiveSession {
  /** The session. */
  readonly session: SessionInfo;
  /** Its user. */
  readonly user: UserInfo;
}

/** Options of {@linkcode SessionService.verify}. */
export interface VerifySessionOptions {
  /** Whether to record that the session was used, which keeps it from expiring by inactivity. @default {true} */
  readonly touch?: boolean | undefined;
}

/** Creates, verifies, lists and revokes sessions. */
export interface SessionService {
  /** Creates a session with a new token and a new identifier. */
  create(authentication: Authentication, options?: NewSessionOptions): Promise<NewSession>;
  /**
   * Finds the session of a token, and records that it was used unless `touch` is `false`.
   *
   * @returns `undefined` if there is no such session, it has expired, the user is deleted or disabled, or the security
   * stamp has changed.
   */
  verify(token: string, options?: VerifySessionOptions): Promise<ActiveSession | undefined>;
  /** The valid sessions of a user, the most recently used one first. */
  list(sub: string): Promise<readonly SessionInfo[]>;
  /**
   * Revokes one of a user's sessions, and the refresh tokens that were issued with it, even if the session has expired.
   *
   * @returns Whether the session existed.
   */
  revoke(sub: string, id: string): Promise<boolean>;
  /** Revokes all sessions of a user except one, and all refresh tokens except those that were issued with it. */
  revokeOthers(sub: string, id: string): Promise<void>;
  /** Revokes all sessions and refresh tokens of a user. */
  revokeAll(sub: string): Promise<void>;
  /**
   * Revokes the sessions that were created with a session at an OAuth provider, or all of a user's with that provider.
   *
   * @returns How many there were.
   */
  revokeByProvider(issuer: string, by: ProviderSelector): Promise<number>;
  /** Revokes the session of a token, if there is one: a logout. */
  revokeToken(token: string): Promise<void>;
}
