/** Middleware that requires authentication, authorization and scopes. */

import {
  authenticated,
  type AuthError,
  authorizationAllowed,
  type AuthStrategy,
  createPrincipal,
  createRouter,
  defaultContainer,
  getPrincipal,
  getSession,
  json,
  type Principal,
  type PrincipalInit,
  requireAuth,
  requireAuthz,
  requireScope,
  type RouteRequest,
  type TypedRouter,
  wrap,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { AUTH_RUNTIME } from "../../../auth/http/runtime.ts";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { createIssuer } from "../tokens/_bearer.ts";
import { createTestApp } from "./_app.ts";
import { createApp, GOOD, open, showSub } from "./_require.ts";
import { httpOf } from "../_transport.ts";

/** Positions of `requireAuth()`. */
const PLACES: readonly (readonly [
  why: string,
  make: (guard: ReturnType<typeof requireAuth>) => TypedRouter,
])[] = [
  ["use", (guard) => withRoutes(open(), { use: [guard] })],
  ["under", (guard) => withRoutes(open().under("/", guard))],
  ["before", (guard) => withRoutes(open({ before: [guard] }))],
  ["under a path", (guard) => withRoutes(open().under("/in", guard))],
];

for (const [place, make] of PLACES) {
  Deno.test(`requireAuth() protects a route with ${place}`, async () => {
    const { runtime } = createApp();
    const router = make(requireAuth({ runtime }));
    const refused = await router.request("/in/side");
    assertEquals(refused.headers.get("WWW-Authenticate"), "ApiKey, Session");
    assertEquals(refused.headers.get("Cache-Control"), "no-store");
    assertEquals(refused.headers.get("Vary"), "X-Key, Cookie");
    assertEquals(await codeOf(refused), [401, "unauthenticated"]);
    const wrong = { headers: { "X-Key": "bad" } };
    assertEquals(await codeOf(router.request("/in/side", wrong)), [401, "invalid_key"]);
    const passed = await router.request("/in/side", GOOD);
    assertEquals(await passed.json(), { sub: "robot" });
    assertEquals(passed.headers.get("Cache-Control"), "no-store");
  });
}

Deno.test("requireAuth() in before and under protects unknown paths and other methods", async () => {
  const { runtime } = createApp();
  const guard = requireAuth({ runtime });
  for (
    const router of [withRoutes(open({ before: [guard] })), withRoutes(open().under("/", guard))]
  ) {
    assertEquals((await router.request("/nowhere")).status, 401);
    assertEquals((await router.request("/in/side", { method: "DELETE" })).status, 401);
    assertEquals((await router.request("/in/side", { method: "OPTIONS" })).status, 401);
    assertEquals((await router.request("/nowhere", GOOD)).status, 404);
    assertEquals((await router.request("/in/side", { method: "DELETE", ...GOOD })).status, 405);
  }
});

Deno.test("requireAuth() runs before the middleware after it", async () => {
  const { runtime } = createApp();
  const seen: string[] = [];
  const router = open().get("/", () => json(1), {
    use: [
      () => void seen.push("before"),
      requireAuth({ runtime }),
      () => void seen.push("behind"),
    ],
  });
  await router.request("/");
  assertEquals(seen, ["before"]);
});

Deno.test("requireAuth() calls the strategies once per request, however often it is used", async () => {
  const app = createApp();
  const { runtime, strategy } = app;
  const guard = () => requireAuth({ runtime });
  const router = open({ before: [guard()] }).under("/", guard()).get("/in/side", showSub, {
    use: [guard(), guard(), requireAuthz({ runtime, metadata: 1 })],
  });
  assertEquals(await (await router.request("/in/side", GOOD)).json(), { sub: "robot" });
  assertEquals([strategy.asked.length, app.asked.length], [1, 1]);
});

Deno.test("requireAuth() in a guarded router does not call the strategies again", async () => {
  const app = createApp();
  app.router.get("/twice", showSub, { use: [requireAuth({ runtime: app.runtime })] });
  assertEquals((await app.router.request("/twice", GOOD)).status, 200);
  assertEquals(app.strategy.asked.length, 1);
});

Deno.test("requireAuth() with another strategy calls it, whatever another guard found", async () => {
  const { runtime } = createApp();
  const other = keyStrategy({ name: "other", field: "X-Other" });
  const use = [requireAuth({ runtime }), requireAuth({ runtime, strategy: other })];
  const router = open().get("/", showSub, { use });
  assertEquals(await codeOf(router.request("/", GOOD)), [401, "unauthenticated"]);
  const both = { headers: { "X-Key": "good", "X-Other": "bad" } };
  assertEquals(await codeOf(router.request("/", both)), [401, "invalid_key"]);
  const fine = { headers: { "X-Key": "good", "X-Other": "good" } };
  const response = await router.request("/", fine);
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie, X-Other");
  assertEquals(response.status, 200);
});

Deno.test("requireAuth() finds the runtime in the default container when it is called, or throws", () => {
  assertThrows(() => requireAuth(), TypeError, "Cannot find authentication: call registerAuth()");
  assertThrows(() => requireAuthz({ metadata: 1 }), TypeError, "Cannot find authentication: ");
  assertEquals(defaultContainer.has(AUTH_RUNTIME), false);
});

Deno.test("requireAuth() sets the results of getPrincipal() and getSession(), for original and derived request", async () => {
  const app = createApp();
  const { runtime } = app;
  const seen: unknown[] = [];
  const look = (req: RouteRequest) => {
    const { sub, sessionId } = getPrincipal(req) ?? {};
    seen.push([sub, getSession(req)?.session.id === sessionId]);
    assertEquals(getPrincipal(req), getPrincipal(req.raw));
    assertEquals(getSession(req), getSession(req.raw));
  };
  app.router.get("/look", () => json(1), {
    auth: false,
    use: [
      look,
      wrap(async (req, next) => {
        const response = await next();
        look(req);
        return response;
      }),
      requireAuth({ runtime }),
      look,
    ],
  });
  const client = await app.signedIn();
  assertEquals((await client.send("/look")).status, 200);
  assertEquals(seen, [[undefined, true], ["u1", true], ["u1", true]]);
});

function withRoutes(
  router: TypedRouter,
  options: { use?: ReturnType<typeof requireAuth>[] } = {},
): TypedRouter {
  return router.get("/in/side", showSub, options);
}

Deno.test("requireAuthz() without a guard calls the strategies, and the manager with its metadata", async () => {
  const app = createApp();
  const { runtime, strategy } = app;
  const router = open().get("/:id", showSub, { use: [requireAuthz({ runtime, metadata: "a" })] });
  assertEquals(await codeOf(router.request("/7")), [401, "unauthenticated"]);
  assertEquals([strategy.asked.length, app.asked.length], [1, 0]);
  assertEquals(await (await router.request("/7", GOOD)).json(), { sub: "robot" });
  const [[principal, context] = []] = app.asked;
  assertEquals([principal?.sub, context?.metadata], ["robot", "a"]);
  const { route, params } = httpOf(context);
  assertEquals([route, params.id], ["/:id", "7"]);
});

Deno.test("requireAuthz() rejects what the manager denies, and emits the reason without sending it", async () => {
  const app = createApp();
  const router = open().get("/in", showSub, {
    use: [requireAuthz({ runtime: app.runtime, metadata: "deny" })],
  });
  const response = await router.request("/in", GOOD);
  assertEquals(response.headers.get("WWW-Authenticate"), null);
  assertEquals(await codeOf(response), [403, "access_denied"]);
  const [event] = app.events;
  assertEquals(event?.type === "authz.denied" && [event.reason, event.route, event.sub], [
    "denied here",
    "/in",
    "robot",
  ]);
});

Deno.test("requireAuthz() ignores the result of a guard with another strategy, but not with the same one", async () => {
  const app = createApp();
  const { runtime } = app;
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const first = requireAuth({ runtime, strategy });
  const router = open()
    .get("/one", showSub, { use: [first, requireAuthz({ runtime, metadata: 1 })] })
    .get("/both", showSub, { use: [first, requireAuthz({ runtime, metadata: 1, strategy })] });
  const init = { headers: { "X-Other": "good" } };
  assertEquals(await codeOf(router.request("/one", init)), [401, "unauthenticated"]);
  assertEquals(app.asked.length, 0);
  strategy.asked.length = 0;
  assertEquals(await (await router.request("/both", init)).json(), { sub: "robot" });
  assertEquals([strategy.asked.length, app.asked.length], [1, 1]);
});

Deno.test("requireAuthz() calls the manager with undefined metadata if a route says so", async () => {
  const app = createApp();
  const guard = requireAuthz({ runtime: app.runtime, metadata: undefined });
  const router = open().get("/", showSub, { use: [guard] });
  assertEquals((await router.request("/", GOOD)).status, 200);
  assertEquals(app.asked.map(([, { metadata }]) => metadata), [undefined]);
});

Deno.test("requireAuthz() calls the manager for anonymous requests only with allowAnonymous", async () => {
  const app = createApp();
  const { runtime } = app;
  const rows = [
    ["/open", { metadata: 1, allowAnonymous: true }, 200],
    ["/denied", { metadata: "deny", allowAnonymous: true }, 403],
    ["/closed", { metadata: 1, allowAnonymous: false }, 401],
    ["/default", { metadata: 1 }, 401],
  ] as const;
  const router = open();
  for (const [path, options] of rows) {
    router.get(path, showSub, { use: [requireAuthz({ runtime, ...options })] });
  }
  for (const [path, , status] of rows) assertEquals((await router.request(path)).status, status);
  assertEquals(app.asked.map(([principal]) => principal), [undefined, undefined]);
  const wrong = { headers: { "X-Key": "bad" } };
  assertEquals(await codeOf(router.request("/open", wrong)), [401, "invalid_key"]);
});

Deno.test("requireAuthz() calls the given manager, each time with its own metadata", async () => {
  const app = createApp();
  const { runtime } = app;
  const manager = managerOf(() => authorizationAllowed());
  const router = open().get("/", showSub, {
    use: [
      requireAuthz({ runtime, metadata: "first", manager }),
      requireAuthz({ runtime, metadata: "second" }),
      requireAuthz({ runtime, metadata: "deny" }),
      requireAuthz({ runtime, metadata: "never", manager }),
    ],
  });
  assertEquals((await router.request("/", GOOD)).status, 403);
  assertEquals(manager.asked.map(([, { metadata }]) => metadata), ["first"]);
  assertEquals(app.asked.map(([, { metadata }]) => metadata), ["second", "deny"]);
});

Deno.test("requireAuthz() checks the origin of a request by its own rule, whatever an earlier guard checked", async () => {
  const app = createApp();
  const { runtime } = app;
  const csrf = "insecureSkip";
  const first = requireAuth({ runtime, csrf });
  const options = { auth: false, raw: true } as const;
  app.router
    .post("/checked", () => json("done"), {
      ...options,
      use: [first, requireAuthz({ runtime, metadata: 1 })],
    })
    .post("/skipped", () => json("done"), {
      ...options,
      use: [first, requireAuthz({ runtime, metadata: 1, csrf })],
    });
  const client = await app.signedIn();
  const init = { method: "POST", headers: { "Sec-Fetch-Site": "cross-site" } };
  assertEquals(await codeOf(client.send("/checked", init)), [403, "csrf_failed"]);
  assertEquals((await client.send("/skipped", init)).status, 200);
});

Deno.test("requireAuthz() keeps private responses of an earlier guard out of caches", async () => {
  const { runtime } = createApp();
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const anonymous = requireAuthz({ runtime, metadata: 1, allowAnonymous: true });
  const router = open().get("/", showSub, { use: [requireAuth({ runtime, strategy }), anonymous] });
  const response = await router.request("/", { headers: { "X-Other": "good" } });
  assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
});

Deno.test("requireAuthz() throws without metadata", () => {
  const { runtime } = createApp();
  assertThrows(() => requireAuthz(untyped<never>({ runtime })), TypeError, "metadata is missing");
  assertThrows(() => requireAuthz(untyped<never>({ runtime, metdata: 1 })), TypeError, "Cannot ");
});

Deno.test("requireAuthz() without a guard checks the origin of a request with a session", async () => {
  const app = createApp();
  app.router.post("/do", () => json("done"), {
    auth: false,
    raw: true,
    use: [requireAuthz({ runtime: app.runtime, metadata: 1 })],
  });
  const client = await app.signedIn();
  const headers = { "Sec-Fetch-Site": "same-site" };
  assertEquals(await codeOf(client.send("/do", { method: "POST", headers })), [403, "csrf_failed"]);
  assertEquals((await client.send("/do", { method: "POST" })).status, 200);
});

const NEEDED = ["notes:read", "notes:write"] as const;

/** An application that authenticates every request. */
function createScopedApp(init: Partial<PrincipalInit>) {
  const principal: Principal = createPrincipal({ sub: "u1", method: "bearer", ...init });
  const strategy: AuthStrategy = {
    name: "anybody",
    scheme: { type: "bearer" },
    authenticate: () => authenticated(principal),
  };
  const app = createTestApp({ strategies: [strategy] });
  app.router.get("/notes", () => json("notes"), { use: [requireScope(...NEEDED)] });
  return app;
}

const OUTCOMES: readonly (readonly [
  why: string,
  init: Partial<PrincipalInit>,
  status: number,
])[] = [
  ["both scopes", { scope: ["notes:read", "notes:write"] }, 200],
  ["both scopes and more", { scope: ["a", "notes:write", "b", "notes:read"] }, 200],
  ["no scope, which is no limit", {}, 200],
  ["an empty scope", { scope: [] }, 403],
  ["one of two scopes", { scope: ["notes:read"] }, 403],
  ["both scopes in one string", { scope: ["notes:read notes:write"] }, 403],
  ["a scope with a longer name", { scope: ["notes:read", "notes:write2"] }, 403],
  ["both scopes in another case", { scope: ["NOTES:READ", "NOTES:WRITE"] }, 403],
  ["an empty scope, by an API key", { scope: [], method: "api-key" }, 403],
];

for (const [why, init, status] of OUTCOMES) {
  Deno.test(`requireScope() responds ${status} if the principal has ${why}`, async () => {
    assertEquals((await createScopedApp(init).router.request("/notes")).status, status);
  });
}

Deno.test("requireScope() sends the scope that a bearer token lacks, RFC 6750 §3.1", async () => {
  const response = await createScopedApp({ scope: ["notes:read"] }).router.request("/notes");
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer error="insufficient_scope", scope="notes:read notes:write"',
  );
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(await response.json(), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    code: "insufficient_scope",
  });
});

