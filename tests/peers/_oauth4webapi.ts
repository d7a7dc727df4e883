/**
 * oauth4webapi as a relying party, and as an API that verifies access tokens.
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
import { OAUTH4WEBAPI } from "./versions.ts";

/** What of oauth4webapi is used. */
interface Oauth4webapi extends Authentications {
  readonly allowInsecureRequests: symbol;
  generateRandomState(): string;
  generateRandomNonce(): string;
  generateRandomCodeVerifier(): string;
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  discoveryRequest(issuer: URL, options: object): Promise<Response>;
  processDiscoveryResponse(
    issuer: URL,
    response: Response,
  ): Promise<Readonly<Record<string, unknown>>>;
  validateAuthResponse(
    server: object,
    client: object,
    response: URLSearchParams,
    state: string,
  ): URLSearchParams;
  pushedAuthorizationRequest(
    server: object,
    client: object,
    authentication: unknown,
    parameters: URLSearchParams,
    options: object,
  ): Promise<Response>;
  processPushedAuthorizationResponse(
    server: object,
    client: object,
    response: Response,
  ): Promise<{ readonly request_uri: string }>;
  authorizationCodeGrantRequest(
    server: object,
    client: object,
    authentication: unknown,
    parameters: URLSearchParams,
    redirectUri: string,
    verifier: string,
    options: object,
  ): Promise<Response>;
  processAuthorizationCodeResponse(
    server: object,
    client: object,
    response: Response,
    options: object,
  ): Promise<PeerTokens & { readonly id_token: string }>;
  validateApplicationLevelSignature(
    server: object,
    response: Response,
    options: object,
  ): Promise<void>;
  getValidatedIdTokenClaims(result: object): PeerClaims | undefined;
  refreshTokenGrantRequest(
    server: object,
    client: object,
    authentication: unknown,
    token: string,
    options: object,
  ): Promise<Response>;
  processRefreshTokenResponse(
    server: object,
    client: object,
    response: Response,
  ): Promise<PeerTokens>;
  revocationRequest(
    server: object,
    client: object,
    authentication: unknown,
    token: string,
    options: object,
  ): Promise<Response>;
  processRevocationResponse(response: Response): Promise<void>;
  introspectionRequest: Oauth4webapi["revocationRequest"];
  processIntrospectionResponse(
    server: object,
    client: object,
    response: Response,
  ): Promise<Readonly<Record<string, unknown>>>;
  userInfoRequest(
    server: object,
    client: object,
    token: string,
    options: object,
  ): Promise<Response>;
  processUserInfoResponse(
    server: object,
    client: object,
    sub: string,
    response: Response,
  ): Promise<unknown>;
  validateJwtAccessToken(
    server: object,
    request: Request,
    audience: string,
    options: object,
  ): Promise<Readonly<Record<string, unknown>>>;
}

const OAUTH = await import(OAUTH4WEBAPI) as Oauth4webapi;

const INSECURE = { [OAUTH.allowInsecureRequests]: true };

/** Discovers a server. */
export async function withOauth4webapi(options: RelyingPartyOptions): Promise<RelyingParty> {
  const { issuer, clientId, redirectUri, algorithm = "oidc" } = options;
  const url = new URL(issuer);
  const found = await OAUTH.discoveryRequest(url, { ...INSECURE, algorithm });
  const server = await OAUTH.processDiscoveryResponse(url, found);
  const client = { client_id: clientId };
  const authentication = authenticationOf(OAUTH, options);
  async function prepare(parameters: Parameters) {
    const checks = checksOf(parameters, {
      state: OAUTH.generateRandomState(),
      nonce: OAUTH.generateRandomNonce(),
      verifier: OAUTH.generateRandomCodeVerifier(),
    });
    const challenge = await OAUTH.calculatePKCECodeChallenge(checks.verifier);
    const all = { client_id: clientId, redirect_uri: redirectUri, response_type: "code" };
    const query = new URLSearchParams({
      ...all,
      ...requestOf(checks, challenge),
      ...parameters,
    });
    return { query, checks };
  }
  return {
    metadata: server,
    async begin(parameters = {}) {
      const { query, checks } = await prepare(parameters);
      return { url: new URL(`${server["authorization_endpoint"]}?${query}`), checks };
    },
    async push(parameters = {}) {
      const { query: all, checks } = await prepare(parameters);
      const response = await OAUTH.pushedAuthorizationRequest(
        server,
        client,
        authentication,
        all,
        INSECURE,
      );
      const { request_uri } = await OAUTH.processPushedAuthorizationResponse(
        server,
        client,
        response,
      );
      const query = new URLSearchParams({ client_id: clientId, request_uri });
      return { url: new URL(`${server["authorization_endpoint"]}?${query}`), checks };
    },
    async finish(given, { state, nonce, verifier, maxAge }) {
      const values = await parametersOf(given);
      const parameters = OAUTH.validateAuthResponse(server, client, values, state);
      const response = await OAUTH.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        INSECURE,
      );
      const tokens = await OAUTH.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
        ...(maxAge === undefined ? {} : { maxAge }),
      });
      await OAUTH.validateApplicationLevelSignature(server, response, INSECURE);
      return { ...tokens, claims: OAUTH.getValidatedIdTokenClaims(tokens) ?? { sub: "" } };
    },
    async refresh(token, parameters = {}) {
      const response = await OAUTH.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        token,
        { ...INSECURE, additionalParameters: parameters },
      );
      const tokens = await OAUTH.processRefreshTokenResponse(server, client, response);
      if (tokens.id_token !== undefined) {
        await OAUTH.validateApplicationLevelSignature(server, response, INSECURE);
      }
      return tokens;
    },
    async revoke(token) {
      const response = await OAUTH.revocationRequest(
        server,
        client,
        authentication,
        token,
        INSECURE,
      );
      await OAUTH.processRevocationResponse(response);
      await response.body?.cancel();
    },
    async introspect(token) {
      const response = await OAUTH.introspectionRequest(
        server,
        client,
        authentication,
        token,
        INSECURE,
      );
      return await OAUTH.processIntrospectionResponse(server, client, response);
    },
    async userinfo(token, sub) {
      const response = await OAUTH.userInfoRequest(server, client, token, INSECURE);
      return await OAUTH.processUserInfoResponse(server, client, sub, response);
    },
  };
}

/** What oauth4webapi's resource server reads of an access token. Rejects as it does. */
export async function accessTokenClaims(
  { metadata }: RelyingParty,
  token: string,
  audience: string,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { Authorization: `Bearer ${token}` };
  const request = new Request("https://api.example/notes", { headers });
  return await OAUTH.validateJwtAccessToken(metadata, request, audience, INSECURE);
}

async function parametersOf(response: URL | Request): Promise<URLSearchParams> {
  if (response instanceof URL) return response.searchParams;
  if (response.method === "POST") return new URLSearchParams(await response.text());
  return new URL(response.url).searchParams;
}
