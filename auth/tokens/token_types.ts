/**
 * What the tokens of an application are to those who use them.
 *
 * @module
 */

import type { RefreshFamilyInfo, RefreshService } from "./refresh_types.ts";
import type { KeyService } from "../keys/key_service.ts";
import type { Authentication } from "../principal.ts";
import type { AuthStrategy } from "../strategy.ts";
import type { BearerTokenStrategyOptions } from "./bearer_strategy.ts";

/** Options of {@linkcode tokenService}. */
export interface TokenServiceOptions {
  /** Signs the access tokens, and publishes what verifies them. */
  readonly keys: KeyService;
  /** Makes refresh tokens; without it, nobody gets one. */
  readonly refresh?: RefreshService | undefined;
  /** Who issues the tokens, `iss`: this service's own address, `https://notes.example`, and no other's. */
  readonly issuer: string;
  /** Whom they are for, `aud`: this service's API, by a name or an address of its own. */
  readonly audience: string;
  /** What the program is called that gets them, `client_id`. @default the audience */
  readonly clientId?: string | undefined;
  /**
   * Scopes of tokens of which nothing else is said, RFC 6749 §3.3: for all, or by who signs in. {@linkcode requireScope}
   * refuses tokens without.
   *
   * @default none
   */
  readonly scope?: TokenScope | undefined;
  /** Seconds that an access token is valid for; at most the `maxTokenAge` of the keys. @default {600} */
  readonly lifetime?: number | undefined;
  /**
   * Asked about each access token of its own that is right, whether its owner may still come in: without it, a token goes
   * on for its `lifetime` after the account was closed.
   */
  readonly accept?: BearerTokenStrategyOptions["accept"];
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * Scopes of a sign-in's tokens: the same for all, or by who it is. At each refresh they are asked for again, and what is no
 * longer among them is no longer granted.
 */
export type TokenScope =
  | readonly string[]
  | ((authentication: Authentication) => readonly string[] | Promise<readonly string[]>);

/** What is said of new tokens beside whose they are. */
export interface IssueTokensOptions {
  /**
   * Public identifier of the session that they belong to, `sid`. The refresh token ends when that is revoked, not where it
   * ends by itself: a program does not keep it alive.
   */
  readonly sessionId?: string | undefined;
  /** Granted scopes, RFC 6749 §3.3. @default the service's */
  readonly scope?: readonly string[] | undefined;
}

/** Tokens to hand out: JSON members of an answer, in our spelling. */
export interface IssuedTokens {
  /** The access token, a JWT of type `at+jwt`. */
  readonly accessToken: string;
  /** How it is presented, RFC 6750. */
  readonly tokenType: "Bearer";
  /** Seconds until it ends. */
  readonly expiresIn: number;
  /** What the next ones are got by, once. */
  readonly refreshToken?: string;
  /** Granted scopes. */
  readonly scope?: readonly string[];
}

/** A sign-in of a program, as its user may see it. */
export interface TokenGrantInfo extends Omit<RefreshFamilyInfo, "data"> {
  /** What the program is called. */
  readonly clientId?: string;
}

/** Issues, refreshes, lists and revokes tokens, and recognises its own. */
export interface TokenService {
  /** Who issues the tokens. */
  readonly issuer: string;
  /** Whom they are for. */
  readonly audience: string;
  /** Signs them, and publishes what verifies them. */
  readonly keys: KeyService;
  /**
   * Makes an access token, and a refresh token where there is a service for them. Which scopes a user may have is for the
   * caller to know.
   *
   * @throws {TypeError} If the authentication is none, `sessionId` is an empty text, or `scope` no list of texts.
   * @throws {RangeError} If a scope is not a word as RFC 6749 §3.3 has it, or there twice.
   */
  issue(authentication: Authentication, options?: IssueTokensOptions): Promise<IssuedTokens>;
  /**
   * Takes a refresh token in exchange for an access token and the next refresh token. Both stand for the sign-in that the
   * first ones were issued for, with its time, methods and session, and of its scopes those that the service still gives.
   * Where something cannot be had, keys or scopes, the old token is still good.
   *
   * @throws {AuthError} `invalid_refresh_token`, see {@linkcode RefreshService.rotate}; also for a token that was issued for
   * another client or audience, which ends then.
   * @throws {TypeError} If there is no service for refresh tokens.
   */
  refresh(refreshToken: string): Promise<IssuedTokens>;
  /**
   * Ends a refresh token, and those that follow from it; nothing happens if it is none. Access tokens go on until they end.
   *
   * @throws {TypeError} If there is no service for refresh tokens.
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * The sign-ins of a user's programs, the newest first, see {@linkcode RefreshService.list}.
   *
   * @throws {TypeError} If there is no service for refresh tokens.
   */
  list(sub: string): Promise<readonly TokenGrantInfo[]>;
  /**
   * Ends one of a user's sign-ins, by its refresh token's family. Access tokens go on until they end.
   *
   * @returns Whether the user had it, see {@linkcode RefreshService.revokeById}.
   * @throws {TypeError} If there is no service for refresh tokens.
   */
  revokeById(sub: string, familyId: string): Promise<boolean>;
  /** Recognises the service's own access tokens in `Authorization`, see {@linkcode bearerTokenStrategy}. */
  readonly strategy: AuthStrategy;
}
