/** What a guard leaves behind for whoever asks later, and which of its refusals takes the session's cookie away. */

import {
  createRouter,
  getPrincipal,
  getSession,
  json,
  pass,
  type Principal,
  requireAuth,
  requireAuthz,
  type RouteRequest,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp, ORIGIN, type TestBrowser } from "./_app.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const GOOD = { headers: { "X-Key": "good" } };

/** Where the guard may stand when a router is mounted in another. */
const PLACES: readonly (readonly [why: string, outside: boolean, inside: boolean])[] = [
  ["outside", true, false],
  ["inside", false, true],
  ["outside and inside", true, true],
];

for (const [why, outside, inside] of PLACES) {
  Deno.test(`integration() tells a mounted router who asks: guard ${why}`, async () => {
    const key = keyStrategy();
    const app = createTestApp({ strategies: [key] });
    const { runtime } = app;
    const shown = (req: RouteRequest) =>
      json({
        principal: getPrincipal(req)?.sub ?? null,
        raw: getPrincipal(req.raw)?.sub ?? null,
        session: getSession(req)?.user.identifier ?? null,
      });
    const inner = createRouter();
    if (inside) withAuthRoutes(inner, { runtime });
    inner.get("/who", shown).get("/open", shown, { auth: false });
    const middle = createRouter().mount("/middle", inner);
    const outer = createRouter();
    if (outside) withAuthRoutes(outer, { runtime });
    outer.mount("/outer", middle);
    const client = await app.signedIn();
    const headers = { Cookie: client.jar.field() };
    const known = { principal: "u1", raw: "u1", session: "ada@example.org" };
    const nobody = { principal: null, raw: null, session: null };
    const get = async (path: string) =>
      await (await outer.request(`/outer/middle${path}`, { headers })).json();
    assertEquals(await get("/who"), known);
    assertEquals(await get("/open"), outside ? known : nobody);
    assertEquals((await outer.request("/outer/middle/who")).status, 401);
    key.asked.length = 0;
    await get("/who");
    assertEquals(key.asked.length, 1, "strategies are asked once, however many guards there are");
  });
}

Deno.test("getPrincipal() goes with the request to the next match, whose handler sees its own", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  const seen: unknown[] = [];
  const look = (req: RouteRequest) => {
    const { principal } = req as { principal?: Principal };
    seen.push([req.route, principal?.sub, getPrincipal(req)?.sub]);
  };
  app.router
    .get("/p/:id", (req) => (look(req), pass()))
    .get("/p/*", (req) => (look(req), pass()), { auth: { mode: "optional" } })
    .get("/p/7", (req) => (look(req), json(1)), { auth: false });
  assertEquals((await app.router.request("/p/7", GOOD)).status, 200);
  assertEquals(seen, [
    ["/p/:id", "robot", "robot"],
    ["/p/*", "robot", "robot"],
    ["/p/7", undefined, "robot"],
  ]);
});

Deno.test("getPrincipal() keeps whom one guard found where another one finds nobody", async () => {
  const { runtime } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => ({ status: "allowed" })),
  });
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const router = createRouter().get("/", (req) => json(getPrincipal(req)?.sub ?? null), {
    use: [
      requireAuth({ runtime }),
      requireAuthz({ runtime, strategy, metadata: 1, allowAnonymous: true }),
    ],
  });
  assertEquals(await (await router.request("/", GOOD)).json(), "robot");
});

Deno.test("getPrincipal() knows nobody whom the guard did not let pass", async () => {
  const { runtime } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => ({ status: "denied" })),
  });
  const seen: unknown[] = [];
  const router = createRouter({ finally: [(_response, req) => void seen.push(getPrincipal(req))] })
    .withAuth(runtime.integration())
    .get("/", () => json(1), { authorization: { metadata: 1 } });
  assertEquals((await router.request("/", GOOD)).status, 403);
  assertEquals(seen, [undefined]);
});

