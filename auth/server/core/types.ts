/**
 * Types of the authorization server.
 *
 * @module
 */

import type { DerivedKeys } from "../../derived_keys.ts";
import type { AuthEventListener } from "../../events.ts";
import type { AsymmetricAlgorithm } from "../../jwt/jwa.ts";
import type { JwtClaims } from "../../jwt/types.ts";
import type { KeyService } from "../../keys/key_service.ts";
import type {
  AuthorizationStore,
  AuthorizationSubject,
  ClientStore,
  GrantType,
  RegisteredClient,
} from "../../stores/server_types.ts";
import type { RefreshTokenStore, StateStore, UserStore } from "../../stores/types.ts";
import type { ThrottleService } from "../../throttle/throttle_types.ts";
import type { ClientIdMetadataOptions, RegistrationOptions } from "../clients/types.ts";
import type { ConsentStrings } from "./page_strings.ts";
import type { ConsentPrompt, DevicePrompt, LoginPrompt, ScopeInfo } from "./prompt_types.ts";

export type { AuthorizationSubject, GrantType, RegisteredClient };
export type * from "./prompt_types.ts";

/** Lifetimes in seconds. */
export interface ServerLifetimes {
  /** Pushed requests, until the browser comes with their `request_uri`: 5 to 600 (RFC 9126 §2.2). @default {90} */
  readonly pushedRequest?: number | undefined;
  /** From the request to the user's consent. @default {600} */
  readonly interaction?: number | undefined;
  /** Authorization codes, at most 600 (RFC 6749 §4.1.2). @default {60} */
  readonly code?: number | undefined;
  /** Device codes and their user codes, RFC 8628. @default {600} */
  readonly deviceCode?: number | undefined;
  /** Access tokens; at most the `maxTokenAge` of the keys. @default {600} */
  readonly accessToken?: number | undefined;
  /** ID tokens; at most the `maxTokenAge` of the keys. @default {600} */
  readonly idToken?: number | undefined;
  /** Refresh tokens, each from when it was issued. @default {1_209_600} 14 days */
  readonly refreshToken?: number | undefined;
  /**
   * Grants, from the consent, at least as long as access tokens. Consent is remembered as long as the refresh token is valid, which
   * each refresh extends up to this time.
   *
   * @default {2_592_000} 30 days
   */
  readonly grant?: number | undefined;
}

/** What {@linkcode AuthorizationServerOptions.claims} is asked. */
export interface ClaimsQuery {
  /** Granted scopes. */
  readonly scope: readonly string[];
  /** The client. */
  readonly client: RegisteredClient;
}

/** Option `dpop` of an authorization server. */
export interface DpopServerOptions {
  /**
   * Demands a nonce in each proof, RFC 9449 §8, so that nobody can make proofs in advance: keys from {@linkcode deriveKeys}, or `keys`
   * of `registerAuth()`. All processes need the same ones.
   *
   * @default no nonces: a proof is accepted for 60 seconds
   */
  readonly nonceKeys?: Pick<DerivedKeys, "sign" | "verify"> | undefined;
}

