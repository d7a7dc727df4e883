import {
  type AuthEvent,
  AUTHORIZATION_MANAGER,
  authorizationDenied,
  cookiePolicy,
  createContainer,
  createRouter,
  generateOpenAPI,
  inMemoryAuthStores,
  json,
  requireAuth,
  requireScope,
  resourceServer,
  type ResourceServerOptions,
  routerBuilder,
  sessionCookieStrategy,
  sessionService,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { codeOf, collectErrors, untyped } from "../../router/_helpers.ts";
import { createIssuer } from "../tokens/_bearer.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

/** A service that takes the tokens of an issuer. */
async function createService(options: Partial<ResourceServerOptions> = {}) {
  const issuer = await createIssuer();
  const events: AuthEvent[] = [];
  const runtime = resourceServer({
    strategies: [issuer.strategy],
    events: (event) => void events.push(event),
    now: () => issuer.clock.now,
    container: createContainer(),
    ...options,
  });
  const send = async (
    router: {
      readonly request: (path: string, init?: RequestInit) => Promise<Response> | Response;
    },
    path: string,
    token?: string,
    init: RequestInit = {},
  ) =>
    await router.request(path, {
      ...init,
      headers: {
        ...init.headers,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
    });
  return { ...issuer, runtime, events, send };
}

Deno.test("resourceServer() guards a router without users, sessions or a secret", async () => {
  const { runtime, token, send, events } = await createService();
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/reports", (req) => json(req.principal.sub), { use: [requireScope("reports:read")] })
    .post("/reports", (req) => json(req.principal.sub));
  assertEquals(await codeOf(send(router, "/reports")), [401, "unauthenticated"]);
  assertEquals(await codeOf(send(router, "/reports", "x")), [401, "invalid_token"]);
  assertEquals(await codeOf(send(router, "/reports", await token())), [403, "insufficient_scope"]);
  const scoped = await send(router, "/reports", await token({ scope: "reports:read" }));
  assertEquals([scoped.status, await scoped.json()], [200, "u1"]);
  assertEquals(scoped.headers.get("Cache-Control"), "no-store");
  const type = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
  const init = { method: "POST", headers: type, body: "{}" };
  assertEquals((await send(router, "/reports", await token(), init)).status, 200);
  assertEquals(events.map(({ type }) => type), ["credential.refused"]);
});

Deno.test("resourceServer() is an integration of a builder, and its document says bearer", async () => {
  const { runtime, token, send } = await createService();
  const router = routerBuilder().withAuth(runtime.integration()).build()
    .get("/reports", (req) => json(req.principal.sub));
  assertEquals((await send(router, "/reports", await token())).status, 200);
  const document = generateOpenAPI({ title: "Reports", version: "1" }, router);
  assertEquals(Object.keys(document.components?.securitySchemes ?? {}), ["bearer"]);
});

Deno.test("resourceServer() is a runtime for requireAuth(), and answers refusals in the application's way", async () => {
  const { runtime, send } = await createService();
  const plain = createRouter().get("/reports", () => json(1), { use: [requireAuth({ runtime })] });
  assertEquals(await codeOf(send(plain, "/reports")), [401, "unauthenticated"]);
  const own = routerBuilder()
    .withAuth(runtime.integration({ catch: ({ code }) => json({ code }, { status: 418 }) }))
    .build()
    .get("/reports", () => json(1));
  assertEquals((await send(own, "/reports")).status, 418);
});

Deno.test("resourceServer() asks the manager that it was given, or the container has", async () => {
  const given = managerOf(() => authorizationDenied("closed"));
  const container = createContainer();
  const registered = managerOf(() => authorizationDenied("closed"));
  container.register(AUTHORIZATION_MANAGER, { useValue: registered });
  for (const options of [{ authorization: given }, { container }]) {
    const { runtime, token, send, events } = await createService(options);
    const router = withAuthRoutes(createRouter(), { runtime })
      .get("/reports", () => json(1), { authorization: { metadata: "read" } });
    assertEquals(await codeOf(send(router, "/reports", await token())), [403, "access_denied"]);
    assertEquals(events.map(({ type }) => type), ["authz.denied"]);
  }
  assertEquals([given.asked.length, registered.asked.length], [1, 1]);
  const { runtime, token, send } = await createService();
  const { errors, onError } = collectErrors();
  const router = withAuthRoutes(createRouter({ onError }), { runtime })
    .get("/reports", () => json(1), { authorization: { metadata: "read" } });
  assertEquals((await send(router, "/reports", await token())).status, 500); // nobody decides: no pass
  assertEquals(errors.length, 1);
});

Deno.test("resourceServer() tells of the client's address behind proxies", async () => {
  const { runtime } = await createService({ trustedProxies: ["10.0.0.0/8"] });
  const request = new Request("https://a.example", { headers: { "X-Forwarded-For": "192.0.2.7" } });
  const info = { remoteAddr: { transport: "tcp", hostname: "10.1.2.3", port: 1 } };
  assertEquals(runtime.client(request, info), { address: "192.0.2.7" });
  assert(Object.isFrozen(runtime));
});

Deno.test("resourceServer() refuses credentials that browsers send by themselves", () => {
  const sessions = sessionService(inMemoryAuthStores());
  const cookie = sessionCookieStrategy({ sessions, cookies: cookiePolicy() });
  for (
    const strategy of [
      cookie,
      keyStrategy({ scheme: "unsaid" }),
      keyStrategy({ ambient: true }),
      keyStrategy({ field: "Authorization" }),
    ]
  ) {
    assertThrows(
      () => resourceServer({ strategies: [strategy] }),
      TypeError,
      `strategy ${strategy.name} needs a CSRF check`,
    );
  }
});

Deno.test("resourceServer() takes an API key in a field of its own", async () => {
  const runtime = resourceServer({ strategies: [keyStrategy()], container: createContainer() });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1));
  assertEquals((await router.request("/", { headers: { "X-Key": "good" } })).status, 200);
});

Deno.test("resourceServer() refuses what is no option", () => {
  const wrong: readonly unknown[] = [
    undefined,
    {},
    { strategies: [] },
    { strategies: keyStrategy() },
    { strategies: [keyStrategy()], events: "log" },
    { strategies: [keyStrategy()], warn: 1 },
    { strategies: [keyStrategy()], authorization: {} },
  ];
  for (const options of wrong) {
    assertThrows(() => resourceServer(untyped(options)), TypeError, "Cannot ");
  }
});
