/**
 * Starting and completing a sign-in at a provider: ours and openid-client with signature checks, on the same answers, without
 * anything that only one runtime has: `oauth.ts` bundles this for Deno, Node and Bun.
 *
 * @module
 */

import { generateJwk, inMemoryAuthStores, publicJwk, signJwt } from "../auth/mod.ts";
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
  authorizationCodeGrant(config: object, url: URL, checks: object): Promise<unknown>;
}

/** What one runtime measured. */
export interface OAuthTimes {
  /** Microseconds of `start()`. */
  readonly start: number;
  /** Microseconds of `callback()`. */
  readonly callback: number;
  /** `callback()` ÷ openid-client's `authorizationCodeGrant()`. */
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

/** Measures both in turns, each on answers of its own. */
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

  const client = oauthClient(
    {
      ...oidcProvider({ issuer: ISSUER, clientId: CLIENT_ID, clientSecret: SECRET }),
      server: METADATA,
    },
    { states: inMemoryAuthStores().states, redirectUri: REDIRECT_URI, fetch },
  );
  const request = new Request("https://app.example/auth/oauth/oidc/start");
  const starts: number[] = [];

  async function prepareOurs(): Promise<() => Promise<unknown>> {
    const from = performance.now();
    const { url, cookies: [cookie = ""] } = await client.start(request);
    starts.push(performance.now() - from);
    const { searchParams } = new URL(url);
    const code = await answer(searchParams.get("nonce") ?? "");
    const query = new URLSearchParams({
      code,
      state: searchParams.get("state") ?? "",
      iss: ISSUER,
    });
    const Cookie = cookie.split(";")[0] ?? "";
    const callback = new Request(`${REDIRECT_URI}?${query}`);
    Object.defineProperty(callback, "headers", { value: new Headers({ Cookie }) }); // browsers' field: Node drops it
    return () => client.callback(callback);
  }

  const config = new peer.Configuration(METADATA, CLIENT_ID, {}, peer.ClientSecretBasic(SECRET));
  peer.enableNonRepudiationChecks(config);
  Object.assign(config, { [peer.customFetch]: fetch });

  async function preparePeer(): Promise<() => Promise<unknown>> {
    const [state, nonce] = [peer.randomState(), peer.randomNonce()];
    const pkceCodeVerifier = peer.randomPKCECodeVerifier();
    const query = new URLSearchParams({ code: await answer(nonce), state, iss: ISSUER });
    const url = new URL(`${REDIRECT_URI}?${query}`);
    const checks = {
      pkceCodeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    };
    return () => peer.authorizationCodeGrant(config, url, checks);
  }

  const ours: number[] = [];
  const theirs: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds + 2; round++) { // the first two warm up
    const order = round % 2 === 0 ? [prepareOurs, preparePeer] : [preparePeer, prepareOurs];
    const times = new Map<unknown, number>();
    for (const prepare of order) times.set(prepare, await timeBatch(prepare));
    if (round < 2) continue;
    const [a = NaN, b = NaN] = [times.get(prepareOurs), times.get(preparePeer)];
    ours.push(a);
    theirs.push(b);
    ratios.push(a / b);
  }
  return {
    start: 1_000 * median(starts),
    callback: 1_000 * median(ours),
    overPeer: median(ratios),
  };
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
