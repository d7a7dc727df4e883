/** The same changed answers of a provider for our relying party, for openid-client and for oauth4webapi. */

import { assertEquals } from "@std/assert";
import { AuthError } from "../../auth/mod.ts";
import type { Changes, FakeProvider } from "../auth/oauth/_fake_provider.ts";
import { type Browser, requestOf, site, start } from "../auth/oauth/_sign_in.ts";
import { OAUTH4WEBAPI, OPENID_CLIENT } from "./versions.ts";

/** What of openid-client is used. Nothing imports it by a literal specifier, so that its types are not there. */
interface OpenidClient {
  readonly customFetch: symbol;
  readonly enableNonRepudiationChecks: unknown;
  ClientSecretBasic(secret: string): unknown;
  discovery(
    issuer: URL,
    id: string,
    data: unknown,
    how: unknown,
    options: unknown,
  ): Promise<object>;
  authorizationCodeGrant(configuration: object, url: URL, checks: object): Promise<
    { readonly access_token: string; claims(): { readonly sub: string } | undefined }
  >;
  fetchUserInfo(configuration: object, token: string, sub: string): Promise<unknown>;
}

/** What of oauth4webapi is used. */
interface Oauth4webapi {
  readonly customFetch: symbol;
  ClientSecretBasic(secret: string): unknown;
  discoveryRequest(issuer: URL, options: object): Promise<Response>;
  processDiscoveryResponse(issuer: URL, response: Response): Promise<object>;
  validateAuthResponse(server: object, client: object, url: URL, state: string): URLSearchParams;
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
  ): Promise<{ readonly access_token: string }>;
  validateApplicationLevelSignature(
    server: object,
    response: Response,
    options: object,
  ): Promise<void>;
  getValidatedIdTokenClaims(result: object): { readonly sub: string } | undefined;
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
}

const OPENID = await import(OPENID_CLIENT) as OpenidClient;
const OAUTH = await import(OAUTH4WEBAPI) as Oauth4webapi;

const REDIRECT_URI = "https://app.example/callback";
const VERIFIER = "v".repeat(43);
const STATE = "s".repeat(43);
const NONCE = "n".repeat(43);
const CHALLENGE = await challengeOf(VERIFIER);
const SECONDS = Math.floor(Date.now() / 1000);

type Peer = "openid-client" | "oauth4webapi";
const BOTH: readonly Peer[] = ["openid-client", "oauth4webapi"];

