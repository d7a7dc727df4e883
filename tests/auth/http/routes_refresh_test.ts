/** POST /auth/refresh: tokens for the next ones, and one answer for all that cannot be exchanged. */

import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import {
  createRouter,
  inMemoryAuthStores,
  type JwtOptions,
  mountAuthRoutes,
} from "@gatehouse/http";
import { untyped } from "../../router/_helpers.ts";
import { createTestApp, type TestApp } from "./_app.ts";
import { decode } from "../_decode.ts";
import { FAULT, seen } from "./_routes.ts";
import { ADA, NOBODY, OTHER_PASSWORD, PASSWORD, repeat, START, types } from "../_services.ts";
import { ask, createTokenApp, JWT, postJson, refresh, signInForTokens } from "./_token_routes.ts";

Deno.test("POST /auth/login hands out tokens beside what it always answers", async () => {
  const app = createTokenApp();
  await app.signedIn();
  const response = await app.browser().login(ADA);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { accessToken, refreshToken, principal, session, user, csrfToken, ...rest } = await response
    .json();
  assertEquals(rest, { tokenType: "Bearer", expiresIn: 600 });
  assertEquals([principal.sub, session.sub, user.sub, typeof csrfToken], [
    "u1",
    "u1",
    "u1",
    "string",
  ]);
  assertEquals(accessToken.split(".").length, 3);
  assertEquals(refreshToken.length, 66);
  const me = await ask(app, accessToken);
  assertEquals([me.status, await me.json()], [200, { sub: "u1", method: "bearer" }]);
});

Deno.test("POST /auth/register hands out tokens as well", async () => {
  const app = createTokenApp({ jwt: { ...JWT, scope: ["notes:read"] } });
  const body = await (await app.browser().register(ADA)).json();
  assertEquals([body.tokenType, body.expiresIn, body.scope], ["Bearer", 600, ["notes:read"]]);
  assertEquals((await ask(app, body.accessToken)).status, 200);
});

Deno.test("POST /auth/login hands out no tokens unless the routes do, whatever the body asks", async () => {
  const app = createTestApp({ jwt: JWT });
  await app.signedIn();
  const response = await app.browser().login(untyped({ ...ADA, tokens: true }));
  const members = Object.keys(await response.json()).sort();
  assertEquals(members, ["csrfToken", "principal", "session", "user"]);
  assertEquals((await refresh(app, "x")).status, 404);
});

Deno.test("POST /auth/refresh gives the next tokens, of the same sign-in", async () => {
  const app = createTokenApp();
  const first = await signInForTokens(app);
  app.clock.now += 500;
  const response = await refresh(app, first.refreshToken);
  const shown = await seen(response.clone());
  assertEquals(shown.status, 200);
  assertEquals(shown.headers, [
    ["cache-control", "no-store"],
    ["content-type", "application/json"],
  ]);
  const { accessToken, refreshToken, ...rest } = await response.json();
  assertEquals(rest, { tokenType: "Bearer", expiresIn: 600 });
  assertNotEquals(refreshToken, first.refreshToken);
  const claims = decode(accessToken).claims;
  const before = decode(first.accessToken).claims;
  assertEquals([claims["sub"], claims["auth_time"], claims["sid"]], ["u1", START, before["sid"]]);
  assertEquals(claims["exp"], START + 500 + 600);
  assertNotEquals(claims["jti"], before["jti"]);
  assertEquals(types(app.events), ["refresh.rotated"]);
  assertEquals((await ask(app, accessToken)).status, 200);
  assertEquals((await refresh(app, refreshToken)).status, 200);
});

