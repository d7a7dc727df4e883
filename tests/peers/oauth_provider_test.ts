/** The relying party beside node-oidc-provider, over the network of this machine. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AuthError, inMemoryAuthStores } from "../../auth/mod.ts";
import {
  type OAuthClient,
  oauthClient,
  type OAuthClientAuthentication,
  type OAuthResult,
  oidcProvider,
} from "../../auth/oauth/mod.ts";
import { keepCookies, requestOf } from "../auth/oauth/_sign_in.ts";
import { ProviderBrowser, signingKey, startOidcProvider } from "./_oidc_provider.ts";

const REDIRECT_URI = "https://app.example/auth/oauth/oidc/callback";
const BYE = "https://app.example/bye";
const SECRET = "a secret: with % and + and &";

/** Registration of a client. */
const CLIENT = {
  client_id: "notes",
  client_secret: SECRET,
  redirect_uris: [REDIRECT_URI],
  post_logout_redirect_uris: [BYE],
  grant_types: ["authorization_code", "refresh_token"],
  scope: "openid email profile offline_access",
};

function clientOf(
  issuer: string,
  { authentication = { method: "client_secret", secret: SECRET }, identity = "id_token", now }: {
    readonly authentication?: OAuthClientAuthentication;
    readonly identity?: "id_token" | "both";
    readonly now?: () => number;
  } = {},
): OAuthClient {
  const scope = ["openid", "email", "profile", "offline_access"];
  const provider = oidcProvider({ issuer, clientId: "notes", authentication, scope, identity });
  return oauthClient(provider, {
    states: inMemoryAuthStores().states,
    redirectUri: REDIRECT_URI,
    postLogoutRedirectUri: BYE,
    insecureLoopback: true,
    ...(now === undefined ? {} : { now }),
  });
}

async function signIn(
  client: OAuthClient,
  browser: ProviderBrowser = new ProviderBrowser(),
): Promise<OAuthResult> {
  const own = new Map<string, string>();
  const request = new Request("https://app.example/auth/oauth/oidc/start");
  const { url, cookies } = await client.start(request, { prompt: "consent" });
  keepCookies(own, cookies);
  return await client.callback(requestOf(own, await browser.signIn(url, "ada")));
}

for (const alg of ["RS256", "ES256", "PS256", "EdDSA"] as const) {
  Deno.test(`callback() completes a sign-in at oidc-provider with ID tokens of ${alg}`, async () => {
    await using op = await startOidcProvider({
      clients: [{ ...CLIENT, id_token_signed_response_alg: alg }],
      keys: [await signingKey(alg)],
    });
    const { issuer, profile, claims, tokens } = await signIn(
      clientOf(op.issuer, { identity: "both" }),
    );
    assertEquals(issuer, op.issuer);
    assertEquals(profile, {
      subject: "ada",
      email: "ada@example.org",
      emailVerified: true,
      name: "Ada",
    });
    assertEquals([claims.aud, typeof claims["nonce"]], ["notes", "string"]);
    assert(tokens.refreshToken !== undefined && tokens.expiresAt !== undefined);
  });
}

Deno.test("callback() completes sign-ins with each client authentication of oidc-provider", async () => {
  const [key, own] = [await signingKey("ES256"), await signingKey("ES256")];
  const { d: _, ...published } = own as typeof own & { readonly d?: string };
  const rows: readonly (readonly [method: string, OAuthClientAuthentication, object])[] = [
    ["client_secret_basic", { method: "client_secret_basic", secret: SECRET }, {}],
    ["client_secret_post", { method: "client_secret_post", secret: SECRET }, {}],
    [
      "private_key_jwt",
      { method: "private_key_jwt", key: own, alg: "ES256" },
      { client_secret: undefined, jwks: { keys: [published] } },
    ],
    ["none", { method: "none" }, { client_secret: undefined }],
  ];
  for (const [method, authentication, more] of rows) {
    const registration = {
      ...CLIENT,
      id_token_signed_response_alg: "ES256",
      token_endpoint_auth_method: method,
      ...more,
    };
    await using op = await startOidcProvider({ clients: [registration], keys: [key] });
    assertEquals(
      (await signIn(clientOf(op.issuer, { authentication }))).profile.subject,
      "ada",
      method,
    );
    if (method !== "none" && method !== "private_key_jwt") {
      const wrong = { ...authentication, secret: "wrong" } as OAuthClientAuthentication;
      const error = await assertRejects(
        () => signIn(clientOf(op.issuer, { authentication: wrong })),
        AuthError,
      );
      assertEquals(error.reason, "token_refused", method);
    }
  }
});

