/**
 * Records and stores of the authorization server: clients, and authorizations from the request to the redeemed code.
 *
 * @module
 */

import type { Authentication } from "../principal.ts";

/** How a client authenticates at the token endpoint, RFC 7591 §2: each client in one way only. */
export type ClientAuthenticationMethod =
  | "none"
  | "client_secret_basic"
  | "client_secret_post"
  | "private_key_jwt";

/** A public key of a client, RFC 7517 §4. */
export interface ClientKey {
  /** Key type: `EC`, `RSA` or `OKP`. */
  readonly kty: string;
  /** Its other public members. */
  readonly [member: string]: unknown;
}

/** What a client may exchange for tokens, RFC 7591 §2. */
export type GrantType =
  | "authorization_code"
  | "refresh_token"
  | "client_credentials"
  | "urn:ietf:params:oauth:grant-type:device_code";

/** A client of the authorization server, RFC 7591 §2. */
export interface RegisteredClient {
  /** Identifies the client. */
  readonly clientId: string;
  /** Its name, for the consent page. */
  readonly name: string;
  /** Whether it runs on the user's device, RFC 8252: its redirect URIs may be loopback ones with any port. */
  readonly type: "web" | "native";
  /** Where the server may send responses. */
  readonly redirectUris: readonly string[];
  /** Where the server may send the browser after a sign-out. @default nowhere */
  readonly postLogoutRedirectUris?: readonly string[];
  /** Where it is told that a session has ended, OpenID Connect Back-Channel Logout §2.2. @default it is not told */
  readonly backchannelLogoutUri?: string;
  /** How it authenticates. */
  readonly authentication: ClientAuthenticationMethod;
  /** SHA-256 of each valid secret in base64url, the newest first: two while one is replaced. */
  readonly secretHashes?: readonly string[];
  /** Public keys that its assertions are verified by. */
  readonly jwks?: { readonly keys: readonly ClientKey[] };
  /** Where its public keys are, instead of `jwks`. */
  readonly jwksUri?: string;
  /** What it may exchange for tokens. */
  readonly grants: readonly GrantType[];
  /** Scopes that it may request. @default all scopes of the server */
  readonly scope?: readonly string[];
  /** Whether it belongs to the server's owner, so that users are not asked for consent. Never true of native clients. */
  readonly firstParty?: boolean;
  /** Its home page, `https`. */
  readonly clientUri?: string;
  /** Whether all its access tokens must be bound to a key, RFC 9449 §5.2. */
  readonly dpopBound?: boolean;
  /** The APIs that it is: it may ask about their access tokens, RFC 7662. */
  readonly introspects?: readonly string[];
  /** Whether it must push its authorization requests, RFC 9126 §6. Any value but absent, `null`, `false` and 0 is taken for `true`. */
  readonly requirePushedRequests?: boolean;
  /** When it was registered. */
  readonly registeredAt: number;
  /** From when on it is absent: a client that has registered itself, and is not used. @default never */
  readonly expiresAt?: number;
  /** Whether it is disabled: all its requests are refused. */
  readonly disabled?: boolean;
  /** Changes with every update. */
  readonly version: string;
}

/** A client before it is stored. */
export type NewClient = Omit<RegisteredClient, "version">;

/** Which clients {@linkcode ClientStore.list} returns. */
export interface ListClientsOptions {
  /** Maximum number of clients. */
  readonly limit: number;
  /** Only clients after this id, whose client need not exist any more. */
  readonly after?: string | undefined;
}

/** Persists clients. */
export interface ClientStore {
  /** Finds a client by its id. */
  find(clientId: string): Promise<RegisteredClient | null>;
  /** Adds a client, unless the id is taken. */
  create(client: NewClient): Promise<"created" | "taken">;
  /** Replaces a client that still has the version that was read. */
  update(client: RegisteredClient): Promise<"updated" | "lost" | "not_found">;
  /** Deletes a client, if it exists. */
  delete(clientId: string): Promise<void>;
  /** Clients in the order of the UTF-8 bytes of their ids. */
  list(options: ListClientsOptions): Promise<readonly RegisteredClient[]>;
}

/** An authorization request, whose client and redirect URI were found valid. */
export interface AuthorizationRequest {
  /** Where the response goes. */
  readonly redirectUri: string;
  /** How it gets there, OAuth 2.0 Multiple Response Types §2.1 and Form Post Response Mode. */
  readonly responseMode: "query" | "form_post";
  /** Requested scopes that the server knows and the client may have. */
  readonly scope: readonly string[];
  /** Requested APIs, RFC 8707: access tokens are for some of them, and for no other. */
  readonly resources?: readonly string[];
  /** PKCE's `code_challenge`, S256. */
  readonly codeChallenge: string;
  /** Thumbprint of the key that the code is bound to, RFC 9449 §10. */
  readonly dpopJkt?: string;
  /** The client's `state`. */
  readonly state?: string;
  /** The client's `nonce`, for the ID token. */
  readonly nonce?: string;
  /** What the user must be asked, OpenID Connect Core §3.1.2.1. */
  readonly prompt: readonly string[];
  /** The user must have authenticated within so many seconds. */
  readonly maxAge?: number;
  /** Requested authentication contexts, the preferred one first. */
  readonly acrValues: readonly string[];
  /** Whether the authentication must have one of them, OpenID Connect Core §5.5.1.1. */
  readonly isAcrEssential?: boolean;
  /** Claims that the ID token should contain, §5.5; those of granted scopes only. */
  readonly idTokenClaims?: readonly string[];
  /** Subject of the client's ID token: only this user may be signed in. */
  readonly hintedSub?: string;
  /** Who the client believes the user to be, for the sign-in page. */
  readonly loginHint?: string;
  /** Languages for the pages, the preferred one first. */
  readonly uiLocales?: string;
}

