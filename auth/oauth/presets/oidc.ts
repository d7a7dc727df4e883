/**
 * Any OpenID provider by its issuer, and products whose servers are found in this way: Auth0, Okta, Keycloak, Cognito.
 *
 * @module
 */

import { type AsymmetricAlgorithm, checkAlgorithms, JWA } from "../../jwt/jwa.ts";
import type {
  OAuthClientAuthentication,
  OAuthFindings,
  OAuthProfile,
  OAuthProvider,
} from "../provider_types.ts";
import { cannotCreate, checkPreset, openIdProvider, profileOf } from "./_preset.ts";
import type { PresetOptions } from "./options.ts";

/** Options of {@linkcode oidcProvider}. */
export interface OidcProviderOptions extends Omit<PresetOptions, "clientSecret"> {
  /** Issuer identifier, exactly as the provider writes it: `https://id.example.com/realms/notes`. */
  readonly issuer: string;
  /** Client secret, sent as the server's metadata say. Leave the option out for a public client. @default none */
  readonly clientSecret?: string;
  /** Client authentication in place of `clientSecret`: `private_key_jwt`. */
  readonly authentication?: OAuthClientAuthentication | undefined;
  /** Name for the route, events and identities. @default {"oidc"} */
  readonly name?: string | undefined;
  /** Whether the user's data comes from the ID token, or from UserInfo as well. @default {"id_token"} */
  readonly identity?: "id_token" | "both" | undefined;
  /** Accepted algorithms of ID tokens. @default {["RS256", "ES256", "PS256", "EdDSA", "Ed25519"]} */
  readonly idTokenAlgorithms?: readonly AsymmetricAlgorithm[] | undefined;
}

const ALGORITHMS: readonly AsymmetricAlgorithm[] = ["RS256", "ES256", "PS256", "EdDSA", "Ed25519"];

/**
 * Sign in with any OpenID provider. Its endpoints are found by OpenID Connect Discovery, at the first sign-in.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import { oidcProvider } from "@gatehouse/http/auth/oauth";
 * import { assertEquals } from "@std/assert";
 *
 * const provider = oidcProvider({
 *   issuer: "https://id.example.com",
 *   clientId: "my-id",
 *   clientSecret: "my-secret",
 * });
 * assertEquals(provider.server, { discover: "https://id.example.com" });
 * ```
 */
export function oidcProvider(options: OidcProviderOptions): OAuthProvider {
  checkPreset("oidc", options, {
    required: ["clientId", "issuer"],
    optional: ["clientSecret", "name"],
    others: ["authentication", "identity", "idTokenAlgorithms"],
  });
  const { issuer, name = "oidc", clientSecret, identity = "id_token" } = options;
  const { idTokenAlgorithms = ALGORITHMS } = options;
  const action = cannotCreate("oidc");
  if (clientSecret !== undefined && options.authentication !== undefined) {
    throw new TypeError(`${action}: clientSecret and authentication exclude each other`);
  }
  if (identity !== "id_token" && identity !== "both") {
    throw new TypeError(`${action}: identity must be "id_token" or "both"`);
  }
  checkAlgorithms(action, idTokenAlgorithms);
  if (idTokenAlgorithms.some((alg) => JWA[alg].kty === "oct")) {
    throw new TypeError(`${action}: idTokenAlgorithms must have public keys`);
  }
  const { authentication = authenticationOf(clientSecret) } = options;
  return openIdProvider({
    name,
    options,
    authentication,
    server: { discover: issuer },
    identity,
    idTokenAlgorithms,
    profile: readProfile,
  });
}

/** UserInfo before the ID token. An address and whether it is verified come from the same document. */
function readProfile({ claims, userinfo }: OAuthFindings): OAuthProfile {
  const { email, email_verified } = userinfo["email"] === undefined ? claims : userinfo;
  return profileOf({ ...claims, ...userinfo, email, email_verified }, claims.sub);
}

const DOMAIN_REGEXP = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
const DOMAIN = [DOMAIN_REGEXP, "a domain without a scheme or path"] as const;
const PART_REGEXP = /^[\w-]+$/;

/** Options of {@linkcode auth0}. */
export interface Auth0Options extends PresetOptions {
  /** Domain of the tenant: `notes.eu.auth0.com`. */
  readonly domain: string;
}

