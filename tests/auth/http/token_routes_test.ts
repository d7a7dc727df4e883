/** Routes that issue, refresh and revoke tokens. */

import {
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  inMemoryAuthStores,
  type JwtOptions,
  mountAuthRoutes,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { decode } from "../_decode.ts";
import {
  ADA,
  EVE_PASSWORD,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  repeat,
  setDisabled,
  START,
  types,
} from "../_services.ts";
import { createTestApp, type TestApp } from "./_app.ts";
import { assertRefused, FAULT, FORGED, seen, sendBody } from "./_routes.ts";
import { ask, createTokenApp, JWT, postJson, refresh, signInForTokens } from "./_token_routes.ts";

interface Programs extends TestApp {
  readonly programs: TypedRouter;
}

/** Pages sign in under /auth and get no tokens; API clients sign in under /cli and get tokens only. */
async function createApp(): Promise<Programs> {
  const app = createTestApp({ jwt: JWT });
  await app.signedIn();
  const programs = mountAuthRoutes(
    createRouter(),
    createTokenRoutes({ runtime: app.runtime }),
    "/cli",
  );
  return { ...app, programs };
}

/** A request of an API client: no cookie, and no Origin or Fetch Metadata. */
async function post({ programs }: Programs, path: string, body?: unknown): Promise<Response> {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return await programs.request(`/cli${path}`, {
    method: "POST",
    ...(body === undefined ? {} : json),
  });
}

Deno.test("POST /login for API clients issues tokens, and neither a session nor a cookie", async () => {
  const app = await createApp();
  const before = await app.runtime.sessions.list("u1");
  const response = await post(app, "/login", ADA);
  assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { accessToken, refreshToken, ...rest } = await response.json();
  assertEquals(rest, {
    user: { sub: "u1", identifier: ADA.identifier },
    tokenType: "Bearer",
    expiresIn: 600,
  });
  assertEquals(await app.runtime.sessions.list("u1"), before);
  assertEquals((await ask(app, accessToken)).status, 200);
  assertEquals((await post(app, "/refresh", { refreshToken })).status, 200);
  assertEquals(types(app.events), ["key.rotated", "login.succeeded", "refresh.rotated"]);
});

Deno.test("POST /register for API clients creates the account and issues tokens", async () => {
  const app = await createApp();
  const response = await post(app, "/register", { identifier: "eve", password: EVE_PASSWORD });
  const { user, accessToken } = await response.json();
  assertEquals([response.status, user.identifier], [201, "eve"]);
  assertEquals((await ask(app, accessToken)).status, 200);
  const closed = createTokenRoutes({ runtime: app.runtime, registration: "closed" });
  assertEquals(closed.map(({ path }) => path), ["/login", "/logout", "/refresh", "/session"]);
});

Deno.test("POST /logout for API clients revokes the refresh token, whatever the body", async () => {
  const app = await createApp();
  const { refreshToken } = await (await post(app, "/login", ADA)).json();
  for (const body of [undefined, {}, { refreshToken: "made-up" }, { refreshToken: 5 }]) {
    assertEquals((await post(app, "/logout", body)).status, 204);
  }
  const response = await post(app, "/logout", { refreshToken });
  assertEquals([response.status, response.headers.getSetCookie()], [204, []]);
  assertEquals((await post(app, "/refresh", { refreshToken })).status, 401);
});

Deno.test("POST /logout for API clients does not revoke a page's session", async () => {
  const app = await createApp();
  const page = await app.signedIn();
  const headers = { Cookie: page.jar.field() };
  assertEquals(
    (await app.programs.request("/cli/logout", { method: "POST", headers })).status,
    204,
  );
  assertEquals((await page.send("/me")).status, 200);
});

const REFUSED: readonly (readonly [why: string, body: unknown, status: number, code: string])[] = [
  ["a wrong password", { ...ADA, password: EVE_PASSWORD }, 401, "invalid_credentials"],
  ["an unknown user", { identifier: "eve", password: PASSWORD }, 401, "invalid_credentials"],
  ["an array", [], 422, "validation_failed"],
  ["an empty object", {}, 400, "invalid_identifier"],
];

for (const [why, body, status, code] of REFUSED) {
  Deno.test(`POST /login for API clients rejects ${why} like for pages`, async () => {
    const app = await createApp();
    const program = await seen(await post(app, "/login", body));
    const page = await seen(await app.browser().post("/auth/login", body));
    assertEquals(program, page);
    assertEquals([program.status, JSON.parse(program.body).code], [status, code]);
  });
}

Deno.test("POST /login for API clients counts attempts together with those of pages", async () => {
  const app = await createApp();
  const wrong = { ...ADA, password: EVE_PASSWORD };
  const remoteAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 };
  for (let i = 0; i < 5; i++) await app.browser().login(wrong);
  const request = new Request("https://example.com/cli/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ADA),
  });
  const fetch = untyped<(request: Request, info: object) => Promise<Response>>(app.programs.fetch);
  assertEquals((await fetch(request, { remoteAddr })).status, 429);
});

