/** Whole sign-ins with what each provider documents that it sends, and what is refused. */

import { assertEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../../../auth/error.ts";
import { decode } from "../../_decode.ts";
import { DEFAULT_TOKEN, FIXTURES, GITHUB_USER, type ProviderFixture } from "./_fixtures.ts";
import { NOW, signIn } from "./_sign_in.ts";

for (const [name, fixture] of Object.entries(FIXTURES)) {
  Deno.test(`${name}() signs in with the shapes that the provider documents`, async () => {
    const { result, url, received } = await signIn(fixture);
    assertEquals(result.profile, fixture.profile);
    assertEquals(result.provider, name);
    const { pkce, nonce, scope } = fixture.provider;
    assertEquals(url.searchParams.get("scope"), scope.join(" "));
    assertEquals(url.searchParams.has("code_challenge"), pkce === "S256");
    assertEquals(url.searchParams.has("nonce"), nonce);
    const token = received.find(({ form }) => form.has("code"));
    assertEquals(token?.form.has("code_verifier"), pkce === "S256");
  });
}

Deno.test("microsoft() returns the issuer of the user's tenant", async () => {
  const { result } = await signIn(fixtureOf("microsoft"));
  assertEquals(result.issuer, fixtureOf("microsoft").issuer);
});

/** [preset, whether the secret is sent in the header field] */
const SECRETS: readonly (readonly [name: string, isBasic: boolean])[] = [
  ["google", false],
  ["microsoft", false],
  ["github", false],
  ["gitlab", true],
  ["discord", true],
  ["facebook", false],
  ["linkedin", false],
  ["slack", false],
  ["twitch", false],
  ["oidc", true],
];
for (const [name, isBasic] of SECRETS) {
  Deno.test(`${name}() sends the secret in the ${isBasic ? "header field" : "form"} only`, async () => {
    const { received } = await signIn(fixtureOf(name));
    const token = received.find(({ form }) => form.has("code"));
    assertEquals(token?.headers.has("Authorization"), isBasic);
    assertEquals(token?.form.get("client_secret"), isBasic ? null : "secret-1");
  });
}

Deno.test("apple() signs a secret for five minutes", async () => {
  const { received } = await signIn(fixtureOf("apple"));
  const secret = received.find(({ form }) => form.has("code"))?.form.get("client_secret") ?? "";
  const { header, claims } = decode(secret);
  assertEquals(header, { alg: "ES256", kid: "KEY1234567" });
  assertEquals(claims, {
    iss: "TEAM123456",
    sub: "client-1",
    aud: "https://appleid.apple.com",
    iat: NOW,
    exp: NOW + 300,
  });
});

Deno.test("github() sends what its API demands", async () => {
  const { received } = await signIn(fixtureOf("github"));
  for (const path of ["/user", "/user/emails"]) {
    const request = received.find(({ url }) => url === `https://api.github.com${path}`);
    assertEquals(request?.headers.get("User-Agent"), "gatehouse");
    assertEquals(request?.headers.get("Accept"), "application/vnd.github+json");
    assertEquals(request?.headers.get("Authorization"), "Bearer gho_1");
  }
  const token = received.find(({ form }) => form.has("code"));
  assertEquals(token?.headers.get("Accept"), "application/json"); // else a form comes
});

Deno.test("twitch() asks for the claims, and its list of scopes is read", async () => {
  const { url, result } = await signIn(fixtureOf("twitch"));
  const claims = { email: null, email_verified: null, preferred_username: null, picture: null };
  assertEquals(JSON.parse(url.searchParams.get("claims") ?? ""), { id_token: claims });
  assertEquals(result.tokens.scope, ["openid", "user:read:email"]);
});

/** What makes a sign-in fail, with the reason. */
const REFUSED: readonly {
  readonly why: string;
  readonly name: string;
  readonly change: Partial<ProviderFixture>;
  readonly reason: string;
}[] = [
  {
    why: "GitHub's error with status 200",
    name: "github",
    change: { token: { error: "bad_verification_code", error_description: "expired" } },
    reason: "token_refused",
  },
  {
    why: "Slack's ok: false with status 200",
    name: "slack",
    change: { token: { ok: false, error: "invalid_code" } },
    reason: "token_refused",
  },
  {
    why: "Slack's ok: false beside a token",
    name: "slack",
    change: { token: { ...DEFAULT_TOKEN, ok: false } },
    reason: "token_refused",
  },
  {
    why: "a token endpoint of GitHub's that answers with another type of token",
    name: "github",
    change: { token: { access_token: "x", token_type: "mac" } },
    reason: "token_response_malformed",
  },
  {
    why: "GitHub's user without its e-mail addresses",
    name: "github",
    change: { documents: { "https://api.github.com/user": GITHUB_USER } },
    reason: "userinfo_refused",
  },
  {
    why: "UserInfo of another user",
    name: "oidc",
    change: { documents: { "https://id.example.com/userinfo": { sub: "u2" } } },
    reason: "sub_mismatch",
  },
  {
    why: "an ID token of Google's for another client",
    name: "google",
    change: { claims: { sub: "1", aud: "client-2" } },
    reason: "id_token_refused",
  },
  {
    why: "Google's ID token of another issuer",
    name: "google",
    change: { issuer: "https://accounts.google.com/" },
    reason: "iss_mismatch",
  },
  {
    why: "Auth0's issuer without its slash",
    name: "auth0",
    change: { issuer: "https://notes.eu.auth0.com" },
    reason: "iss_mismatch",
  },
  {
    why: "Slack's ID token without a workspace",
    name: "slack",
    change: { claims: { sub: "U0R7JM" } },
    reason: "profile_refused",
  },
];
for (const { why, name, change, reason } of REFUSED) {
  Deno.test(`${name}() refuses ${why}`, async () => {
    const error = await assertRejects(() => signIn({ ...fixtureOf(name), ...change }), AuthError);
    assertEquals(error.reason, reason);
  });
}

Deno.test("google() accepts ID tokens whose issuer has no scheme", async () => {
  const { result } = await signIn({ ...fixtureOf("google"), issuer: "accounts.google.com" });
  assertEquals(result.issuer, "https://accounts.google.com");
});

function fixtureOf(name: string): ProviderFixture {
  const fixture = FIXTURES[name];
  if (fixture === undefined) throw new Error(`no fixture ${name}`);
  return fixture;
}
