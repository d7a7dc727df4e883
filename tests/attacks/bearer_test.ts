/** The catalogue "Guards, stores, keys" and "JWT and JWS", bearer tokens at a guard; rows are only added. */

import { apiKeyService, apiKeyStrategy, inMemoryAuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { createTestApp, type TestApp } from "../auth/http/_app.ts";
import { CLIENT, OTHER_PASSWORD, PASSWORD, setDisabled, START } from "../auth/_services.ts";
import { ask, createTokenApp, JWT, refresh, signInForTokens } from "../auth/http/_token_routes.ts";
import { codeOf } from "../router/_helpers.ts";

/** Credentials of a sign-in, in various places of a request. */
interface Held {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly session: string;
}

const PLACES: readonly (readonly [
  source: string,
  what: string,
  headers: (held: Held) => HeadersInit,
  outcome: readonly unknown[],
])[] = [
  ["ATTACKS", "Basic credentials", () => ({ Authorization: "Basic dTE6eA==" }), [
    401,
    "unauthenticated",
  ]],
  ["ATTACKS", "Bearer alone", () => ({ Authorization: "Bearer" }), [401, "invalid_token"]],
  ["ATTACKS", "two fields", ({ accessToken }) => [
    ["Authorization", `Bearer ${accessToken}`],
    ["Authorization", `Bearer ${accessToken}`],
  ], [401, "invalid_token"]],
  ["neighbour", "Basic before Bearer", ({ accessToken }) => [
    ["Authorization", "Basic dTE6eA=="],
    ["Authorization", `Bearer ${accessToken}`],
  ], [401, "invalid_token"]],
  ["ATTACKS", "a session and an invalid token", ({ session }) => ({
    Cookie: `__Host-sid=${session}`,
    Authorization: "Bearer x",
  }), [401, "invalid_token"]],
  ["neighbour", "a session and an empty token", ({ session }) => ({
    Cookie: `__Host-sid=${session}`,
    Authorization: "Bearer ",
  }), [401, "invalid_token"]],
  ["ATTACKS, RFC 9068 §4", "an ID token", ({ idToken }) => ({
    Authorization: `Bearer ${idToken}`,
  }), [401, "invalid_token"]],
  ["neighbour", "a refresh token", ({ refreshToken }) => ({
    Authorization: `Bearer ${refreshToken}`,
  }), [401, "invalid_token"]],
  ["neighbour", "a session's token", ({ session }) => ({
    Authorization: `Bearer ${session}`,
  }), [401, "invalid_token"]],
  ["neighbour", "an access token as a session's", ({ accessToken }) => ({
    Cookie: `__Host-sid=${accessToken}`,
  }), [401, "session_expired"]],
  ["neighbour", "an access token as an API key", ({ accessToken }) => ({
    "X-API-Key": accessToken,
  }), [401, "invalid_api_key"]],
  ["neighbour", "a token under another scheme", ({ accessToken }) => ({
    Authorization: `Token ${accessToken}`,
  }), [401, "unauthenticated"]],
  ["neighbour", "a token in a proxy's header field", ({ accessToken }) => ({
    "Proxy-Authorization": `Bearer ${accessToken}`,
    "X-Forwarded-Authorization": `Bearer ${accessToken}`,
  }), [401, "unauthenticated"]],
];

for (const [source, what, headers, outcome] of PLACES) {
  Deno.test(`[${source}] bearer: ${what} → ${outcome.join(" ")}`, async () => {
    const { app, held } = await signedIn();
    const response = await app.router.request("/me", { headers: headers(held) });
    assertEquals(await codeOf(response.clone()), outcome);
    await assertSilent(response, app, held);
  });
}

Deno.test("[RFC 6750 §2.2, §2.3] bearer: a token in the query or a form → anonymous", async () => {
  const { app, held: { accessToken } } = await signedIn();
  const query = `?access_token=${accessToken}&token=${accessToken}`;
  assertEquals(await codeOf(app.router.request(`/me${query}`)), [401, "unauthenticated"]);
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ access_token: accessToken });
  const init = { method: "POST", headers, body };
  assertEquals(await codeOf(app.router.request("/notes", init)), [401, "unauthenticated"]);
});

Deno.test("[neighbour] bearer: another application's token, with the same keys → 401", async () => {
  const { app, held, stores } = await signedIn();
  for (const [issuer, audience] of [[JWT.issuer, "other"], ["https://other", JWT.audience]]) {
    const other = createTestApp({
      stores,
      jwt: { issuer: issuer ?? "", audience: audience ?? "" },
    });
    assertEquals(await codeOf(ask(other, held.accessToken)), [401, "invalid_token"]);
  }
  assertEquals((await ask(app, held.accessToken)).status, 200);
});

Deno.test("[neighbour] bearer: a refresh token of another client of the same stores → 401, and it is revoked", async () => {
  const { held, stores } = await signedIn();
  const other = createTokenApp({ stores, jwt: { ...JWT, audience: "other" } });
  assertEquals(await codeOf(refresh(other, held.refreshToken)), [401, "invalid_refresh_token"]);
});

