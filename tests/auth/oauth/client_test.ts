import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AuthError, inMemoryAuthStores } from "../../../auth/mod.ts";
import {
  linkedin,
  oauthClient,
  type OAuthClientDeps,
  type OAuthProvider,
  oidcProvider,
  slack,
} from "../../../auth/oauth/mod.ts";
import { failure, NOW, REDIRECT_URI, signIn, site } from "./_sign_in.ts";

const { states } = inMemoryAuthStores();
const DEPS: OAuthClientDeps = { states, redirectUri: REDIRECT_URI };
const PROVIDER = oidcProvider({ issuer: "https://id.example", clientId: "c", clientSecret: "s" });

/** Dependencies that are rejected. */
const REJECTED: readonly (readonly [
  why: string,
  deps: Partial<Record<keyof OAuthClientDeps | "extra", unknown>>,
])[] = [
  ["an unknown option", { extra: 1 }],
  ["no states", { states: undefined }],
  ["states without claim()", { states: { put: states.put, consume: states.consume } }],
  ["no redirect URI", { redirectUri: undefined }],
  ["a relative redirect URI", { redirectUri: "/auth/oauth/fake/callback" }],
  ["a redirect URI over http", { redirectUri: "http://app.example/cb" }],
  ["a redirect URI with a fragment", { redirectUri: "https://app.example/cb#" }],
  ["a redirect URI with a user", { redirectUri: "https://a@app.example/cb" }],
  ["a redirect URI of another scheme", { redirectUri: "javascript:alert(1)" }],
  ["a post-logout URI over http", { postLogoutRedirectUri: "http://app.example/" }],
  ["a fetch that is no function", { fetch: "fetch" }],
  ["a clock that is no function", { now: 5 }],
  ["insecureLoopback that is no boolean", { insecureLoopback: "yes" }],
];

for (const [why, deps] of REJECTED) {
  Deno.test(`oauthClient() rejects ${why}`, () => {
    assertThrows(() => oauthClient(PROVIDER, { ...DEPS, ...deps } as OAuthClientDeps), TypeError);
  });
}

for (
  const numbers of [{ lifetime: 0 }, { lifetime: 3_601 }, { clockTolerance: -1 }, {
    clockTolerance: 601,
  }]
) {
  Deno.test(`oauthClient() rejects ${JSON.stringify(numbers)}`, () => {
    assertThrows(() => oauthClient(PROVIDER, { ...DEPS, ...numbers }), RangeError);
  });
}

/** Providers that are rejected. */
const PROVIDERS:
  readonly (readonly [why: string, provider: Partial<Record<keyof OAuthProvider, unknown>>])[] = [
    ["a name with a slash", { name: "a/b" }],
    ["no client id", { clientId: "" }],
    ["no profile", { profile: undefined }],
    ["an empty secret", { authentication: { method: "client_secret", secret: "" } }],
    ["an unknown method", { authentication: { method: "secret" } }],
    ["an issuer over http", { server: { discover: "http://id.example" } }],
    ["an issuer of a private network", { server: { discover: "https://10.0.0.1" } }],
    ["an issuer of cloud metadata", { server: { discover: "https://169.254.169.254" } }],
    ["an issuer with a query", { server: { discover: "https://id.example/?a" } }],
    ["static metadata without endpoints", { server: { issuer: "https://id.example" } }],
  ];

for (const [why, provider] of PROVIDERS) {
  Deno.test(`oauthClient() rejects a provider with ${why}`, () => {
    assertThrows(() => oauthClient({ ...PROVIDER, ...provider } as OAuthProvider, DEPS), TypeError);
  });
}

Deno.test("oauthClient() needs insecureNoPkce for providers that refuse PKCE", () => {
  const keys = { clientId: "c", clientSecret: "s" };
  for (const provider of [linkedin(keys), slack(keys)]) {
    const { message } = assertThrows(() => oauthClient(provider, DEPS), TypeError);
    assert(message.includes("insecureNoPkce: true"), message);
    oauthClient(provider, { ...DEPS, insecureNoPkce: true });
  }
});

