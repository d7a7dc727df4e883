/** Contexts: who an operation is from. */

import { createContainer, createRouter, routerBuilder } from "@gatehouse/http";
import {
  type AuthEvent,
  cookiePolicy,
  generateSecret,
  getPrincipal,
  getSession,
  inMemoryAuthStores,
  registerAuth,
  sessionCookieStrategy,
  sessionService,
} from "@gatehouse/http/auth";
import { createAuthContext, type IncomingLike, requireSubject } from "@gatehouse/http/auth/graphql";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createUsers } from "./_schemas.ts";

const HERE = "https://example.com";

/** Sessions and bearer keys of one application. */
async function createApp() {
  const events: AuthEvent[] = [];
  const stores = inMemoryAuthStores();
  const runtime = registerAuth({
    secret: generateSecret(),
    stores,
    deployment: "direct",
    jwt: { issuer: HERE, audience: "notes" },
    container: createContainer(),
    events: (event) => void events.push(event),
    warn: () => {},
  });
  const credentials = { identifier: "ada@example.org", password: "lovelace wrote notes" };
  const user = await runtime.passwords.createUser(credentials);
  const { token } = await runtime.sessions.create(user);
  const { accessToken } = await runtime.tokens.issue(user);
  const page = new Request(HERE, { headers: { Cookie: `__Host-sid=${token}` } });
  const csrf = await runtime.csrf.issue(page);
  const cookies = [`__Host-sid=${token}`, ...csrf.cookies.map((one) => one.split(";")[0])];
  events.length = 0;
  return {
    runtime,
    events,
    user,
    token,
    accessToken,
    csrf: csrf.token,
    Cookie: cookies.join("; "),
  };
}

type App = Awaited<ReturnType<typeof createApp>>;
const APP = await createApp();

/** Requests, and whose they are. */
const REQUESTS: readonly (readonly [
  why: string,
  init: (app: App) => RequestInit,
  isKnown: boolean,
  event?: AuthEvent["type"],
])[] = [
  ["no credential", () => ({}), false],
  ["a session, by GET", ({ Cookie }) => ({ headers: { Cookie } }), true],
  ["a session, by POST of a page of its own", ({ Cookie }) => ({
    method: "POST",
    headers: { Cookie, Origin: HERE },
  }), true],
  ["a session and its token, by POST without an origin", ({ Cookie, csrf }) => ({
    method: "POST",
    headers: { Cookie, "X-CSRF-Token": csrf },
  }), true],
  [
    "a session, by POST without an origin and a token",
    ({ Cookie }) => ({
      method: "POST",
      headers: { Cookie },
    }),
    false,
    "csrf.failed",
  ],
  [
    "a session and its token, from another site",
    ({ Cookie, csrf }) => ({
      method: "POST",
      headers: { Cookie, Origin: "https://evil.example", "X-CSRF-Token": csrf },
    }),
    false,
    "csrf.failed",
  ],
  ["a session over a WebSocket of a page of its own", ({ Cookie }) => ({
    headers: { Cookie, Origin: HERE, Upgrade: "websocket" },
  }), true],
  [
    "a session over a WebSocket of another page",
    ({ Cookie }) => ({
      headers: { Cookie, Origin: "https://evil.example", Upgrade: "websocket" },
    }),
    false,
    "csrf.failed",
  ],
  [
    "an unknown session",
    () => ({ headers: { Cookie: "__Host-sid=x" } }),
    false,
    "credential.refused",
  ],
  ["a bearer token, from another site", ({ accessToken }) => ({
    method: "POST",
    headers: { Authorization: `Bearer ${accessToken}`, Origin: "https://evil.example" },
  }), true],
  [
    "a wrong bearer token",
    () => ({ headers: { Authorization: "Bearer x" } }),
    false,
    "credential.refused",
  ],
];

for (const [why, init, isKnown, event] of REQUESTS) {
  Deno.test(`createAuthContext() of a request with ${why}`, async () => {
    const app = APP;
    app.events.length = 0;
    const request = new Request(`${HERE}/graphql`, init(app));
    const context = await createAuthContext({ runtime: app.runtime })(request);
    assertEquals(context.principal?.sub, isKnown ? app.user.sub : undefined);
    assertEquals(context.request, request);
    assertEquals(getPrincipal(request), context.principal);
    assertEquals(app.events.map(({ type }) => type), event === undefined ? [] : [event]);
    if (isKnown) assertEquals(requireSubject(context), context.principal);
    else assertThrows(() => requireSubject(context), Error, "Authentication required");
  });
}

