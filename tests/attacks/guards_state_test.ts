/** The catalogue "Guards, stores, keys": effects of one request on another; rows are only added. */

import {
  AuthError,
  authorizationAllowed,
  createRouter,
  empty,
  getPrincipal,
  json,
  type Principal,
  requireAuth,
  requireAuthz,
  type RouteRequest,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestBrowser } from "../auth/http/_app.ts";
import { EVE_PASSWORD, repeat, setDisabled } from "../auth/_services.ts";
import { keyStrategy, managerOf } from "../auth/_strategies.ts";
import { codeOf } from "../router/_helpers.ts";
import { rawFetch, withServer } from "./_raw.ts";

Deno.test("[neighbour] cross-talk: 200 concurrent requests of two users and anonymous clients → each gets the right principal", async () => {
  const app = createTestApp();
  app.router.get("/slow/:i", async (req) => {
    await new Promise((resolve) => setTimeout(resolve, Number(req.params.i) % 7));
    return json([req.principal?.sub ?? null, getPrincipal(req)?.sub ?? null]);
  }, { auth: { mode: "optional" } });
  const [ada, eve] = await pair(app);
  const fields = [ada.jar.field(), eve.jar.field(), ""];
  const wanted = ["u1", "u2", null];
  const seen = await Promise.all(repeat(201, async (i) => {
    const headers = { Cookie: fields[i % 3] ?? "" };
    return await (await app.router.request(`/slow/${i}`, { headers })).json();
  }));
  seen.forEach((names, i) => assertEquals(names, [wanted[i % 3], wanted[i % 3]]));
});

Deno.test("[CWE-525] cross-talk: one response for all requests → no client gets another client's cookie", async () => {
  const app = createTestApp({
    integration: { catch: ({ status }) => status === 401 ? REFUSED : undefined },
  });
  const DONE = empty();
  const REFUSED = new Response(null, { status: 303, headers: { Location: "/sign-in" } });
  const authentication = await app.runtime.passwords.createUser({
    identifier: "eve",
    password: EVE_PASSWORD,
  });
  app.router
    .post("/enter", async (req) => (await app.runtime.signIn(req, authentication), DONE), {
      auth: false,
      raw: true,
    })
    .get("/ping", () => DONE, { auth: false });
  const eve = app.browser();
  await eve.send("/enter", { method: "POST" });
  assert(eve.jar.names().includes("__Host-sid"));
  const stranger = app.browser();
  await stranger.send("/ping");
  assertEquals(stranger.jar.names(), []);
  const dead = app.browser();
  for (let i = 0; i < 5; i++) {
    dead.jar.set("__Host-sid", "dead");
    assertEquals((await dead.send("/me")).headers.getSetCookie().length, 1);
  }
  assertEquals([...DONE.headers.keys()], [], "the response is unchanged");
});

Deno.test("[CWE-525] cache: an RFC 9111 cache in front of the guard → no page of one user for another", async () => {
  for (const place of ["before", "under"] as const) {
    const { runtime, ...app } = createTestApp();
    const cache = createCache();
    const router = withAuthRoutes(
      place === "before"
        ? createRouter({ before: [cache.middleware] })
        : createRouter().under("/", cache.middleware),
      { runtime },
    );
    router
      .get("/me", (req) => json(req.principal.sub))
      .get("/maybe", (req) => json(req.principal?.sub ?? "nobody"), { auth: { mode: "optional" } })
      .get("/open", () => json("open"), { auth: false })
      .get("/used", (req) => json(getPrincipal(req)?.sub), {
        auth: false,
        use: [requireAuth({ runtime })],
      });
    const ada = await app.signedIn();
    const headers = { Cookie: ada.jar.field() };
    for (const path of ["/me", "/maybe", "/used"]) {
      assertEquals(await (await router.request(path, { headers })).json(), "u1");
      const text = await (await router.request(path)).text();
      assertEquals(text.includes("u1"), false, `${place} ${path}`);
    }
    await router.request("/open");
    assertEquals(cache.kept(), ["/open"]);
  }
});

