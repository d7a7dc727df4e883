/** Integration of authentication into routers, and error responses. */

import {
  AuthError,
  type AuthErrorCode,
  authorizationAllowed,
  authorizationDenied,
  Controller,
  createContainer,
  createRouter,
  Get,
  getAuthRuntime,
  HTTP_ROUTER,
  HttpError,
  HttpRouter,
  type Json,
  json,
  Post,
  type Principal,
  problem,
  redirect,
  type RefusalHandler,
  type RequestSpec,
  requireAuth,
  requireAuthz,
  type ResponseSpec,
  routerBuilder,
  type TypedRequest,
  type TypedRouter,
  withAuthErrors,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, collectErrors, problemOf, untyped } from "../../router/_helpers.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { createTestApp } from "./_app.ts";

const GOOD = { headers: { "X-Key": "good" } };

Deno.test("withAuthRoutes() protects routes and mounts that are added later, and none that were added before", async () => {
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

Deno.test("withAuthRoutes() passes its strategy to documents and the router", async () => {
  const { runtime } = createTestApp();
  const strategy = keyStrategy();
  const router = withAuthRoutes(createRouter(), { runtime, strategy }).get("/", () => json(1));
  assertEquals(router.routes.map(({ guard }) => guard?.strategies), [[strategy]]);
  assertEquals((await router.request("/")).headers.get("WWW-Authenticate"), "ApiKey");
  assertEquals(runtime.integration({ routes: { registration: "open" } }).challenge, "Session");
  const keys = createTestApp({ strategies: [strategy] }).runtime;
  assertEquals(keys.integration({ routes: { registration: "open" } }).challenge, "ApiKey, Session");
});

Deno.test("withAuthRoutes() throws if the router has a guard or has started to respond, and without a runtime", async () => {
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

Deno.test("withAuthRoutes() and similar functions reject misspelled options", () => {
  const { runtime } = createTestApp();
  const misspelt: readonly (readonly [option: string, use: () => unknown])[] = [
    ["runtimes", () => withAuthRoutes(createRouter(), untyped<never>({ runtimes: runtime }))],
    ["catches", () => withAuthRoutes(createRouter(), untyped<never>({ runtime, catches: 1 }))],
    ["crsf", () => requireAuth(untyped<never>({ runtime, crsf: "token" }))],
    [
      "allowAnonymos",
      () => requireAuthz(untyped<never>({ runtime, metadata: 1, allowAnonymos: true })),
    ],
    ["basepath", () => runtime.integration(untyped({ basepath: "/account" }))],
    ["route", () => runtime.integration(untyped({ route: false }))],
    ["registraton", () => runtime.integration(untyped({ routes: { registraton: "closed" } }))],
    ["registraton", () => runtime.routes(untyped({ registraton: "closed" }))],
  ];
  for (const [option, use] of misspelt) assertThrows(use, TypeError, `unknown option ${option}`);
});

Deno.test("integration() of two applications on one host does not affect the other's sessions", async () => {
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

Deno.test("withAuthRoutes() adds no routes", () => {
  const { runtime } = createTestApp();
  assertEquals(withAuthRoutes(createRouter(), { runtime }).routes, []);
});

Deno.test("withAuthRoutes() accepts credentials of another strategy only", async () => {
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

Deno.test("integration() is added to a builder in any order of its calls", async () => {
  const { runtime } = createTestApp({ strategies: [keyStrategy()] });
  const router = routerBuilder()
    .prefix("/api")
    .extend((router) => void router.get("/static", () => json("open")), "static")
    .withAuth(runtime.integration({ basePath: "/account", routes: { registration: "open" } }))
    .extend((router) => void router.get("/extended", (req) => json(req.principal.sub)))
    .build()
    .get("/built", (req) => json(req.principal.sub));
  assertEquals((await router.request("/api/static")).status, 200);
  assertEquals((await router.request("/api/extended")).status, 401);
  assertEquals((await router.request("/api/built")).status, 401);
  assertEquals((await router.request("/api/built", GOOD)).status, 200);
  assertEquals((await router.request("/api/account/csrf")).status, 200);
  assertEquals((await router.request("/api/auth/csrf")).status, 404);
  assertThrows(
    () => router.withAuth(runtime.integration({ routes: { registration: "open" } })),
    TypeError,
    "Cannot install a guard",
  );
});

Deno.test("integration() protects the methods of controllers according to their metadata", async () => {
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
  const router = routerBuilder({ container }).withAuth(
    app.runtime.integration({ routes: { registration: "open" } }),
  )
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

Deno.test("integration() uses the runtime in the container for a class with @HttpRouter", async () => {
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
    withAuth: (container) =>
      getAuthRuntime(container).integration({ routes: { registration: "open" } }),
  })
  class Api {}
  assertEquals(container.has(Api), false);
  const router = container.resolve<TypedRouter>(HTTP_ROUTER);
  assertEquals((await router.request("/notes")).status, 401);
  assertEquals(await (await router.request("/notes", GOOD)).json(), "robot");
  assertEquals((await router.request("/auth/csrf")).status, 200);
});

Deno.test("integration() passes the principal together with explicit markers", async () => {
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

const STATUSES: Readonly<Record<AuthErrorCode, number>> = {
  access_denied: 403,
  csrf_failed: 403,
  identifier_unavailable: 409,
  insufficient_scope: 403,
  invalid_credentials: 401,
  invalid_identifier: 400,
  invalid_refresh_token: 401,
  invalid_token: 401,
  service_unavailable: 503,
  session_ambiguous: 401,
  session_expired: 401,
  throttled: 429,
  token_expired: 401,
  too_many_keys: 409,
  unauthenticated: 401,
  weak_password: 422,
  wrong_password: 422,
  credential_unknown: 401,
  insufficient_authentication: 401,
  invalid_challenge: 400,
  last_way_in: 409,
  too_many_credentials: 409,
  webauthn_failed: 400,
  identity_taken: 409,
  identity_unknown: 403,
  oauth_failed: 400,
  email_missing: 409,
  email_taken: 409,
  email_unverified: 403,
  invalid_code: 401,
  invalid_link: 400,
  invalid_second_factor: 401,
  mfa_expired: 401,
  mfa_required: 401,
};

for (const [code, status] of Object.entries(STATUSES) as [AuthErrorCode, number][]) {
  Deno.test(`withAuthErrors() sends ${code} like the router itself`, async () => {
    const options = { detail: "Say why", reason: "never say", headers: { "Retry-After": "3" } };
    const answers = await Promise.all(
      [createRouter({ catch: withAuthErrors() }), createRouter()].map(async (router) => {
        router.get("/", () => fail(new AuthError(code, options)));
        const response = await router.request("/");
        return [await problemOf(response.clone()), [...response.headers]];
      }),
    );
    assertEquals(answers[0], answers[1]);
    const [[{ status: sent, code: name, detail }] = [{}]] = answers as [[Record<string, unknown>]];
    assertEquals([sent, name, detail], [status, code, "Say why"]);
    assertEquals(JSON.stringify(answers).includes("never say"), false);
  });
}

Deno.test("withAuthErrors() passes other errors and server errors to the next handler", async () => {
  const { errors, onError } = collectErrors();
  const asked: AuthError[] = [];
  const handler: RefusalHandler = (error) => void asked.push(error) as undefined;
  const router = createRouter({ catch: withAuthErrors(handler), onError })
    .get("/error", () => fail(new Error("broken")))
    .get("/http", () => fail(new HttpError(418, "teapot")))
    .get("/busy", () => fail(new AuthError("service_unavailable", { cause: new Error("down") })))
    .get("/alike", () => fail(Object.assign(new Error(), { name: "AuthError", status: 200 })));
  assertEquals(await codeOf(router.request("/error")), [500, "internal_error"]);
  assertEquals(await codeOf(router.request("/http")), [418, "teapot"]);
  assertEquals(await codeOf(router.request("/alike")), [500, "internal_error"]);
  assertEquals(asked, []);
  assertEquals(await codeOf(router.request("/busy")), [503, "service_unavailable"]);
  assertEquals(asked.length, 1);
  assertEquals(errors.length, 3, "everything but the 418 is reported");
});

Deno.test("withAuthErrors() calls the handler with the error, the request and the host's arguments", async () => {
  const asked: unknown[][] = [];
  const router = createRouter<unknown[]>({
    catch: withAuthErrors((error, req, ...args) => {
      asked.push([error.code, error.status, req.route, ...args]);
      return Promise.resolve(undefined);
    }),
  }).get("/notes/:id", () => fail(new AuthError("unauthenticated", { code: "no_ticket" })));
  const response = await router.fetch(new Request("https://example.com/notes/7"), "env", 1);
  assertEquals(await codeOf(response), [401, "no_ticket"]);
  assertEquals(asked, [["no_ticket", 401, "/notes/:id", "env", 1]]);
});

Deno.test("withAuthErrors() passes the reason to the handler, not to the client", async () => {
  const reasons: unknown[] = [];
  const app = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
    integration: { catch: ({ reason }) => void reasons.push(reason) },
  });
  app.router.get("/denied", () => json(1), { authorization: { metadata: 1 } });
  await app.router.request("/me", { headers: { "X-Key": "bad" } });
  await app.router.request("/denied", { headers: { "X-Key": "good" } });
  assertEquals(reasons, ["nobody's key", "not on Sundays"]);
});

/** Failures and invalid results of a handler. */
const HANDLERS: readonly (readonly [why: string, handler: unknown, outcome: readonly unknown[]])[] =
  [
    ["it throws", () => fail(new Error("broken")), [500, "internal_error"]],
    ["it rejects", () => Promise.reject(new Error("broken")), [500, "internal_error"]],
    ["it throws the error again", (error: Error) => fail(error), [401, "unauthenticated"]],
    ["it throws another error", () => fail(new AuthError("throttled")), [429, "throttled"]],
    ["it returns null", () => null, [500, "internal_error"]],
    ["it returns true", () => true, [500, "internal_error"]],
    ["it returns the error", (error: Error) => error, [500, "internal_error"]],
    ["it returns undefined", () => undefined, [401, "unauthenticated"]],
    ["it responds 200", () => problem(404, "not_found"), [404, "not_found"]],
  ];

for (const [why, handler, outcome] of HANDLERS) {
  Deno.test(`withAuthErrors() never lets a rejected request pass: ${why}`, async () => {
    const { runtime } = createTestApp();
    let ran = 0;
    const router = withAuthRoutes(createRouter({ onError: () => {} }), {
      runtime,
      catch: untyped(handler),
    }).get("/", () => (ran++, json(1)));
    assertEquals(await codeOf(router.request("/")), outcome);
    assertEquals(ran, 0);
  });
}

Deno.test("withAuthErrors() keeps cookies, Vary and no-store on the handler's page", async () => {
  const app = createTestApp({
    strategies: [keyStrategy()],
    integration: {
      catch: ({ status }) => status === 401 ? redirect("/sign-in", 303) : undefined,
    },
  });
  const client = app.browser();
  client.jar.set("__Host-sid", "dead");
  const response = await client.send("/me");
  assertEquals([response.status, response.headers.get("Location")], [303, "/sign-in"]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie");
  assertEquals(client.jar.names(), [], "the cookie of the expired session is deleted");
});

Deno.test("withAuthErrors() of an integration runs before the router's own catch handler", async () => {
  const { runtime } = createTestApp();
  const seen: unknown[] = [];
  const router = createRouter({
    catch: (error) => {
      seen.push(error);
      return new Response("mine", { status: 418 });
    },
  }).withAuth(runtime.integration({ routes: false }))
    .get("/", () => json(1))
    .get("/other", () => fail(new Error("broken")), { auth: false });
  assertEquals((await router.request("/")).status, 401);
  assertEquals(seen, []);
  assertEquals((await router.request("/other")).status, 418);
});

Deno.test("withAuthErrors() rejects a handler that is not a function", () => {
  for (const handler of [null, true, "page", {}]) {
    assertThrows(
      () => withAuthErrors(untyped(handler)),
      TypeError,
      "Cannot create error handler: handler must be a function",
    );
  }
});

/** Codes of custom strategies. */
const CODES: readonly (readonly [given: unknown, sent: string])[] = [
  ["invalid_api_key", "invalid_api_key"],
  ["a".repeat(64), "a".repeat(64)],
  ["a".repeat(65), "unauthenticated"],
  ["", "unauthenticated"],
  ["Invalid", "unauthenticated"],
  ["invalid key", "unauthenticated"],
  ["invalid-key", "unauthenticated"],
  ["invalid\n", "unauthenticated"],
  ["ungültig", "unauthenticated"],
  ["<script>", "unauthenticated"],
  [null, "unauthenticated"],
  [404, "unauthenticated"],
  [["invalid"], "unauthenticated"],
  [{ toString: () => "invalid" }, "unauthenticated"],
];

for (const [given, sent] of CODES) {
  Deno.test(`createGuard() sends a strategy's code only if it is valid: ${JSON.stringify(given)}`, async () => {
    const app = createTestApp({ strategies: [keyStrategy({ code: untyped(given) })] });
    const response = await app.router.request("/me", { headers: { "X-Key": "bad" } });
    assertEquals(await codeOf(response), [401, sent]);
    const [event] = app.events;
    assertEquals(event?.type === "credential.refused" && event.strategy, "key");
  });
}

function fail(error: unknown): never {
  throw error;
}
