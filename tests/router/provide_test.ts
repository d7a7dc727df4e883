/** Data from middleware to handlers: `provide()`, views of routers, and `req.locals`. */

import {
  authenticated,
  type AuthStrategy,
  Controller,
  createContainer,
  createPrincipal,
  createRouter,
  Get,
  getPrincipal,
  HttpError,
  inMemoryAuthStores,
  json,
  type LocalsProvider,
  type Middleware,
  noCredential,
  pass,
  problem,
  provide,
  registerAuth,
  type RequestLike,
  type RequestSpec,
  routerBuilder,
  type TypedRequest,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

/** The name in the header X-Tenant; without one, a 400. */
const tenant = provide((req) => {
  const name = req.headers.get("X-Tenant");
  return name === null ? problem(400, "no_tenant") : { tenant: { name } };
});
const later = provide(async () => await Promise.resolve({ user: 7 }));
const ADA = { headers: { "X-Tenant": "ada" } };

interface Answering {
  request(path: string, init?: RequestInit): Promise<Response>;
}

async function dataOf(router: Answering, path = "/", init: RequestInit = ADA): Promise<unknown> {
  const response = await router.request(path, init);
  assertEquals(response.status, 200, await response.clone().text());
  return await response.json();
}

/** A provider that writes its name into a list. */
function noted(list: string[], name: string): LocalsProvider<[], { noted: string }> {
  return provide(() => {
    list.push(name);
    return { noted: name };
  });
}

Deno.test("provide() passes data to the routes of a view, and only to those", async () => {
  const router = createRouter();
  const view = router.provide(tenant);
  view.get("/", (req) => json(req.locals.tenant.name))
    .post("/", (req) => json([req.locals.tenant, req.content]));
  router.get("/open", (req) => json(Object.keys(req.locals)));
  assertEquals(await dataOf(router), "ada");
  assertEquals(
    await dataOf(router, "/", {
      method: "POST",
      body: "1",
      headers: { ...ADA.headers, "Content-Type": "application/json" },
    }),
    [{ name: "ada" }, 1],
  );
  assertEquals(await dataOf(router, "/open", {}), []);
  assertEquals(await dataOf(view), "ada"); // the same router
  assertStrictEquals(view.routes, router.routes);
});

Deno.test("provide() ends the request with a response, which no handler sees", async () => {
  let called = false;
  const router = createRouter();
  router.provide(tenant).get("/", () => {
    called = true;
    return json(1);
  });
  const response = await router.request("/");
  assertEquals([response.status, called], [400, false]);
});

Deno.test("provide() accepts promises, and other promises after them", async () => {
  const refused = provide(async () => await Promise.resolve(problem(403, "closed")));
  const broken = provide(async (): Promise<{ a: 1 }> => {
    throw new HttpError(402, "unpaid", { detail: await Promise.resolve("x") });
  });
  const router = createRouter();
  const view = router.provide(later).provide(tenant);
  view.get("/", (req) => json([req.locals.user, req.locals.tenant.name]));
  router.provide(refused).get("/refused", () => json(1));
  router.provide(broken).get("/broken", () => json(1));
  assertEquals(await dataOf(router), [7, "ada"]);
  assertEquals((await router.request("/refused")).status, 403);
  assertEquals((await router.request("/broken")).status, 402);
});

Deno.test("provide() reads what an outer view provides, and fetch's extra arguments", async () => {
  const plan = provide((
    req: TypedRequest<RequestSpec, unknown, { user: number }>,
    env: string,
  ) => ({
    plan: env + req.locals.user,
  }));
  const router = createRouter<[string]>();
  router.provide(later).provide(plan).get("/", (req) => json(req.locals.plan));
  assertEquals(await (await router.request("/", {}, "env")).json(), "env7");
});

Deno.test("views run outer middleware first, then that of the route", async () => {
  const log: string[] = [];
  const use: Middleware[] = [
    () => void log.push("use"),
    wrap((_req, next) => {
      log.push("wrap");
      return next();
    }),
  ];
  const router = createRouter({ before: [() => void log.push("before")] });
  router.provide(noted(log, "outer")).provide(noted(log, "inner")).under("/", () => {
    log.push("under");
  }).get("/", (req) => {
    log.push("handler");
    return json(req.locals.noted);
  }, { use });
  assertEquals(await dataOf(router), "inner");
  assertEquals(log, ["before", "under", "outer", "inner", "use", "wrap", "handler"]);
});

Deno.test("views are independent of each other", async () => {
  const log: string[] = [];
  const router = createRouter();
  const a = router.provide(noted(log, "a"));
  const b = a.provide(noted(log, "b"));
  a.get("/a", () => json(1));
  b.get("/b", () => json(1));
  router.get("/none", () => json(1));
  for (const path of ["/a", "/b", "/none"]) {
    await dataOf(router, path);
    log.push(path);
  }
  assertEquals(log, ["a", "/a", "a", "b", "/b", "/none"]);
});

/** [why, what a view adds at /x] */
const ADDED: readonly (readonly [string, (log: string[]) => Answering])[] = [
  ["mounts", (log) => {
    const router = createRouter();
    router.provide(noted(log, "x")).mount("/x", { fetch: () => json(1) });
    return router;
  }],
  ["routes after a mount", (log) => {
    const router = createRouter();
    return router.provide(noted(log, "x")).mount("/m", { fetch: () => json(1) }).get(
      "/x",
      () => json(1),
    );
  }],
  [
    "routes after a guard",
    (log) =>
      createRouter().provide(noted(log, "x")).withAuth({ guard: () => ({ sub: "a" }) })
        .get("/x", () => json(1)),
  ],
  ["static assets of built routers", (log) => {
    const built = routerBuilder().build();
    built.provide(noted(log, "x")).static("/x", { directory: "none", package: FILES });
    return built;
  }],
  ["routes after static assets", (log) =>
    routerBuilder().build().provide(noted(log, "x"))
      .static("/s", { directory: "none", package: FILES }).get("/x", () => json(1))],
  [
    "extensions of builders",
    (log) =>
      routerBuilder().extend((router) => router.get("/x", () => json(1))).provide(noted(log, "x"))
        .build(),
  ],
  [
    "routes of built routers",
    (log) => routerBuilder().provide(noted(log, "x")).build().get("/x", () => json(1)),
  ],
];
const FILES = { version: 1, entries: {} };

for (const [why, build] of ADDED) {
  Deno.test(`views run their middleware for ${why}`, async () => {
    const log: string[] = [];
    await build(log).request("/x");
    assertEquals(log, ["x"]);
  });
}

Deno.test("builders provide to routes behind the guard, not to the stage static", async () => {
  const built = routerBuilder().provide(later).withAuth({ guard: () => ({ sub: "a" }) })
    .extend((router) => router.get("/open", (req) => json(Object.keys(req.locals))), "static")
    .build();
  built.get("/", (req) => json([req.locals.user, req.principal.sub]));
  assertEquals(await dataOf(built, "/open"), []);
  assertEquals(await dataOf(built), [7, "a"]);
});

Deno.test("views refuse what is not a function, and routes once the router has answered", async () => {
  const router = createRouter();
  assertThrows(() => router.provide({} as never), TypeError, "it is not a function");
  const view = router.provide(tenant);
  await router.request("/");
  assertThrows(() => view.get("/", () => json(1)), TypeError, "has begun to answer");
});

Deno.test("views can be mounted", async () => {
  const inner = createRouter().provide(tenant).get("/", (req) => json(req.locals.tenant.name));
  assertEquals(await dataOf(createRouter().mount("/in", inner), "/in"), "ada");
});

Deno.test("provide() runs behind the guard: it reads the principal, and nobody else gets to it", async () => {
  const log: string[] = [];
  const member = provide((req: TypedRequest<RequestSpec, { sub: string } | undefined>) => {
    log.push(req.principal?.sub ?? "nobody");
    return { member: req.principal?.sub };
  });
  const router = createRouter().withAuth({
    guard: (req) => {
      const sub = req.headers.get("X-Sub");
      return sub === null ? undefined : { sub };
    },
  }).provide(member);
  router.get("/", (req) => json(req.locals.member ?? ""))
    .get("/open", (req) => json(req.locals.member ?? ""), { auth: false });
  assertEquals((await router.request("/")).status, 401);
  assertEquals(log, []);
  assertEquals(await dataOf(router, "/", { headers: { "X-Sub": "ada" } }), "ada");
  assertEquals(await dataOf(router, "/open", { headers: { "X-Sub": "ada" } }), "");
});

Deno.test("of() has the data where req.locals has no type", async () => {
  @Controller("/c")
  class Shop {
    @Get("/", { use: [tenant] })
    name(req: TypedRequest) {
      return json(tenant.of(req).tenant.name);
    }
  }
  const inner = createRouter().get("/", (req) => json(tenant.of(req).tenant.name));
  const router = routerBuilder({ container: createContainer() })
    .catch((_error, req) => json(tenant.of(req).tenant.name)).controllers(Shop).build()
    .under("/u", tenant)
    .get("/u", (req) => json(tenant.of(req.raw).tenant.name))
    .get("/thrown", () => {
      throw new Error("x");
    }, { use: [tenant] });
  router.provide(tenant).mount("/m", inner);
  for (const path of ["/c", "/u", "/thrown", "/m"]) {
    assertEquals(await dataOf(router, path), "ada", path);
  }
});

Deno.test("of() throws where its provider did not run, or ended the request", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const read = (req: RequestLike) => json(tenant.of(req));
  const other = provide(() => ({ tenant: { name: "other" } }));
  const router = createRouter({ onError }).get("/", read);
  router.provide(other).get("/other", read);
  for (const path of ["/", "/other"]) assertEquals((await router.request(path)).status, 500);
  assert(errors.every((error) => error instanceof TypeError && /did not run/.test(error.message)));
  assertEquals(errors.length, 2);
  assertThrows(() => tenant.of(new Request("http://localhost/")), TypeError);
});