Deno.test("POST /login for API clients cannot be sent by another site's form", async () => {
  const { programs } = await createApp();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const headers = { "Content-Type": type, "Sec-Fetch-Site": "cross-site" };
    const init = { method: "POST", headers, body: JSON.stringify(ADA) };
    assertEquals((await programs.request("/cli/login", init)).status, 415);
  }
});

Deno.test("GET /session for API clients returns the principal of the token", async () => {
  const app = await createApp();
  const { accessToken } = await (await post(app, "/login", ADA)).json();
  const headers = { Authorization: `Bearer ${accessToken}` };
  const { principal, session } = await (await app.programs.request("/cli/session", { headers }))
    .json();
  assertEquals([principal.sub, principal.method, session], ["u1", "bearer", undefined]);
});

Deno.test("generateOpenAPI() documents no CSRF token for API clients", async () => {
  const { programs } = await createApp();
  const { paths } = generateOpenAPI({ title: "Test", version: "1" }, programs);
  const names = ["/cli/login", "/cli/logout", "/cli/refresh", "/cli/register", "/cli/session"];
  assertEquals(Object.keys(paths).sort(), names);
  assert(!JSON.stringify(paths).includes("CSRF"));
});

Deno.test("createAuthRoutes() rejects tokens that are not a boolean", async () => {
  const { runtime } = await createApp();
  for (const tokens of ["only", "yes", "true", 1, null, {}]) {
    assertThrows(
      () => runtime.routes({ tokens: untyped(tokens) }),
      TypeError,
      "tokens must be a boolean",
    );
  }
});

// POST /auth/refresh: rotation of refresh tokens, and one response to all invalid ones.

