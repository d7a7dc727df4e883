/**
 * Starting and completing a sign-in at a provider: ours and openid-client with signature checks, alone and in an application
 * that keeps its transactions, on the same answers, without anything that only one runtime has: `oauth.ts` bundles this for
 * Deno, Node and Bun.
 *
 * @module
 */

import { digestText } from "../auth/_kdf.ts";
import {
  generateJwk,
  inMemoryAuthStores,
  publicJwk,
  readCookie,
  serializeCookie,
  signJwt,
} from "../auth/mod.ts";
import { oauthClient, oidcProvider } from "../auth/oauth/mod.ts";

/** The part of openid-client that is used here. */
export interface OpenIdClient {
  readonly customFetch: symbol;
  Configuration: new (server: object, clientId: string, metadata: object, auth: unknown) => object;
  ClientSecretBasic(secret: string): unknown;
  enableNonRepudiationChecks(config: object): void;
  randomState(): string;
  randomNonce(): string;
  randomPKCECodeVerifier(): string;
  calculatePKCECodeChallenge(verifier: string): Promise<string>;
  authorizationCodeGrant(config: object, url: URL, checks: object): Promise<PeerTokens>;
}

interface PeerTokens {
  claims(): object | undefined;
}

/** What one runtime measured. */
export interface OAuthTimes {
  /** Microseconds of `start()`. */
  readonly start: number;
  /** Microseconds of `callback()`. */
  readonly callback: number;
  /** `callback()` ÷ an application's callback: it takes its transaction as ours does, then calls openid-client. */
  readonly overApplication: number;
  /** `callback()` ÷ openid-client's `authorizationCodeGrant()` alone, which is given the transaction. */
  readonly overPeer: number;
}

const ISSUER = "https://id.example";
const REDIRECT_URI = "https://app.example/auth/oauth/oidc/callback";
const [CLIENT_ID, SECRET] = ["client", "a secret"];
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  id_token_signing_alg_values_supported: ["ES256"],
};

/** Callbacks of a round, prepared before their time is taken. */
const BATCH = 50;

/** Seconds that a transaction is kept. */
const LIFETIME = 600;

