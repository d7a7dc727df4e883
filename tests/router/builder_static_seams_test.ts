/** Static mounts together with prefixes, scopes, route lists, documents and decorators of a router. */

import {
  type BuiltRouter,
  Controller,
  createContainer,
  createRouter,
  generateOpenAPI,
  Get,
  HTTP_ROUTER,
  HttpRouter,
  json,
  routerBuilder,
  type StaticAssetOptions,
} from "@gatehouse/http";
import { createRouter as createBareRouter } from "@gatehouse/http/router";
import { assertEquals, assertThrows } from "@std/assert";
import { rawFetch, withServer } from "../attacks/_raw.ts";
import { IMPORTS, INFO, NOTES, withProject } from "../openapi/_cli.ts";
import { packageOf } from "../static/_packages.ts";

const ASSETS: StaticAssetOptions = {
  directory: "seams",
  package: await packageOf({ "a.txt": "file", "private/s.txt": "secret", "p,q/s.txt": "secret" }),
};

async function statusOf(
  router: { request(path: string, init?: RequestInit): Promise<Response> },
  path: string,
  init?: RequestInit,
): Promise<number> {
  const response = await router.request(path, init);
  await response.body?.cancel();
  return response.status;
}

const PREFIXES: readonly [prefix: string | undefined, path: string, file: string][] = [
  [undefined, "/", "/a.txt"],
  [undefined, "/assets", "/assets/a.txt"],
  [undefined, "/assets/", "/assets/a.txt"],
  ["/", "/assets", "/assets/a.txt"],
  ["/api", "/", "/api/a.txt"],
  ["/api", "/assets", "/api/assets/a.txt"],
  ["/api/", "/assets/", "/api/assets/a.txt"],
  ["/naïve", "/assets", "/na%C3%AFve/assets/a.txt"],
];

for (const [prefix, path, file] of PREFIXES) {
  Deno.test(`static() serves ${file} at ${path} with the prefix ${prefix}`, async () => {
    const builder = () => prefix === undefined ? routerBuilder() : routerBuilder().prefix(prefix);
    for (
      const router of [
        builder().static(path, ASSETS).build(),
        builder().build().static(path, ASSETS),
      ]
    ) {
      assertEquals(await statusOf(router, file), 200);
      assertEquals(await statusOf(router, file.replace("a.txt", "none")), 404);
      assertEquals(await statusOf(router, "/x" + file), 404);
    }
  });
}

Deno.test("static() rejects wrong arguments in build(), and on the built router immediately", () => {
  const wrong: readonly [path: string, options: StaticAssetOptions][] = [
    ["assets", ASSETS],
    ["*", ASSETS],
    ["/:id", ASSETS],
    ["/a//b", ASSETS],
    ["/../a", ASSETS],
    ["/a|b", ASSETS], // a literal segment that the router cannot combine with a wildcard
    ["/a", { ...ASSETS, live: true }],
    ["/a", { ...ASSETS, directory: "" }],
    ["/a", { ...ASSETS, package: { version: 2, entries: {} } }],
  ];
  for (const [path, options] of wrong) {
    const builder = routerBuilder().static(path, options);
    assertThrows(() => builder.build(), TypeError, "Cannot", path);
    assertThrows(() => routerBuilder().build().static(path, options), TypeError, "Cannot", path);
  }
  assertThrows(() => routerBuilder().prefix("/:tenant").static("/a", ASSETS).build(), TypeError);
});

Deno.test("static() throws after build() on the builder, and after the first answer on the router", async () => {
  const builder = routerBuilder();
  const router = builder.build();
  assertThrows(
    () => builder.static("/", ASSETS),
    TypeError,
    "Cannot set static assets: the router was built",
  );
  router.static("/before", ASSETS);
  await statusOf(router, "/before/a.txt");
  assertThrows(() => router.static("/late", ASSETS), TypeError, "the router has begun to answer");
  assertEquals(await statusOf(router, "/late/a.txt"), 404);
  assertEquals(router.routes.map(({ pattern }) => pattern), ["/before/*"]);
});

Deno.test("static() exists on the built router after every call, and on no other router", () => {
  const chained: BuiltRouter = routerBuilder().build().get("/a", () => json(1))
    .post("/b", () => json(1)).under("/c", () => {}).mount("/d", { fetch: () => json(1) })
    .static("/e", ASSETS).all("/f", () => json(1)).static("/g", ASSETS);
  assertEquals(chained.routes.length, 6);
  for (const create of [createRouter, createBareRouter]) assertEquals("static" in create(), false);
  // @ts-expect-error -- a router that was not built has no static()
  void ((): unknown => createRouter().static("/", ASSETS));
  // @ts-expect-error -- nor has it after other calls
  void ((): unknown => createRouter().get("/", () => json(1)).static("/", ASSETS));
});