Deno.test("[neighbour] realms: a principal of one runtime in a router of another → 401", async () => {
  const customers = createTestApp({ strategies: [keyStrategy()] });
  const staff = createTestApp({ authorization: managerOf(() => authorizationAllowed()) });
  const { runtime } = staff;
  const secret = () => json("all users");
  const admin = createRouter<unknown[]>()
    .get("/authz", secret, { use: [requireAuthz({ runtime, metadata: 1 })] })
    .get("/auth", secret, { use: [requireAuth({ runtime })] })
    .get("/both", secret, {
      use: [requireAuth({ runtime }), requireAuthz({ runtime, metadata: 1 })],
    });
  const guarded = withAuthRoutes(createRouter<unknown[]>(), { runtime }).get("/guard", secret);
  customers.router.mount("/admin", admin).mount("/guarded", guarded);
  const init = { headers: { "X-Key": "good" } };
  for (const path of ["/admin/authz", "/admin/auth", "/admin/both", "/guarded/guard"]) {
    assertEquals(
      await codeOf(customers.router.request(path, init)),
      [401, "unauthenticated"],
      path,
    );
  }
});

Deno.test("[neighbour] realms: a session of one runtime's store at another → 401", async () => {
  const one = createTestApp();
  const two = createTestApp();
  const client = await one.signedIn();
  await two.signedIn();
  const init = { headers: { Cookie: client.jar.field() } };
  assertEquals(await codeOf(two.router.request("/me", init)), [401, "session_expired"]);
});

/** What revokes access between two requests. */
const ENDS: readonly (readonly [source: string, what: string, end: (app: TestApp) => unknown])[] = [
  ["ATTACKS", "the account is disabled", ({ stores }) => setDisabled(stores)],
  ["ATTACKS", "the account is removed", ({ runtime }) => runtime.users.remove("u1")],
  ["ATTACKS", "all sessions are revoked", ({ runtime }) => runtime.sessions.revokeAll("u1")],
  ["ATTACKS", "an hour without a request", ({ clock }) => clock.now += 3_600],
];