Deno.test("[ATTACKS] bearer: unavailable keys → 500, no anonymous access", async () => {
  const stores = inMemoryAuthStores();
  const { app, held } = await signedIn(stores);
  const down = createTestApp({
    jwt: JWT,
    stores,
    wrap: () => ({
      keys: {
        load: () => Promise.reject(new Error("down")),
        save: () => Promise.reject(new Error("down")),
      },
    }),
  });
  for (const path of ["/me", "/maybe"]) {
    const headers = { Authorization: `Bearer ${held.accessToken}` };
    assertEquals(await codeOf(down.router.request(path, { headers })), [500, "internal_error"]);
  }
  assertEquals((await ask(app, held.accessToken)).status, 200);
});

Deno.test("[neighbour] bearer: a cross-site request with a token is allowed, one with a cookie is rejected", async () => {
  const { app, held } = await signedIn();
  const page = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
  const send = (headers: Record<string, string>) =>
    app.router.request("/notes", { method: "POST", headers: { ...page, ...headers }, body: "{}" });
  assertEquals((await send({ Authorization: `Bearer ${held.accessToken}` })).status, 201);
  assertEquals(await codeOf(send({ Cookie: `__Host-sid=${held.session}` })), [403, "csrf_failed"]);
  const both = {
    Authorization: `Bearer ${held.accessToken}`,
    Cookie: `__Host-sid=${held.session}`,
  };
  assertEquals((await send(both)).status, 201); // the token decides; a browser would not send it automatically
});

Deno.test("[ATTACKS] disabled: refresh tokens, API keys and access tokens are rejected at once", async () => {
  const { app, held, stores } = await signedIn();
  const apiKeys = apiKeyService({ ...stores, now: () => app.clock.now });
  const { key } = await apiKeys.create("u1");
  assert(await apiKeys.verify(key) !== undefined);
  await setDisabled(stores);
  assertEquals(await apiKeys.verify(key), undefined);
  assertEquals((await refresh(app, held.refreshToken)).status, 401);
  assertEquals(await codeOf(ask(app, held.accessToken)), [401, "invalid_token"]);
  app.clock.now += 630;
  assertEquals(await codeOf(ask(app, held.accessToken)), [401, "token_expired"]);
});

/** What ends an account's access, and an access token that was issued before it. */
const ENDS: readonly (readonly [
  source: string,
  what: string,
  end: (app: TestApp) => Promise<unknown>,
])[] = [
  ["CWE-613", "disable()", ({ runtime }) => runtime.users.disable("u1")],
  ["CWE-613", "disable() and enable()", async ({ runtime }) => {
    await runtime.users.disable("u1");
    await runtime.users.enable("u1");
  }],
  ["CWE-613", "remove()", ({ runtime }) => runtime.users.remove("u1")],
  ["CWE-613", "remove(), and another user with the same sub", async ({ runtime, stores }) => {
    await runtime.users.remove("u1");
    const eve = { sub: "u1", identifier: "eve", securityStamp: "s9", createdAt: START };
    await stores.users.create(eve);
  }],
  ["CWE-613", "a reset of the password", ({ runtime }) => {
    return runtime.passwords.reset("u1", OTHER_PASSWORD);
  }],
  ["CWE-613", "a change of the password", ({ runtime }) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    return runtime.passwords.change("u1", change, CLIENT);
  }],
];
for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] ended access: ${what} → 401 for an access token at once`, async () => {
    const { app, held } = await signedIn();
    assertEquals((await ask(app, held.accessToken)).status, 200);
    await end(app);
    assertEquals(await codeOf(ask(app, held.accessToken)), [401, "invalid_token"]);
    assertEquals((await refresh(app, held.refreshToken)).status, 401);
  });
}

Deno.test("[CWE-636] ended access: the users are down → 500 for an access token", async () => {
  const stores = inMemoryAuthStores({ now: () => 0 });
  let isDown = false;
  const findBySub: typeof stores.users.findBySub = (sub) =>
    isDown ? Promise.reject(new Error("SELECT failed")) : stores.users.findBySub(sub);
  const { app, held } = await signedIn({ ...stores, users: { ...stores.users, findBySub } });
  isDown = true;
  assertEquals(await codeOf(ask(app, held.accessToken)), [500, "internal_error"]);
});

Deno.test("[neighbour] responses to a token are private: no-store, and Vary", async () => {
  const { app, held } = await signedIn();
  const response = await ask(app, held.accessToken);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Vary"), "X-API-Key, Authorization, Cookie");
});

/** Ada has signed in for tokens and with a page; a second sign-in is for the page only. */
async function signedIn(stores = inMemoryAuthStores({ now: () => 0 })) {
  const apiKeys = apiKeyService(stores);
  const app = createTokenApp({ stores, strategies: [apiKeyStrategy({ apiKeys })] });
  const { accessToken, refreshToken } = await signInForTokens(app);
  const page = await app.signedIn();
  const claims = { iss: JWT.issuer, aud: JWT.audience, sub: "u1" };
  const idToken = await app.runtime.tokens?.keys.sign(claims, { expiresIn: 600 }) ?? "";
  const held: Held = {
    accessToken,
    refreshToken,
    idToken,
    session: page.jar.get("__Host-sid") ?? "",
  };
  app.events.length = 0;
  return { app, held, stores };
}

/** No part of a presented credential is in a response, an event or a warning. */
async function assertSilent(response: Response, app: TestApp, held: Held): Promise<void> {
  const said = JSON.stringify([
    await response.text(),
    [...response.headers].filter(([name]) => name !== "set-cookie"),
    app.events,
    app.warnings,
    app.errors.map(String),
  ]);
  for (const secret of Object.values(held)) {
    for (const part of String(secret).split(".")) assertFalse(said.includes(part.slice(-12)));
  }
}
