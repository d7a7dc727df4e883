/** The builder compiles recorded calls in a fixed order, whatever the order of the calls. */

import {
  type AuthIntegration,
  HttpError,
  json,
  type RouterBuilder,
  routerBuilder,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { permutations, type Principal, saysWho } from "./_helpers.ts";

/** Accepts any user that the X-User header field names, and adds a route. */
const integration: AuthIntegration<Principal> = {
  ...saysWho,
  routes: (router) => void router.get("/auth/who", (req) => json(req.headers.get("X-User"))),
};

type Call = (builder: RouterBuilder, log: string[]) => unknown;

/** The calls of one builder; each logs when the added step runs. */
const CALLS: Readonly<Record<string, Call>> = {
  use: (builder, log) => builder.use(() => void log.push("use")),
  static: (builder, log) =>
    builder.extend(
      (router) => router.all("/*", () => (log.push("static"), undefined as never)),
      "static",
    ),
  withAuth: (builder, log) =>
    builder.withAuth({
      ...integration,
      guard: () => (log.push("guard"), { sub: "ada" }),
    }),
  extend: (builder, log) =>
    builder.extend((router) => router.get("/*", () => (log.push("extension"), undefined as never))),
  controllers: (builder, log) =>
    builder.extend(
      (router) => router.get("/*", () => (log.push("controllers"), undefined as never)),
      "controllers",
    ),
  finally: (builder, log) => builder.finally(() => void log.push("finally")),
};

Deno.test("build() compiles all 720 orders of calls to the same router", async () => {
  let count = 0;
  for (const order of permutations(Object.keys(CALLS))) {
    const log: string[] = [];
    const builder = routerBuilder();
    for (const call of order) CALLS[call]?.(builder, log);
    const router = builder.build().get("/a", () => (log.push("application"), json(1)));
    await router.request("/a");
    assertEquals(
      log,
      [
        "use",
        "static",
        "guard",
        "extension",
        "guard",
        "controllers",
        "guard",
        "application",
        "finally",
      ],
      order.join(),
    );
    count++;
  }
  assertEquals(count, 720);
});

Deno.test("build() puts the prefix before everything, static mounts and extensions included", async () => {
  const router = routerBuilder()
    .extend((router) => router.get("/asset", () => json("asset")), "static")
    .extend((router) => router.get("/more", () => json("more")))
    .prefix("/api").build().get("/own", () => json("own"));
  for (const path of ["asset", "more", "own"]) {
    assertEquals(await (await router.request(`/api/${path}`)).json(), path);
    assertEquals((await router.request(`/${path}`)).status, 404);
  }
});

Deno.test("withAuth() guards extensions, controllers and later routes, and not static mounts", async () => {
  const router = routerBuilder()
    .extend((router) => router.get("/asset", () => json(1)), "static")
    .extend((router) => router.get("/extension", () => json(1)))
    .extend((router) => router.get("/controller", () => json(1)), "controllers")
    .withAuth(integration).build()
    .get("/own", (req) => json(req.principal.sub))
    .get("/open", () => json(1), { auth: false });
  const paths = ["/asset", "/extension", "/controller", "/own", "/open", "/auth/who"];
  const anonymous = paths.map(async (path) => (await router.request(path)).status);
  assertEquals(await Promise.all(anonymous), [200, 401, 401, 401, 200, 401]);
  const headers = { "X-User": "ada" };
  const known = paths.map(async (path) => (await router.request(path, { headers })).status);
  assertEquals(await Promise.all(known), [200, 200, 200, 200, 200, 200]);
  assertEquals(await (await router.request("/auth/who", { headers })).json(), "ada");
});

Deno.test("withAuth() runs the integration's catch before the builder's, and its finally last", async () => {
  const log: string[] = [];
  const router = routerBuilder()
    .catch((error) => (log.push(`catch ${error}`), json("caught", { status: 500 })))
    .finally(() => void log.push("finally"))
    .withAuth({
      ...integration,
      catch: (error) =>
        error instanceof HttpError ? json("theirs", { status: 401 }) : void log.push("declined"),
      finally: () => void log.push("their finally"),
    })
    .build().get("/a", () => {
      throw new Error("boom");
    });
  assertEquals(await (await router.request("/a")).json(), "theirs");
  assertEquals(await (await router.request("/a", { headers: { "X-User": "a" } })).json(), "caught");
  assertEquals(log, [
    "finally",
    "their finally",
    "declined",
    "catch Error: boom",
    "finally",
    "their finally",
  ]);
});

Deno.test("use() runs its middleware in order, for unmatched requests too", async () => {
  const log: number[] = [];
  const router = routerBuilder().use(() => void log.push(1), () => void log.push(2)).use(() =>
    void log.push(3)
  ).build();
  assertEquals((await router.request("/nowhere")).status, 404);
  assertEquals(log, [1, 2, 3]);
});

Deno.test("build() returns a router that takes the builder's extra arguments", async () => {
  const router = routerBuilder<[{ name: string }]>()
    .use((_req, env) => void env.name.length)
    .extend((router) => router.get("/name", (_req, env) => json(env.name)))
    .build();
  assertEquals(await (await router.request("/name", {}, { name: "Ada" })).json(), "Ada");
});

Deno.test("build() twice throws, and so does every call after it", () => {
  const builder = routerBuilder();
  builder.build();
  assertThrows(() => builder.build(), TypeError, "Cannot build the router: it was built");
  const late: readonly [string, () => unknown][] = [
    ["the prefix", () => builder.prefix("/a")],
    ["middleware", () => builder.use(() => {})],
    ["the error handler", () => builder.catch(() => json(1))],
    ["hooks", () => builder.finally(() => {})],
    ["authentication", () => builder.withAuth(integration)],
    ["an extension", () => builder.extend(() => {})],
  ];
  for (const [what, call] of late) {
    assertThrows(call, TypeError, `Cannot set ${what}: the router was built`);
  }
});

Deno.test("routerBuilder() rejects setting a single value twice", () => {
  const twice: readonly [string, (builder: RouterBuilder) => unknown][] = [
    ["the prefix", (builder) => builder.prefix("/a").prefix("/b")],
    ["the error handler", (builder) => builder.catch(() => json(1)).catch(() => json(2))],
    ["authentication", (builder) => builder.withAuth(integration).withAuth(integration)],
  ];
  for (const [what, call] of twice) {
    assertThrows(() => call(routerBuilder()), TypeError, `Cannot set ${what}: it was set before`);
  }
});

Deno.test("build() reports invalid settings", () => {
  assertThrows(() => routerBuilder().prefix("api").build(), TypeError, 'Cannot use path "api"');
  assertThrows(
    () => routerBuilder().use("text" as never).build(),
    TypeError,
    "it is not a function",
  );
});