Deno.test("oauthClient() accepts http on this machine as redirect URI", () => {
  for (const host of ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"]) {
    const redirectUri = `http://${host}/auth/oauth/fake/callback`;
    assertEquals(oauthClient(PROVIDER, { states, redirectUri }).redirectUri, redirectUri);
  }
});

Deno.test("refresh() exchanges a refresh token", async () => {
  const { client, fake } = site();
  const tokens = await client.refresh("refresh-0");
  assertEquals([tokens.accessToken, tokens.expiresAt], ["access-1", NOW + 3600]);
  assertEquals(Object.fromEntries(fake.forms[0] ?? []), {
    grant_type: "refresh_token",
    refresh_token: "refresh-0",
  });
});

Deno.test("refresh() shares one request between concurrent calls with one token", async () => {
  const { client, fake } = site();
  const calls = ["refresh-0", "refresh-0", "refresh-1", "refresh-0"].map((token) =>
    client.refresh(token)
  );
  const tokens = (await Promise.all(calls)).map(({ accessToken }) => accessToken);
  assertEquals(fake.forms.length, 2);
  assertEquals(new Set(tokens).size, 2);
  await client.refresh("refresh-0");
  assertEquals(fake.forms.length, 3, "a later call sends its own");
});

Deno.test("refresh() says that the provider refused, and that it does not answer", async () => {
  const own = site();
  assertEquals(await failure(() => own.client.refresh("stolen")), [
    "oauth_failed",
    "token_refused",
  ]);
  own.fake.change({ responses: { "/token": () => new Response("{}", { status: 503 }) } });
  const down = ["service_unavailable", "provider_unreachable"];
  assertEquals(await failure(() => own.client.refresh("refresh-0")), down);
});

Deno.test("refresh() verifies a new ID token, which must be of the same user", async () => {
  const own = site();
  const { tokens: { refreshToken = "", idToken } } = await signIn(own);
  assertEquals((await own.client.refresh(refreshToken, { idToken })).idToken !== undefined, true);
  own.fake.change({ claims: { sub: "u-2" } });
  const refused = () => own.client.refresh(refreshToken, { idToken });
  assertEquals(await failure(refused), ["oauth_failed", "sub_mismatch"]);
  own.fake.change({ claims: { iss: "https://evil.example" } });
  assertEquals(await failure(refused), ["oauth_failed", "iss_mismatch"]);
});

Deno.test("revoke() sends the token, RFC 7009, if there is an endpoint", async () => {
  const own = site();
  assertEquals(await own.client.revoke("refresh-0"), true);
  assertEquals(own.fake.requests.at(-1), "POST https://id.example/revoke");
  const without = site();
  without.fake.change({ metadata: { revocation_endpoint: undefined } });
  assertEquals(await without.client.revoke("refresh-0"), false);
});

Deno.test("revoke() says that the provider does not answer", async () => {
  const own = site();
  own.fake.change({ responses: { "/revoke": () => new Response(null, { status: 503 }) } });
  const error = await assertRejects(() => own.client.revoke("refresh-0"), AuthError);
  assertEquals(error.code, "service_unavailable");
});

Deno.test("endSessionUrl() names client, hint, and where to return", async () => {
  const { client } = site({ deps: { postLogoutRedirectUri: "https://app.example/bye" } });
  const url = new URL(await client.endSessionUrl({ idToken: "a.b.c", state: "s" }) ?? "");
  assertEquals(url.origin + url.pathname, "https://id.example/logout");
  assertEquals(Object.fromEntries(url.searchParams), {
    client_id: "client",
    id_token_hint: "a.b.c",
    post_logout_redirect_uri: "https://app.example/bye",
    state: "s",
  });
  const without = site();
  without.fake.change({ metadata: { end_session_endpoint: undefined } });
  assertEquals(await without.client.endSessionUrl(), undefined);
});
