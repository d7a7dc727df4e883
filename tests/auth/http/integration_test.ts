import {
  authorizationAllowed,
  Controller,
  createContainer,
  createRouter,
  Get,
  getAuthRuntime,
  HTTP_ROUTER,
  HttpRouter,
  type Json,
  json,
  Post,
  type Principal,
  type RequestSpec,
  requireAuth,
  requireAuthz,
  type ResponseSpec,
  routerBuilder,
  type TypedRequest,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { createTestApp } from "./_app.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const GOOD = { headers: { "X-Key": "good" } };

Deno.test("withAuthRoutes() protects routes and mounts from then on, and none before", async () => {
  const { runtime } = createTestApp({ strategies: [keyStrategy()] });
  const router = createRouter();
  const inner = createRouter().get("/x", () => json("inner"));
  router.get("/before", () => json(1)).mount("/mounted-before", inner);
  const guarded = withAuthRoutes(router, { runtime });
  assert(untyped(guarded) === router, "it is the same router");
  guarded
    .get("/after", (req) => json(req.principal.sub))
    .get("/public", () => json(1), { auth: false })
    .mount("/mounted", inner)
    .mount("/open", inner, { auth: false });
  router.get("/by-the-old-name", () => json(1));
  const statusOf = async (path: string, init?: RequestInit) =>
    (await router.request(path, init)).status;
  for (const path of ["/before", "/mounted-before/x", "/public", "/open/x"]) {
    assertEquals(await statusOf(path), 200, path);
  }
  for (const path of ["/after", "/mounted/x", "/mounted/nowhere", "/by-the-old-name"]) {
    assertEquals(await statusOf(path), 401, path);
  }
  assertEquals(await statusOf("/after", GOOD), 200);
  assertEquals(await statusOf("/mounted/nowhere", GOOD), 404);
});

Deno.test("withAuthRoutes() tells documents and the router of the strategy that it is given", async () => {
  const { runtime } = createTestApp();
  const strategy = keyStrategy();
  const router = withAuthRoutes(createRouter(), { runtime, strategy }).get("/", () => json(1));
  assertEquals(router.routes.map(({ guard }) => guard?.strategies), [[strategy]]);
  assertEquals((await router.request("/")).headers.get("WWW-Authenticate"), "ApiKey");
  assertEquals(runtime.integration().challenge, "Session");
  const keys = createTestApp({ strategies: [strategy] }).runtime;
  assertEquals(keys.integration().challenge, "ApiKey, Session");
});

Deno.test("withAuthRoutes() throws where there is a guard, where the router answers, and without a runtime", async () => {
  const { runtime, router } = createTestApp();
  assertThrows(
    () => withAuthRoutes(untyped<TypedRouter>(router), { runtime }),
    TypeError,
    "the router has one",
  );
  const twice = withAuthRoutes(createRouter(), { runtime });
  assertThrows(
    () => withAuthRoutes(untyped<TypedRouter>(twice), { runtime }),
    TypeError,
    "Cannot install a guard",
  );
  assertThrows(() => withAuthRoutes(createRouter()), TypeError, "Cannot find authentication");
  const answering = createRouter();
  await answering.request("/");
  assertThrows(() => withAuthRoutes(answering, { runtime }), TypeError, "begun to answer");
});

Deno.test("withAuthRoutes() and its kin take a misspelt option for no other", () => {
  const { runtime } = createTestApp();
  const misspelt: readonly (readonly [option: string, use: () => unknown])[] = [
    ["runtimes", () => withAuthRoutes(createRouter(), untyped({ runtimes: runtime }))],
    ["catches", () => withAuthRoutes(createRouter(), untyped({ runtime, catches: 1 }))],
    ["crsf", () => requireAuth(untyped({ runtime, crsf: "token" }))],
    ["allowAnonymos", () => requireAuthz(untyped({ runtime, metadata: 1, allowAnonymos: true }))],
    ["basepath", () => runtime.integration(untyped({ basepath: "/account" }))],
    ["route", () => runtime.integration(untyped({ route: false }))],
    ["registraton", () => runtime.integration({ routes: untyped({ registraton: "closed" }) })],
    ["registraton", () => runtime.routes(untyped({ registraton: "closed" }))],
  ];
  for (const [option, use] of misspelt) assertThrows(use, TypeError, `unknown option ${option}`);
});

Deno.test("integration() of two applications on one host leaves each other's sessions alone", async () => {
  const shop = createTestApp();
  const admin = createTestApp({ cookie: { name: "admin" } });
  const router = createRouter<unknown[]>().mount("/shop", shop.router)
    .mount("/admin", admin.router);
  const one = await shop.signedIn();
  const two = await admin.signedIn();
  const headers = { Cookie: `${one.jar.field()}; ${two.jar.field()}` };
  for (const path of ["/shop/me", "/admin/me"]) {
    const response = await router.request(path, { headers });
    assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
  }
  const shopOnly = await router.request("/admin/me", { headers: { Cookie: one.jar.field() } });
  assertEquals([shopOnly.status, shopOnly.headers.getSetCookie()], [401, []]);
});

Deno.test("withAuthRoutes() adds no routes of its own", () => {
  const { runtime } = createTestApp();
  assertEquals(withAuthRoutes(createRouter(), { runtime }).routes, []);
});

Deno.test("withAuthRoutes() takes credentials by another strategy alone", async () => {
  const app = createTestApp();
  const strategy = keyStrategy();
  const router = withAuthRoutes(createRouter(), { runtime: app.runtime, strategy })
    .get("/", (req) => json(req.principal.sub));
  const client = await app.signedIn();
  const headers = { Cookie: client.jar.field() };
  const refused = await router.request("/", { headers });
  assertEquals(refused.headers.get("WWW-Authenticate"), "ApiKey");
  assertEquals(refused.headers.get("Vary"), "X-Key");
  assertEquals(await codeOf(refused), [401, "unauthenticated"]);
  assertEquals(await (await router.request("/", GOOD)).json(), "robot");
});

Deno.test("integration() joins a builder, whatever the order of its calls", async () => {
  const { runtime } = createTestApp({ strategies: [keyStrategy()] });
  const router = routerBuilder()
    .prefix("/api")
    .extend((router) => void router.get("/static", () => json("open")), "static")
    .withAuth(runtime.integration({ basePath: "/account" }))
    .extend((router) => void router.get("/extended", (req) => json(req.principal.sub)))
    .build()
    .get("/built", (req) => json(req.principal.sub));
  assertEquals((await router.request("/api/static")).status, 200);
  assertEquals((await router.request("/api/extended")).status, 401);
  assertEquals((await router.request("/api/built")).status, 401);
  assertEquals((await router.request("/api/built", GOOD)).status, 200);
  assertEquals((await router.request("/api/account/csrf")).status, 200);
  assertEquals((await router.request("/api/auth/csrf")).status, 404);
  assertThrows(() => router.withAuth(runtime.integration()), TypeError, "Cannot install a guard");
});

Deno.test("integration() protects the methods of controllers, by what each says of itself", async () => {
  const container = createContainer();
  const app = createTestApp({
    container,
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationAllowed()),
  });
  @Controller("/notes", { container })
  class NoteController {
    @Get("/", { auth: true })
    list(req: TypedRequest<RequestSpec, Principal>) {
      return json(req.principal.sub);
    }
    @Get("/open", { auth: false })
    open() {
      return json("open");
    }
    @Get("/maybe", { auth: { mode: "optional" } })
    maybe(req: TypedRequest<RequestSpec, Principal | undefined>) {
      return json(req.principal?.sub ?? "nobody");
    }
    @Post("/", { auth: true, authorization: { metadata: "create" } })
    create(req: TypedRequest<RequestSpec<Json<{ title: string }>>, Principal>) {
      return json({ by: req.principal.sub, ...req.content });
    }
  }
  const router = routerBuilder({ container }).withAuth(app.runtime.integration())
    .controllers(NoteController).build();
  const textOf = async (path: string, init?: RequestInit) => {
    const response = await router.request(path, init);
    return response.ok ? await response.json() : response.status;
  };
  assertEquals(await textOf("/notes"), 401);
  assertEquals(await textOf("/notes", GOOD), "robot");
  assertEquals(await textOf("/notes/open"), "open");
  assertEquals(await textOf("/notes/maybe"), "nobody");
  assertEquals(await textOf("/notes/maybe", GOOD), "robot");
  const headers = { ...GOOD.headers, "Content-Type": "application/json" };
  const note = { method: "POST", body: '{"title":"a","by":"eve"}', headers };
  assertEquals(await textOf("/notes", note), { by: "eve", title: "a" });
});