/** What cannot be exchanged. */
const REFUSED: readonly (readonly [
  why: string,
  present: (app: TestApp, token: string) => Promise<unknown> | unknown,
])[] = [
  ["no token", () => undefined],
  ["null", () => null],
  ["a number", () => 5],
  ["a list", (_, token) => [token]],
  ["an empty text", () => ""],
  ["a text that is no token", () => "made-up"],
  ["a token of 10 kB", () => "A".repeat(10_000)],
  ["a token cut short", (_, token) => token.slice(0, -1)],
  ["a token with a blank", (_, token) => `${token} `],
  ["an unknown family", (_, token) => "A".repeat(22) + token.slice(22)],
  ["another secret", (_, token) => token.slice(0, 23) + "A".repeat(43)],
  ["a token that was exchanged", async (app, token) => {
    await refresh(app, token);
    return token;
  }],
  ["a token that has ended", (app, token) => {
    app.clock.now += 1_209_600;
    return token;
  }],
  ["a token that was revoked", async (app, token) => {
    await app.runtime.tokens?.revoke(token);
    return token;
  }],
  ["a token of a user who is disabled", async (app, token) => {
    await app.runtime.users.disable("u1");
    return token;
  }],
  ["a token of a user who is gone", async (app, token) => {
    await app.runtime.users.remove("u1");
    return token;
  }],
  ["a token from before the password", async (app, token) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    await app.runtime.passwords.change("u1", change, NOBODY);
    return token;
  }],
  ["an access token", async (app) => (await signInForTokens(app)).accessToken],
];

for (const [why, present] of REFUSED) {
  Deno.test(`POST /auth/refresh refuses ${why}, by the one answer`, async () => {
    const app = createTokenApp();
    const { refreshToken } = await signInForTokens(app);
    const presented = await present(app, refreshToken);
    assertEquals(await seen(await refresh(app, presented)), {
      status: 401,
      headers: [
        ["cache-control", "no-store"],
        ["content-type", "application/problem+json"],
        ["www-authenticate", "Session"],
      ],
      body:
        '{"type":"about:blank","title":"Unauthorized","status":401,"code":"invalid_refresh_token"}',
    });
  });
}

for (const body of [[], "text", 5, null, {}]) {
  Deno.test(`POST /auth/refresh refuses the body ${JSON.stringify(body)} as it does any other`, async () => {
    const app = createTokenApp();
    const { status, body: text } = await seen(await postJson(app, "/auth/refresh", body));
    assertEquals([status, JSON.parse(text).code], [401, "invalid_refresh_token"]);
  });
}

Deno.test("POST /auth/refresh takes JSON of up to 16 KiB, by POST alone", async () => {
  const { router } = createTokenApp();
  const json = { "Content-Type": "application/json" };
  const send = async (init: RequestInit) => (await router.request("/auth/refresh", init)).status;
  assertEquals(await send({ method: "GET" }), 405);
  assertEquals(await send({ method: "POST", body: "refreshToken=x" }), 415);
  assertEquals(await send({ method: "POST", headers: json, body: "{" }), 400);
  assertEquals(await send({ method: "POST", headers: json, body: `"${"a".repeat(16_384)}"` }), 413);
});

Deno.test("POST /auth/refresh asks for no CSRF token, and takes no cookie for anything", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const headers = {
    "Content-Type": "application/json",
    "Sec-Fetch-Site": "cross-site",
    Origin: "https://evil.example",
    Cookie: "__Host-sid=planted; __Host-sid=twice",
  };
  const body = JSON.stringify({ refreshToken });
  const response = await app.router.request("/auth/refresh", { method: "POST", headers, body });
  assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
});

Deno.test("POST /auth/refresh by 50 at once answers one with tokens, and ends the family", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const responses = await Promise.all(repeat(50, () => refresh(app, refreshToken)));
  const statuses = responses.map(({ status }) => status).sort();
  assertEquals(statuses, [200, ...repeat(49, () => 401)]);
  const bodies = await Promise.all(
    responses.filter(({ status }) => status === 401).map((each) => each.text()),
  );
  assertEquals(new Set(bodies).size, 1);
  const winner = await responses.find(({ status }) => status === 200)?.json();
  assertEquals((await refresh(app, winner.refreshToken)).status, 401);
});

Deno.test("POST /auth/refresh is a 500 where the store fails, and the token is good after", async () => {
  let isDown = true;
  const app = createTokenApp({
    wrap: ({ refreshTokens }) => ({
      refreshTokens: {
        ...refreshTokens,
        rotate: (rotation) =>
          isDown ? Promise.reject(new Error("down")) : refreshTokens.rotate(rotation),
      },
    }),
  });
  const { refreshToken } = await signInForTokens(app);
  const { status, body } = await seen(await refresh(app, refreshToken));
  assertEquals([status, JSON.parse(body).code], [FAULT.status, FAULT.code]);
  assertEquals(app.errors.length, 1);
  isDown = false;
  assertEquals((await refresh(app, refreshToken)).status, 200);
});

