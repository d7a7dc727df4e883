/** Guards of a service without users. */
// deno-lint-ignore-file no-console -- console.warn is replaced

import {
  type AuthEvent,
  AUTHORIZATION_MANAGER,
  authorizationDenied,
  bearerTokenStrategy,
  cookiePolicy,
  createContainer,
  createRouter,
  defaultContainer,
  generateJwk,
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
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { codeOf, collectErrors, untyped } from "../../router/_helpers.ts";
import { START } from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { AUDIENCE, createIssuer, ISSUER } from "../tokens/_bearer.ts";

/** A service that accepts the tokens of an issuer. */
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
    .post("/reports", (req) => json(req.principal.sub), { scope: "any" });
  assertEquals(await codeOf(send(router, "/reports")), [401, "unauthenticated"]);
  assertEquals(await codeOf(send(router, "/reports", "x")), [401, "invalid_token"]);
  assertEquals(await codeOf(send(router, "/reports", await token())), [403, "insufficient_scope"]);
  const scoped = await send(router, "/reports", await token({ scope: "reports:read" }));
  assertEquals([scoped.status, await scoped.json()], [200, "u1"]);
  assertEquals(scoped.headers.get("Cache-Control"), "no-store");
  const type = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
  const init = { method: "POST", headers: type, body: "{}" };
  assertEquals((await send(router, "/reports", await token(), init)).status, 200);
  assertEquals(events.map(({ type }) => type), ["credential.refused", "authz.denied"]);
});

Deno.test("resourceServer() is an integration of a builder, and documents bearer", async () => {
  const { runtime, token, send } = await createService();
  const router = routerBuilder().withAuth(runtime.integration())
    .build()
    .get("/reports", (req) => json(req.principal.sub), { scope: "any" });
  assertEquals((await send(router, "/reports", await token())).status, 200);
  const document = generateOpenAPI({ title: "Reports", version: "1" }, router);
  assertEquals(Object.keys(document.components?.securitySchemes ?? {}), ["bearer"]);
});

Deno.test("resourceServer() is a runtime for requireAuth(), and uses the application's error responses", async () => {
  const { runtime, send } = await createService();
  const plain = createRouter().get("/reports", () => json(1), { use: [requireAuth({ runtime })] });
  assertEquals(await codeOf(send(plain, "/reports")), [401, "unauthenticated"]);
  const own = routerBuilder()
    .withAuth(runtime.integration({ catch: ({ code }) => json({ code }, { status: 418 }) }))
    .build()
    .get("/reports", () => json(1));
  assertEquals((await send(own, "/reports")).status, 418);
});

Deno.test("resourceServer() calls the given manager, or the container's", async () => {
  const given = managerOf(() => authorizationDenied("closed"));
  const container = createContainer();
  const registered = managerOf(() => authorizationDenied("closed"));
  container.register(AUTHORIZATION_MANAGER, { useValue: registered });
  for (const options of [{ authorization: given }, { container }]) {
    const { runtime, token, send, events } = await createService(options);
    const router = withAuthRoutes(createRouter(), { runtime })
      .get("/reports", () => json(1), {
        authorization: { metadata: "read" },
        scope: "any",
      });
    assertEquals(await codeOf(send(router, "/reports", await token())), [403, "access_denied"]);
    assertEquals(events.map(({ type }) => type), ["authz.denied"]);
  }
  assertEquals([given.asked.length, registered.asked.length], [1, 1]);
  const { runtime, token, send } = await createService();
  const { errors, onError } = collectErrors();
  const router = withAuthRoutes(createRouter({ onError }), { runtime })
    .get("/reports", () => json(1), {
      authorization: { metadata: "read" },
      scope: "any",
    });
  assertEquals((await send(router, "/reports", await token())).status, 500); // no manager: rejected
  assertEquals(errors.length, 1);
});