Deno.test("provide() keeps its data when the handler passes; a later view overwrites it", async () => {
  const router = createRouter();
  router.provide(provide(() => ({ a: 1, b: 1 }))).get("/*", () => pass());
  router.provide(provide(() => ({ b: 2 }))).get("/", (req) => json(req.locals));
  assertEquals(await dataOf(router), { a: 1, b: 2 });
});

Deno.test("req.locals inherits nothing, and is the request's own", async () => {
  const hostile = provide(() =>
    JSON.parse('{ "__proto__": { "polluted": true }, "a": 1 }') as { a: 1 }
  );
  const router = createRouter({
    before: [(req) => void Object.assign(req.locals, { x: req.path })],
  });
  router.provide(hostile).get("/", (req) =>
    json([
      "toString" in req.locals,
      "polluted" in req.locals,
      Object.keys(req.locals),
      ({} as { polluted?: true }).polluted ?? null,
    ]));
  router.get("/other", (req) => json(req.locals));
  assertEquals(await dataOf(router), [false, false, ["x", "__proto__", "a"], null]);
  assertEquals(await dataOf(router, "/other"), { x: "/other" });
});

Deno.test("getPrincipal() works in provide()", async () => {
  const runtime = registerAuth({
    secret: "0123456789abcdef0123456789abcdef",
    stores: inMemoryAuthStores(),
    container: createContainer(),
  });
  const strategy: AuthStrategy = {
    name: "test",
    authenticate: ({ request }) => {
      const sub = request.headers.get("X-Sub");
      if (sub === null) return noCredential();
      return authenticated(createPrincipal({ sub, method: "test" }));
    },
  };
  const open = createRouter();
  const router = withAuthRoutes(open, { runtime, strategy }).provide(
    provide((req) => ({ by: getPrincipal(req)?.sub })),
  );
  router.get("/", (req) => json(req.locals.by ?? ""));
  assertEquals(await dataOf(router, "/", { headers: { "X-Sub": "ada" } }), "ada");
});
