/**
 * The types of the token service.
 *
 * @module
 */

import type { RefreshFamilyInfo, RefreshService } from "./refresh_types.ts";
import type { KeyService } from "../keys/key_service.ts";
import type { Authentication } from "../principal.ts";
import type { UserStore } from "../stores/types.ts";
import type { AuthStrategy } from "../strategy.ts";
import type { BearerTokenStrategyOptions } from "./bearer_strategy.ts";

/** Options of {@linkcode tokenService}. */
export interface TokenServiceOptions {
  /** Signs access tokens and publishes the keys. */
  readonly keys: KeyService;
  /** Issues refresh tokens; without it, there are none. */
  readonly refresh?: RefreshService | undefined;
  /** Issuer, `iss`: the URL of this service, `https://notes.example`. */
  readonly issuer: string;
  /** Audience, `aud`: a name or URL of this service's API. */
  readonly audience: string;
  /** `client_id` of the API client. @default the audience */
  readonly clientId?: string | undefined;
  /**
   * Default scopes of tokens, RFC 6749 §3.3: for all, or by sign-in. Routes reject tokens without the scopes that they name,
   * and those that name none reject all tokens with scopes.
   *
   * @default tokens are not limited by scopes
   */
  readonly scope?: TokenScope | undefined;
  /** Lifetime of an access token in seconds; at most the `maxTokenAge` of the keys. @default {600} */
  readonly lifetime?: number | undefined;
  /**
   * Persists users. With it, every request with an access token reads its user: a token is rejected from the moment its user
   * is deleted or disabled, or the password changes. Without it, tokens stay valid until they expire.
   */
  readonly users?: Pick<UserStore, "findBySub"> | undefined;
  /**
   * Decides in addition whether the owner of a valid access token has access. `"insecureSkip"`: users are not read, and
   * tokens outlive a disabled or deleted account by up to `lifetime`.
   */
  readonly accept?: BearerTokenStrategyOptions["accept"] | "insecureSkip";
  /** URL of the API's metadata, which challenges then name, see {@linkcode BearerTokenStrategyOptions}. @default none */
  readonly resourceMetadata?: string | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * Scopes of the tokens of a sign-in: the same for all, or by user. They are evaluated again at each refresh; removed scopes
 * are no longer granted.
 */
export type TokenScope =
  | readonly string[]
  | ((authentication: Authentication) => readonly string[] | Promise<readonly string[]>);

/** Options of {@linkcode TokenService.issue}. */
export interface IssueTokensOptions {
  /**
   * Public identifier of the session, `sid`. The refresh token is revoked with the session, but does not expire with it: an
   * API client does not keep a session alive.
   */
  readonly sessionId?: string | undefined;
  /** Granted scopes, RFC 6749 §3.3. @default those of the service */
  readonly scope?: readonly string[] | undefined;
}

/** Issued tokens: the members of a token response, in camelCase. */
export interface IssuedTokens {
  /** The access token, a JWT of type `at+jwt`. */
  readonly accessToken: string;
  /** Token type, RFC 6750. */
  readonly tokenType: "Bearer";
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  /** Refresh token for the next tokens, single-use. */
  readonly refreshToken?: string;
  /** Granted scopes. */
  readonly scope?: readonly string[];
}

/** A sign-in of an API client, as shown to its user. */
export interface TokenGrantInfo extends Omit<RefreshFamilyInfo, "data"> {
  /** `client_id` of the API client. */
  readonly clientId?: string;
}

/** Issues, refreshes, lists, revokes and verifies tokens. */
export interface TokenService {
  /** Issuer. */
  readonly issuer: string;
  /** Audience. */
  readonly audience: string;
  /** Signs tokens and publishes the keys. */
  readonly keys: KeyService;
  /**
   * Issues an access token, and a refresh token if the service has refresh tokens. The caller decides which scopes a user may
   * have.
   *
   * @throws {TypeError} If the authentication is invalid, `sessionId` is empty, or `scope` is not an array of strings.
   * @throws {RangeError} If a scope is not a scope token of RFC 6749 §3.3, or a duplicate.
   */
  issue(authentication: Authentication, options?: IssueTokensOptions): Promise<IssuedTokens>;
  /**
   * Exchanges a refresh token for an access token and the next refresh token. Both keep the time, methods and session of the
   * original sign-in, and those of its scopes that the service still grants. If keys or scopes are unavailable, the old
   * token stays valid.
   *
   * @throws {AuthError} `invalid_refresh_token`, see {@linkcode RefreshService.rotate}; also for a token that was issued for
   * another client or audience, whose family is then revoked.
   * @throws {TypeError} If the service has no refresh tokens.
   */
  refresh(refreshToken: string): Promise<IssuedTokens>;
  /**
   * Revokes the family of a refresh token; does nothing if there is none. Access tokens stay valid until they expire.
   *
   * @throws {TypeError} If the service has no refresh tokens.
   */
  revoke(refreshToken: string): Promise<void>;
  /**
   * The sign-ins of a user's API clients, newest first, see {@linkcode RefreshService.list}.
   *
   * @throws {TypeError} If the service has no refresh tokens.
   */
  list(sub: string): Promise<readonly TokenGrantInfo[]>;
  /**
   * Revokes a sign-in of a user by the family of its refresh token. Access tokens stay valid until they expire.
   *
   * @returns Whether the user had it, see {@linkcode RefreshService.revokeById}.
   * @throws {TypeError} If the service has no refresh tokens.
   */
  revokeById(sub: string, familyId: string): Promise<boolean>;
  /** Verifies the service's own access tokens in `Authorization`, see {@linkcode bearerTokenStrategy}. */
  readonly strategy: AuthStrategy;
}
