/** The routes of authentication as data, where they can be mounted, and an application's hooks around them. */

import {
  applyAuthHeaders,
  AuthError,
  type AuthEvent,
  type AuthRoutesOptions,
  type AuthRuntime,
  createAuthRoutes,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  type IntegrationOptions,
  json,
  type LoginThrottle,
  mountAuthRoutes,
  type PasswordHasher,
  pbkdf2Hasher,
  redirect,
  registerAuth,
  routerBuilder,
  type RouteSource,
  withAuthRoutes,
} from "@gatehouse/http";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { createBrowser } from "../_browser.ts";
import { ADA, cheapHasher, EVE_PASSWORD, SECRET, START } from "../_services.ts";
import { createTestApp, ORIGIN, type TestBrowser } from "./_app.ts";
import { assertRefused, FAULT } from "./_routes.ts";

function createRuntime(csrfHeader?: string): AuthRuntime {
  return registerAuth({
    csrfHeader,
    secret: "a secret that only the tests know, for tests",
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

Deno.test("createAuthRoutes() returns a frozen array of five routes, all of them public", () => {
  const routes = createAuthRoutes({ runtime: createRuntime() });
  assertEquals(routes.map(({ method, path }) => `${method} ${path}`), ALL);
  assertEquals(new Set(routes.map(({ options }) => options.auth)), new Set([false]));
  const all = routes.map(({ options }) => options);
  for (const part of [routes, ...routes, ...all, ...all.map(({ use }) => use)]) {
    assert(Object.isFrozen(part));
  }
});

Deno.test("integration() rejects an unknown option, which would mount the routes under another path", () => {
  const options = untyped<IntegrationOptions>({ basepath: "/account" });
  assertThrows(() => createRuntime().integration(options), TypeError, "unknown option basepath");
});

Deno.test("createAuthRoutes() omits registration if it is disabled", () => {
  const routes = createRuntime().routes({ registration: "closed" });
  assertEquals(routes.map(({ path }) => path), ["/login", "/logout", "/session", "/csrf"]);
});

Deno.test("createAuthRoutes() with a runtime applies the runtime's options only", async () => {
  const runtime = createRuntime("X-Own");
  const routes: AuthRoutesOptions = { runtime: createRuntime("X-Other") };
  const routers = [
    mountAuthRoutes(createRouter(), runtime.routes(routes)),
    createRouter().withAuth(runtime.integration({ routes: { ...routes, registration: "open" } })),
  ];
  for (const router of routers) {
    assertEquals((await (await router.request("/auth/csrf")).json()).header, "X-Own");
  }
});

/** Invalid options, as from JavaScript or a configuration file. */
const WRONG: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["another string", { registration: "shut" }, "registration must be"],
  ["null", { registration: null }, "registration must be"],
  ["a flag", { registration: false }, "registration must be"],
  ["an inherited name", { registration: "constructor" }, "registration must be"],
  [
    "another option name, which would leave it enabled",
    { registraton: "closed" },
    "unknown option registraton",
  ],
];

for (const [why, options, message] of WRONG) {
  Deno.test(`createAuthRoutes() rejects ${why} as registration`, () => {
    const runtime = createRuntime();
    const given = { runtime, ...options as AuthRoutesOptions };
    assertStringIncludes(assertThrows(() => createAuthRoutes(given), TypeError).message, message);
    const routes = options as AuthRoutesOptions;
    assertThrows(() => runtime.integration(untyped({ routes })), TypeError, message);
  });
}

Deno.test("createAuthRoutes() finds the runtime in the default container, or explains how to register one", () => {
  const { message } = assertThrows(() => createAuthRoutes(), TypeError);
  assertStringIncludes(message, "call registerAuth() first, or pass the option runtime");
});

/** [base path, prefix of the router, paths of the routes] */
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
  Deno.test(`mountAuthRoutes() under ${base ?? "the default"}, after the prefix "${prefix}", is at ${where}`, async () => {
    const runtime = createRuntime();
    const plain = mountAuthRoutes(createRouter({ prefix }), runtime.routes(), base);
    assertEquals(patternsOf(plain), beneath(where));
    const builder = prefix === "" ? routerBuilder() : routerBuilder().prefix(prefix);
    const routes = { registration: "open" } as const;
    const integration = runtime.integration({
      routes,
      ...(base === undefined ? {} : { basePath: base }),
    });
    const built = builder.withAuth(integration).build();
    assertEquals(patternsOf(built), beneath(where));
    const url = where.replace(":tenant", "acme") + "/csrf";
    for (const router of [plain, built]) assertEquals((await router.request(url)).status, 200, url);
  });
}

for (const base of ["auth", "auth/", "*", "/auth?x", "/auth#x", "/../auth", "/./auth", "/auth/*"]) {
  Deno.test(`mountAuthRoutes() rejects the base path ${base}`, () => {
    const runtime = createRuntime();
    assertThrows(
      () => mountAuthRoutes(createRouter(), runtime.routes(), base),
      TypeError,
      "Cannot",
    );
    const builder = routerBuilder().withAuth(
      runtime.integration({ basePath: base, routes: { registration: "open" } }),
    );
    assertThrows(() => builder.build(), TypeError, "Cannot");
  });
}

Deno.test("mountAuthRoutes() returns its router, which may get a guard before or after", async () => {
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

Deno.test("mountAuthRoutes() can mount the routes of two runtimes, which reject each other's tokens", async () => {
  const [one, two] = [createRuntime(), createRuntime()];
  const router = mountAuthRoutes(createRouter(), one.routes(), "/one");
  mountAuthRoutes(router, two.routes({ registration: "closed" }), "/two");
  assertEquals((await router.request("/one/csrf")).status, 200);
  assertEquals((await router.request("/two/csrf")).status, 200);
  assertEquals((await router.request("/two/register", { method: "POST" })).status, 404);
});

Deno.test("mountAuthRoutes() twice at one path keeps the first routes", async () => {
  const runtime = createRuntime();
  const router = mountAuthRoutes(createRouter(), runtime.routes());
  mountAuthRoutes(router, createRuntime().routes());
  const response = await router.request("/auth/csrf");
  assertEquals(response.status, 200);
  assertEquals(response.headers.getSetCookie().length, 2);
  await response.body?.cancel();
});

Deno.test("mountAuthRoutes() rejects a route that exists already", async () => {
  const router = createRouter().get("/auth/csrf", () => json("mine"));
  mountAuthRoutes(router, createRuntime().routes());
  assertEquals(await (await router.request("/auth/csrf")).json(), "mine");
});

const UNSTATED: readonly (readonly [why: string, options: unknown])[] = [
  ["no options", undefined],
  ["no routes", {}],
  ["routes without a word about registration", { routes: {} }],
  ["undefined, as of an unset setting", { routes: { registration: undefined } }],
  ["tokens only", { routes: { tokens: false } }],
  ["null", { routes: null }],
  ["true", { routes: true }],
];
for (const [why, options] of UNSTATED) {
  Deno.test(`integration() does not open registration to the public unless told: ${why}`, () => {
    const runtime = createRuntime();
    assertThrows(() => runtime.integration(untyped(options)), TypeError, "Cannot");
  });
}

Deno.test("integration() omits the routes if they are disabled", async () => {
  const runtime = createRuntime();
  const router = routerBuilder().withAuth(runtime.integration({ routes: false })).build();
  assertEquals(patternsOf(router), []);
  assertEquals((await router.request("/auth/csrf")).status, 404);
});

Deno.test("integration() omits registration if it is disabled", async () => {
  const integration = createRuntime().integration({ routes: { registration: "closed" } });
  const router = routerBuilder().withAuth(integration).build();
  assertEquals((await router.request("/auth/register", { method: "POST" })).status, 404);
  assertEquals((await router.request("/auth/csrf")).status, 200);
});

/** The methods of each path, and the responses to others. */
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
    Deno.test(`createAuthRoutes() answers ${method} ${path} with a 405 that lists the allowed methods`, async () => {
      const router = routerBuilder().withAuth(
        createRuntime().integration({ routes: { registration: "open" } }),
      ).build();
      const headers = { "X-HTTP-Method-Override": "POST", "X-HTTP-Method": "GET" };
      const response = await router.request(path, { method, headers });
      assertEquals([response.status, response.headers.get("Allow")], [405, allow]);
      assertEquals(response.headers.getSetCookie(), []);
      await response.body?.cancel();
    });
  }
  Deno.test(`createAuthRoutes() answers OPTIONS ${path} without a cookie`, async () => {
    const router = routerBuilder().withAuth(
      createRuntime().integration({ routes: { registration: "open" } }),
    ).build();
    const response = await router.request(path, { method: "OPTIONS" });
    assertEquals([response.status, response.headers.get("Allow")], [204, allow]);
    assertEquals(response.headers.getSetCookie(), []);
  });
}

// The application's own hooks around the routes of authentication, and a full queue of hashes.

/** Every rejection of the routes, and how to cause it. */
const REFUSALS:
  readonly (readonly [code: string, ask: (page: TestBrowser) => Promise<Response>])[] = [
    ["csrf_failed", (page) => page.post("/auth/login", ADA, { token: "" })],
    ["csrf_failed", (page) => page.post("/auth/logout", undefined, { token: "" })],
    ["invalid_credentials", (page) => page.login({ ...ADA, password: EVE_PASSWORD })],
    ["invalid_identifier", (page) => page.login({ ...ADA, identifier: "" })],
    ["identifier_unavailable", (page) => page.register()],
    ["weak_password", (page) => page.register({ identifier: "eve", password: "eve" })],
    ["unauthenticated", (page) => page.send("/auth/session")],
    ["session_expired", (page) => {
      page.jar.set("__Host-sid", "A".repeat(43));
      return page.send("/auth/session");
    }],
    ["throttled", async (page) => {
      for (let i = 0; i < 6; i++) await page.login({ ...ADA, password: EVE_PASSWORD });
      return await page.login();
    }],
  ];

/** Connection info of Deno.serve. */
const HOST = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } };

/** A browser of a router created by a test, with the runtime of an application in which Ada has an account. */
async function pageOf(
  make: (
    runtime: AuthRuntime,
  ) => { fetch(request: Request, ...args: unknown[]): Response | Promise<Response> },
): Promise<TestBrowser> {
  const app = createTestApp();
  await app.signedIn();
  const router = make(app.runtime);
  return createBrowser({
    origin: ORIGIN,
    now: () => app.clock.now,
    fetch: async (request) => await router.fetch(request, HOST),
  });
}

/** Custom error responses of an application, and the errors that it received. */
function answering(): { seen: unknown[]; handler: (error: unknown) => Response } {
  const seen: unknown[] = [];
  return {
    seen,
    handler(error) {
      seen.push(error);
      return redirect("/sign-in", 303);
    },
  };
}

async function assertSeen(seen: readonly unknown[], code: string, response: Response) {
  const error = seen.at(-1);
  assertInstanceOf(error, AuthError);
  assertEquals(error.code, code);
  assertEquals(response.headers.get("Location"), "/sign-in");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Vary"), "Cookie");
  const gone = response.headers.getSetCookie().filter((one) => one.startsWith("__Host-sid=;"));
  assertEquals(gone.length, code === "session_expired" ? 1 : 0);
  await response.body?.cancel();
}