/** What all states of an authorization have. */
export interface AuthorizationBase {
  /** Identifies the record: 16 random bytes, or of the digest of the user code of a device; base64url. Not a secret. */
  readonly id: string;
  /** The authorization server. */
  readonly issuer: string;
  /** The client. */
  readonly clientId: string;
  /** When the request came. */
  readonly createdAt: number;
  /** From when on the record is absent: when the request or the code expires; when the tokens of a redeemed one do. */
  readonly expiresAt: number;
}

/** Was pushed by its client, and waits for a browser, RFC 9126. */
export interface PushedAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "pushed";
  /** What was requested. */
  readonly request: AuthorizationRequest;
  /** SHA-256 of the secret of its `request_uri`. */
  readonly uriHash: string;
}

/** Waits for the user to sign in or to consent. */
export interface PendingAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "pending";
  /** What was requested. It never changes, so that what the user sees is what is granted. */
  readonly request: AuthorizationRequest;
  /** SHA-256 of the cookie of the browser that sent the request. */
  readonly browser: string;
  /** Who was signed in then: a sign-in that the request demands is another one. */
  readonly seen?: { readonly authTime: number; readonly sessionId?: string };
}

/** The code was sent to the client. */
export interface IssuedAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "issued";
  /** What was requested. */
  readonly request: AuthorizationRequest;
  /** SHA-256 of the code's secret. */
  readonly codeHash: string;
  /** The user's authentication. */
  readonly subject: AuthorizationSubject;
  /** Scopes that the user granted. */
  readonly scope: readonly string[];
}

/** A device's request, RFC 8628 §3.1. */
export type DeviceRequest = Pick<AuthorizationRequest, "scope" | "resources">;

/** Waits for the user of a device to enter the user code in a browser, and to decide there: RFC 8628 §3.3. */
export interface DevicePendingAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "device_pending";
  /** What was requested. */
  readonly request: DeviceRequest;
  /** SHA-256 of the device code's secret. */
  readonly codeHash: string;
  /** SHA-256 of the cookie of the browser in which the user code was entered, the only one that can decide. */
  readonly browser?: string;
}

/** The user has granted a device access, which it learns by its device code. */
export interface DeviceIssuedAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "device_issued";
  /** What was requested. */
  readonly request: DeviceRequest;
  /** SHA-256 of the device code's secret. */
  readonly codeHash: string;
  /** The user's authentication. */
  readonly subject: AuthorizationSubject;
  /** Scopes that the user granted. */
  readonly scope: readonly string[];
}

/** The code, or the device code, was exchanged for tokens. */
export interface RedeemedAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "redeemed";
  /** SHA-256 of the code's secret. */
  readonly codeHash: string;
  /** The family of tokens that a second use of the code revokes. */
  readonly grantId: string;
}

/** The user refused, or the request was answered by an error. */
export interface DeniedAuthorization extends AuthorizationBase {
  /** Discriminates states. */
  readonly state: "denied";
  /** SHA-256 of the device code's secret, by which the device learns of it; absent without a device. */
  readonly codeHash?: string;
}

/** A sign-in at a client, in a session of the user. */
export interface SignIn {
  /** The client. */
  readonly clientId: string;
  /** Public identifier of the session. */
  readonly sessionId: string;
}

/** At which clients a user is signed in who want to be told when a session ends: one record for each user. */
export interface UserSignIns extends Omit<AuthorizationBase, "clientId"> {
  /** Discriminates states. */
  readonly state: "sign_ins";
  /** Subject id of the user. */
  readonly sub: string;
  /** The sign-ins, the oldest first. */
  readonly signIns: readonly SignIn[];
}

/**
 * One authorization, from the request to the redeemed code: one record, so that one compare-and-swap decides each step. And the
 * record of a user's sign-ins, which is changed in the same way.
 */
export type Authorization =
  | UserSignIns
  | PushedAuthorization
  | PendingAuthorization
  | IssuedAuthorization
  | DevicePendingAuthorization
  | DeviceIssuedAuthorization
  | RedeemedAuthorization
  | DeniedAuthorization;

/** The authentication of the user of an authorization, with its session. */
export interface AuthorizationSubject extends Authentication {
  /** Public identifier of the session. */
  readonly sessionId?: string;
}

/** An authorization, and the version of its record. */
export interface StoredAuthorization {
  /** The authorization. */
  readonly authorization: Authorization;
  /** Changes with every update. */
  readonly version: string;
}

/** Persists authorizations. */
export interface AuthorizationStore {
  /** Adds an authorization. Rejects if the id is taken, which is an error of the caller. */
  create(authorization: Authorization): Promise<void>;
  /** Finds an authorization; `null` from its `expiresAt` on. */
  find(id: string): Promise<StoredAuthorization | null>;
  /** Replaces an authorization that still has the version that was read: of concurrent callers one gets `updated`. */
  update(next: Authorization, version: string): Promise<"updated" | "lost">;
}
