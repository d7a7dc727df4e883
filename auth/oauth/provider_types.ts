/**
 * What the relying party knows of a provider: data, which presets return.
 *
 * @module
 */

import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { Jwk, JwtClaims } from "../jwt/types.ts";

/** How the client authenticates at the token endpoint, OpenID Connect Core §9. */
export type OAuthClientAuthentication =
  | {
    /** Public client: no secret. */
    readonly method: "none";
  }
  | {
    /** `client_secret`: in the way that the server's metadata names, by default `client_secret_basic`, RFC 8414 §2. */
    readonly method: "client_secret" | "client_secret_basic" | "client_secret_post";
    /** The client secret. */
    readonly secret: string;
  }
  | {
    /** A JWT signed by the client's key, RFC 7523. */
    readonly method: "private_key_jwt";
    /** The private key; its `kid` is sent. */
    readonly key: Jwk;
    /** Algorithm of the signature. */
    readonly alg: AsymmetricAlgorithm;
    /** `aud` of the JWT. @default the issuer, as draft-ietf-oauth-rfc7523bis demands */
    readonly audience?: string | undefined;
  }
  | {
    /** The secret is a JWT that is signed for each request: Apple. Sent as `client_secret_post`. */
    readonly method: "signed_client_secret";
    /** Signs the secret; `now` is in seconds since the epoch. */
    readonly secret: (now: number) => Promise<string>;
  };

/** Metadata of a server, with the names of RFC 8414 §2 and OpenID Connect Discovery §3. */
export interface OAuthServerMetadata {
  /** Issuer identifier, compared exactly. */
  readonly issuer: string;
  /** Where the browser is sent. */
  readonly authorization_endpoint: string;
  /** Where the code is exchanged. */
  readonly token_endpoint: string;
  /** UserInfo, OpenID Connect Core §5.3, or the provider's own document about the user. */
  readonly userinfo_endpoint?: string | undefined;
  /** Keys of ID tokens. */
  readonly jwks_uri?: string | undefined;
  /** RP-Initiated Logout. */
  readonly end_session_endpoint?: string | undefined;
  /** RFC 7009. */
  readonly revocation_endpoint?: string | undefined;
  /** Algorithms of ID tokens. */
  readonly id_token_signing_alg_values_supported?: readonly string[] | undefined;
  /** Client authentication methods. */
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  /** Whether the authorization response has `iss`, RFC 9207 §3. */
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
}

/** A further document about the user, fetched with the access token. */
export interface OAuthDocument {
  /** Its URL. */
  readonly url: string;
  /** Header fields of the request besides `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a provider said about a user. Everything but `unsigned` comes from the provider itself. */
export interface OAuthFindings {
  /** Claims of the verified ID token; empty without one. */
  readonly claims: JwtClaims;
  /** UserInfo; empty where it is not fetched. */
  readonly userinfo: Readonly<Record<string, unknown>>;
  /** Further documents, by name: objects or arrays. */
  readonly documents: Readonly<Record<string, unknown>>;
  /** Apple's `user`, which the browser sends and could forge: for a name only. */
  readonly unsigned?: Readonly<Record<string, unknown>> | undefined;
}

/** Who signed in, as the provider says. The subject identifies the user; all else may change. */
export interface OAuthProfile {
  /** Identifies the user at the issuer: 1 to 255 characters. */
  readonly subject: string;
  /** E-mail address. */
  readonly email?: string | undefined;
  /** `true` only where the provider says that it verified the address. */
  readonly emailVerified: boolean;
  /** Name to display. */
  readonly name?: string | undefined;
  /** URL of a picture. */
  readonly picture?: string | undefined;
}

/** A provider and the client that is registered there: frozen data, with at most two pure functions of its own. */
export interface OAuthProvider {
  /** Name for events, cookies and identities: `google`. 1 to 32 of a-z, 0-9 and `-`. */
  readonly name: string;
  /** Client id. */
  readonly clientId: string;
  /** How the client authenticates. */
  readonly authentication: OAuthClientAuthentication;
  /** The server's metadata, or an issuer whose metadata is fetched, OpenID Connect Discovery §4. */
  readonly server: OAuthServerMetadata | { readonly discover: string };
  /** Other values of `iss` in ID tokens of this issuer: Google's without `https://`. @default {[]} */
  readonly issuerAliases?: readonly string[] | undefined;
  /** Requested scopes. */
  readonly scope: readonly string[];
  /** `unsupported` where the server refuses PKCE. */
  readonly pkce: "S256" | "unsupported";
  /** Whether every authorization response has `iss`, RFC 9207; where it comes, it is compared in any case. */
  readonly iss: "always" | "optional";
  /** How the response arrives. @default {"query"} */
  readonly responseMode?: "query" | "form_post" | undefined;
  /** Where the user's data comes from. With `id_token` or `both` an ID token is required. */
  readonly identity: "id_token" | "userinfo" | "both";
  /** Whether `nonce` is sent; an ID token must then contain it. */
  readonly nonce: boolean;
  /** Accepted algorithms of ID tokens. */
  readonly idTokenAlgorithms: readonly AsymmetricAlgorithm[];
  /** Further parameters of the authorization request, except those that the client sets. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Header fields of requests to the token endpoint. */
  readonly tokenHeaders?: Readonly<Record<string, string>> | undefined;
  /** Header fields of the request for UserInfo. */
  readonly userinfoHeaders?: Readonly<Record<string, string>> | undefined;
  /** Further documents about the user, by name. */
  readonly documents?: Readonly<Record<string, OAuthDocument>> | undefined;
  /**
   * The issuer by the claims, where one server stands for many: Entra's tenants. Returns `undefined` for claims that are
   * refused.
   *
   * @default the metadata's
   */
  readonly issuerOf?: ((claims: JwtClaims) => string | undefined) | undefined;
  /** Who signed in. A string is why the findings are refused, for events only: another tenant, another application. */
  readonly profile: (found: OAuthFindings) => OAuthProfile | string;
}