/** Our reason, and the peers that accept. */
const ROWS: readonly (readonly [
  why: string,
  reason: string,
  changes: Changes,
  peersAccept?: readonly Peer[],
])[] = [
  ["no ID token", "id_token_missing", { token: { id_token: undefined } }],
  ["alg none", "id_token_refused", { header: { alg: "none" } }],
  ["alg HS256", "id_token_refused", { header: { alg: "HS256" } }],
  ["alg ES256 for a key of RSA", "id_token_refused", { header: { alg: "ES256" } }],
  ["a changed signature", "id_token_refused", {
    idToken: (token) => `${token.slice(0, -8)}${token.endsWith("AAAAAAAA") ? "B" : "A"}AAAAAAA`,
  }],
  ["no signature", "id_token_refused", {
    idToken: (token) => token.slice(0, token.lastIndexOf(".") + 1),
  }],
  ["two parts", "id_token_refused", { token: { id_token: "a.b" } }],
  ["an unknown kid", "id_token_refused", { header: { kid: "unknown" } }],
  ["the type of access tokens", "id_token_refused", { header: { typ: "at+jwt" } }, BOTH],
  ["the type of logout tokens", "id_token_refused", { header: { typ: "logout+jwt" } }, BOTH],
  ["crit", "id_token_refused", { header: { crit: ["b64"], b64: true } }],
  ["another issuer", "iss_mismatch", { claims: { iss: "https://evil.example" } }],
  ["the issuer with a slash", "iss_mismatch", { claims: { iss: "https://id.example/" } }],
  ["no issuer", "id_token_refused", { claims: { iss: undefined } }],
  ["an audience of another client", "id_token_refused", { claims: { aud: "other" } }],
  ["no audience", "id_token_refused", { claims: { aud: undefined } }],
  ["an empty list of audiences", "id_token_refused", { claims: { aud: [] } }],
  ["two audiences without azp", "azp_mismatch", { claims: { aud: ["client", "other"] } }],
  ["azp of another client", "azp_mismatch", { claims: { azp: "other" } }, BOTH],
  ["two audiences, azp of the other", "azp_mismatch", {
    claims: { aud: ["client", "other"], azp: "other" },
  }],
  ["an expired token", "id_token_refused", { claims: { exp: SECONDS - 400 } }],
  ["no expiry", "id_token_refused", { claims: { exp: undefined } }],
  ["an expiry as a string", "id_token_refused", { claims: { exp: `${SECONDS + 60}` } }],
  ["no iat", "id_token_refused", { claims: { iat: undefined } }],
  ["iat of 1970", "issued_too_early", { claims: { iat: 1 } }, BOTH],
  ["iat next week", "id_token_refused", { claims: { iat: SECONDS + 604_800 } }, BOTH],
  ["nbf next week", "id_token_refused", { claims: { nbf: SECONDS + 604_800 } }],
  ["no nonce", "nonce_mismatch", { claims: { nonce: undefined } }],
  ["another nonce", "nonce_mismatch", { claims: { nonce: "x".repeat(43) } }],
  ["a nonce that is no string", "nonce_mismatch", { claims: { nonce: 7 } }],
  ["a wrong at_hash", "at_hash_mismatch", { claims: { at_hash: "x".repeat(22) } }, BOTH],
  ["no sub", "sub_malformed", { claims: { sub: undefined } }],
  ["an empty sub", "sub_malformed", { claims: { sub: "" } }],
  ["a sub of 256 characters", "sub_malformed", {
    claims: { sub: "s".repeat(256) },
    userinfo: { sub: "s".repeat(256) },
  }, BOTH],
  ["a sub that is a number", "id_token_refused", { claims: { sub: 7 } }],
  ["no access token", "token_response_malformed", { token: { access_token: undefined } }],
  ["an empty access token", "token_response_malformed", { token: { access_token: "" } }],
  ["no token type", "token_response_malformed", { token: { token_type: undefined } }],
  ["token type mac", "token_response_malformed", { token: { token_type: "mac" } }],
  ["a refresh token that is no string", "token_response_malformed", {
    token: { refresh_token: 7 },
  }],
  ["an ID token that is a number", "token_response_malformed", { token: { id_token: 7 } }],
  ["an error with status 200", "token_refused", { token: { error: "bad_code" } }, BOTH],
  ["status 201", "token_refused", answer("/token", 201, "{}")],
  ["status 400", "token_refused", answer("/token", 400, '{"error":"invalid_grant"}')],
  ["a redirect", "token_refused", answer("/token", 307, "")],
  ["malformed JSON", "token_response_malformed", answer("/token", 200, "{")],
  ["an array", "token_response_malformed", answer("/token", 200, "[]")],
  ["iss of another in the response", "iss_mismatch", {
    parameters: { iss: "https://evil.example" },
  }],
  ["iss with a slash in the response", "iss_mismatch", {
    parameters: { iss: "https://id.example/" },
  }],
  ["no state", "state_missing", { parameters: { state: undefined } }],
  ["no iss where it is promised", "iss_missing", {
    metadata: { authorization_response_iss_parameter_supported: true },
    parameters: { iss: undefined },
  }],
  ["an ID token in front", "response_malformed", { parameters: { id_token: "x" } }],
  ["an error beside the code", "provider_refused", { parameters: { error: "server_error" } }],
  ["UserInfo of another", "sub_mismatch", { userinfo: { sub: "u-2" } }],
  ["UserInfo without sub", "sub_mismatch", { userinfo: { sub: undefined } }],
  ["UserInfo with status 403", "userinfo_refused", answer("/userinfo", 403, "{}")],
  ["UserInfo as an array", "userinfo_refused", answer("/userinfo", 200, "[]")],
  ["metadata of another issuer", "provider_unreachable", {
    metadata: { issuer: "https://evil.example" },
  }],
  ["metadata without token endpoint", "provider_unreachable", {
    metadata: { token_endpoint: undefined },
  }],
  ["no metadata", "provider_unreachable", answer("/.well-known/openid-configuration", 404, "{}")],
];

