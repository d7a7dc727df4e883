/**
 * Client authentication at the token endpoint, RFC 6749 §2.3 and OpenID Connect Core §9: one row for each method.
 *
 * @module
 */

import { randomId } from "../_random.ts";
import { isJwaAlgorithm, JWA } from "../jwt/jwa.ts";
import { signJwt } from "../jwt/jwt.ts";
import type {
  OAuthClientAuthentication,
  OAuthProvider,
  OAuthServerMetadata,
} from "./provider_types.ts";

/** What a request contains to authenticate the client. */
export interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

type ClientKey = Extract<OAuthClientAuthentication, { method: "private_key_jwt" }>;

/** Seconds until a client assertion expires. */
const ASSERTION_LIFETIME = 60;

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Creates what authenticates the client in one request. */
export async function authenticateClient(
  { clientId, authentication }: Pick<OAuthProvider, "clientId" | "authentication">,
  metadata: OAuthServerMetadata,
  now: () => number,
): Promise<ClientCredentials> {
  switch (authentication.method) {
    case "none":
      return post({ client_id: clientId });
    case "client_secret":
      return prefersPost(metadata)
        ? post({ client_id: clientId, client_secret: authentication.secret })
        : basic(clientId, authentication.secret);
    case "client_secret_basic":
      return basic(clientId, authentication.secret);
    case "client_secret_post":
      return post({ client_id: clientId, client_secret: authentication.secret });
    case "signed_client_secret":
      return post({ client_id: clientId, client_secret: await authentication.secret(now()) });
    case "private_key_jwt":
      return post({
        client_id: clientId,
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: await signAssertion(clientId, authentication, metadata, now),
      });
  }
}

/** @throws {TypeError} If the method is unknown, or its secret or key is missing. */
export function checkAuthentication({ authentication }: OAuthProvider): void {
  if (hasCredential(authentication)) return;
  throw new TypeError(
    "Cannot create OAuth client: authentication must have a method, and its secret or key; is its environment variable set?",
  );
}

function hasCredential(authentication: OAuthClientAuthentication): boolean {
  switch (authentication?.method) {
    case "none":
      return true;
    case "client_secret":
    case "client_secret_basic":
    case "client_secret_post":
      return typeof authentication.secret === "string" && authentication.secret !== "";
    case "signed_client_secret":
      return typeof authentication.secret === "function";
    case "private_key_jwt":
      return isSigningKey(authentication);
    default:
      return false;
  }
}

/** Whether a private key, which a shared secret is not, fits its algorithm; that its numbers are right shows when it signs. */
function isSigningKey({ key, alg }: ClientKey): boolean {
  if (!isJwaAlgorithm(alg)) return false;
  const { kty, crv } = JWA[alg];
  return key?.kty === kty && (crv === undefined || key.crv === crv) &&
    typeof key.d === "string" && key.d !== "";
}

/** RFC 8414 §2: without a list of methods the server supports `client_secret_basic`. */
function prefersPost({ token_endpoint_auth_methods_supported: methods }: OAuthServerMetadata) {
  return methods !== undefined && !methods.includes("client_secret_basic") &&
    methods.includes("client_secret_post");
}

function post(parameters: Readonly<Record<string, string>>): ClientCredentials {
  return { headers: {}, parameters };
}

/** RFC 6749 §2.3.1: both parts are form-encoded first, so that they may contain a colon. */
function basic(clientId: string, secret: string): ClientCredentials {
  const pair = `${formEncode(clientId)}:${formEncode(secret)}`;
  return { headers: { Authorization: `Basic ${btoa(pair)}` }, parameters: {} };
}

function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** RFC 7523 §3. */
async function signAssertion(
  clientId: string,
  { key, alg, audience }: ClientKey,
  { issuer }: OAuthServerMetadata,
  now: () => number,
): Promise<string> {
  const claims = { iss: clientId, sub: clientId, aud: audience ?? issuer, jti: randomId() };
  return await signJwt(claims, { algorithms: [alg], key, expiresIn: ASSERTION_LIFETIME, now });
}
