/**
 * What refresh tokens are to those who use them.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { RefreshTokenStore, UserStore } from "../stores/types.ts";

/** How long refresh tokens last. */
export interface RefreshLimits {
  /**
   * Seconds from a token's making to its end. A lower one holds at once for families that were never rotated, and for
   * others from their next rotation on.
   *
   * @default {1_209_600} 14 days, or `familyLifetime` if that is less
   */
  readonly lifetime?: number | undefined;
  /** Seconds from the sign-in, whatever happens. A lower one holds for all families at once. @default {2_592_000} 30 days */
  readonly familyLifetime?: number | undefined;
}

/** Options of {@linkcode refreshService}. */
export interface RefreshServiceOptions extends RefreshLimits {
  /** Keeps the families. */
  readonly refreshTokens: RefreshTokenStore;
  /** Keeps users: every rotation asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default console.warn */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What is said of a new family beside whose it is. */
export interface IssueRefreshTokenOptions {
  /** Public identifier of the session that it belongs to: it ends when that is revoked, not where it ends by itself. */
  readonly sessionId?: string | undefined;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[] | undefined;
  /** Whatever should be known at each rotation, JSON: the client. No secret: it is kept as it is. */
  readonly data?: unknown;
}

/** Options of {@linkcode RefreshService.rotate}. */
export interface RotateRefreshTokenOptions {
  /**
   * Makes what is handed out beside the next token, while the old one is still good: where this rejects, nothing has been
   * used up, and the client may try again. Whether the next token comes about, it cannot know.
   */
  readonly prepare?: ((grant: RefreshGrant) => Promise<void>) | undefined;
}

/** What a family's tokens stand for. */
export interface RefreshGrant extends Authentication {
  /** The session that they belong to. */
  readonly sessionId?: string;
  /** Granted scopes. */
  readonly scope?: readonly string[];
  /** Data of whoever issued the first one, JSON. */
  readonly data?: unknown;
}

/** A family as it may be shown: without its token's digest and its stamp. */
export interface RefreshFamilyInfo {
  /** Which tokens follow from one sign-in; nobody gets in by it, but its user ends it by it. */
  readonly familyId: string;
  /** When it began, in seconds since the epoch. */
  readonly createdAt: number;
  /** When its current token ends, in seconds since the epoch; a rotation moves it. */
  readonly expiresAt: number;
  /** The session that it belongs to. */
  readonly sessionId?: string;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[];
  /** By which methods the user authenticated, RFC 8176. */
  readonly amr: readonly string[];
  /** When the user authenticated, in seconds since the epoch. */
  readonly authTime: number;
  /** Data of whoever began it, JSON: the client. */
  readonly data?: unknown;
}

/** A token to hand out. */
export interface IssuedRefreshToken {
  /** The token: 66 characters, `familyId.secret`. Nothing else can be made from what is stored. */
  readonly refreshToken: string;
  /** When it ends, in seconds since the epoch. */
  readonly expiresAt: number;
  /** Which tokens follow from one sign-in; nobody gets in by it. */
  readonly familyId: string;
}

/** The next token, and what the family stands for: the sign-in it began with, unchanged. */
export interface RotatedRefreshToken extends IssuedRefreshToken, RefreshGrant {}

/** Why a refresh token was refused; `reason` of the error. The client gets the same answer whatever the reason. */
export type RefreshFailure =
  | "malformed"
  | "not_found"
  | "revoked"
  | "reused"
  | "expired"
  | "user_unknown"
  | "user_disabled"
  | "stamp_changed";

/** Issues, rotates, lists and revokes refresh tokens. */
export interface RefreshService {
  /**
   * Begins a family.
   *
   * @throws {TypeError} If the authentication is none, `sessionId` is an empty text, `scope` no list of texts, or `data` not
   * JSON.
   * @throws {RangeError} If a scope is not a word as RFC 6749 §3.3 has it, or there twice.
   */
  issue(
    authentication: Authentication,
    options?: IssueRefreshTokenOptions,
  ): Promise<IssuedRefreshToken>;
  /**
   * Takes a token in exchange for the next one. Of several who present the same token at once one gets the next, and it
   * dies with the family by what the others did. A client that lost the answer signs in again.
   *
   * @throws {AuthError} `invalid_refresh_token`, if it is not the current token of a family that lives, or its user is
   * gone, disabled, or has changed the password since. Any other secret of a family that is known ends the family.
   */
  rotate(refreshToken: string, options?: RotateRefreshTokenOptions): Promise<RotatedRefreshToken>;
  /**
   * Ends the family of a token, used up or not; nothing happens if there is none. The secret is not looked at: a wrong
   * one would be reuse, and end the family as well. RFC 7009 §2.2 answers all of these alike.
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Families of a user by which there are next tokens to be had, the newest first: where the user is signed in by
   * programs. None of a user who is unknown or disabled.
   */
  list(sub: string): Promise<readonly RefreshFamilyInfo[]>;
  /**
   * Ends one of a user's families. Access tokens of it go on until they end.
   *
   * @returns Whether the user had it: `false` for one that is another's, or was revoked before.
   */
  revokeById(sub: string, familyId: string): Promise<boolean>;
}
