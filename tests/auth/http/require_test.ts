import {
  defaultContainer,
  getPrincipal,
  getSession,
  json,
  requireAuth,
  requireAuthz,
  type RouteRequest,
  type TypedRouter,
  wrap,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { AUTH_RUNTIME } from "../../../auth/http/runtime.ts";
import { codeOf } from "../../router/_helpers.ts";
import { createApp, GOOD, open, showSub } from "./_require.ts";
import { keyStrategy } from "../_strategies.ts";

/** Where `requireAuth()` may stand. */
const PLACES: readonly (readonly [
  why: string,
  make: (guard: ReturnType<typeof requireAuth>) => TypedRouter,
])[] = [
  ["use", (guard) => withRoutes(open(), { use: [guard] })],
  ["under", (guard) => withRoutes(open().under("/", guard))],
  ["before", (guard) => withRoutes(open({ before: [guard] }))],
  ["under a path", (guard) => withRoutes(open().under("/in", guard))],
];

for (const [place, make] of PLACES) {
  Deno.test(`requireAuth() protects a route by ${place}`, async () => {
    const { runtime } = createApp();
    const router = make(requireAuth({ runtime }));
    const refused = await router.request("/in/side");
    assertEquals(refused.headers.get("WWW-Authenticate"), "ApiKey, Session");
    assertEquals(refused.headers.get("Cache-Control"), "no-store");
    assertEquals(refused.headers.get("Vary"), "X-Key, Cookie");
    assertEquals(await codeOf(refused), [401, "unauthenticated"]);
    const wrong = { headers: { "X-Key": "bad" } };
    assertEquals(await codeOf(router.request("/in/side", wrong)), [401, "invalid_key"]);
    const passed = await router.request("/in/side", GOOD);
    assertEquals(await passed.json(), { sub: "robot" });
    assertEquals(passed.headers.get("Cache-Control"), "no-store");
  });
}

Deno.test("requireAuth() in before and under covers what no route answers, and other methods", async () => {
  const { runtime } = createApp();
  const guard = requireAuth({ runtime });
  for (
    const router of [withRoutes(open({ before: [guard] })), withRoutes(open().under("/", guard))]
  ) {
    assertEquals((await router.request("/nowhere")).status, 401);
    assertEquals((await router.request("/in/side", { method: "DELETE" })).status, 401);
    assertEquals((await router.request("/in/side", { method: "OPTIONS" })).status, 401);
    assertEquals((await router.request("/nowhere", GOOD)).status, 404);
    assertEquals((await router.request("/in/side", { method: "DELETE", ...GOOD })).status, 405);
  }
});

Deno.test("requireAuth() comes before what stands behind it", async () => {
  const { runtime } = createApp();
  const seen: string[] = [];
  const router = open().get("/", () => json(1), {
    use: [
      () => void seen.push("before"),
      requireAuth({ runtime }),
      () => void seen.push("behind"),
    ],
  });
  await router.request("/");
  assertEquals(seen, ["before"]);
});

Deno.test("requireAuth() asks the strategies once for a request, however often it stands", async () => {
  const app = createApp();
  const { runtime, strategy } = app;
  const guard = () => requireAuth({ runtime });
  const router = open({ before: [guard()] }).under("/", guard()).get("/in/side", showSub, {
    use: [guard(), guard(), requireAuthz({ runtime, metadata: 1 })],
  });
  assertEquals(await (await router.request("/in/side", GOOD)).json(), { sub: "robot" });
  assertEquals([strategy.asked.length, app.asked.length], [1, 1]);
});

Deno.test("requireAuth() in a guarded router asks the strategies no second time", async () => {
  const app = createApp();
  app.router.get("/twice", showSub, { use: [requireAuth({ runtime: app.runtime })] });
  assertEquals((await app.router.request("/twice", GOOD)).status, 200);
  assertEquals(app.strategy.asked.length, 1);
});

Deno.test("requireAuth() with another strategy asks that one, whatever another guard found", async () => {
  const { runtime } = createApp();
  const other = keyStrategy({ name: "other", field: "X-Other" });
  const use = [requireAuth({ runtime }), requireAuth({ runtime, strategy: other })];
  const router = open().get("/", showSub, { use });
  assertEquals(await codeOf(router.request("/", GOOD)), [401, "unauthenticated"]);
  const both = { headers: { "X-Key": "good", "X-Other": "bad" } };
  assertEquals(await codeOf(router.request("/", both)), [401, "invalid_key"]);
  const fine = { headers: { "X-Key": "good", "X-Other": "good" } };
  const response = await router.request("/", fine);
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie, X-Other");
  assertEquals(response.status, 200);
});

Deno.test("requireAuth() finds the runtime in the default container when it is called, or throws", () => {
  assertThrows(() => requireAuth(), TypeError, "Cannot find authentication: call registerAuth()");
  assertThrows(() => requireAuthz({ metadata: 1 }), TypeError, "Cannot find authentication: ");
  assertEquals(defaultContainer.has(AUTH_RUNTIME), false);
});

Deno.test("requireAuth() gives getPrincipal() and getSession() what they say, by both requests", async () => {
  const app = createApp();
  const { runtime } = app;
  const seen: unknown[] = [];
  const look = (req: RouteRequest) => {
    const { sub, sessionId } = getPrincipal(req) ?? {};
    seen.push([sub, getSession(req)?.session.id === sessionId]);
    assertEquals(getPrincipal(req), getPrincipal(req.raw));
    assertEquals(getSession(req), getSession(req.raw));
  };
  app.router.get("/look", () => json(1), {
    auth: false,
    use: [
      look,
      wrap(async (req, next) => {
        const response = await next();
        look(req);
        return response;
      }),
      requireAuth({ runtime }),
      look,
    ],
  });
  const client = await app.signedIn();
  assertEquals((await client.send("/look")).status, 200);
  assertEquals(seen, [[undefined, true], ["u1", true], ["u1", true]]);
});

function withRoutes(
  router: TypedRouter,
  options: { use?: ReturnType<typeof requireAuth>[] } = {},
): TypedRouter {
  return router.get("/in/side", showSub, options);
}