Deno.test("getPrincipal() knows nobody where no guard ran", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/none", (req) => json([getPrincipal(req) ?? null, getSession(req) ?? null]), {
    auth: false,
  });
  const client = await app.signedIn();
  assertEquals(await (await client.send("/none", GOOD)).json(), [null, null]);
  assertEquals(getPrincipal(new Request("https://example.com/")), undefined);
  assertEquals(getSession({ raw: new Request("https://example.com/") }), undefined);
});

Deno.test("getSession() is there for a session alone, and fresh for each request", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/session", (req) => json(getSession(req)?.session.activeAt ?? null));
  const client = await app.signedIn();
  assertEquals(await (await client.send("/session", GOOD)).json(), null);
  const before = await (await client.send("/session")).json();
  app.clock.now += 600;
  assertEquals(await (await client.send("/session")).json(), before + 600);
});

Deno.test("createGuard() remembers for one answer: a request that is sent again is asked again", async () => {
  const app = createTestApp({ authorization: managerOf(() => ({ status: "allowed" })) });
  const { runtime } = app;
  const client = await app.signedIn();
  app.router
    .get("/guarded", () => json(1))
    .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] })
    .get("/authorized", () => json(1), {
      auth: false,
      use: [requireAuthz({ runtime, metadata: 1 })],
    });
  const headers = { Cookie: client.jar.field() };
  const paths = ["/guarded", "/used", "/authorized"];
  const requests = paths.map((path) => new Request(ORIGIN + path, { headers }));
  const send = () => Promise.all(requests.map(async (one) => (await app.router.fetch(one)).status));
  assertEquals(await send(), [200, 200, 200]);
  await runtime.sessions.revokeToken(client.jar.get("__Host-sid") ?? "");
  assertEquals(await send(), [401, 401, 401]);
});

/** When a refusal takes the session's cookie away. */
const REFUSALS: readonly (readonly [
  why: string,
  path: string,
  prepare: (client: TestBrowser) => Record<string, string>,
  cleared: boolean,
])[] = [
  ["a dead session", "/me", (client) => (client.jar.set("__Host-sid", "dead"), {}), true],
  ["a dead session, optional", "/maybe", (client) => (client.jar.set("__Host-sid", "x"), {}), true],
  ["a dead session by requireAuth()", "/used", ({ jar }) => (jar.set("__Host-sid", "x"), {}), true],
  ["a cookie that is there twice", "/me", ({ jar }) => ({
    Cookie: `${jar.field()}; __Host-sid=other`,
  }), true],
  ["a wrong key beside a session", "/me", () => ({ "X-Key": "bad" }), false],
  ["a wrong cookie of another strategy", "/me", ({ jar }) => {
    jar.set("__Host-other", "bad");
    return { "X-Other": "bad" };
  }, false],
  ["a wrong field that has the cookie's name", "/me", () => ({ "__Host-sid": "bad" }), false],
  ["a refused authorization", "/denied", () => ({}), false],
  ["a forgery", "/me", () => ({ Upgrade: "websocket", "Sec-Fetch-Site": "cross-site" }), false],
  ["an anonymous request", "/me", ({ jar }) => (jar.delete("__Host-sid"), {}), false],
  ["an error", "/throws", () => ({}), false],
];

for (const [why, path, prepare, cleared] of REFUSALS) {
  Deno.test(`integration() ${cleared ? "takes" : "does not take"} the session's cookie away: ${why}`, async () => {
    const other = keyStrategy({
      name: "other",
      field: "X-Other",
      scheme: { type: "cookie", name: "__Host-other" },
    });
    const namesake = keyStrategy({ name: "namesake", field: "__Host-sid" });
    const app = createTestApp({
      strategies: [keyStrategy(), other, namesake],
      authorization: managerOf(() => ({ status: "denied" })),
    });
    app.router
      .get("/denied", () => json(1), { authorization: { metadata: 1 } })
      .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime: app.runtime })] })
      .get("/throws", () => {
        throw new Error("broken");
      });
    const client = await app.signedIn();
    const response = await client.send(path, { headers: prepare(client) });
    assertEquals(response.ok, false);
    const cookies = cleared ? [app.runtime.cookies.clear("sid")] : [];
    assertEquals(response.headers.getSetCookie(), cookies);
  });
}
