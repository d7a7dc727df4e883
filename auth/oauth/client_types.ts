/**
 * Types of the OAuth client.
 *
 * @module
 */

import type { FetchFunction } from "../_fetch_json.ts";
import type { AuthEventListener, OAuthFailure } from "../events.ts";
import type { JwtClaims } from "../jwt/types.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { StateStore } from "../stores/types.ts";
import type { OAuthProfile, OAuthProvider } from "./provider_types.ts";

export type { FetchFunction, OAuthFailure };

/** What {@linkcode oauthClient} needs besides the provider. */
export interface OAuthClientDeps {
  /** Keeps what a sign-in was begun with until it is completed, once. */
  readonly states: StateStore;
  /**
   * Redirect URI, exactly as it is registered at the provider: `https://app.example/auth/oauth/google/callback`. It is not
   * derived from a request, whose host an attacker may choose.
   */
  readonly redirectUri: string;
  /** Where the provider sends the browser after a sign-out, as registered there. @default none */
  readonly postLogoutRedirectUri?: string | undefined;
  /** Names of the cookies; pass `runtime.cookies` where {@linkcode registerAuth} has the option `cookie`. @default {cookiePolicy()} */
  readonly cookies?: CookiePolicy | undefined;
  /** Seconds from the start to the callback. @default {600} */
  readonly lifetime?: number | undefined;
  /** Sends the requests, for example through a proxy. @default globalThis.fetch */
  readonly fetch?: FetchFunction | undefined;
  /** Also allows `http:` and `https:` to the loopback interface, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
  /** Must be `true` for a provider whose server refuses PKCE: LinkedIn, Slack. @default {false} */
  readonly insecureNoPkce?: boolean | undefined;
  /** Allowed clock difference in seconds, from 0 to 600. @default {30} */
  readonly clockTolerance?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The account and the session in which an identity is linked. */
export interface OAuthLink {
  /** Subject id of the user. */
  readonly sub: string;
  /** The session, which must still be valid when the identity is linked. */
  readonly sessionId: string;
}

/** Options of {@linkcode OAuthClient.start}. */
export interface OAuthStartOptions {
  /** Where to go after the sign-in: a path of this service, see {@linkcode safeRedirectPath}. @default {"/"} */
  readonly redirectTo?: string | undefined;
  /** Whether the session is persistent: "keep me signed in". @default {false} */
  readonly remember?: boolean | undefined;
  /** Link the identity to this account instead of signing in. */
  readonly link?: OAuthLink | undefined;
  /** Whom the provider should suggest, OpenID Connect Core §3.1.2.1. */
  readonly loginHint?: string | undefined;
  /** What the provider should ask for. */
  readonly prompt?: "none" | "login" | "consent" | "select_account" | undefined;
  /** The user must have authenticated within so many seconds; `auth_time` is then required and checked. */
  readonly maxAge?: number | undefined;
  /** Accepted values of `acr`; one of them is then required. */
  readonly acrValues?: readonly string[] | undefined;
  /** Scopes in place of the provider's. */
  readonly scope?: readonly string[] | undefined;
}

/** A begun sign-in. */
export interface OAuthStart {
  /** Where the browser goes. */
  readonly url: string;
  /** Values of `Set-Cookie` fields, which the response must contain. */
  readonly cookies: readonly string[];
}

/** Tokens of a provider. */
export interface OAuthTokens {
  /** Access token. */
  readonly accessToken: string;
  /** When it expires, in seconds since the epoch, if the provider says so. */
  readonly expiresAt?: number | undefined;
  /** Refresh token. */
  readonly refreshToken?: string | undefined;
  /** ID token. */
  readonly idToken?: string | undefined;
  /** Granted scopes. */
  readonly scope: readonly string[];
}

/** A provider's response that was verified in full. Only {@linkcode OAuthClient.callback} creates it. */
export interface OAuthResult {
  /** Name of the provider. */
  readonly provider: string;
  /** Issuer: with `profile.subject` it identifies the user. */
  readonly issuer: string;
  /** Who signed in. */
  readonly profile: OAuthProfile;
  /** Claims of the ID token; empty without one. */
  readonly claims: JwtClaims;
  /** The provider's tokens. */
  readonly tokens: OAuthTokens;
  /** Where to go: a path of this service. */
  readonly redirectTo: string;
  /** Whether the session is persistent. */
  readonly remember: boolean;
  /** The account to link the identity to. */
  readonly link?: OAuthLink | undefined;
  /** When the user authenticated: `auth_time`, or the time of this response. */
  readonly authTime: number;
  /** Authentication methods, RFC 8176, as the provider says; empty if it says none. */
  readonly amr: readonly string[];
  /** Authentication context class, as the provider says. */
  readonly acr?: string | undefined;
  /** Session at the provider, for its logout. */
  readonly sid?: string | undefined;
  /** Values of `Set-Cookie` fields that delete what the sign-in needed. */
  readonly cookies: readonly string[];
}

/** A verified logout token, OpenID Connect Back-Channel Logout §2.4. It has a subject, a session, or both. */
export interface LogoutToken {
  /** Issuer. */
  readonly issuer: string;
  /** Whose sessions end. */
  readonly subject?: string | undefined;
  /** Which session at the provider ended. */
  readonly sid?: string | undefined;
}

/** Signs users in at a provider, OAuth 2.1 and OpenID Connect Core. Created by {@linkcode oauthClient}, and frozen. */
export interface OAuthClient {
  /** The provider. */
  readonly provider: OAuthProvider;
  /** Redirect URI. */
  readonly redirectUri: string;
  /**
   * Begins a sign-in.
   *
   * @throws {AuthError} `service_unavailable`, if the provider's metadata cannot be fetched.
   * @throws {RangeError} If `redirectTo` is not a path of this service, or an option is out of range.
   */
  start(request: Request, options?: OAuthStartOptions): Promise<OAuthStart>;
  /**
   * Completes a sign-in: verifies the response, exchanges the code, and verifies what the provider says.
   *
   * @throws {AuthError} `access_denied`, if the user refused; `oauth_failed` with an {@linkcode OAuthFailure} as `reason`;
   * `service_unavailable`, if the provider does not answer. None contains text of the provider.
   */
  callback(request: Request): Promise<OAuthResult>;
  /**
   * Exchanges a refresh token, RFC 6749 §6; concurrent calls with one token share a request in this process.
   *
   * @param previous The ID token of the sign-in: a new one must be of the same user.
   * @throws {AuthError} `oauth_failed` (reason `token_refused`), if the provider refuses it; `service_unavailable`.
   */
  refresh(refreshToken: string, previous?: Pick<OAuthTokens, "idToken">): Promise<OAuthTokens>;
  /** Revokes a token, RFC 7009. @returns `false` if the provider has no such endpoint. @throws {AuthError} `service_unavailable` */
  revoke(token: string): Promise<boolean>;
  /**
   * Where the browser goes to sign out at the provider, RP-Initiated Logout §2; `undefined` if it has no such endpoint.
   *
   * @throws {AuthError} `service_unavailable`
   */
  endSessionUrl(options?: EndSessionOptions): Promise<string | undefined>;
  /**
   * Verifies a logout token, Back-Channel Logout §2.6. Each is accepted once.
   *
   * @throws {AuthError} `oauth_failed` (reason `logout_token_refused`), `service_unavailable`.
   */
  verifyLogoutToken(token: string): Promise<LogoutToken>;
}

/** Options of {@linkcode OAuthClient.endSessionUrl}. */
export interface EndSessionOptions {
  /** ID token of the sign-in; without it the provider asks the user. */
  readonly idToken?: string | undefined;
  /** Returned to `postLogoutRedirectUri`. */
  readonly state?: string | undefined;
}
