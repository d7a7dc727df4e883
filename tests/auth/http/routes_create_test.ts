/** The routes of authentication as data, and where they can be put. */

import {
  type AuthRoutesOptions,
  type AuthRuntime,
  createAuthRoutes,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  type IntegrationOptions,
  json,
  mountAuthRoutes,
  pbkdf2Hasher,
  registerAuth,
  routerBuilder,
  type RouteSource,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";

function createRuntime(csrfHeader?: string): AuthRuntime {
  return registerAuth({
    csrfHeader,
    secret: "a secret of at least 32 bytes, for tests",
    stores: inMemoryAuthStores(),
    hasher: pbkdf2Hasher({ iterations: 1_000 }),
    container: createContainer(),
    warn: () => {},
  });
}

function patternsOf({ routes }: RouteSource): string[] {
  return routes.map(({ method, pattern }) => `${method} ${pattern}`);
}

const ALL: readonly string[] = [
  "POST /register",
  "POST /login",
  "POST /logout",
  "GET /session",
  "GET /csrf",
];

const beneath = (base: string) =>
  ALL.map((route) => {
    const [method, path] = route.split(" ");
    return `${method} ${base}${path}`;
  });

Deno.test("createAuthRoutes() makes a frozen list of five routes, all of them public", () => {
  const routes = createAuthRoutes({ runtime: createRuntime() });
  assertEquals(routes.map(({ method, path }) => `${method} ${path}`), ALL);
  assertEquals(new Set(routes.map(({ options }) => options.auth)), new Set([false]));
  const all = routes.map(({ options }) => options);
  for (const part of [routes, ...routes, ...all, ...all.map(({ use }) => use)]) {
    assert(Object.isFrozen(part));
  }
});

Deno.test("integration() refuses an option that is none: beneath another path, nothing would answer", () => {
  const options = { basepath: "/account" } as IntegrationOptions;
  assertThrows(() => createRuntime().integration(options), TypeError, "unknown option basepath");
});

Deno.test("createAuthRoutes() leaves registration out where it is closed", () => {
  const routes = createRuntime().routes({ registration: "closed" });
  assertEquals(routes.map(({ path }) => path), ["/login", "/logout", "/session", "/csrf"]);
});

Deno.test("createAuthRoutes() by a runtime are that runtime's, whatever the options bring along", async () => {
  const runtime = createRuntime("X-Own");
  const routes: AuthRoutesOptions = { runtime: createRuntime("X-Other") };
  const routers = [
    mountAuthRoutes(createRouter(), runtime.routes(routes)),
    createRouter().withAuth(runtime.integration({ routes })),
  ];
  for (const router of routers) {
    assertEquals((await (await router.request("/auth/csrf")).json()).header, "X-Own");
  }
});

/** What is no option, and may come from JavaScript or from a configuration file. */
const WRONG: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["another word", { registration: "shut" }, "registration must be"],
  ["null", { registration: null }, "registration must be"],
  ["a flag", { registration: false }, "registration must be"],
  ["an inherited name", { registration: "constructor" }, "registration must be"],
  [
    "another name, which would leave it open",
    { registraton: "closed" },
    "unknown option registraton",
  ],
];

for (const [why, options, message] of WRONG) {
  Deno.test(`createAuthRoutes() refuses as registration ${why}`, () => {
    const runtime = createRuntime();
    const given = { runtime, ...options as AuthRoutesOptions };
    assertStringIncludes(assertThrows(() => createAuthRoutes(given), TypeError).message, message);
    const routes = options as AuthRoutesOptions;
    assertThrows(() => runtime.integration({ routes }), TypeError, message);
  });
}

Deno.test("createAuthRoutes() looks the runtime up in the default container, and says how to put one there", () => {
  const { message } = assertThrows(() => createAuthRoutes(), TypeError);
  assertStringIncludes(message, "call registerAuth() first, or pass the option runtime");
});

/** [base path, prefix of the router, where the routes are] */
const PLACES: readonly (readonly [base: string | undefined, prefix: string, where: string])[] = [
  [undefined, "", "/auth"],
  ["/auth", "", "/auth"],
  ["/auth/", "", "/auth"],
  ["", "", ""],
  ["/", "", ""],
  ["/api/auth", "", "/api/auth"],
  ["/:tenant/auth", "", "/:tenant/auth"],
  [undefined, "/v1", "/v1/auth"],
  ["", "/v1", "/v1"],
  ["/", "/v1/", "/v1"],
  ["/auth", "/v1/:tenant", "/v1/:tenant/auth"],
];

for (const [base, prefix, where] of PLACES) {
  Deno.test(`mountAuthRoutes() beneath ${base ?? "nothing said"}, behind the prefix "${prefix}", is ${where}`, async () => {
    const runtime = createRuntime();
    const plain = mountAuthRoutes(createRouter({ prefix }), runtime.routes(), base);
    assertEquals(patternsOf(plain), beneath(where));
    const builder = prefix === "" ? routerBuilder() : routerBuilder().prefix(prefix);
    const integration = runtime.integration(base === undefined ? {} : { basePath: base });
    const built = builder.withAuth(integration).build();
    assertEquals(patternsOf(built), beneath(where));
    const url = where.replace(":tenant", "acme") + "/csrf";
    for (const router of [plain, built]) assertEquals((await router.request(url)).status, 200, url);
  });
}