for (const [code, ask] of REFUSALS) {
  Deno.test(`integration() passes ${code} to its catch handler, whose response is private`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      createRouter<unknown[]>().withAuth(
        runtime.integration({ routes: { registration: "open" }, catch: handler }),
      )
    );
    await assertSeen(seen, code, await ask(page));
  });

  Deno.test(`mountAuthRoutes() passes ${code} to the router's catch handler, whose response is private`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      mountAuthRoutes(createRouter<unknown[]>({ catch: handler }), runtime.routes())
    );
    await assertSeen(seen, code, await ask(page));
  });

  Deno.test(`integration() answers ${code} itself, without the router's catch handler`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      createRouter<unknown[]>({ catch: handler }).withAuth(
        runtime.integration({ routes: { registration: "open" } }),
      )
    );
    const response = await ask(page);
    assertEquals((await response.json()).code, code);
    assertEquals(seen, []);
  });
}

Deno.test("integration() responds 500 if the catch handler throws, without the error's text", async () => {
  const errors: unknown[] = [];
  const page = await pageOf((runtime) =>
    createRouter<unknown[]>({ onError: (error) => void errors.push(error) }).withAuth(
      runtime.integration({
        routes: { registration: "open" },
        catch() {
          throw new Error("no page for it");
        },
      }),
    )
  );
  await assertRefused(await page.send("/auth/session"), FAULT);
  assertEquals(`${errors}`, "Error: no page for it");
});

