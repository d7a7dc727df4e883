/**
 * openid-client and oauth4webapi as clients of one kind. Both verify the signatures of ID tokens, which neither does unless it is
 * asked to.
 *
 * @module
 */

import { OAUTH4WEBAPI, OPENID_CLIENT } from "./versions.ts";

/** How a client authenticates. */
export type Authentication = "client_secret_basic" | "client_secret_post" | "none";

/** What a relying party is told. */
export interface RelyingPartyOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly secret?: string;
  /** @default {"none"} */
  readonly authentication?: Authentication;
  /** Which metadata it asks for: OpenID Connect's or RFC 8414's. @default {"oidc"} */
  readonly algorithm?: "oidc" | "oauth2";
}

/** Parameters of a request, or of a response. */
export type Parameters = Readonly<Record<string, string>>;

/** What a response is compared with. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly maxAge?: number;
}

/** A request that has begun. */
export interface Begun {
  /** Where the browser goes. */
  readonly url: URL;
  readonly checks: Checks;
}

/** The tokens of a response. */
export interface PeerTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token: string;
  /** Only with the scope `openid`. */
  readonly id_token?: string;
}

/** Claims of an ID token that was verified. */
export type PeerClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The tokens of a sign-in. */
export interface SignIn extends PeerTokens {
  readonly id_token: string;
  readonly claims: PeerClaims;
}

/** A client that nobody here wrote. */
export interface RelyingParty {
  /** The metadata that it has found. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Begins a request, for `openid email notes:read` unless it says otherwise. */
  begin(parameters?: Parameters): Promise<Begun>;
  /** Checks a response and exchanges its code. Rejects as the peer does. */
  finish(response: URL | Request, checks: Checks): Promise<SignIn>;
  refresh(token: string, parameters?: Parameters): Promise<PeerTokens>;
  revoke(token: string): Promise<void>;
  userinfo(token: string, sub: string): Promise<unknown>;
}

/** What of openid-client is used. Nothing imports it by a literal specifier, so that its types are not there. */
interface OpenidClient {
  readonly customFetch: symbol;
  readonly allowInsecureRequests: unknown;
  readonly enableNonRepudiationChecks: unknown;
  ClientSecretBasic(secret: string): unknown;
  ClientSecretPost(secret: string): unknown;
  None(): unknown;
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
  authorizationCodeGrant(configuration: object, response: URL | Request, checks: object): Promise<
    PeerTokens & { readonly id_token: string; claims(): PeerClaims | undefined }
  >;
  refreshTokenGrant(
    configuration: object,
    token: string,
    parameters?: Parameters,
  ): Promise<PeerTokens>;
  tokenRevocation(configuration: object, token: string): Promise<void>;
  fetchUserInfo(configuration: object, token: string, sub: string): Promise<unknown>;
}

/** What of oauth4webapi is used. */
interface Oauth4webapi {
  readonly allowInsecureRequests: symbol;
  ClientSecretBasic(secret: string): unknown;
  ClientSecretPost(secret: string): unknown;
  None(): unknown;
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

const OPENID = await import(OPENID_CLIENT) as OpenidClient;
const OAUTH = await import(OAUTH4WEBAPI) as Oauth4webapi;

/** The relying parties. */
export const RELYING_PARTIES: readonly (readonly [
  name: string,
  create: (options: RelyingPartyOptions) => Promise<RelyingParty>,
])[] = [["openid-client", withOpenidClient], ["oauth4webapi", withOauth4webapi]];

async function withOpenidClient(options: RelyingPartyOptions): Promise<RelyingParty> {
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
  return {
    metadata: configuration.serverMetadata(),
    async begin(parameters = {}) {
      const checks = checksOf(parameters, {
        state: OPENID.randomState(),
        nonce: OPENID.randomNonce(),
        verifier: OPENID.randomPKCECodeVerifier(),
      });
      const challenge = await OPENID.calculatePKCECodeChallenge(checks.verifier);
      const all = { ...requestOf(checks, challenge), redirect_uri: redirectUri, ...parameters };
      return { url: OPENID.buildAuthorizationUrl(configuration, all), checks };
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
    userinfo: (token, sub) => OPENID.fetchUserInfo(configuration, token, sub),
  };
}

/** openid-client does not read all bodies, which would be leaks. */
async function fetchWhole(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return new Response(await response.arrayBuffer(), response);
}

async function withOauth4webapi(options: RelyingPartyOptions): Promise<RelyingParty> {
  const { issuer, clientId, redirectUri, algorithm = "oidc" } = options;
  const url = new URL(issuer);
  const found = await OAUTH.discoveryRequest(url, { ...INSECURE, algorithm });
  const server = await OAUTH.processDiscoveryResponse(url, found);
  const client = { client_id: clientId };
  const authentication = authenticationOf(OAUTH, options);
  return {
    metadata: server,
    async begin(parameters = {}) {
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
    async userinfo(token, sub) {
      const response = await OAUTH.userInfoRequest(server, client, token, INSECURE);
      return await OAUTH.processUserInfoResponse(server, client, sub, response);
    },
  };
}

const INSECURE = { [OAUTH.allowInsecureRequests]: true };

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

/**
 * Why a peer rejects: the error of a response, that of a challenge behind its status, or else the peer's own code. `none` if it
 * does not.
 */
export async function rejectionOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "none";
  } catch (thrown) {
    const { error, code, status, cause, response } = thrown as PeerError;
    if (error !== undefined) return error;
    if (response === undefined || !Array.isArray(cause)) return code ?? String(thrown);
    await response.body?.cancel();
    const [challenge] = cause as readonly Challenge[];
    return `${status} ${challenge?.parameters?.error ?? challenge?.scheme}`;
  }
}

/** The parts of the peers' errors. */
interface PeerError {
  readonly error?: string;
  readonly code?: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly response?: Response;
}

interface Challenge {
  readonly scheme: string;
  readonly parameters?: { readonly error?: string };
}

function authenticationOf(
  peer: Pick<OpenidClient, "ClientSecretBasic" | "ClientSecretPost" | "None">,
  { authentication = "none", secret = "" }: RelyingPartyOptions,
): unknown {
  switch (authentication) {
    case "client_secret_basic":
      return peer.ClientSecretBasic(secret);
    case "client_secret_post":
      return peer.ClientSecretPost(secret);
    case "none":
      return peer.None();
  }
}

function checksOf({ max_age }: Parameters, checks: Checks): Checks {
  return max_age === undefined ? checks : { ...checks, maxAge: Number(max_age) };
}

function requestOf({ state, nonce }: Checks, challenge: string): Parameters {
  return {
    scope: "openid email notes:read",
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
}

async function parametersOf(response: URL | Request): Promise<URLSearchParams> {
  if (response instanceof URL) return response.searchParams;
  if (response.method === "POST") return new URLSearchParams(await response.text());
  return new URL(response.url).searchParams;
}
