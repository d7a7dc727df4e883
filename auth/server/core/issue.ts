/**
 * Tokens of a grant: the access token, RFC 9068, and the ID token, OpenID Connect Core §2.
 *
 * @module
 */

import { digestText } from "../../_kdf.ts";
import { randomId } from "../../_random.ts";
import { tokenHash } from "../../jwt/token_hash.ts";
import type { JwtClaims } from "../../jwt/types.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import { clientSubject } from "../../tokens/client_subject.ts";
import type { ServerContext } from "./context.ts";
import type { GrantData } from "./grants.ts";
import { grantedClaims, OPENID } from "./scopes.ts";

/** What tokens are issued for. */
export interface TokenSubject {
  readonly client: RegisteredClient;
  readonly grantId: string;
  readonly sub: string;
  readonly securityStamp: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr?: string | undefined;
  readonly data: GrantData;
  /** Scopes of these tokens. */
  readonly scope: readonly string[];
  /** The APIs that the access token is for. */
  readonly audience: readonly [string, ...string[]];
  /** The request's nonce; none after a refresh, OpenID Connect Core §12.2. */
  readonly nonce?: string | undefined;
  /** Thumbprint of the key that the access token is bound to. @default a bearer token */
  readonly jkt?: string | undefined;
  /** Claims that the ID token should contain. */
  readonly idTokenClaims?: readonly string[] | undefined;
}

/** A token response, RFC 6749 §5.1, without the refresh token. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  /** The granted scopes; absent if there are none, because §3.3 has no empty list. */
  readonly scope?: string;
  readonly id_token?: string;
}

/** A token response, RFC 6749 §5.1. */
export interface GrantResponse extends TokenResponse {
  readonly refresh_token?: string;
}

/** What access tokens of users and clients are issued for. */
type TokenTarget = Pick<TokenSubject, "client" | "scope" | "audience" | "jkt">;

/** Signs the tokens of a grant. */
export async function issueTokens(
  context: ServerContext,
  subject: TokenSubject,
): Promise<TokenResponse> {
  const tokens = await signAccessToken(context, subject, await grantClaims(context, subject));
  if (!subject.scope.includes(OPENID)) return tokens;
  return { ...tokens, id_token: await signIdToken(context, subject, tokens.access_token) };
}

/** Signs an access token of a client itself, RFC 6749 §4.4: it has no user, no grant, and no other token. */
export async function issueClientToken(
  context: ServerContext,
  target: TokenTarget,
): Promise<TokenResponse> {
  return await signAccessToken(context, target, { sub: clientSubject(target.client.clientId) });
}

/** RFC 9068 §2.2: what access tokens of users and clients have in common. */
async function signAccessToken(
  { keys, lifetimes, issuer }: ServerContext,
  { client, scope, audience: [first, ...others], jkt }: TokenTarget,
  own: JwtClaims,
): Promise<TokenResponse> {
  const expiresIn = lifetimes.accessToken;
  const claims: JwtClaims = {
    ...own,
    iss: issuer,
    aud: others.length === 0 ? first : [first, ...others],
    client_id: client.clientId,
    scope: scope.join(" "), // an empty one, too: without the claim, the guards of registerAuth() would not limit it
    jti: randomId(),
    ...(jkt === undefined ? {} : { cnf: { jkt } }), // RFC 9449 §6.1
  };
  return {
    access_token: await keys.sign(claims, { typ: "at+jwt", expiresIn }),
    token_type: jkt === undefined ? "Bearer" : "DPoP", // RFC 9449 §5
    expires_in: expiresIn,
    ...(scope.length === 0 ? {} : { scope: scope.join(" ") }),
  };
}

/**
 * The claims of a user. `gid` is the grant, by which this server sees its end at once; `stamp` is the digest of the user's security
 * stamp, which the guards of `registerAuth()` compare.
 */
async function grantClaims(
  context: ServerContext,
  { client, grantId, sub, securityStamp, authTime, amr, acr, scope }: TokenSubject,
): Promise<JwtClaims> {
  return {
    ...await context.accessTokenClaims?.(sub, { scope, client }),
    sub,
    gid: grantId,
    stamp: await digestText(securityStamp),
    ...authenticationClaims({ authTime, amr, acr }),
  };
}

/** OpenID Connect Core §2 and §3.1.3.6. */
async function signIdToken(
  context: ServerContext,
  subject: TokenSubject,
  accessToken: string,
): Promise<string> {
  const { keys, issuer, idTokenAlgorithm: alg, lifetimes } = context;
  const { client, sub, data, nonce } = subject;
  const claims: JwtClaims = {
    ...await requestedClaims(context, subject),
    iss: issuer,
    sub,
    aud: client.clientId,
    at_hash: await tokenHash(alg, accessToken),
    ...(nonce === undefined ? {} : { nonce }),
    ...(data.sid === undefined ? {} : { sid: data.sid }),
    ...authenticationClaims(subject),
  };
  return await keys.sign(claims, { alg, expiresIn: lifetimes.idToken });
}

/** Claims about the user that the request wants in the ID token, §5.5. */
async function requestedClaims(
  context: ServerContext,
  { sub, scope, client, idTokenClaims = [] }: TokenSubject,
): Promise<JwtClaims> {
  if (idTokenClaims.length === 0) return {};
  const known = await userClaims(context, sub, { scope, client });
  return Object.fromEntries(Object.entries(known).filter(([name]) => idTokenClaims.includes(name)));
}

/** The claims of a user that a grant permits. */
export async function userClaims(
  { claims }: Pick<ServerContext, "claims">,
  sub: string,
  query: { readonly scope: readonly string[]; readonly client: RegisteredClient },
): Promise<JwtClaims> {
  return grantedClaims(await claims?.(sub, query) ?? {}, query.scope);
}

function authenticationClaims(
  { authTime, amr, acr }: Pick<TokenSubject, "authTime" | "amr" | "acr">,
): JwtClaims {
  return {
    auth_time: authTime,
    ...(amr.length === 0 ? {} : { amr }),
    ...(acr === undefined ? {} : { acr }),
  };
}
