/**
 * The types of the refresh token service.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { RefreshTokenStore, UserStore } from "../stores/types.ts";

/** Lifetimes of refresh tokens. */
export interface RefreshLimits {
  /**
   * Lifetime of a token in seconds. A lowered value applies at once to families that were never rotated, and to others from
   * their next rotation.
   *
   * @default {1_209_600} 14 days, or `familyLifetime` if that is less
   */
  readonly lifetime?: number | undefined;
  /** Maximum lifetime of a family in seconds. A lowered value applies to all families at once. @default {2_592_000} 30 days */
  readonly familyLifetime?: number | undefined;
}

/** Options of {@linkcode refreshService}. */
export interface RefreshServiceOptions extends RefreshLimits {
  /** Persists families. */
  readonly refreshTokens: RefreshTokenStore;
  /** Reads users: every rotation checks the user. */
  readonly users: Pick<UserStore, "findBySub">;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings: a listener that throws. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode RefreshService.issue}. */
export interface IssueRefreshTokenOptions {
  /** Public identifier of its session: the family is revoked with it, but does not expire with it. */
  readonly sessionId?: string | undefined;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[] | undefined;
  /** Application data for each rotation, JSON, such as the client. It is stored in plain text. */
  readonly data?: unknown;
}

/** Options of {@linkcode RefreshService.rotate}. */
export interface RotateRefreshTokenOptions {
  /**
   * Prepares what is returned with the next token, while the old one is still valid: if it rejects, the old token is not
   * used, and the client may retry. The rotation may still fail after it.
   */
  readonly prepare?: ((grant: PreparedGrant) => Promise<void>) | undefined;
}

/** What `prepare` of {@linkcode RotateRefreshTokenOptions} gets. */
export interface PreparedGrant extends RefreshGrant {
  /** Public identifier of the family. */
  readonly familyId: string;
}

/** What the tokens of a family grant. */
export interface RefreshGrant extends Authentication {
  /** Their session. */
  readonly sessionId?: string;
  /** Granted scopes. */
  readonly scope?: readonly string[];
  /** Application data of the issuer, JSON. */
  readonly data?: unknown;
}

/** A family without its digest and security stamp. */
export interface RefreshFamilyInfo {
  /** Public identifier of the family, by which its user revokes it. */
  readonly familyId: string;
  /** When it was created, in seconds since the epoch. */
  readonly createdAt: number;
  /** When its current token expires, in seconds since the epoch; a rotation extends it. */
  readonly expiresAt: number;
  /** Its session. */
  readonly sessionId?: string;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[];
  /** Authentication methods, RFC 8176. */
  readonly amr: readonly string[];
  /** When the user authenticated, in seconds since the epoch. */
  readonly authTime: number;
  /** Application data of the issuer, JSON, such as the client. */
  readonly data?: unknown;
}

/** A family, found by one of its tokens. */
export interface FoundRefreshFamily extends RefreshFamilyInfo {
  /** Subject id of its user. */
  readonly sub: string;
  /** Whether the token is the family's newest one, which was not used yet. */
  readonly isCurrent: boolean;
}

/** A new refresh token. */
export interface IssuedRefreshToken {
  /**
   * The token: 66 characters, the family's handle and a secret. Neither can be recovered from the stored digests, and the
   * handle not from `familyId`.
   */
  readonly refreshToken: string;
  /** When it expires, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Public identifier of its family. */
  readonly familyId: string;
}

/** The next token, and what its family grants: the original sign-in, unchanged. */
export interface RotatedRefreshToken extends IssuedRefreshToken, RefreshGrant {}

/** Why a refresh token was rejected; `reason` of the error. The client gets the same response for every reason. */
export type RefreshFailure =
  | "malformed"
  | "not_found"
  | "revoked"
  | "repeated"
  | "reused"
  | "expired"
  | "user_unknown"
  | "user_disabled"
  | "stamp_changed";

/** Issues, rotates, lists and revokes refresh tokens. */
export interface RefreshService {
  /**
   * Issues the first token of a family.
   *
   * @throws {TypeError} If the authentication is invalid, `sessionId` is empty, `scope` is not an array of strings, or `data`
   * is not JSON.
   * @throws {RangeError} If a scope is not a scope token of RFC 6749 §3.3, or a duplicate.
   */
  issue(
    authentication: Authentication,
    options?: IssueRefreshTokenOptions,
  ): Promise<IssuedRefreshToken>;
  /**
   * Exchanges a token for the next one. Of several concurrent requests with the same token one gets the next token; the others
   * are reuse, which revokes the family. A client that lost the response must sign in again.
   *
   * @throws {AuthError} `invalid_refresh_token` if it is not the current token of a valid family, or its user is deleted,
   * disabled, or has changed the password since. Any other secret with the handle of a family revokes the family: it comes
   * from someone who held one of its tokens.
   */
  rotate(refreshToken: string, options?: RotateRefreshTokenOptions): Promise<RotatedRefreshToken>;
  /**
   * Revokes the family of a token, whether the token was used or not: a client that lost the response to a refresh can still
   * sign out. Does nothing for any other string, `familyId` included; RFC 7009 §2.2 requires the same response for all.
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Finds the family of a token, whether the token was used or not. Its user is not read.
   *
   * @returns `undefined` if the family was revoked or has expired, and for any other string.
   */
  find(refreshToken: string): Promise<FoundRefreshFamily | undefined>;
  /**
   * Valid families of a user, newest first: the API clients where the user is signed in. Empty for a user who is unknown or
   * disabled.
   */
  list(sub: string): Promise<readonly RefreshFamilyInfo[]>;
  /**
   * Revokes a family of a user. Its access tokens stay valid until they expire.
   *
   * @returns Whether the user had it: `false` for a family of another user or one that is already revoked.
   */
  revokeById(sub: string, familyId: string): Promise<boolean>;
}