Deno.test("requireScope() sends no challenge for credentials other than bearer tokens", async () => {
  const response = await createScopedApp({ scope: [], method: "api-key" }).router.request("/notes");
  assertEquals(response.headers.get("WWW-Authenticate"), null);
});

Deno.test("requireScope() rejects requests without a principal", async () => {
  const router = createRouter().get("/", () => json("in"), { use: [requireScope("a")] });
  assertEquals(await codeOf(router.request("/")), [401, "unauthenticated"]);
  const app = createTestApp();
  app.router.get("/maybe-notes", () => json("in"), {
    auth: { mode: "optional" },
    use: [requireScope("a")],
  });
  const response = await app.router.request("/maybe-notes");
  assertEquals(response.headers.get("WWW-Authenticate"), "Session"); // as sent by the guard
  assertEquals(await codeOf(response), [401, "unauthenticated"]);
});

Deno.test("requireScope() does not limit a session", async () => {
  const app = createTestApp();
  app.router.get("/notes", () => json("notes"), { use: [requireScope("notes:read")] });
  assertEquals((await (await app.signedIn()).send("/notes")).status, 200);
});

Deno.test("requireScope() rejects invalid scopes", () => {
  assertThrows(() => requireScope(), TypeError, "no scope is given");
  for (const scope of ["", "a b", 'a"b', "a\\b", "ä", "a\nb", "x".repeat(201)]) {
    assertThrows(() => requireScope(scope), RangeError, "Cannot require scope");
  }
  assertThrows(() => requireScope("a", "a"), RangeError);
  assertThrows(() => requireScope(untyped(["a"])), TypeError);
  assertThrows(() => requireScope(untyped(undefined)), TypeError);
});