Deno.test("resourceServer() emits the client's address as forwarded by proxies", async () => {
  const { runtime } = await createService({ deployment: { proxies: ["10.0.0.0/8"] } });
  const request = new Request("https://a.example", { headers: { "X-Forwarded-For": "192.0.2.7" } });
  const info = { remoteAddr: { transport: "tcp", hostname: "10.1.2.3", port: 1 } };
  assertEquals(runtime.client(request, info), { address: "192.0.2.7" });
  assert(Object.isFrozen(runtime));
});

Deno.test("resourceServer() with csrf: origin accepts cookies from pages of its own and of trusted origins", async () => {
  const sessions = sessionService(inMemoryAuthStores());
  const cookie = sessionCookieStrategy({ sessions, cookies: cookiePolicy() });
  const { events, runtime } = await createService({
    strategies: [keyStrategy({ scheme: "unsaid" }), cookie],
    csrf: "origin",
    trustedOrigins: ["https://app.example"],
  });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/", () => json(1))
    .post("/", () => json(1));
  const send = async (method: string, headers: Record<string, string>) => {
    const body = method === "POST" ? { body: "{}" } : {};
    const type = { "X-Key": "good", "Content-Type": "application/json" };
    const init = { method, headers: { ...type, ...headers }, ...body };
    const response = await router.fetch(new Request("https://reports.example/", init));
    return [response.status, response.ok ? undefined : (await response.json()).code];
  };
  const passes = [200, undefined];
  const forged = [403, "csrf_failed"];
  assertEquals(await send("GET", {}), passes);
  assertEquals(await send("GET", { Upgrade: "websocket" }), forged);
  assertEquals(await send("POST", { "Sec-Fetch-Site": "same-origin" }), passes);
  assertEquals(await send("POST", { Origin: "https://reports.example" }), passes);
  assertEquals(await send("POST", { Origin: "https://app.example" }), passes);
  assertEquals(await send("POST", {}), forged);
  assertEquals(await send("POST", { Origin: "https://evil.example" }), forged);
  assertEquals(await send("POST", { "Sec-Fetch-Site": "same-site" }), forged);
  assertEquals(events.map(({ type }) => type), Array(4).fill("csrf.failed"));
});

Deno.test("resourceServer() rejects another value of csrf, and origins that are none", async () => {
  for (const options of [{ csrf: "token" }, { csrf: "origin", trustedOrigins: ["example.com"] }]) {
    await assertRejects(() => createService(options as { csrf: "origin" }), TypeError);
  }
});

Deno.test("resourceServer() rejects credentials that browsers attach automatically", () => {
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

Deno.test("resourceServer() accepts an API key in its own header field", async () => {
  const runtime = resourceServer({ strategies: [keyStrategy()], container: createContainer() });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1));
  assertEquals((await router.request("/", { headers: { "X-Key": "good" } })).status, 200);
});

Deno.test("resourceServer() rejects invalid options", () => {
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
    assertThrows(() => resourceServer(untyped<never>(options)), TypeError, "Cannot ");
  }
});

// The options of a resource server, one by one.

const WRONG_KEY = { headers: { "X-Key": "bad" } };

/** A service that accepts one key, in a header field. */
function createTestServer(options: Partial<ResourceServerOptions> = {}) {
  const events: AuthEvent[] = [];
  const runtime = resourceServer({
    strategies: [keyStrategy()],
    events: (event) => void events.push(event),
    now: () => START,
    deployment: { clientAddress: () => "192.0.2.1" },
    container: createContainer(),
    ...options,
  });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1));
  return { runtime, router, events };
}

const CLOCKS: readonly (readonly [why: string, now: number, at: number])[] = [
  ["whole seconds", START + 7, START + 7],
  ["fractions of a second, which are rounded down", START + 7.9, START + 7],
];

