/** What a resource server makes of its options, one by one. */
// deno-lint-ignore-file no-console -- it is taken to hear what is said

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
  inMemoryAuthStores,
  json,
  requireAuth,
  resourceServer,
  type ResourceServerOptions,
  sessionCookieStrategy,
  sessionService,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf } from "../../router/_helpers.ts";
import { AUDIENCE, ISSUER } from "../tokens/_bearer.ts";
import { START } from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const WRONG_KEY = { headers: { "X-Key": "bad" } };

/** A service that takes one key, in a header field. */
function createService(options: Partial<ResourceServerOptions> = {}) {
  const events: AuthEvent[] = [];
  const runtime = resourceServer({
    strategies: [keyStrategy()],
    events: (event) => void events.push(event),
    now: () => START,
    clientAddress: () => "192.0.2.1",
    container: createContainer(),
    ...options,
  });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1));
  return { runtime, router, events };
}

const CLOCKS: readonly (readonly [why: string, now: number, at: number])[] = [
  ["whole seconds", START + 7, START + 7],
  ["parts of a second, which are left out", START + 7.9, START + 7],
];

for (const [why, now, at] of CLOCKS) {
  Deno.test(`resourceServer() dates events by the clock that it was given: ${why}`, async () => {
    const { runtime, router, events } = createService({ now: () => now });
    assertEquals((await router.request("/", WRONG_KEY)).status, 401);
    assertEquals(events.map((event) => event.at), [at]);
    assertEquals(runtime.now(), at);
  });
}

Deno.test("resourceServer() tells the application of a listener that fails, and refuses all the same", async () => {
  const warnings: string[] = [];
  const { router } = createService({
    events: () => {
      throw new Error("full");
    },
    warn: (message) => void warnings.push(message),
  });
  assertEquals(await codeOf(router.request("/", WRONG_KEY)), [401, "invalid_key"]);
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() asks for the address as it was told to, by the standard request and what stands behind it", async () => {
  const asked: unknown[][] = [];
  const { runtime, router, events } = createService({
    clientAddress: (request, ...args) => {
      asked.push([request instanceof Request, request.url, ...args]);
      return "192.0.2.9";
    },
  });
  const url = "https://a.example/";
  await router.fetch(new Request(url, WRONG_KEY));
  assertEquals(events.map((event) => "address" in event && event.address), ["192.0.2.9"]);
  assertEquals(runtime.client(new Request(url), "connection"), { address: "192.0.2.9" });
  assertEquals(asked, [[true, url], [true, url, "connection"]]);
});

Deno.test("resourceServer() tells the application, and nobody else, that an address is not known", () => {
  const warnings: string[] = [];
  const { runtime } = createService({
    clientAddress: undefined,
    warn: (message) => void warnings.push(message),
  });
  assertEquals(runtime.client(new Request("https://a.example")), { address: undefined });
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() warns on the console where nobody else is told", () => {
  const { warn } = console;
  const warnings: unknown[] = [];
  console.warn = (message: unknown) => void warnings.push(message);
  try {
    const { runtime } = createService({ clientAddress: undefined });
    assertEquals(runtime.client(new Request("https://a.example")), { address: undefined });
  } finally {
    console.warn = warn;
  }
  assertEquals(warnings.length, 1);
});

Deno.test("resourceServer() finds the manager of the default container, once somebody asks", async () => {
  const runtime = resourceServer({ strategies: [keyStrategy()] });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/", () => json(1), { authorization: { metadata: "read" } });
  const manager = managerOf(() => authorizationDenied("closed"));
  defaultContainer.register(AUTHORIZATION_MANAGER, { useValue: manager });
  const response = router.request("/", { headers: { "X-Key": "good" } });
  assertEquals(await codeOf(response), [403, "access_denied"]);
  assertEquals(manager.asked.length, 1);
});

Deno.test("resourceServer() refuses a cookie behind a strategy that is none, wherever it stands", async () => {
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
      () => createService({ strategies }),
      TypeError,
      "strategy session needs a CSRF check",
    );
  }
});

Deno.test("requireAuth() takes what browsers send where a resource server is told to skip the check, and not before", async () => {
  const { runtime } = createService();
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