/**
 * Sign in with Auth0. Register a Regular Web Application in the dashboard; its Allowed Callback URLs contain the redirect URI.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true.
 * Not confirmed: PKCE, and whether responses have `iss`, which depends on the tenant.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function auth0(options: Auth0Options): OAuthProvider {
  checkPreset("auth0", options, {
    required: ["clientId", "clientSecret", "domain"],
    patterns: { domain: DOMAIN },
  });
  return discovered("auth0", options, `https://${options.domain}/`); // with the slash
}

/** Options of {@linkcode okta}. */
export interface OktaOptions extends PresetOptions {
  /** Domain of the organization: `notes.okta.com`. */
  readonly domain: string;
  /** Id of an authorization server: `default`. @default the organization's own */
  readonly authorizationServer?: string | undefined;
}

/**
 * Sign in with Okta. Create an app integration, OIDC, Web Application, in the admin console; its Sign-in redirect URIs contain
 * the redirect URI.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true.
 * Not confirmed: PKCE, `email_verified`, whether responses have `iss`, and the methods of client authentication.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function okta(options: OktaOptions): OAuthProvider {
  checkPreset("okta", options, {
    required: ["clientId", "clientSecret", "domain"],
    optional: ["authorizationServer"],
    patterns: { domain: DOMAIN, authorizationServer: [PART_REGEXP, "an id"] },
  });
  const { domain, authorizationServer } = options;
  const path = authorizationServer === undefined ? "" : `/oauth2/${authorizationServer}`;
  return discovered("okta", options, `https://${domain}${path}`);
}

/** Options of {@linkcode keycloak}. */
export interface KeycloakOptions extends PresetOptions {
  /** Base URL of the server: `https://id.example.com`; before version 17 with `/auth`. */
  readonly url: string;
  /** Name of the realm. */
  readonly realm: string;
}

/**
 * Sign in with Keycloak. Create a client of type OpenID Connect with client authentication and standard flow, set PKCE to S256,
 * and list the redirect URI without a wildcard.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` is true, which administrators of the realm can set.
 * Two realms need two names: `{ ...keycloak(options), name: "staff" }`.
 * Not confirmed: PKCE, the methods of client authentication, and the URL before version 17.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function keycloak(options: KeycloakOptions): OAuthProvider {
  checkPreset("keycloak", options, { required: ["clientId", "clientSecret", "url", "realm"] });
  const { url, realm } = options;
  const base = url.replace(/\/$/, "");
  return discovered("keycloak", options, `${base}/realms/${encodeURIComponent(realm)}`);
}

/** Options of {@linkcode cognito}. */
export interface CognitoOptions extends Omit<PresetOptions, "clientSecret"> {
  /** Client secret. Leave the option out for a public client. @default none */
  readonly clientSecret?: string;
  /** Region: `eu-central-1`. */
  readonly region: string;
  /** Id of the user pool: `eu-central-1_AbCdEfGhI`. */
  readonly userPoolId: string;
}

/**
 * Sign in with Amazon Cognito. Create an app client with the authorization code grant, and a domain for the user pool, in the
 * console; its Allowed callback URLs contain the redirect URI, https or http on localhost.
 *
 * The subject is `sub`; the e-mail address is verified where `email_verified` of the ID token is true.
 * Not confirmed: the methods of client authentication; that sign-out is not RP-Initiated Logout; that `email_verified` is a string
 * in UserInfo, which is not fetched.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape.
 */
export function cognito(options: CognitoOptions): OAuthProvider {
  checkPreset("cognito", options, {
    required: ["clientId", "region", "userPoolId"],
    optional: ["clientSecret"],
    patterns: { region: [PART_REGEXP, "a region"], userPoolId: [PART_REGEXP, "the id of a pool"] },
  });
  const { region, userPoolId } = options;
  const issuer = `https://cognito-idp.${region}.amazonaws.com/${userPoolId}`;
  return discovered("cognito", options, issuer);
}

function discovered(
  name: string,
  options: Omit<PresetOptions, "clientSecret"> & { readonly clientSecret?: string },
  issuer: string,
): OAuthProvider {
  const authentication = authenticationOf(options.clientSecret);
  return openIdProvider({ name, options, authentication, server: { discover: issuer } });
}

function authenticationOf(secret: string | undefined): OAuthClientAuthentication {
  return secret === undefined ? { method: "none" } : { method: "client_secret", secret };
}