/** What Node.js and WebSocket servers pass on, and whose it is. */
const INCOMING: readonly (readonly [
  why: string,
  incoming: (app: App) => IncomingLike,
  isKnown: boolean,
  connectionParams?: (app: App) => Readonly<Record<string, unknown>> | null,
])[] = [
  [
    "headers",
    ({ Cookie }) => ({ method: "GET", url: "/graphql", headers: { cookie: Cookie } }),
    true,
  ],
  ["raw headers", ({ Cookie, csrf }) => ({
    method: "POST",
    url: "/graphql",
    headers: {},
    rawHeaders: ["Host", "example.com", "Cookie", Cookie, "Origin", HERE, "X-CSRF-Token", csrf],
  }), true],
  ["cookies that HTTP/2 has split", ({ Cookie }) => ({
    headers: { ":path": "/graphql", ":authority": "example.com" },
    rawHeaders: [":path", "/graphql", ...Cookie.split("; ").flatMap((one) => ["cookie", one])],
  }), true],
  ["two tokens, of which Node.js drops one", ({ accessToken }) => ({
    headers: { authorization: `Bearer ${accessToken}` },
    rawHeaders: ["Authorization", `Bearer ${accessToken}`, "Authorization", "Bearer x"],
  }), false],
  ["another host, by POST", ({ Cookie, csrf }) => ({
    method: "POST",
    url: "/graphql",
    headers: { host: "evil.example", cookie: Cookie, origin: HERE, "x-csrf-token": csrf },
  }), false],
  ["an invalid host, by POST", ({ Cookie, csrf }) => ({
    method: "POST",
    url: "//example.com/graphql",
    headers: { host: "exa mple", cookie: Cookie, origin: HERE, "x-csrf-token": csrf },
  }), false],
  ["a token in connectionParams", () => ({ headers: {} }), true, ({ accessToken }) => ({
    authorization: `Bearer ${accessToken}`,
    other: 1,
  })],
  ["a cookie in connectionParams", () => ({ headers: {} }), false, ({ Cookie }) => ({ Cookie })],
  ["a token that is no string", () => ({ headers: {} }), false, ({ accessToken }) => ({
    Authorization: [`Bearer ${accessToken}`],
  })],
  ["connectionParams that are null", () => ({ headers: {} }), false, () => null],
  [
    "two tokens, one in connectionParams",
    ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    }),
    false,
    ({ accessToken }) => ({ Authorization: `Bearer ${accessToken}` }),
  ],
];

for (const [why, incoming, isKnown, connectionParams] of INCOMING) {
  Deno.test(`createAuthContext() of a Node.js request with ${why}`, async () => {
    const app = APP;
    const contextOf = createAuthContext({ runtime: app.runtime });
    const options = { connectionParams: connectionParams?.(app) };
    const { principal, request } = await contextOf(incoming(app), options);
    assertEquals(principal?.sub, isKnown ? app.user.sub : undefined);
    assert(request instanceof Request);
  });
}

Deno.test("createAuthContext() takes requests of a library, and adds connectionParams to standard ones", async () => {
  const { runtime, accessToken, user } = APP;
  const contextOf = createAuthContext({ runtime });
  const { url, method, headers } = new Request(HERE, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  const foreign = { url, method, headers } as unknown as Request;
  assertEquals((await contextOf(foreign)).principal?.sub, user.sub);
  const connectionParams = { Authorization: `Bearer ${accessToken}` };
  const { principal } = await contextOf(new Request(HERE), { connectionParams });
  assertEquals(principal?.sub, user.sub);
});

Deno.test("createAuthContext() runs strategies once beside a guard, and getSession() works", async () => {
  const app = APP;
  let asked = 0;
  const { strategy } = app.runtime;
  const counted = {
    ...strategy,
    authenticate: (...args: Parameters<typeof strategy.authenticate>) => {
      asked++;
      return strategy.authenticate(...args);
    },
  };
  const contextOf = createAuthContext({ runtime: app.runtime, strategy: counted });
  const router = routerBuilder().withAuth(app.runtime.integration({ routes: false })).build()
    .get("/graphql", async (req) => {
      const { principal } = await contextOf(req.raw);
      return Response.json([principal?.sub, getSession(req)?.user.identifier]);
    }, { auth: { mode: "optional" } });
  const response = await router.request("/graphql", { headers: { Cookie: app.Cookie } });
  assertEquals(await response.json(), [app.user.sub, "ada@example.org"]);
  assertEquals(asked, 1);
  const plain = createRouter().get("/", async (req) => {
    await createAuthContext({ runtime: app.runtime })(req.raw);
    return Response.json(getSession(req)?.user.identifier);
  });
  const again = await plain.request("/", { headers: { Cookie: app.Cookie } });
  assertEquals(await again.json(), "ada@example.org");
});

Deno.test("createAuthContext() needs a runtime or a strategy, and CSRF protection for cookies", async () => {
  assertThrows(() => createAuthContext(), TypeError, "call registerAuth() first");
  const sessions = sessionService(inMemoryAuthStores());
  const cookie = sessionCookieStrategy({ sessions, cookies: cookiePolicy() });
  assertThrows(() => createAuthContext({ strategy: cookie }), TypeError, "CSRF");
  const wrong = { manager: {} } as Parameters<typeof createAuthContext>[0];
  assertThrows(() => createAuthContext(wrong), TypeError, "unknown option manager");
  const strategy = createUsers().strategy;
  const { principal } = await createAuthContext({ strategy })(
    new Request(HERE, { headers: { "X-User": "ada" } }),
  );
  assertEquals(principal?.sub, "ada");
});

Deno.test("createAuthContext() rejects if a strategy throws", async () => {
  const strategy = {
    ...createUsers().strategy,
    authenticate: () => Promise.reject(new Error("the database is down")),
  };
  const contextOf = createAuthContext({ strategy });
  await assertRejects(() => contextOf(new Request(HERE)), Error, "the database is down");
});
