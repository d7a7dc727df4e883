/** Static mounts of the builder and of the router it builds: the order, and what is guarded. */

import {
  createRouter,
  json,
  mountStatic,
  type RouterBuilder,
  routerBuilder,
  type StaticAssetOptions,
} from "@gatehouse/http";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { permutations, saysWho } from "./_helpers.ts";
import { packageOf } from "../static/_packages.ts";

const ADA = { headers: { "X-User": "ada" } };

/** Mounts of one package. */
const ASSETS: StaticAssetOptions = {
  directory: "builder",
  package: await packageOf({ "a.txt": "file", "private/s.txt": "secret", "p,q/s.txt": "secret" }),
};
const THROUGH: StaticAssetOptions = { ...ASSETS, fallthrough: true };

/** Status and code or text of a response. */
async function answer(
  router: { request(path: string, init?: RequestInit): Promise<Response> },
  path: string,
  init?: RequestInit,
): Promise<string> {
  const response = await router.request(path, init);
  const text = await response.text();
  return `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text}`;
}

/** The calls of one builder; each logs when the added step runs, except a mount, whose `finally` sees the file. */
const CALLS: Readonly<Record<string, (builder: RouterBuilder, log: string[]) => unknown>> = {
  use: (builder, log) => builder.use(() => void log.push("use")),
  static: (builder) => builder.static("/", THROUGH),
  withAuth: (builder, log) =>
    builder.withAuth({ guard: () => (log.push("guard"), { sub: "ada" }) }),
  extend: (builder, log) =>
    builder.extend((router) => router.get("/*", () => (log.push("extension"), undefined as never))),
  controllers: (builder, log) =>
    builder.extend(
      (router) => router.get("/*", () => (log.push("controllers"), undefined as never)),
      "controllers",
    ),
  prefix: (builder) => builder.prefix("/api"),
  finally: (builder, log) =>
    builder.finally((response) => void log.push(`finally ${response.status}`)),
};

Deno.test("static() comes after the middleware and before all other steps, whatever the order of calls", async () => {
  let count = 0;
  for (const order of permutations(Object.keys(CALLS))) {
    const log: string[] = [];
    const builder = routerBuilder();
    for (const call of order) CALLS[call]?.(builder, log);
    const router = builder.build().get("/*", () => (log.push("application"), json(1)));
    assertEquals(await answer(router, "/api/a.txt"), "200 file");
    assertEquals(await answer(router, "/api/b.txt"), "200 1");
    const missed = "use guard extension guard controllers guard application".split(" ");
    assertEquals(log, ["use", "finally 200", ...missed, "finally 200"], order.join());
    count++;
  }
  assertEquals(count, 5040);
});

Deno.test("static() has mounts in the order of the calls", async () => {
  const other = {
    directory: "other",
    package: await packageOf({ "a.txt": "other", "b.txt": "b" }),
  };
  const router = routerBuilder().static("/", THROUGH).static("/", other).build();
  assertEquals(await answer(router, "/a.txt"), "200 file");
  assertEquals(await answer(router, "/b.txt"), "200 b");
  const nested = routerBuilder().static("/x", ASSETS).static("/", other).build();
  assertEquals(await answer(nested, "/x/b.txt"), "404 not_found");
  assertEquals(await answer(nested, "/b.txt"), "200 b");
});

Deno.test("use() sees requests for files, and can reject them", async () => {
  const seen: string[] = [];
  const router = routerBuilder().static("/assets", ASSETS).use((req) => {
    seen.push(`${req.method} ${req.path}`);
    return req.headers.has("X-User") ? undefined : new Response("no", { status: 401 });
  }).build();
  assertEquals(await answer(router, "/assets/%61.txt"), "401 no");
  assertEquals(await answer(router, "/assets/a.txt", ADA), "200 file");
  assertEquals(seen, ["GET /assets/a.txt", "GET /assets/a.txt"]);
});

Deno.test("withAuth() of the builder leaves its mounts public, and guards those added later", async () => {
  const router = routerBuilder().withAuth(saysWho).static("/open", ASSETS)
    .extend((router) => router.mount("/files", mountStatic("/", ASSETS)))
    .build().static("/closed", ASSETS);
  assertEquals(await answer(router, "/open/a.txt"), "200 file");
  for (
    const path of ["/closed/a.txt", "/closed/none", "/closed/..%2fx", "/closed", "/files/a.txt"]
  ) {
    assertEquals(await answer(router, path), "401 unauthenticated", path);
  }
  for (const method of ["POST", "OPTIONS", "DELETE"]) {
    assertEquals(await answer(router, "/closed/a.txt", { method }), "401 unauthenticated", method);
  }
  assertEquals(await answer(router, "/closed/a.txt", ADA), "200 file");
  assertEquals(await answer(router, "/closed/none", ADA), "404 not_found");
  assertEquals(await answer(router, "/files/a.txt", ADA), "200 file");
});

Deno.test("static() of the built router is guarded after withAuth(), and public before", async () => {
  const router = routerBuilder().build().static("/open", ASSETS).withAuth(saysWho)
    .static("/closed", ASSETS).get("/own", (req) => json(req.principal.sub));
  assertEquals(await answer(router, "/open/a.txt"), "200 file");
  assertEquals(await answer(router, "/closed/a.txt"), "401 unauthenticated");
  assertEquals(await answer(router, "/own", ADA), '200 "ada"');
});