Deno.test("static() is listed as a mount in routes, and not in documents", () => {
  const info = { title: "Files", version: "1" };
  const router = routerBuilder().static("/assets", ASSETS).build()
    .static("/more", ASSETS).get("/own", () => json(1));
  assertEquals(
    router.routes.map(({ method, pattern, mounted, app }) => [method, pattern, mounted, app]),
    [
      ["ALL", "/assets/*", true, undefined],
      ["ALL", "/more/*", true, undefined],
      ["GET", "/own", false, undefined],
    ],
  );
  assertEquals(Object.keys(generateOpenAPI(info, router).paths), ["/own"]);
  const outer = createRouter().mount("/v1", router);
  assertEquals(Object.keys(generateOpenAPI(info, outer).paths), ["/v1/own"]);
});

/** Spellings of guarded files. None may be answered with the file; a 200 bypasses the guard. */
const SPELLINGS: readonly [target: string, status: number][] = [
  ["/assets/private/s.txt", 401],
  ["/assets/%70rivate/s.txt", 401],
  ["/%61ssets/private/s.txt", 401],
  ["/assets/private/%73.txt", 401],
  ["/assets/p%2Cq/s.txt", 401],
  ["/assets/p,q/s.txt", 401],
  ["/assets/private/%zz", 401],
  ["/assets/private", 401],
  ["http://elsewhere.example/assets/private/s.txt", 401],
  ["/assets//private/s.txt", 404],
  ["/assets/./private/s.txt", 404],
  ["/assets/%2e/private/s.txt", 404],
  ["/assets/x/../private/s.txt", 403],
  ["/assets/x/%2e%2e/private/s.txt", 403],
  ["/assets/private%2Fs.txt", 404],
  ["/assets/private%5Cs.txt", 404],
  ["/assets/private\\s.txt", 404],
  ["/assets/private;/s.txt", 404],
  ["/assets/private%00/s.txt", 400],
  ["/assets/%2570rivate/s.txt", 404],
  ["/assets/Private/s.txt", 404],
  ["/assets/private./s.txt", 404],
  ["/assets/a.txt", 200],
];

Deno.test("under() guards files in every spelling of their path", async () => {
  const deny = () => new Response(null, { status: 401 });
  const router = routerBuilder().static("/assets", ASSETS).build()
    .under("/assets/private", deny).under("/assets/p,q", deny);
  await withServer((request) => router.fetch(request), async (port) => {
    for (const [target, status] of SPELLINGS) {
      const response = await rawFetch(port, target);
      assertEquals([response.status, response.text.includes("secret")], [status, false], target);
    }
  });
});

Deno.test("HttpRouter() takes static, under the prefix and before its guarded routes", async () => {
  const container = createContainer();
  @Controller("/notes", { container })
  class Notes {
    @Get()
    list() {
      return json([]);
    }
  }
  const log: string[] = [];
  @HttpRouter({
    static: { "/assets": { ...ASSETS, cacheControl: "no-cache" }, "/more/": ASSETS },
    prefix: "/shop",
    use: [(req) => void log.push(req.path)],
    withAuth: { guard: () => undefined },
    controllers: [Notes],
    container,
  })
  class Shop {}
  assertEquals(typeof Shop, "function");
  const router = container.resolve<BuiltRouter>(HTTP_ROUTER);
  const response = await router.request("/shop/assets/a.txt");
  assertEquals([await response.text(), response.headers.get("Cache-Control")], [
    "file",
    "no-cache",
  ]);
  assertEquals(await statusOf(router, "/shop/more/a.txt"), 200);
  assertEquals(await statusOf(router, "/shop/assets/none"), 404);
  assertEquals(await statusOf(router, "/assets/a.txt"), 404);
  assertEquals(await statusOf(router, "/shop/notes"), 401);
  assertEquals(log.length, 5);
});

Deno.test("HttpRouter() rejects wrong static assets when the router is resolved", () => {
  for (const [path, options] of [["assets", ASSETS], ["/a", { ...ASSETS, live: true }]] as const) {
    const container = createContainer();
    @HttpRouter({ static: { [path]: options }, container })
    class Wrong {}
    assertThrows(() => container.resolve(HTTP_ROUTER), TypeError, "Cannot", Wrong.name);
  }
});

const APPLICATION = `${IMPORTS}${NOTES}${INFO}
const asset = { directory: "public", fallthrough: true } as const;
export const router = routerBuilder({ info }).prefix("/api").static("/assets", asset)
  .controllers(NotesController).build()
  .static("/more", asset)
  .get("/typed", () => json({ id: 1 }))
  .static("/last", asset);
`;

Deno.test("generate reads the types of a router that has static mounts", async () => {
  await withProject({ "c.ts": APPLICATION }, async ({ generate, document }) => {
    const { code, stderr } = await generate("--controllers", "c.ts");
    assertEquals([code, stderr], [0, ""]);
    const { paths } = await document();
    assertEquals(Object.keys(paths), ["/api/notes", "/api/notes/{id}", "/api/typed"]);
    const responses = JSON.stringify(paths["/api/typed"]?.get?.responses);
    assertEquals(responses.includes('"id":{"type":"number"}'), true, responses);
  });
});