for (const [why, now, at] of CLOCKS) {
  Deno.test(`resourceServer() emits events with the time of the given clock: ${why}`, async () => {
    const { runtime, router, events } = createTestServer({ now: () => now });
    assertEquals((await router.request("/", WRONG_KEY)).status, 401);
    assertEquals(events.map((event) => event.at), [at]);
    assertEquals(runtime.now(), at);
  });
}

Deno.test("resourceServer() warns of a failing listener, and still rejects", async () => {
  const warnings: string[] = [];
  const { router } = createTestServer({
    events: () => {
      throw new Error("full");
    },
    warn: (message) => void warnings.push(message),
  });
  assertEquals(await codeOf(router.request("/", WRONG_KEY)), [401, "invalid_key"]);
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() calls clientAddress with the standard request and the host's arguments", async () => {
  const asked: unknown[][] = [];
  const { runtime, router, events } = createTestServer({
    deployment: {
      clientAddress: (request, ...args) => {
        asked.push([request instanceof Request, request.url, ...args]);
        return "192.0.2.9";
      },
    },
  });
  const url = "https://a.example/";
  await router.fetch(new Request(url, WRONG_KEY));
  assertEquals(events.map((event) => "address" in event && event.address), ["192.0.2.9"]);
  assertEquals(runtime.client(new Request(url), "connection"), { address: "192.0.2.9" });
  assertEquals(asked, [[true, url], [true, url, "connection"]]);
});

Deno.test("resourceServer() warns only the application that an address is unknown", () => {
  const warnings: string[] = [];
  const { runtime } = createTestServer({
    deployment: undefined,
    warn: (message) => void warnings.push(message),
  });
  assertEquals(runtime.client(new Request("https://a.example")), { address: undefined });
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() warns on the console by default", () => {
  const { warn } = console;
  const warnings: unknown[] = [];
  console.warn = (message: unknown) => void warnings.push(message);
  try {
    const { runtime } = createTestServer({ deployment: undefined });
    assertEquals(runtime.client(new Request("https://a.example")), { address: undefined });
  } finally {
    console.warn = warn;
  }
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() finds the manager of the default container at the first decision", async () => {
  const runtime = resourceServer({ strategies: [keyStrategy()] });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/", () => json(1), {
      authorization: { metadata: "read" },
      scope: "any",
    });
  const manager = managerOf(() => authorizationDenied("closed"));
  defaultContainer.register(AUTHORIZATION_MANAGER, { useValue: manager });
  const response = router.request("/", { headers: { "X-Key": "good" } });
  assertEquals(await codeOf(response), [403, "access_denied"]);
  assertEquals(manager.asked.length, 1);
});

Deno.test("resourceServer() rejects a cookie strategy at any position", async () => {
  const sessions = sessionService(inMemoryAuthStores());
  const cookie = sessionCookieStrategy({ sessions, cookies: cookiePolicy() });
  const bearer = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: await generateJwk("ES256"),
    issuer: ISSUER,
    audience: AUDIENCE,
  });
  for (const strategies of [[bearer, cookie], [cookie, bearer], [bearer, keyStrategy(), cookie]]) {
    assertThrows(
      () => createTestServer({ strategies }),
      TypeError,
      "strategy session needs a CSRF check",
    );
  }
});

Deno.test("requireAuth() accepts ambient credentials only with a resource server that skips the CSRF check", async () => {
  const { runtime } = createTestServer();
  const strategy = keyStrategy({ name: "proxy", ambient: true });
  for (const csrf of [undefined, "origin", "token"] as const) {
    const make = () => requireAuth({ runtime, strategy, csrf });
    assertThrows(make, TypeError, "strategy proxy needs a CSRF check");
  }
  const use = [requireAuth({ runtime, strategy, csrf: "insecureSkip" })];
  const router = createRouter().post("/", () => json(1), { use });
  const type = { "Content-Type": "application/json" };
  const headers = { ...type, "X-Key": "good", "Sec-Fetch-Site": "cross-site" };
  const init = { method: "POST", headers, body: "{}" };
  assertEquals((await router.request("/", init)).status, 200);
});