Deno.test("callback() follows a rotation of oidc-provider's keys", async () => {
  const clients = [{ ...CLIENT, id_token_signed_response_alg: "ES256" }];
  let at = Math.floor(Date.now() / 1000);
  const first = await startOidcProvider({ clients, keys: [await signingKey("ES256")] });
  const client = clientOf(first.issuer, { now: () => at });
  await signIn(client);
  await first[Symbol.asyncDispose]();
  const port = Number(new URL(first.issuer).port);
  await using second = await startOidcProvider({
    clients,
    keys: [await signingKey("ES256")],
    port,
  });
  assertEquals(second.issuer, first.issuer);
  at += 31; // the cooldown of keys, within the tolerance of clocks and a minute
  assertEquals((await signIn(client)).profile.subject, "ada");
});

Deno.test("refresh() and revoke() work with oidc-provider, whose refresh tokens rotate", async () => {
  const registration = { ...CLIENT, id_token_signed_response_alg: "ES256" };
  await using op = await startOidcProvider({
    clients: [registration],
    keys: [await signingKey("ES256")],
    configuration: { rotateRefreshToken: true },
  });
  const client = clientOf(op.issuer);
  const { tokens } = await signIn(client);
  const { refreshToken: first = "", idToken } = tokens;
  const fresh = await client.refresh(first, { idToken });
  assert(fresh.refreshToken !== undefined && fresh.refreshToken !== first);
  assert(fresh.accessToken !== tokens.accessToken);
  assertEquals(await client.revoke(fresh.refreshToken), true);
  const revoked = fresh.refreshToken;
  const error = await assertRejects(() => client.refresh(revoked), AuthError);
  assertEquals(error.reason, "token_refused");
});

Deno.test("endSessionUrl() and verifyLogoutToken() work with oidc-provider", async () => {
  const delivered: string[] = [];
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => arrived = resolve);
  const receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      delivered.push(new URLSearchParams(await request.text()).get("logout_token") ?? "");
      arrived();
      return new Response();
    },
  );
  try {
    await using op = await startOidcProvider({
      clients: [{
        ...CLIENT,
        id_token_signed_response_alg: "ES256",
        backchannel_logout_uri: `http://127.0.0.1:${receiver.addr.port}/`,
        backchannel_logout_session_required: true,
      }],
      keys: [await signingKey("ES256")],
      configuration: {
        async fetch(url: string | URL, init: RequestInit) {
          const { status, body } = await fetch(url, { ...init, signal: null });
          await body?.cancel();
          return new Response(null, { status });
        },
      },
    });
    const client = clientOf(op.issuer);
    const browser = new ProviderBrowser();
    const { tokens: { idToken }, sid } = await signIn(client, browser);
    assert(sid !== undefined);
    const url = await client.endSessionUrl({ idToken, state: "s" });
    const page = await (await browser.send(url ?? "")).text();
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
    const form = new URLSearchParams({ xsrf, logout: "yes" });
    const left = await browser.send(action, form);
    assertEquals(left.headers.get("Location"), `${BYE}?state=s`);
    await arrival;
    assertEquals(await client.verifyLogoutToken(delivered[0] ?? ""), {
      issuer: op.issuer,
      subject: "ada",
      sid,
    });
    const again = await assertRejects(
      () => client.verifyLogoutToken(delivered[0] ?? ""),
      AuthError,
    );
    assertEquals(again.reason, "logout_token_refused");
  } finally {
    await receiver.shutdown();
  }
});
