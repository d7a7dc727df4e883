/**
 * Records and store of sessions.
 *
 * @module
 */

import type { ProviderSession } from "../principal.ts";

/** A session. Its token is not stored, only the token's digest. */
export interface Session {
  /** Public identifier. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** SHA-256 of the token, base64url; unique. */
  readonly tokenHash: string;
  /** The user's security stamp when the session was created. */
  readonly securityStamp: string;
  /** When the session was created. */
  readonly createdAt: number;
  /** When it was last used, to the minute. */
  readonly activeAt: number;
  /** When it expires, however it is used. */
  readonly expiresAt: number;
  /** Whether it outlives the browser session, with the limits of persistent sessions. */
  readonly persistent?: boolean;
  /** When the user authenticated. */
  readonly authTime: number;
  /** Authentication methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
  /** The browser's `User-Agent`, truncated to 256 characters, for the user's list of sessions. */
  readonly userAgent?: string;
  /** The session at the provider that the user signed in with. */
  readonly provider?: ProviderSession;
}

/**
 * Persists sessions. A session is not returned from its `expiresAt` on. The store itself deletes expired sessions, with
 * other writes or from time to time.
 */
export interface SessionStore {
  /** Adds a session. */
  create(session: Session): Promise<void>;
  /** Finds a session by its token's digest. */
  findByTokenHash(tokenHash: string): Promise<Session | null>;
  /** Sets `activeAt` to `to` if it is still `from`. For a deleted session it is `lost`: it must not be restored. */
  touch(id: string, from: number, to: number): Promise<"updated" | "lost">;
  /** Deletes a session, if it exists. */
  revoke(id: string): Promise<void>;
  /** Deletes all sessions of a user, except one. */
  revokeAll(sub: string, exceptId?: string): Promise<void>;
  /** Sessions of a user, in any order. */
  list(sub: string): Promise<readonly Session[]>;
  /** Sessions that belong to one session at a provider, in any order. */
  listByProvider(issuer: string, sid: string): Promise<readonly Session[]>;
}