Deno.test("createAuthRoutes() has set its cookies when an application's finally hook sees the response", async () => {
  const seen: number[] = [];
  const page = await pageOf((runtime) =>
    mountAuthRoutes(
      createRouter<unknown[]>({
        finally: [(response) => {
          seen.push(response.headers.getSetCookie().length);
        }],
      }),
      runtime.routes(),
    )
  );
  assertEquals((await page.login()).status, 200);
  assertEquals(seen, [2, 3]);
});

Deno.test("createAuthRoutes() sets each cookie once, however many routers use the hook", async () => {
  const page = await pageOf((runtime) => {
    const routes = runtime.routes();
    const inner = withAuthRoutes(mountAuthRoutes(createRouter<unknown[]>(), routes, "/"), {
      runtime,
    });
    return withAuthRoutes(createRouter<unknown[]>({ finally: [applyAuthHeaders] }), { runtime })
      .mount("/auth", inner, { auth: false });
  });
  const response = await page.login();
  assertEquals(response.headers.getSetCookie().length, 3);
  assertEquals(response.headers.get("Vary"), "Cookie");
  assertEquals((await page.send("/auth/session")).status, 200);
  assertEquals((await page.logout()).headers.getSetCookie().length, 3);
});

/** A hasher that settles when a test says so. */
function slowHasher(): { hasher: PasswordHasher; calls: () => number; finish: () => void } {
  const fast = cheapHasher();
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  return {
    calls: () => calls,
    finish: resolve,
    hasher: {
      ...fast,
      async hash(password) {
        calls++;
        await promise;
        return await fast.hash(password);
      },
    },
  };
}

Deno.test("createAuthRoutes() responds 503 if too many passwords are being hashed, and counts nothing", async () => {
  const { hasher, calls, finish } = slowHasher();
  const clock = { now: START };
  const events: AuthEvent[] = [];
  const stores = inMemoryAuthStores({ now: () => 0 });
  let counted = 0;
  let addressed = 0;
  const throttle: LoginThrottle = {
    ...stores.throttle,
    reserve(...args) {
      counted++;
      return stores.throttle.reserve(...args);
    },
  };
  const runtime = registerAuth({
    secret: SECRET,
    stores: { ...stores, throttle },
    hasher,
    hashing: { running: 1, waiting: 1 },
    now: () => clock.now,
    events: (event) => void events.push(event),
    clientAddress: () => (addressed++, "192.0.2.1"),
    container: createContainer(),
  });
  const router = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes());
  const open = async () => {
    const fetch = async (request: Request) => await router.fetch(request);
    const page = createBrowser({ origin: ORIGIN, now: () => clock.now, fetch });
    await page.token();
    return page;
  };
  const [one, two, three] = [await open(), await open(), await open()];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const begun = [one.register()];
  await until(() => calls() === 1);
  const before = addressed;
  begun.push(two.login());
  await until(() => addressed > before); // the login waits, and is counted when it starts
  for (let i = 0; i < 30; i++) {
    const busy = { status: 503, code: "service_unavailable", headers: { "retry-after": "5" } };
    await assertRefused(await three.login(), busy);
  }
  assertEquals([calls(), counted, events], [1, 1, []]);
  finish();
  const statuses = (await Promise.all(begun)).map(({ status }) => status);
  assertEquals(statuses, [201, 200]); // the login starts after the registration
  assertEquals((await three.login()).status, 200);
});