/** Measures all in turns, each on answers of its own. */
export async function compareOAuth(
  peer: OpenIdClient,
  { rounds }: { readonly rounds: number },
): Promise<OAuthTimes> {
  const key = await generateJwk("ES256");
  const answers = new Map<string, string>();
  const jwks = JSON.stringify({ keys: [publicJwk(key)] });
  const headers = { "Content-Type": "application/json" };
  // deno-lint-ignore require-await -- the type of fetch
  const fetch = async (url: string | URL, init?: RequestInit) => {
    if (String(url) === METADATA.jwks_uri) return new Response(jwks, { headers });
    const code = new URLSearchParams(init?.body as URLSearchParams | string).get("code") ?? "";
    return new Response(answers.get(code), { headers });
  };
  let serial = 0;

  /** Stores the answer of a code. @returns The code. */
  async function answer(nonce: string): Promise<string> {
    const code = `code-${++serial}`;
    const claims = { iss: ISSUER, aud: CLIENT_ID, sub: "u1", nonce };
    const id_token = await signJwt(claims, { algorithms: ["ES256"], key, expiresIn: 300 });
    answers.set(
      code,
      JSON.stringify({ access_token: "a", token_type: "Bearer", expires_in: 60, id_token }),
    );
    return code;
  }

  /** The request of a browser that comes back from the provider. */
  function callbackRequest(parameters: Record<string, string>, cookie: string): Request {
    const request = new Request(`${REDIRECT_URI}?${new URLSearchParams(parameters)}`);
    const headers = new Headers({ Cookie: cookie.split(";")[0] ?? "" });
    Object.defineProperty(request, "headers", { value: headers }); // browsers' field: Node drops it
    return request;
  }

  const { states } = inMemoryAuthStores();
  const client = oauthClient(
    {
      ...oidcProvider({ issuer: ISSUER, clientId: CLIENT_ID, clientSecret: SECRET }),
      server: METADATA,
    },
    { states, redirectUri: REDIRECT_URI, fetch },
  );
  const request = new Request("https://app.example/auth/oauth/oidc/start");
  const starts: number[] = [];

  async function prepareOurs(): Promise<() => Promise<unknown>> {
    const from = performance.now();
    const { url, cookies: [cookie = ""] } = await client.start(request);
    starts.push(performance.now() - from);
    const { searchParams } = new URL(url);
    const code = await answer(searchParams.get("nonce") ?? "");
    const state = searchParams.get("state") ?? "";
    const callback = callbackRequest({ code, state, iss: ISSUER }, cookie);
    return () => client.callback(callback);
  }

  const config = new peer.Configuration(METADATA, CLIENT_ID, {}, peer.ClientSecretBasic(SECRET));
  peer.enableNonRepudiationChecks(config);
  Object.assign(config, { [peer.customFetch]: fetch });

  async function preparePeer(): Promise<() => Promise<unknown>> {
    const { state, ...checks } = newChecks();
    const query = new URLSearchParams({
      code: await answer(checks.expectedNonce),
      state,
      iss: ISSUER,
    });
    const url = new URL(`${REDIRECT_URI}?${query}`);
    return () => peer.authorizationCodeGrant(config, url, { ...checks, expectedState: state });
  }

  async function prepareApplication(): Promise<() => Promise<unknown>> {
    const { state, ...checks } = newChecks();
    const browser = peer.randomState();
    const expiresAt = Math.floor(Date.now() / 1_000) + LIFETIME;
    await states.put(await keyOf(state, browser), { checks, redirectTo: "/" }, expiresAt);
    const cookie = serializeCookie(cookieName(state), browser, { maxAge: LIFETIME });
    const code = await answer(checks.expectedNonce);
    const callback = callbackRequest({ code, state, iss: ISSUER }, cookie);
    return () => applicationCallback(callback);
  }

  async function applicationCallback({ url: href, headers }: Request) {
    const url = new URL(href);
    const state = url.searchParams.get("state") ?? "";
    const reading = readCookie(headers.get("Cookie"), cookieName(state));
    if (reading.status !== "found") throw new Error("The cookie is missing");
    const found = await states.consume(await keyOf(state, reading.value)) as
      | { readonly checks: object; readonly redirectTo: string }
      | null;
    if (found === null) throw new Error("The state is unknown");
    const { checks, redirectTo } = found;
    const tokens = await peer.authorizationCodeGrant(config, url, {
      ...checks,
      expectedState: state,
    });
    const cookies = [serializeCookie(cookieName(state), "", { maxAge: 0 })];
    return { claims: tokens.claims(), tokens, redirectTo, cookies };
  }

  function newChecks() {
    return {
      state: peer.randomState(),
      pkceCodeVerifier: peer.randomPKCECodeVerifier(),
      expectedNonce: peer.randomNonce(),
      idTokenExpected: true,
    };
  }

  const contestants = [prepareOurs, prepareApplication, preparePeer];
  const ours: number[] = [];
  const overApplication: number[] = [];
  const overPeer: number[] = [];
  for (let round = 0; round < rounds + 2; round++) { // the first two warm up
    const first = round % contestants.length;
    const order = [...contestants.slice(first), ...contestants.slice(0, first)];
    const times = new Map<unknown, number>();
    for (const prepare of order) times.set(prepare, await timeBatch(prepare));
    if (round < 2) continue;
    const [own = NaN, application = NaN, alone = NaN] = contestants.map((each) => times.get(each));
    ours.push(own);
    overApplication.push(own / application);
    overPeer.push(own / alone);
  }
  return {
    start: 1_000 * median(starts),
    callback: 1_000 * median(ours),
    overApplication: median(overApplication),
    overPeer: median(overPeer),
  };
}

function cookieName(state: string): string {
  return `__Host-tx-${state.slice(0, 8)}`;
}

/** The key of a transaction. */
async function keyOf(state: string, browser: string): Promise<string> {
  return `app:${await digestText(`${state}.${browser}`)}`;
}

/** Milliseconds of one call. */
async function timeBatch(prepare: () => Promise<() => Promise<unknown>>): Promise<number> {
  const calls: (() => Promise<unknown>)[] = [];
  for (let i = 0; i < BATCH; i++) calls.push(await prepare());
  const from = performance.now();
  for (const call of calls) await call();
  return (performance.now() - from) / BATCH;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