for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] revocation: ${what} → 401 at the next request, on every kind of route`, async () => {
    const app = createTestApp({ authorization: managerOf(() => authorizationAllowed()) });
    const { runtime, router } = app;
    const anonymous = { metadata: 1, allowAnonymous: true };
    router
      .get("/asked", () => json(1), { auth: { mode: "optional" }, authorization: anonymous })
      .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] })
      .get("/authz", () => json(1), {
        auth: false,
        use: [requireAuthz({ runtime, ...anonymous })],
      });
    const { jar } = await app.signedIn();
    const headers = { Cookie: jar.field() };
    const paths = ["/me", "/maybe", "/asked", "/used", "/authz", "/auth/session"];
    const statuses = () =>
      Promise.all(paths.map(async (path) => (await router.request(path, { headers })).status));
    assertEquals(await statuses(), paths.map(() => 200));
    await end(app);
    assertEquals(await statuses(), paths.map(() => 401));
  });
}

Deno.test("[neighbour] revocation: in the handler of the same request → a guard after it rejects", async () => {
  const app = createTestApp();
  const { runtime } = app;
  app.router.get("/leave", () => json("still in"), {
    use: [async (req) => await runtime.signOut(req), requireAuth({ runtime })],
  });
  const client = await app.signedIn();
  assertEquals((await client.send("/leave")).status, 401);
});

Deno.test("[CWE-636] errors: any failure on an optional route → never anonymous", async () => {
  const headers = { Cookie: "__Host-sid=" + "A".repeat(43) };
  const failures = [new Error("down"), new TypeError("bug"), undefined, null, "text", 0];
  for (const failure of failures) {
    const app = createTestApp({
      wrap: (stores) => ({
        sessions: { ...stores.sessions, findByTokenHash: () => Promise.reject(failure) },
      }),
    });
    const response = await app.router.request("/maybe", { headers });
    assertEquals(await codeOf(response), [500, "internal_error"]);
    assertEquals(response.headers.getSetCookie(), []);
  }
});

Deno.test("[neighbour] errors: a refusal that the handler catches → no principal", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  const seen: (Principal | undefined)[] = [];
  const swallow = wrap<unknown[]>(async (req: RouteRequest, next) => {
    const response = await next();
    seen.push(getPrincipal(req));
    return response;
  });
  app.router.get("/wrapped", () => json(1), {
    auth: false,
    use: [swallow, requireAuth({ runtime: app.runtime })],
  });
  for (const headers of [{}, { "X-Key": "bad" }] as Record<string, string>[]) {
    assertEquals((await app.router.request("/wrapped", { headers })).status, 401);
  }
  assertEquals(seen, [undefined, undefined]);
});

Deno.test("[CWE-532] secrets: no event, warning, error, body or header of a refusal contains a token or key", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/fails", () => {
    throw new AuthError("access_denied", { reason: "a reason for the log" });
  });
  const client = await app.signedIn();
  const token = client.jar.get("__Host-sid") ?? "";
  const secrets = [token, "key-of-somebody", "a reason for the log"];
  const forged = { headers: { "Sec-Fetch-Site": "cross-site" }, method: "POST", json: {} };
  const twice = { headers: { Cookie: `__Host-sid=${token}; __Host-sid=${token}` } };
  const responses = [
    await client.send("/fails"),
    await client.send("/notes", forged),
    await client.send("/me", { headers: { "X-Key": "key-of-somebody" } }),
    await client.send("/me", twice),
  ];
  for (const response of responses) {
    assertNotEquals(response.status, 200);
    const text = JSON.stringify([...response.headers]) + await response.text();
    for (const secret of secrets) assertEquals(text.includes(secret), false);
  }
  const output = JSON.stringify([app.events, app.warnings, app.errors.map(String)]);
  for (const secret of secrets.slice(0, 2)) assertEquals(output.includes(secret), false);
});

Deno.test("[ATTACKS] wire: two Cookie fields, each with a session → 401; one field in two lines → one", async () => {
  const app = createTestApp();
  const { jar } = await app.signedIn();
  const cookie = jar.field();
  await withServer((request, info) => app.router.fetch(request, info), async (port) => {
    const statusOf = async (...headers: string[]) =>
      (await rawFetch(port, "/me", { headers })).status;
    assertEquals(await statusOf(`Cookie: ${cookie}`), 200);
    assertEquals(await statusOf(`Cookie: ${cookie}`, "Cookie: a=b"), 200);
    assertEquals(await statusOf(`Cookie: ${cookie}`, `Cookie: ${cookie}`), 401);
    assertEquals(await statusOf(`Cookie: ${cookie}`, "cookie: __Host-sid=evil"), 401);
    assertEquals(await statusOf("Cookie: \xa0" + cookie), 401);
  });
});

/** A careful cache: it stores no response with `no-store`, `Set-Cookie` or `Vary`. */
function createCache() {
  const pages = new Map<string, Response>();
  const middleware = wrap(async (req, next) => {
    const hit = pages.get(req.path);
    if (hit !== undefined) return hit.clone();
    const response = await next();
    const { headers } = response;
    const isShared = response.ok && !headers.has("Set-Cookie") && !headers.has("Vary") &&
      !/no-store|private/.test(headers.get("Cache-Control") ?? "");
    if (isShared) pages.set(req.path, response.clone());
    return response;
  });
  return { middleware, kept: () => [...pages.keys()] };
}

async function pair(app: TestApp): Promise<readonly [TestBrowser, TestBrowser]> {
  const ada = await app.signedIn();
  const { passwords, sessions, cookies } = app.runtime;
  const credentials = { identifier: "eve@example.org", password: EVE_PASSWORD };
  const { token } = await sessions.create(await passwords.createUser(credentials, { sub: "u2" }));
  const eve = app.browser();
  eve.keep([cookies.set("sid", token)]);
  return [ada, eve];
}