/** Options of {@linkcode AuthorizationServer}. The first five are required. */
export interface AuthorizationServerOptions {
  /**
   * Issuer identifier, RFC 8414 §2: an `https` URL without query, fragment and final slash. All URLs are made of it, and of
   * nothing in a request.
   */
  readonly issuer: string;
  /** Finds clients: {@linkcode staticClients}, or a store, which `registration` needs. */
  readonly clients: Pick<ClientStore, "find"> & Partial<ClientStore>;
  /** Persists authorizations and their codes. */
  readonly codes: AuthorizationStore;
  /** Persists grants: each is a family of refresh tokens, whether or not the client gets one. */
  readonly tokens: RefreshTokenStore;
  /** Signs tokens. ID tokens are signed by RS256 if it has that algorithm, which all clients support. */
  readonly keyService: KeyService;
  /** Reads users: each refresh checks the user. @default users are not read; a grant outlives a deleted account */
  readonly users?: Pick<UserStore, "findBySub"> | undefined;
  /** Who is signed in in this browser. {@linkcode runtimeOptions} returns the sessions of `registerAuth()`. @default nobody */
  readonly authenticate?:
    | ((request: Request) => Promise<AuthorizationSubject | undefined>)
    | undefined;
  /**
   * Ends the session of a request, and returns values of `Set-Cookie` that delete its cookies: for `logout`.
   * {@linkcode runtimeOptions} returns the sign-out of `registerAuth()`.
   */
  readonly signOut?: ((request: Request) => Promise<readonly string[]>) | undefined;
  /** Brings the user to sign in, and then to `returnTo`. @default {303 to `/sign-in?next=`} */
  readonly login?: ((prompt: LoginPrompt) => Response | Promise<Response>) | undefined;
  /** The page that asks for consent. @default a page of ours */
  readonly consent?: ((prompt: ConsentPrompt) => Response | Promise<Response>) | undefined;
  /** The pages of the device flow. @default pages of ours */
  readonly device?: ((prompt: DevicePrompt) => Response | Promise<Response>) | undefined;
  /** Texts of the built-in pages, by the user's language. @default English */
  readonly strings?: ((uiLocales: string) => Partial<ConsentStrings>) | undefined;
  /** Claims of a user, for UserInfo and ID tokens. Standard claims whose scope is not granted are left out. @default none */
  readonly claims?:
    | ((sub: string, query: ClaimsQuery) => JwtClaims | undefined | Promise<JwtClaims | undefined>)
    | undefined;
  /** More claims of access tokens; the claims of RFC 9068 cannot be replaced. @default none */
  readonly accessTokenClaims?:
    | ((sub: string, query: ClaimsQuery) => JwtClaims | undefined | Promise<JwtClaims | undefined>)
    | undefined;
  /** Scopes that clients may request, beside those of OpenID Connect. @default none */
  readonly scopes?: Readonly<Record<string, ScopeInfo>> | undefined;
  /** The APIs that access tokens are for, by the name in `aud`. @default the issuer */
  readonly resources?: readonly string[] | undefined;
  /** What clients may exchange for tokens. A client's own `grants` limit it further. @default {["authorization_code", "refresh_token"]} */
  readonly grants?: readonly GrantType[] | undefined;
  /**
   * Keeps identifiers that may be used once: of client assertions (`private_key_jwt`), DPoP proofs, and polls of devices, which need
   * it.
   *
   * @default none
   */
  readonly states?: Pick<StateStore, "claim"> | undefined;
  /**
   * Binds tokens to a key of clients that prove to have it, RFC 9449: DPoP. Needs `states`. Clients with `dpopBound` must do so.
   *
   * @default {false}
   */
  readonly dpop?: boolean | DpopServerOptions | undefined;
  /**
   * `"fapi2"`: the FAPI 2.0 Security Profile. Requests must be pushed, clients authenticate by `private_key_jwt`, tokens are bound to
   * a key (DPoP), signatures are ES256, PS256 or Ed25519, and refresh tokens stay the same. An option that contradicts it is refused.
   *
   * @default none
   */
  readonly profile?: "fapi2" | undefined;
  /**
   * Whether clients may push their authorization requests, RFC 9126: to `/oauth/par`, authenticated, so that the browser carries a
   * reference only. With `"required"` all must, and others are refused; a client's own `requirePushedRequests` demands it of that one.
   *
   * @default {false}
   */
  readonly pushedRequests?: boolean | "required" | undefined;
  /**
   * Sends requests to addresses of clients, for their documents and the keys of `jwksUri`, for example through a proxy that reaches
   * public addresses only. Responses after redirects are rejected.
   *
   * @default {fetch of clientIdMetadata}, or else `globalThis.fetch`
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Clients whose id is the `https` URL of a document about them, which is fetched:
   * draft-ietf-oauth-client-id-metadata-document. Clients in `clients` come first.
   *
   * @default {false}
   */
  readonly clientIdMetadata?: boolean | ClientIdMetadataOptions | undefined;
  /** Clients that register themselves, RFC 7591: at `/oauth/register`. @default none */
  readonly registration?: RegistrationOptions | undefined;
  /**
   * For how many seconds a refresh token that was used gets the same successor again, for clients that did not get the answer: up to
   * 60, and only until the successor is used.
   *
   * @default none: a second use of a refresh token ends the grant
   */
  readonly refreshReuseSeconds?: number | undefined;
  /**
   * Clients may send the user to `/oauth/logout` to sign out, OpenID Connect RP-Initiated Logout 1.0, and are told when a session
   * ends, Back-Channel Logout 1.0. Needs `signOut`.
   *
   * @default {false}
   */
  readonly logout?: boolean | LogoutOptions | undefined;
  /**
   * APIs may ask at `/oauth/introspect` whether a token is valid now, RFC 7662: clients with `introspects` about tokens for their APIs,
   * and every client that authenticates about its own.
   *
   * @default {false}
   */
  readonly introspection?: boolean | undefined;
  /** Authentication contexts that the sign-in page can reach. Others are not asked for. @default none */
  readonly acrValues?: readonly string[] | undefined;
  /** Algorithm of ID tokens. @default {"RS256"} if the keys have it, or else their first, with a warning */
  readonly idTokenAlgorithm?: AsymmetricAlgorithm | undefined;
  /** Lifetimes. */
  readonly lifetimes?: ServerLifetimes | undefined;
  /** Allows an issuer, and redirect URIs of web clients, on this machine over `http`: for development. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
  /** Limits requests by address. {@linkcode runtimeOptions} returns that of `registerAuth()`. @default not limited */
  readonly throttle?:
    | Pick<ThrottleService, "challenge" | "token">
      & Partial<Pick<ThrottleService, "registration" | "userCode">>
    | undefined;
  /** Address of a client: its arguments are the request and what the host passed to `fetch`. @default unknown, not limited */
  readonly clientAddress?:
    | ((request: Request, ...args: unknown[]) => string | undefined)
    | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** Option `logout` of {@linkcode AuthorizationServerOptions}. */
export interface LogoutOptions {
  /**
   * Sends logout tokens, for example through a proxy that reaches public addresses only. Redirects are not followed.
   *
   * @default globalThis.fetch, read at each request
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Keeps the process alive until logout tokens are delivered, where the host ends it with the response: `waitUntil` of
   * `cloudflare:workers`.
   *
   * @default none
   */
  readonly waitUntil?: ((delivery: Promise<void>) => void) | undefined;
}

/** An application that a user has given access to. */
export interface GrantInfo {
  /** Identifies the grant. */
  readonly grantId: string;
  /** The client. */
  readonly clientId: string;
  /** Granted scopes. */
  readonly scope: readonly string[];
  /** The APIs that the client has requested, RFC 8707. @default those of the scopes */
  readonly resources?: readonly string[];
  /** The session that it ends with. @default none: it has `offline_access`, or not `openid` */
  readonly sessionId?: string;
  /** When it was granted, in seconds since the epoch. */
  readonly createdAt: number;
  /** When it expires unless the client uses it, in seconds since the epoch. */
  readonly expiresAt: number;
}
