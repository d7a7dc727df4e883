/**
 * A sign-in with a provider that is played by a table of documents: from `start()` to the result of `callback()`.
 *
 * @module
 */

import { inMemoryAuthStores } from "../../../../auth/mod.ts";
import { generateJwk, publicJwk } from "../../../../auth/jwt/jwk.ts";
import { signJwt } from "../../../../auth/jwt/jwt.ts";
import type { Jwk } from "../../../../auth/jwt/types.ts";
import { oauthClient, type OAuthResult } from "../../../../auth/oauth/mod.ts";
import { DEFAULT_TOKEN, type ProviderFixture } from "./_fixtures.ts";

export const NOW = 1_800_000_000;

const REDIRECT_URI = "https://app.example/callback";

let key: Promise<Jwk> | undefined;

/** One for all tests, since RSA keys are slow to generate. */
function signingKey(): Promise<Jwk> {
  return key ??= generateJwk("RS256");
}

/** A request that the provider received. */
export interface ReceivedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
}

/** A completed sign-in. */
export interface SignIn {
  readonly result: OAuthResult;
  /** The authorization request. */
  readonly url: URL;
  readonly received: readonly ReceivedRequest[];
}

/** Signs in. @throws {AuthError} As `callback()` does. */
export async function signIn(fixture: ProviderFixture): Promise<SignIn> {
  const { provider, user } = fixture;
  const issuer = "discover" in provider.server ? provider.server.discover : provider.server.issuer;
  const received: ReceivedRequest[] = [];
  let nonce: string | undefined = undefined;
  const client = oauthClient(provider, {
    states: inMemoryAuthStores().states,
    redirectUri: REDIRECT_URI,
    insecureNoPkce: true,
    now: () => NOW,
    fetch: async (url, init) => {
      const form = new URLSearchParams(init.body?.toString());
      received.push({ url, headers: new Headers(init.headers), form });
      const found = await answer(fixture, { issuer, nonce }, url);
      return found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
    },
  });

  const start = await client.start(new Request("https://app.example/start"));
  const url = new URL(start.url);
  nonce = url.searchParams.get("nonce") ?? undefined;
  const response = new URLSearchParams({
    code: "code-1",
    state: url.searchParams.get("state") ?? "",
    ...(provider.iss === "always" ? { iss: issuer } : {}),
    ...(user === undefined ? {} : { user }),
  });
  const headers = { Cookie: start.cookies.map((one) => one.split(";")[0]).join("; ") };
  const request = provider.responseMode === "form_post"
    ? new Request(REDIRECT_URI, { method: "POST", body: response, headers })
    : new Request(`${REDIRECT_URI}?${response}`, { headers });
  return { result: await client.callback(request), url, received };
}

/** The document at a URL; `undefined` if there is none. */
async function answer(
  { provider, documents = {}, token = DEFAULT_TOKEN, ...fixture }: ProviderFixture,
  { issuer, nonce }: { readonly issuer: string; readonly nonce: string | undefined },
  url: string,
): Promise<unknown> {
  const server = "discover" in provider.server ? metadataOf(issuer) : provider.server;
  switch (url) {
    case `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`:
      return server;
    case server.jwks_uri:
      return { keys: [publicJwk(await signingKey())] };
    case server.token_endpoint: {
      if (fixture.claims === undefined) return token;
      const own = { iss: fixture.issuer ?? issuer, aud: provider.clientId, ...fixture.claims };
      const claims = nonce === undefined ? own : { ...own, nonce };
      const signing = {
        algorithms: ["RS256"],
        key: await signingKey(),
        expiresIn: 600,
        now: () => NOW,
      } as const;
      return { id_token: await signJwt(claims, signing), ...token };
    }
    default:
      return documents[url];
  }
}

function metadataOf(issuer: string) {
  const base = issuer.replace(/\/$/, "");
  return {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    userinfo_endpoint: `${base}/userinfo`,
    jwks_uri: `${base}/keys`,
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  };
}