for (const base of ["auth", "auth/", "*", "/auth?x", "/auth#x", "/../auth", "/./auth", "/auth/*"]) {
  Deno.test(`mountAuthRoutes() refuses the base path ${base}`, () => {
    const runtime = createRuntime();
    assertThrows(
      () => mountAuthRoutes(createRouter(), runtime.routes(), base),
      TypeError,
      "Cannot",
    );
    const builder = routerBuilder().withAuth(runtime.integration({ basePath: base }));
    assertThrows(() => builder.build(), TypeError, "Cannot");
  });
}

Deno.test("mountAuthRoutes() returns its router, which a guard may protect before or after", async () => {
  const runtime = createRuntime();
  const before = withAuthRoutes(createRouter(), { runtime });
  assertEquals(mountAuthRoutes(before, runtime.routes()), before);
  const after = mountAuthRoutes(createRouter(), runtime.routes());
  for (const router of [before, withAuthRoutes(after, { runtime })]) {
    router.get("/me", (req) => json(req.principal.sub));
    assertEquals((await router.request("/auth/csrf")).status, 200);
    assertEquals((await router.request("/me")).status, 401);
  }
});

Deno.test("mountAuthRoutes() may put the routes of two runtimes side by side, neither of which takes the other's token", async () => {
  const [one, two] = [createRuntime(), createRuntime()];
  const router = mountAuthRoutes(createRouter(), one.routes(), "/one");
  mountAuthRoutes(router, two.routes({ registration: "closed" }), "/two");
  assertEquals((await router.request("/one/csrf")).status, 200);
  assertEquals((await router.request("/two/csrf")).status, 200);
  assertEquals((await router.request("/two/register", { method: "POST" })).status, 404);
});

Deno.test("mountAuthRoutes() twice at one path leaves the first routes in charge", async () => {
  const runtime = createRuntime();
  const router = mountAuthRoutes(createRouter(), runtime.routes());
  mountAuthRoutes(router, createRuntime().routes());
  const response = await router.request("/auth/csrf");
  assertEquals(response.status, 200);
  assertEquals(response.headers.getSetCookie().length, 2);
  await response.body?.cancel();
});

Deno.test("mountAuthRoutes() adds no route where somebody else's is first", async () => {
  const router = createRouter().get("/auth/csrf", () => json("mine"));
  mountAuthRoutes(router, createRuntime().routes());
  assertEquals(await (await router.request("/auth/csrf")).json(), "mine");
});

Deno.test("integration() has no routes where it is told so", async () => {
  const runtime = createRuntime();
  const router = routerBuilder().withAuth(runtime.integration({ routes: false })).build();
  assertEquals(patternsOf(router), []);
  assertEquals((await router.request("/auth/csrf")).status, 404);
});

Deno.test("integration() leaves registration out where it is closed", async () => {
  const integration = createRuntime().integration({ routes: { registration: "closed" } });
  const router = routerBuilder().withAuth(integration).build();
  assertEquals((await router.request("/auth/register", { method: "POST" })).status, 404);
  assertEquals((await router.request("/auth/csrf")).status, 200);
});

/** What each path allows, and what it answers to the rest. */
const METHODS: readonly (readonly [path: string, allow: string, allowed: readonly string[]])[] = [
  ["/auth/register", "POST, OPTIONS", ["POST", "OPTIONS"]],
  ["/auth/login", "POST, OPTIONS", ["POST", "OPTIONS"]],
  ["/auth/logout", "POST, OPTIONS", ["POST", "OPTIONS"]],
  ["/auth/session", "GET, HEAD, OPTIONS", ["GET", "HEAD", "OPTIONS"]],
  ["/auth/csrf", "GET, HEAD, OPTIONS", ["GET", "HEAD", "OPTIONS"]],
];

for (const [path, allow, allowed] of METHODS) {
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LOGIN"]) {
    if (allowed.includes(method)) continue;
    Deno.test(`createAuthRoutes() has no ${method} ${path}: a 405 that says what it allows`, async () => {
      const router = routerBuilder().withAuth(createRuntime().integration()).build();
      const headers = { "X-HTTP-Method-Override": "POST", "X-HTTP-Method": "GET" };
      const response = await router.request(path, { method, headers });
      assertEquals([response.status, response.headers.get("Allow")], [405, allow]);
      assertEquals(response.headers.getSetCookie(), []);
      await response.body?.cancel();
    });
  }
  Deno.test(`createAuthRoutes() answers OPTIONS ${path} without a cookie`, async () => {
    const router = routerBuilder().withAuth(createRuntime().integration()).build();
    const response = await router.request(path, { method: "OPTIONS" });
    assertEquals([response.status, response.headers.get("Allow")], [204, allow]);
    assertEquals(response.headers.getSetCookie(), []);
  });
}