Deno.test("callback() accepts unchanged answers, as openid-client and oauth4webapi do", async () => {
  assertEquals(await verdicts({}), ["accepted", BOTH]);
});

for (const [why, reason, changes, peersAccept = []] of ROWS) {
  const peers = peersAccept.length === 0
    ? "as the peers do"
    : `not as ${peersAccept.join(" and ")}`;
  Deno.test(`callback() rejects ${why}, ${peers}`, async () => {
    assertEquals(await verdicts(changes), [reason, peersAccept]);
  });
}

/** Our reason, and the peers that accept. */
async function verdicts(changes: Changes): Promise<readonly [string, readonly Peer[]]> {
  const accept: Peer[] = [];
  if (await isAccepted(() => withOpenidClient(fakeOf(changes)))) accept.push("openid-client");
  if (await isAccepted(() => withOauth4webapi(fakeOf(changes)))) accept.push("oauth4webapi");
  return [await ours(changes), accept];
}

function fakeOf(changes: Changes): FakeProvider {
  const { fake, clock } = site({ fake: { alg: "RS256" } });
  clock.now = SECONDS;
  fake.change(changes);
  return fake;
}

async function ours(changes: Changes): Promise<string> {
  const own = site({ fake: { alg: "RS256" }, provider: { identity: "both" } });
  own.clock.now = SECONDS;
  own.fake.change(changes);
  const browser: Browser = new Map();
  try {
    const { url } = own.fake.authorize(await start(own, browser));
    await own.client.callback(requestOf(browser, url));
    return "accepted";
  } catch (error) {
    if (error instanceof AuthError) return error.reason ?? error.code;
    throw error;
  }
}

async function isAccepted(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

function callbackOf(fake: FakeProvider): URL {
  const query = new URLSearchParams({
    redirect_uri: REDIRECT_URI,
    state: STATE,
    nonce: NONCE,
    code_challenge: CHALLENGE,
  });
  return new URL(fake.authorize(`${fake.issuer}/authorize?${query}`).url);
}

async function withOpenidClient(fake: FakeProvider): Promise<void> {
  const { customFetch, enableNonRepudiationChecks } = OPENID;
  const authentication = OPENID.ClientSecretBasic(fake.clientSecret);
  const options = { [customFetch]: fake.fetch, execute: [enableNonRepudiationChecks] };
  const issuer = new URL(fake.issuer);
  const client = await OPENID.discovery(issuer, fake.clientId, undefined, authentication, options);
  const tokens = await OPENID.authorizationCodeGrant(client, callbackOf(fake), {
    pkceCodeVerifier: VERIFIER,
    expectedState: STATE,
    expectedNonce: NONCE,
    idTokenExpected: true,
  });
  await OPENID.fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? "");
}

async function withOauth4webapi(fake: FakeProvider): Promise<void> {
  const options = { [OAUTH.customFetch]: fake.fetch };
  const issuer = new URL(fake.issuer);
  const found = await OAUTH.discoveryRequest(issuer, options);
  const server = await OAUTH.processDiscoveryResponse(issuer, found);
  const client = { client_id: fake.clientId };
  const parameters = OAUTH.validateAuthResponse(server, client, callbackOf(fake), STATE);
  const authentication = OAUTH.ClientSecretBasic(fake.clientSecret);
  const response = await OAUTH.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    REDIRECT_URI,
    VERIFIER,
    options,
  );
  const result = await OAUTH.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: NONCE,
    requireIdToken: true,
  });
  await OAUTH.validateApplicationLevelSignature(server, response, options);
  const sub = OAUTH.getValidatedIdTokenClaims(result)?.sub ?? "";
  const userinfo = await OAUTH.userInfoRequest(server, client, result.access_token, options);
  await OAUTH.processUserInfoResponse(server, client, sub, userinfo);
}

function answer(path: string, status: number, body: string): Changes {
  const headers = { "Content-Type": "application/json", Location: "https://evil.example/" };
  return { responses: { [path]: () => new Response(body, { status, headers }) } };
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}