Deno.test("static() with fallthrough leaves misses, methods and bad paths to a guarded route", async () => {
  const router = routerBuilder().withAuth(saysWho).static("/files", THROUGH).build()
    .get("/files/*", (req) => json(req.principal.sub))
    .post("/files/*", (req) => json(req.content));
  assertEquals(await answer(router, "/files/a.txt"), "200 file");
  for (const path of ["/files/none", "/files/.env", "/files/sub/", "/files/..%2fx"]) {
    assertEquals(await answer(router, path), "401 unauthenticated", path);
    assertEquals(await answer(router, path, ADA), '200 "ada"', path);
  }
  assertEquals(await answer(router, "/files/%zz"), "400 invalid_target");
  const post = { method: "POST", body: "[1]", headers: { "Content-Type": "application/json" } };
  assertEquals(await answer(router, "/files/a.txt", post), "401 unauthenticated");
  const known = { ...post, headers: { ...post.headers, ...ADA.headers } };
  assertEquals(await answer(router, "/files/a.txt", known), "200 [1]");
});

Deno.test("static() with fallthrough ends in the router's own responses without another match", async () => {
  const router = routerBuilder({ onError: () => {} }).static("/", THROUGH).build();
  for (const path of ["/none", "/%zz", "/..%2fx", "/"]) {
    assertEquals(await answer(router, path), "404 not_found", path);
  }
  assertEquals(await answer(router, "/a.txt", { method: "POST" }), "404 not_found");
});

Deno.test("static() without fallthrough hides later routes under its prefix", async () => {
  const router = routerBuilder().static("/assets", ASSETS).build()
    .get("/assets/api", () => json(1)).get("/assets", () => json(2)).get("/other", () => json(3))
    .post("/assets/api", () => json(4), { raw: true });
  assertEquals(await answer(router, "/assets/api"), "404 not_found");
  assertEquals(await answer(router, "/assets/api", { method: "POST" }), "405 method_not_allowed");
  assertEquals(await answer(router, "/other"), "200 3");
});

Deno.test("static() answers other methods with 405 whatever their headers and body", async () => {
  const router = routerBuilder().static("/assets", ASSETS).build();
  for (const type of ["application/json", "text/plain", "multipart/form-data", ""]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const init = { method, body: "{", headers: { "Content-Type": type } };
      const response = await router.request("/assets/a.txt", init);
      assertEquals([response.status, response.headers.get("Allow")], [405, "GET, HEAD"], type);
      await response.body?.cancel();
    }
  }
});

Deno.test("finally() sees the responses of mounts, and may add header fields", async () => {
  const seen: string[] = [];
  const router = routerBuilder().static("/", ASSETS)
    .finally((response, req) => {
      seen.push(`${req.method} ${response.status}`);
      response.headers.set("X-Seen", "1");
    }).build();
  for (const path of ["/a.txt", "/none", "/%zz", "/..%2f"]) {
    assertEquals((await router.request(path)).headers.get("X-Seen"), "1");
  }
  const head = await router.request("/a.txt", { method: "HEAD" });
  const unchanged = await router.request("/a.txt", { headers: { "If-None-Match": "*" } });
  assertEquals([head.body, head.headers.get("Content-Length")], [null, "4"]);
  assertEquals([unchanged.status, unchanged.headers.get("X-Seen")], [304, "1"]);
  assertEquals(seen, ["GET 200", "GET 404", "GET 400", "GET 403", "HEAD 200", "GET 304"]);
});

Deno.test("static() answers 500 for corrupt contents, and calls onError", async () => {
  const pkg = structuredClone(await packageOf({ "a.txt": "hello" }));
  Object.assign(pkg.entries["a.txt"] ?? {}, { data: btoa("HELLO") });
  const errors: string[] = [];
  const router = routerBuilder({ onError: (error) => void errors.push(String(error)) })
    .static("/", { directory: "corrupted", package: pkg }).build();
  assertEquals(await answer(router, "/a.txt"), "500 internal_error");
  assertEquals(errors.length, 1);
  assertStringIncludes(errors[0] ?? "", 'Cannot serve "a.txt"');
  assertEquals(await answer(router, "/a.txt"), "500 internal_error");
});

Deno.test("mount() takes a built router with mounts, and keeps its error responses", async () => {
  const inner = routerBuilder().prefix("/v1").static("/assets", ASSETS).build();
  const router = createRouter().mount("/site", inner).get("/site/*", () => json("outer"));
  const answers: readonly [path: string, expected: string][] = [
    ["/site/v1/assets/a.txt", "200 file"],
    ["/site/v1/assets/none", "404 not_found"],
    ["/site/v1/assets/..%2fa.txt", "403 access_denied"],
    ["/site/v1/assets/..%5ca.txt", "403 access_denied"],
    ["/site/v1/assets/private%2Fs.txt", "404 not_found"],
    ["/site/v1/assets/%zz", "404 not_found"], // the outer mount's own response, as for every application
  ];
  for (const [path, expected] of answers) assertEquals(await answer(router, path), expected, path);
  const post = await router.request("/site/v1/assets/a.txt", { method: "POST", body: "x" });
  assertEquals([post.status, post.headers.get("Allow")], [405, "GET, HEAD"]);
  await post.body?.cancel();
  const head = await router.request("/site/v1/assets/a.txt", { method: "HEAD" });
  assertEquals([head.status, head.headers.get("Content-Length")], [200, "4"]);
});
