import { authorizationAllowed, json, requireAuth, requireAuthz } from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { createApp, GOOD, open, showSub } from "./_require.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

Deno.test("requireAuthz() alone asks the strategies, and the manager with its metadata", async () => {
  const app = createApp();
  const { runtime, strategy } = app;
  const router = open().get("/:id", showSub, { use: [requireAuthz({ runtime, metadata: "a" })] });
  assertEquals(await codeOf(router.request("/7")), [401, "unauthenticated"]);
  assertEquals([strategy.asked.length, app.asked.length], [1, 0]);
  assertEquals(await (await router.request("/7", GOOD)).json(), { sub: "robot" });
  const [[principal, context] = []] = app.asked;
  assertEquals([principal?.sub, context?.metadata], ["robot", "a"]);
  assertEquals([context?.transport.route, context?.transport.params.id], ["/:id", "7"]);
});

Deno.test("requireAuthz() refuses what the manager denies, and says so in an event only", async () => {
  const app = createApp();
  const router = open().get("/in", showSub, {
    use: [requireAuthz({ runtime: app.runtime, metadata: "deny" })],
  });
  const response = await router.request("/in", GOOD);
  assertEquals(response.headers.get("WWW-Authenticate"), null);
  assertEquals(await codeOf(response), [403, "access_denied"]);
  const [event] = app.events;
  assertEquals(event?.type === "authz.denied" && [event.reason, event.route, event.sub], [
    "denied here",
    "/in",
    "robot",
  ]);
});

Deno.test("requireAuthz() takes no word of a guard with another strategy, unless it has the same", async () => {
  const app = createApp();
  const { runtime } = app;
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const first = requireAuth({ runtime, strategy });
  const router = open()
    .get("/one", showSub, { use: [first, requireAuthz({ runtime, metadata: 1 })] })
    .get("/both", showSub, { use: [first, requireAuthz({ runtime, metadata: 1, strategy })] });
  const init = { headers: { "X-Other": "good" } };
  assertEquals(await codeOf(router.request("/one", init)), [401, "unauthenticated"]);
  assertEquals(app.asked.length, 0);
  strategy.asked.length = 0;
  assertEquals(await (await router.request("/both", init)).json(), { sub: "robot" });
  assertEquals([strategy.asked.length, app.asked.length], [1, 1]);
});

Deno.test("requireAuthz() asks about undefined too, where a route says so", async () => {
  const app = createApp();
  const guard = requireAuthz({ runtime: app.runtime, metadata: undefined });
  const router = open().get("/", showSub, { use: [guard] });
  assertEquals((await router.request("/", GOOD)).status, 200);
  assertEquals(app.asked.map(([, { metadata }]) => metadata), [undefined]);
});

Deno.test("requireAuthz() asks about anonymous requests only by allowAnonymous", async () => {
  const app = createApp();
  const { runtime } = app;
  const rows = [
    ["/open", { metadata: 1, allowAnonymous: true }, 200],
    ["/denied", { metadata: "deny", allowAnonymous: true }, 403],
    ["/closed", { metadata: 1, allowAnonymous: false }, 401],
    ["/default", { metadata: 1 }, 401],
  ] as const;
  const router = open();
  for (const [path, options] of rows) {
    router.get(path, showSub, { use: [requireAuthz({ runtime, ...options })] });
  }
  for (const [path, , status] of rows) assertEquals((await router.request(path)).status, status);
  assertEquals(app.asked.map(([principal]) => principal), [undefined, undefined]);
  const wrong = { headers: { "X-Key": "bad" } };
  assertEquals(await codeOf(router.request("/open", wrong)), [401, "invalid_key"]);
});

Deno.test("requireAuthz() asks the manager that it is given, and each its own question", async () => {
  const app = createApp();
  const { runtime } = app;
  const manager = managerOf(() => authorizationAllowed());
  const router = open().get("/", showSub, {
    use: [
      requireAuthz({ runtime, metadata: "first", manager }),
      requireAuthz({ runtime, metadata: "second" }),
      requireAuthz({ runtime, metadata: "deny" }),
      requireAuthz({ runtime, metadata: "never", manager }),
    ],
  });
  assertEquals((await router.request("/", GOOD)).status, 403);
  assertEquals(manager.asked.map(([, { metadata }]) => metadata), ["first"]);
  assertEquals(app.asked.map(([, { metadata }]) => metadata), ["second", "deny"]);
});

Deno.test("requireAuthz() asks where a request comes from by its own rule, whatever a guard before asked", async () => {
  const app = createApp();
  const { runtime } = app;
  const csrf = "insecureSkip";
  const first = requireAuth({ runtime, csrf });
  const options = { auth: false, raw: true } as const;
  app.router
    .post("/checked", () => json("done"), {
      ...options,
      use: [first, requireAuthz({ runtime, metadata: 1 })],
    })
    .post("/skipped", () => json("done"), {
      ...options,
      use: [first, requireAuthz({ runtime, metadata: 1, csrf })],
    });
  const client = await app.signedIn();
  const init = { method: "POST", headers: { "Sec-Fetch-Site": "cross-site" } };
  assertEquals(await codeOf(client.send("/checked", init)), [403, "csrf_failed"]);
  assertEquals((await client.send("/skipped", init)).status, 200);
});

Deno.test("requireAuthz() leaves out of caches what a guard before it let somebody see", async () => {
  const { runtime } = createApp();
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const anonymous = requireAuthz({ runtime, metadata: 1, allowAnonymous: true });
  const router = open().get("/", showSub, { use: [requireAuth({ runtime, strategy }), anonymous] });
  const response = await router.request("/", { headers: { "X-Other": "good" } });
  assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
});

Deno.test("requireAuthz() throws where nothing is said of metadata", () => {
  const { runtime } = createApp();
  assertThrows(() => requireAuthz(untyped({ runtime })), TypeError, "metadata is missing");
  assertThrows(() => requireAuthz(untyped({ runtime, metdata: 1 })), TypeError, "Cannot ");
});

Deno.test("requireAuthz() alone checks where a request with a session comes from", async () => {
  const app = createApp();
  app.router.post("/do", () => json("done"), {
    auth: false,
    raw: true,
    use: [requireAuthz({ runtime: app.runtime, metadata: 1 })],
  });
  const client = await app.signedIn();
  const headers = { "Sec-Fetch-Site": "same-site" };
  assertEquals(await codeOf(client.send("/do", { method: "POST", headers })), [403, "csrf_failed"]);
  assertEquals((await client.send("/do", { method: "POST" })).status, 200);
});