// Rejections for insufficient scope, as seen by clients and by the application.

Deno.test("requireScope() sends all challenges of an earlier guard", async () => {
  const { strategy } = await createIssuer({ realm: "notes" });
  const app = createTestApp({ strategies: [strategy] });
  const options = { auth: { mode: "optional" }, use: [requireScope("a")] } as const;
  app.router.get("/notes", () => json("in"), options);
  const response = await app.router.request("/notes");
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("WWW-Authenticate"), 'Bearer realm="notes", Session');
});

Deno.test("requireScope() reports the required scope to the application, and only the code to the client", async () => {
  const { strategy, token } = await createIssuer();
  const refusals: AuthError[] = [];
  const app = createTestApp({
    strategies: [strategy],
    integration: { catch: (error) => void refusals.push(error) },
  });
  app.router.get("/notes", () => json("in"), { use: [requireScope("notes:read", "b")] });
  const headers = { Authorization: `Bearer ${await token({ scope: "b" })}` };
  const response = await app.router.request("/notes", { headers });
  assertEquals(refusals.map(({ code, reason }) => [code, reason]), [
    ["insufficient_scope", "needs notes:read b"],
  ]);
  const { code, detail } = await response.json();
  assertEquals([code, detail], ["insufficient_scope", undefined]);
});

const LENGTHS: readonly (readonly [length: number, isScope: boolean])[] = [
  [1, true],
  [200, true],
  [201, false],
];

for (const [length, isScope] of LENGTHS) {
  Deno.test(`requireScope() ${isScope ? "accepts" : "rejects"} a scope of ${length} characters`, () => {
    let made = true;
    try {
      requireScope("~".repeat(length));
    } catch {
      made = false;
    }
    assertEquals(made, isScope);
  });
}