Deno.test("integration() is what a class with @HttpRouter asks the container's runtime for", async () => {
  const container = createContainer();
  createTestApp({ container, strategies: [keyStrategy()] });
  @Controller("/notes", { container })
  class NoteController {
    @Get("/", { auth: true })
    list(req: TypedRequest<RequestSpec, Principal>) {
      return json(req.principal.sub);
    }
  }
  @HttpRouter({
    container,
    controllers: [NoteController],
    withAuth: (container) => getAuthRuntime(container).integration(),
  })
  class Api {}
  assertEquals(container.has(Api), false);
  const router = container.resolve<TypedRouter>(HTTP_ROUTER);
  assertEquals((await router.request("/notes")).status, 401);
  assertEquals(await (await router.request("/notes", GOOD)).json(), "robot");
  assertEquals((await router.request("/auth/csrf")).status, 200);
});

Deno.test("integration() gives explicit markers the principal beside them", async () => {
  const { router } = createTestApp({ strategies: [keyStrategy()] });
  router.post<RequestSpec<Json<{ title: string }>>, ResponseSpec<{ title: string; by: string }>>(
    "/typed",
    (req) => json({ title: req.content.title, by: req.principal.sub }),
  );
  const headers = { ...GOOD.headers, "Content-Type": "application/json" };
  const response = await router.request("/typed", {
    method: "POST",
    body: '{"title":"a"}',
    headers,
  });
  assertEquals(await response.json(), { title: "a", by: "robot" });
});