Deno.test("POST /auth/login issues tokens in addition to its usual response", async () => {
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

Deno.test("POST /auth/register issues tokens as well", async () => {
  const app = createTokenApp({ jwt: { ...JWT, scope: ["notes:read"] } });
  const body = await (await app.browser().register(ADA)).json();
  assertEquals([body.tokenType, body.expiresIn, body.scope], ["Bearer", 600, ["notes:read"]]);
  assertEquals((await ask(app, body.accessToken)).status, 200);
});

Deno.test("POST /auth/login issues no tokens unless the option tokens is set, whatever the body contains", async () => {
  const app = createTestApp({ jwt: JWT });
  await app.signedIn();
  const response = await app.browser().login(untyped({ ...ADA, tokens: true }));
  const members = Object.keys(await response.json()).sort();
  assertEquals(members, ["csrfToken", "principal", "session", "user"]);
  assertEquals((await refresh(app, "x")).status, 404);
});

Deno.test("POST /auth/refresh returns the next tokens of the same sign-in", async () => {
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

/** Invalid refresh tokens. */
const REFRESH_REFUSED: readonly (readonly [
  why: string,
  present: (app: TestApp, token: string) => Promise<unknown> | unknown,
])[] = [
  ["no token", () => undefined],
  ["null", () => null],
  ["a number", () => 5],
  ["an array", (_, token) => [token]],
  ["an empty string", () => ""],
  ["a malformed token", () => "made-up"],
  ["a token of 10 kB", () => "A".repeat(10_000)],
  ["a truncated token", (_, token) => token.slice(0, -1)],
  ["a token with a trailing space", (_, token) => `${token} `],
  ["an unknown family", (_, token) => "A".repeat(22) + token.slice(22)],
  ["another secret", (_, token) => token.slice(0, 23) + "A".repeat(43)],
  ["a token that was exchanged", async (app, token) => {
    await refresh(app, token);
    return token;
  }],
  ["an expired token", (app, token) => {
    app.clock.now += 1_209_600;
    return token;
  }],
  ["a revoked token", async (app, token) => {
    await app.runtime.tokens?.revoke(token);
    return token;
  }],
  ["a token of a disabled user", async (app, token) => {
    await app.runtime.users.disable("u1");
    return token;
  }],
  ["a token of a deleted user", async (app, token) => {
    await app.runtime.users.remove("u1");
    return token;
  }],
  ["a token from before a password change", async (app, token) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    await app.runtime.passwords.change("u1", change, NOBODY);
    return token;
  }],
  ["an access token", async (app) => (await signInForTokens(app)).accessToken],
];

for (const [why, present] of REFRESH_REFUSED) {
  Deno.test(`POST /auth/refresh rejects ${why} with the same response`, async () => {
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
  Deno.test(`POST /auth/refresh rejects the body ${JSON.stringify(body)} with the same response`, async () => {
    const app = createTokenApp();
    const { status, body: text } = await seen(await postJson(app, "/auth/refresh", body));
    assertEquals([status, JSON.parse(text).code], [401, "invalid_refresh_token"]);
  });
}

Deno.test("POST /auth/refresh accepts JSON of up to 16 KiB, by POST only", async () => {
  const { router } = createTokenApp();
  const json = { "Content-Type": "application/json" };
  const send = async (init: RequestInit) => (await router.request("/auth/refresh", init)).status;
  assertEquals(await send({ method: "GET" }), 405);
  assertEquals(await send({ method: "POST", body: "refreshToken=x" }), 415);
  assertEquals(await send({ method: "POST", headers: json, body: "{" }), 400);
  assertEquals(await send({ method: "POST", headers: json, body: `"${"a".repeat(16_384)}"` }), 413);
});

Deno.test("POST /auth/refresh requires no CSRF token, and ignores cookies", async () => {
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

Deno.test("POST /auth/refresh called 50 times concurrently returns tokens once, and revokes the family", async () => {
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

Deno.test("POST /auth/refresh responds 500 if the store fails, and keeps the token valid", async () => {
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
  Deno.test(`POST ${path} creates nothing if no token can be signed`, async () => {
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

Deno.test("POST /auth/login revokes the session if its refresh token cannot be stored", async () => {
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

Deno.test("createAuthRoutes() requires jwt for tokens, and jwt requires its stores", () => {
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
  ["a lifetime of 0", { ...JWT, lifetime: 0 }, untyped(RangeError)],
  ["a lifetime as a string", { ...JWT, lifetime: "600" }, untyped(RangeError)],
  ["several scopes in one string", { ...JWT, scope: "a b" }, TypeError],
];

for (const [why, jwt, error] of WRONG) {
  Deno.test(`registerAuth() rejects tokens with ${why}`, () => {
    assertThrows(() => createTestApp({ jwt: untyped<JwtOptions>(jwt) }), error, "Cannot");
  });
}

Deno.test("registerAuth() accepts tokens with a lifetime of days", async () => {
  const app = createTokenApp({ jwt: { ...JWT, lifetime: 172_800 } });
  const { accessToken } = await signInForTokens(app);
  app.clock.now += 172_000;
  assertEquals((await ask(app, accessToken)).status, 200);
});

Deno.test("mountAuthRoutes() refreshes tokens in a router without a guard", async () => {
  const { runtime } = createTestApp({ jwt: JWT });
  const router = mountAuthRoutes(createRouter(), runtime.routes({ tokens: true }), "/auth");
  const headers = { "Content-Type": "application/json" };
  const response = await router.request("/auth/refresh", { method: "POST", headers, body: "{}" });
  assertEquals([response.status, response.headers.get("Cache-Control")], [401, "no-store"]);
});

// Revocation of a sign-in's tokens: POST /auth/logout, passwords, accounts.

/** The body of a logout, and the status of another sign-in's refresh token afterwards. */
const BODIES: readonly (readonly [
  why: string,
  body: (token: string) => unknown,
  status: number,
  after: number,
])[] = [
  ["nothing", () => undefined, 204, 200],
  ["an empty object", () => ({}), 204, 200],
  ["a refresh token", (refreshToken) => ({ refreshToken }), 204, 401],
  ["an invalid refresh token", () => ({ refreshToken: "made-up" }), 204, 200],
  ["a number as refresh token", () => ({ refreshToken: 5 }), 204, 200],
  ["null as refresh token", () => ({ refreshToken: null }), 204, 200],
  ["an array", (refreshToken) => [refreshToken], 204, 200],
  ["a string", (refreshToken) => refreshToken, 204, 200],
];

for (const [why, body, status, after] of BODIES) {
  Deno.test(`POST /auth/logout with ${why} is a ${status}, and the token is a ${after} afterwards`, async () => {
    const app = createTokenApp();
    const { refreshToken } = await signInForTokens(app);
    const page = await app.signedIn();
    const said = body(refreshToken);
    const response = await page.post("/auth/logout", said, said === undefined ? {} : {});
    assertEquals([response.status, await response.text()], [status, ""]);
    assertEquals((await page.send("/me")).status, 401);
    assertEquals((await refresh(app, refreshToken)).status, after);
  });
}

Deno.test("POST /auth/logout revokes the tokens of its session without a body", async () => {
  const app = createTokenApp();
  await app.signedIn();
  const page = app.browser();
  const { refreshToken, accessToken } = await (await page.login(ADA)).json();
  assertEquals((await page.logout()).status, 204);
  assertEquals((await refresh(app, refreshToken)).status, 401);
  assertEquals((await ask(app, accessToken)).status, 200); // valid until it expires, ten minutes at most
});

Deno.test("POST /auth/logout revokes the session even if the body cannot be read, and reports that", async () => {
  const app = createTokenApp();
  for (const [body, status] of [["{", 400], [`"${"a".repeat(16_384)}"`, 413]] as const) {
    const page = await app.signedIn();
    const headers = { "Content-Type": "application/json" };
    const token = await page.token();
    const response = await page.send("/auth/logout", { method: "POST", body, headers, token });
    assertEquals(response.status, status);
    assertEquals((await page.send("/me")).status, 401);
  }
});

Deno.test("POST /auth/logout without a CSRF token revokes nothing", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const page = await app.signedIn();
  const init = { method: "POST", json: { refreshToken } };
  await assertRefused(await page.send("/auth/logout", init), FORGED);
  assertEquals((await refresh(app, refreshToken)).status, 200);
});

Deno.test("POST /auth/logout ignores tokens if the routes issue none", async () => {
  const app = createTokenApp({ integration: { routes: { registration: "open", tokens: false } } });
  await app.signedIn();
  const authentication = await app.runtime.passwords.verify({ ...ADA }, NOBODY);
  const issued = await app.runtime.tokens?.issue(authentication);
  const page = await app.signedIn();
  assertEquals((await page.post("/auth/logout", issued)).status, 204);
  await app.runtime.tokens?.refresh(issued?.refreshToken ?? "");
});

/** Ways to revoke a user's access. */
const ENDS: readonly (readonly [why: string, end: (app: TestApp) => Promise<unknown>])[] = [
  ["a changed password", ({ runtime }) => {
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    return runtime.passwords.change("u1", change, NOBODY);
  }],
  ["a reset password", ({ runtime }) => runtime.passwords.reset("u1", OTHER_PASSWORD)],
  ["a disabled account", ({ runtime }) => runtime.users.disable("u1")],
  ["an account that was disabled in the store only", ({ stores }) => setDisabled(stores)],
  ["an account that was enabled again", async ({ runtime }) => {
    await runtime.users.disable("u1");
    await runtime.users.enable("u1");
  }],
  ["a deleted account", ({ runtime }) => runtime.users.remove("u1")],
  ["all sessions revoked", ({ runtime }) => runtime.sessions.revokeAll("u1")],
];

for (const [why, end] of ENDS) {
  Deno.test(`Refresh tokens are revoked with ${why}`, async () => {
    const app = createTokenApp();
    const first = await signInForTokens(app);
    const second = await (await refresh(app, first.refreshToken)).json();
    await end(app);
    assertEquals((await refresh(app, second.refreshToken)).status, 401);
  });
}

Deno.test("Refresh tokens of a session are revoked with it from the list of sessions", async () => {
  const app = createTokenApp();
  const { refreshToken } = await signInForTokens(app);
  const kept = await signInForTokens(app);
  const [latest] = await app.runtime.sessions.list("u1");
  const sessions = await app.runtime.sessions.list("u1");
  const own = sessions.find(({ id }) => sessionOf(kept.accessToken) === id);
  await app.runtime.sessions.revokeOthers("u1", own?.id ?? latest?.id ?? "");
  assertEquals((await refresh(app, refreshToken)).status, 401);
  assertEquals((await refresh(app, kept.refreshToken)).status, 200);
});

function sessionOf(accessToken: string): unknown {
  return decode(accessToken).claims.sid;
}

// Incomplete sign-ins that are undone before the response, and bodies of a sign-out that are invalid.

const down = () => Promise.reject(new Error("down"));

Deno.test("POST /auth/login revokes the session before it responds that the sign-in failed", async () => {
  const app = createTokenApp({
    wrap: ({ sessions, refreshTokens }) => ({
      refreshTokens: { ...refreshTokens, create: down },
      sessions: {
        ...sessions,
        async revoke(id) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await sessions.revoke(id);
        },
      },
    }),
  });
  await app.signedIn();
  const before = await app.stores.sessions.list("u1");
  assertEquals((await app.browser().login(ADA)).status, 500);
  assertEquals(await app.stores.sessions.list("u1"), before);
});

/** The body may be absent; otherwise it must be JSON. */
const LOGOUT_BODIES: readonly (readonly [body: string, status: number])[] = [
  ["", 204],
  ["{}", 204],
  ["null", 204],
  [" ", 400],
  ["\n", 400],
  ["refreshToken=x", 400],
];

for (const [body, status] of LOGOUT_BODIES) {
  Deno.test(`POST /auth/logout responds ${status} to the body ${JSON.stringify(body)}, and revokes the session`, async () => {
    const app = createTokenApp();
    const page = await app.signedIn();
    assertEquals((await sendBody(page, "/auth/logout", body)).status, status);
    assertEquals((await page.send("/me")).status, 401);
  });
}
