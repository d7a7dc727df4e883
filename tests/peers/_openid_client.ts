/**
 * openid-client as a relying party.
 *
 * @module
 */

import {
  authenticationOf,
  type Authentications,
  checksOf,
  type Parameters,
  type PeerClaims,
  type PeerTokens,
  type RelyingParty,
  type RelyingPartyOptions,
  requestOf,
} from "./_relying_party.ts";
import { OPENID_CLIENT } from "./versions.ts";

/** What of openid-client is used. Nothing imports it by a literal specifier, so that its types are not there. */
interface OpenidClient extends Authentications {
  readonly customFetch: symbol;
  readonly allowInsecureRequests: unknown;
  readonly enableNonRepudiationChecks: unknown;
  randomState(): string;
  randomNonce(): string;
  randomPKCECodeVerifier(): string;
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  discovery(
    issuer: URL,
    id: string,
    data: unknown,
    how: unknown,
    options: unknown,
  ): Promise<{ serverMetadata(): Readonly<Record<string, unknown>> }>;
  buildAuthorizationUrl(configuration: object, parameters: Parameters): URL;
  buildAuthorizationUrlWithPAR(configuration: object, parameters: Parameters): Promise<URL>;
  authorizationCodeGrant(configuration: object, response: URL | Request, checks: object): Promise<
    PeerTokens & { readonly id_token: string; claims(): PeerClaims | undefined }
  >;
  refreshTokenGrant(
    configuration: object,
    token: string,
    parameters?: Parameters,
  ): Promise<PeerTokens>;
  tokenRevocation(configuration: object, token: string): Promise<void>;
  tokenIntrospection(
    configuration: object,
    token: string,
  ): Promise<Readonly<Record<string, unknown>>>;
  fetchUserInfo(configuration: object, token: string, sub: string): Promise<unknown>;
}

const OPENID = await import(OPENID_CLIENT) as OpenidClient;

/** Discovers a server. */
export async function withOpenidClient(options: RelyingPartyOptions): Promise<RelyingParty> {
  const { issuer, clientId, redirectUri, algorithm = "oidc" } = options;
  const configuration = await OPENID.discovery(
    new URL(issuer),
    clientId,
    undefined,
    authenticationOf(OPENID, options),
    {
      algorithm,
      execute: [OPENID.allowInsecureRequests, OPENID.enableNonRepudiationChecks],
      [OPENID.customFetch]: fetchWhole,
    },
  );
  async function prepare(parameters: Parameters) {
    const checks = checksOf(parameters, {
      state: OPENID.randomState(),
      nonce: OPENID.randomNonce(),
      verifier: OPENID.randomPKCECodeVerifier(),
    });
    const challenge = await OPENID.calculatePKCECodeChallenge(checks.verifier);
    const all = { ...requestOf(checks, challenge), redirect_uri: redirectUri, ...parameters };
    return { all, checks };
  }
  return {
    metadata: configuration.serverMetadata(),
    async begin(parameters = {}) {
      const { all, checks } = await prepare(parameters);
      return { url: OPENID.buildAuthorizationUrl(configuration, all), checks };
    },
    async push(parameters = {}) {
      const { all, checks } = await prepare(parameters);
      return { url: await OPENID.buildAuthorizationUrlWithPAR(configuration, all), checks };
    },
    async finish(response, { state, nonce, verifier, maxAge }) {
      const tokens = await OPENID.authorizationCodeGrant(configuration, response, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(maxAge === undefined ? {} : { maxAge }),
      });
      return { ...tokens, claims: tokens.claims() ?? { sub: "" } };
    },
    refresh: (token, parameters) => OPENID.refreshTokenGrant(configuration, token, parameters),
    revoke: (token) => OPENID.tokenRevocation(configuration, token),
    introspect: (token) => OPENID.tokenIntrospection(configuration, token),
    userinfo: (token, sub) => OPENID.fetchUserInfo(configuration, token, sub),
  };
}

/** openid-client does not read all bodies, which would be leaks. */
export async function fetchWhole(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return new Response(await response.arrayBuffer(), response);
}
