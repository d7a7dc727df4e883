/**
 * What sessions are to those who use them.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { RefreshTokenStore, Session, SessionStore, User, UserStore } from "../stores/types.ts";

/** How long sessions last. */
export interface SessionLimits {
  /** Seconds from the beginning, whatever happens. @default {86_400} 24 h, SP 800-63B-4 §2.2.3 (AAL2) */
  readonly absolute?: number | undefined;
  /** Seconds without a request; counted to the minute. @default {3_600} 1 h, or `absolute` if that is less */
  readonly idle?: number | undefined;
}

/** Options of {@linkcode sessionService}. */
export interface SessionServiceOptions extends SessionLimits {
  /** Limits of sessions that outlive the browser's window. @default {PERSISTENT_SESSION} */
  readonly persistent?: SessionLimits | undefined;
  /** Keeps sessions. */
  readonly sessions: SessionStore;
  /** Keeps users: every request asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /** Keeps refresh tokens; those of a session end when it is revoked. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What is said of a new session beside who it belongs to. */
export interface NewSessionOptions {
  /** The token that the browser presented until now: its session ends, so that nobody who planted it shares the new one. */
  readonly replaces?: string | undefined;
  /** Whether it outlives the browser's window: "keep me signed in". @default {false} */
  readonly persistent?: boolean | undefined;
  /** The browser's `User-Agent`, for the user's list of sessions; cut to 256 characters. */
  readonly userAgent?: string | null | undefined;
}

/** A session as it may be shown: without its token's digest and its stamp. */
export type SessionInfo = Omit<Session, "tokenHash" | "securityStamp">;

/** A user as it may be shown: without its password's hash, its stamp and its version. */
export type UserInfo = Pick<User, "sub" | "identifier" | "createdAt">;

/** A user as it may be shown. Its members are named: a store may give more than it was given. */
export function toUserInfo({ sub, identifier, createdAt }: User): UserInfo {
  return { sub, identifier, createdAt };
}

/** A session that has just begun. */
export interface NewSession {
  /** What the browser gets: 256 random bits in 43 characters. Nothing else can be made from the stored session. */
  readonly token: string;
  /** The session. */
  readonly session: SessionInfo;
}

/** A session that a token stands for. */
export interface ActiveSession {
  /** The session. */
  readonly session: SessionInfo;
  /** Its user, as it is now. */
  readonly user: UserInfo;
}

/** Begins, verifies, lists and ends sessions. */
export interface SessionService {
  /** Begins a session, with a new token and a new identifier. */
  create(authentication: Authentication, options?: NewSessionOptions): Promise<NewSession>;
  /**
   * Finds the session that a token stands for, and notes that it was used.
   *
   * @returns `undefined` if there is none, a limit has passed, the user is gone or disabled, or the user's credentials
   * have changed since.
   */
  verify(token: string): Promise<ActiveSession | undefined>;
  /** Sessions of a user that have not ended, the one used last first. */
  list(sub: string): Promise<readonly SessionInfo[]>;
  /**
   * Ends one of a user's sessions, and the refresh tokens that were handed out with it, also where the session has ended by
   * itself before.
   *
   * @returns Whether the user had the session.
   */
  revoke(sub: string, id: string): Promise<boolean>;
  /** Ends all of a user's sessions but one, and all refresh tokens but those that were handed out with that one. */
  revokeOthers(sub: string, id: string): Promise<void>;
  /** Ends all of a user's sessions. */
  revokeAll(sub: string): Promise<void>;
  /** Ends the session that a token stands for, if there is one: a logout. */
  revokeToken(token: string): Promise<void>;
}