for (const path of ["/auth/register", "/auth/login"]) {
  Deno.test(`POST ${path} begins and makes nothing where no token can be signed`, async () => {
    const app = createTokenApp({
      wrap: ({ keys }) => ({ keys: { ...keys, load: () => Promise.reject(new Error("down")) } }),
    });
    await app.signedIn();
    const before = await app.runtime.sessions.list("u1");
    const credentials = path.endsWith("login") ? ADA : { ...ADA, identifier: "eve" };
    const response = await app.browser().post(path, credentials);
    assertEquals([response.status, response.headers.getSetCookie()], [500, []]);
    assertEquals(await app.runtime.sessions.list("u1"), before);
    assertEquals(await app.stores.users.findByIdentifier("eve"), null);
    assertEquals([app.hasher.calls, app.events], [[], []]);
  });
}

Deno.test("POST /auth/login takes the session back where its refresh token cannot be kept", async () => {
  const app = createTokenApp({
    wrap: ({ refreshTokens }) => ({
      refreshTokens: { ...refreshTokens, create: () => Promise.reject(new Error("down")) },
    }),
  });
  await app.signedIn();
  const before = await app.runtime.sessions.list("u1");
  const page = app.browser();
  assertEquals((await page.login(ADA)).status, 500);
  assertEquals(await app.runtime.sessions.list("u1"), before);
  assertEquals((await page.send("/me")).status, 401);
});

Deno.test("createAuthRoutes() needs jwt for tokens, and jwt its stores", () => {
  const { runtime } = createTestApp();
  assertThrows(() => runtime.routes({ tokens: true }), TypeError, "the option jwt");
  const { keys: _keys, ...others } = inMemoryAuthStores();
  assertThrows(
    () => createTestApp({ stores: untyped(others), jwt: JWT }),
    TypeError,
    "stores.keys",
  );
});

const WRONG: readonly (readonly [why: string, jwt: object, error: typeof TypeError])[] = [
  ["no issuer", { audience: "notes" }, TypeError],
  ["no audience", { issuer: "https://example.com" }, TypeError],
  ["an empty issuer", { ...JWT, issuer: "" }, TypeError],
  ["an unknown option", { ...JWT, expiresIn: 600 }, TypeError],
  ["an unknown limit", { ...JWT, refresh: { expiresIn: 600 } }, TypeError],
  ["an algorithm without a public key", { ...JWT, algorithms: ["HS256"] }, TypeError],
  ["a lifetime of no seconds", { ...JWT, lifetime: 0 }, untyped(RangeError)],
  ["a lifetime as a text", { ...JWT, lifetime: "600" }, untyped(RangeError)],
  ["a list of scopes in one text", { ...JWT, scope: "a b" }, TypeError],
];

for (const [why, jwt, error] of WRONG) {
  Deno.test(`registerAuth() refuses tokens with ${why}`, () => {
    assertThrows(() => createTestApp({ jwt: untyped<JwtOptions>(jwt) }), error, "Cannot");
  });
}

Deno.test("registerAuth() takes tokens that last for days", async () => {
  const app = createTokenApp({ jwt: { ...JWT, lifetime: 172_800 } });
  const { accessToken } = await signInForTokens(app);
  app.clock.now += 172_000;
  assertEquals((await ask(app, accessToken)).status, 200);
});

Deno.test("mountAuthRoutes() refreshes in a router without a guard, too", async () => {
  const { runtime } = createTestApp({ jwt: JWT });
  const router = mountAuthRoutes(createRouter(), runtime.routes({ tokens: true }), "/auth");
  const headers = { "Content-Type": "application/json" };
  const response = await router.request("/auth/refresh", { method: "POST", headers, body: "{}" });
  assertEquals([response.status, response.headers.get("Cache-Control")], [401, "no-store"]);
});
