import { createRouter, json, pass, type TypedRouter } from "@gatehouse/http";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import {
  badly,
  codeOf,
  collectErrors,
  countedStream,
  jsonRequest,
  rawRequest,
  untyped,
} from "./_helpers.ts";

/** An application that answers with the request that it sees. */
const MIRROR = { fetch: (request: Request) => new Response(`${request.method} ${request.url}`) };

async function mirrored(router: TypedRouter, target: string): Promise<string> {
  const response = await router.fetch(rawRequest(target));
  const text = await response.text();
  return response.status === 200
    ? text.replace("GET http://localhost", "")
    : String(response.status);
}

/** [why, prefix of the mount, raw target, URL that the application sees, or status] */
const CUTS: readonly (readonly [why: string, prefix: string, target: string, seen: string])[] = [
  ["the path after the prefix", "/sub", "/sub/a/b", "/a/b"],
  ["/ for the prefix itself", "/sub", "/sub", "/"],
  ["/ for the prefix with a slash", "/sub", "/sub/", "/"],
  ["a trailing slash", "/sub", "/sub/a/", "/a/"],
  ["the query", "/sub", "/sub/a?x=/../&y=%2F#f", "/a?x=/../&y=%2F#f"],
  ["the query of the prefix", "/sub", "/sub?x=1", "/?x=1"],
  ["the same for a prefix with a trailing slash", "/sub/", "/sub/x/y", "/x/y"],
  ["everything for the root", "/", "/a/b?x", "/a/b?x"],
  ["the same for a prefix that comes encoded", "/sub", "/%73ub/a", "/a"],
  ["the same for a prefix that is written encoded", "/%73ub", "/sub/a", "/a"],
  ["the same for UTF-8", "/café", "/caf%C3%A9/a", "/a"],
  ["the same for two segments", "/a/b", "/a/%62/c", "/c"],
  ["the same after a parameter", "/:org/app", "/a%2Fb/app/c", "/c"],
  ["escapes unchanged", "/sub", "/sub/%61%2525/%C3%A9", "/%61%2525/%C3%A9"],
  ["404 for a backslash, which it may read as a slash", "/sub", "/sub/a\\b", "404"],
  ["404 for an encoded backslash", "/sub", "/sub/a%5cb", "404"],
  ["404 for an encoded slash", "/sub", "/sub/a%2Fb", "404"],
  ["404 for .. between encoded slashes", "/sub", "/sub/x%2f..%2fprivate", "404"],
  ["404 for another path", "/sub", "/subx/a", "404"],
  ["404 for an encoded slash after the prefix", "/sub", "/sub%2Fa", "404"],
  ["404 for ..", "/sub", "/sub/public/../admin", "404"],
  ["404 for encoded ..", "/sub", "/sub/%2e%2e/x", "404"],
  ["404 for half encoded ..", "/sub", "/sub/.%2E/x", "404"],
  ["404 for .", "/sub", "/sub/./admin", "404"],
  ["404 for an empty segment", "/sub", "/sub//admin", "404"],
  ["404 for an empty segment in the middle", "/sub", "/sub/a//b", "404"],
  ["404 for a malformed escape", "/sub", "/sub/%zz", "404"],
  ["404 for a malformed escape in the prefix", "/:org", "/%E0/a", "404"],
  ["404 for a NUL", "/sub", "/sub/%00", "404"],
  ["404 for a raw tab", "/sub", "/sub/.\t./x", "404"],
  ["404 for .. at the root", "/", "/a/../b", "404"],
  ["404 for another host at the root", "/", "//evil.example/b", "404"],
];

for (const [why, prefix, target, seen] of CUTS) {
  Deno.test(`mount() shows an application ${why}: ${JSON.stringify(target)}`, async () => {
    assertEquals(await mirrored(createRouter().mount(prefix, MIRROR), target), seen);
  });
}

Deno.test("mount() passes encoded slashes on request, and to its own routers", async () => {
  const optedIn = createRouter().mount("/sub", MIRROR, { insecureEncodedSlashes: true });
  assertEquals(await mirrored(optedIn, "/sub/a%2Fb%5C"), "/a%2Fb%5C");
  assertEquals(await mirrored(optedIn, "/sub/a\\b"), "/a%5Cb");
  const ours = createRouter().mount("/sub", createRouter().get("/:x", (req) => json(req.params.x)));
  assertEquals(await (await ours.fetch(rawRequest("/sub/a%2Fb"))).json(), "a/b");
});

Deno.test("mount() answers 400 if the client's Host does not form a URL", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError }).mount("/sub", MIRROR);
  for (const host of ["a:99999", "256.256.256.256", "1.2.3.4.5", "[1]"]) {
    const request = Object.defineProperty(new Request("http://localhost/"), "url", {
      value: `http://${host}/sub/a`,
    });
    assertEquals(await codeOf(router.fetch(request)), [400, "invalid_target"], host);
  }
  assertEquals(errors, []);
});

Deno.test("mount() is relative to the router's prefix", async () => {
  const router = createRouter({ prefix: "/api/v1" }).mount("/sub", MIRROR);
  assertEquals(router.routes.map(({ method, pattern }) => `${method} ${pattern}`), [
    "ALL /api/v1/sub/*",
  ]);
  assertEquals(await mirrored(router, "/api/%76%31/sub/a"), "/a");
  assertEquals(await mirrored(router, "/sub/a"), "404");
});

for (const prefix of ["/a/*", "*", "/a/:b?", "/:rest{.+}", "/:x{a\\/b}", "sub", "/a*", "/../a"]) {
  Deno.test(`mount() rejects the prefix ${prefix}`, () => {
    assertThrows(() => createRouter().mount(prefix, MIRROR), TypeError, "Cannot use path");
  });
}

for (const app of [undefined, null, {}, { fetch: "text" }, () => new Response()]) {
  Deno.test(`mount() of ${typeof app === "function" ? "a function" : JSON.stringify(app)} never answers, nor passes to the next route`, async () => {
    const { onError } = collectErrors();
    let router;
    try {
      router = createRouter({ onError }).mount("/sub", untyped(app)).get("*", () => json("open"));
    } catch (error) {
      return assert(error instanceof TypeError, String(error)); // rejected at registration is stricter still
    }
    assertEquals(await codeOf(router.request("/sub/a")), [500, "internal_error"]);
  });
}

Deno.test("mount() calls fetch as a method, with the extra arguments", async () => {
  class App {
    readonly name = "app";
    fetch(request: Request, env: string): Response {
      return new Response(`${this.name} ${env} ${new URL(request.url).pathname}`);
    }
  }
  const router = createRouter<[string]>().mount("/sub", new App());
  assertEquals(await (await router.request("/sub/a", {}, "env")).text(), "app env /a");
});

Deno.test("mount() passes method, header fields and body on, as a stream", async () => {
  const endless = countedStream(new Uint8Array(10));
  let seen: unknown[] = [];
  const router = createRouter().mount("/sub", {
    async fetch(request): Promise<Response> {
      const reader = request.body?.getReader();
      const first = await reader?.read();
      await reader?.cancel();
      seen = [request.method, request.headers.get("X-A"), first?.value?.length];
      return new Response();
    },
  });
  await router.fetch(
    jsonRequest("/sub/a", endless.stream, { method: "PUT", headers: { "X-A": "1" } }),
  );
  assertEquals(seen, ["PUT", "1", 10]);
  assert(endless.pulled() < 5 && endless.cancelled());
});

Deno.test("mount() aborts the application's signal, and that of a clone, when the client disconnects", async () => {
  const controller = new AbortController();
  let inner: AbortSignal[] = [];
  const router = createRouter().mount("/sub", {
    async fetch(request): Promise<Response> {
      const copy = request.clone();
      inner = [request.signal, copy.signal, copy.clone().signal];
      return new Response(await copy.text() + await request.text());
    },
  });
  const { signal } = controller;
  const response = await router.fetch(
    new Request("http://localhost/sub/a", { method: "POST", body: "a", signal }),
  );
  assertEquals(await response.text(), "aa");
  controller.abort();
  assertEquals(inner.map(({ aborted }) => aborted), [true, true, true]);
});

Deno.test("mount() answers HEAD without a body, and leaves other methods to the application", async () => {
  const router = createRouter().mount("/sub", MIRROR);
  const head = await router.request("/sub/a", { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  for (const method of ["OPTIONS", "PUT", "DELETE", "PROPFIND"]) {
    assertEquals(
      await (await router.request("/sub/a", { method })).text(),
      `${method} http://localhost/a`,
    );
  }
});

for (
  const [where, nothing] of [["nothing", () => undefined], [
    "a promise of nothing",
    () => Promise.resolve(undefined),
  ]] as const
) {
  Deno.test(`mount() of an application that returns ${where} falls through to the next match`, async () => {
    const { errors, onError } = collectErrors();
    const router = createRouter({ onError }).mount("/", { fetch: nothing }).get(
      "/a",
      () => json("route"),
    ).post("/a", (req) => json(req.content));
    assertEquals(await (await router.request("/a")).json(), "route");
    assertEquals(
      await (await router.fetch(jsonRequest("/a", '{"b":1}'))).json(),
      { b: 1 },
      "with its body",
    );
    assertEquals(await codeOf(router.request("/none")), [404, "not_found"]);
    assertEquals(await codeOf(router.request("/a", { method: "PUT" })), [
      405,
      "method_not_allowed",
    ]);
    assertEquals(
      (await router.request("/a", { method: "OPTIONS" })).headers.get("Allow"),
      "GET, HEAD, POST, OPTIONS",
    );
    assertEquals(errors, []);
  });
}

Deno.test("mount() of two applications that return nothing leaves the body to the third", async () => {
  const nothing = { fetch: () => undefined };
  const router = createRouter().mount("/", nothing).mount("/a", nothing).mount("/", {
    fetch: async (request) => new Response(await request.text()),
  });
  assertEquals(await (await router.fetch(jsonRequest("/a/b", "body"))).text(), "body");
});

Deno.test("mount() handles an error of the application like the router's own", async () => {
  const { errors, onError } = collectErrors();
  for (
    const fail of [
      () => {
        throw new Error("secret");
      },
      () => Promise.reject(new Error("secret")),
      badly(() => "text"),
      badly(() => null),
    ]
  ) {
    assertEquals(await codeOf(createRouter({ onError }).mount("/", { fetch: fail }).request("/")), [
      500,
      "internal_error",
    ]);
  }
  assertEquals(errors.length, 4);
});

Deno.test("a router in a router sees its own part of the path, params and query", async () => {
  const inner = createRouter().get(
    "/users/:id",
    (req) => json([req.path, req.route, req.params, req.query]),
  );
  const middle = createRouter({ prefix: "/m" }).mount("/inner", inner);
  const outer = createRouter().mount("/:org/outer", middle);
  const response = await outer.fetch(rawRequest("/acme/%6Futer/m/inner/users/a%2Fb%2541?q=1&q=2"));
  assertEquals(await response.json(), ["/users/a%2Fb%2541", "/users/:id", { id: "a/b%41" }, {
    q: ["1", "2"],
  }]);
});

Deno.test("a router in a router answers its own 404 and 405, and the outer hooks see them", async () => {
  const seen: number[] = [];
  const inner = createRouter().get("/a", () => json(1));
  const outer = createRouter({ finally: [(response) => void seen.push(response.status)] }).mount(
    "/sub",
    inner,
  ).get("/sub/b", () => json("unreached"));
  assertEquals(await codeOf(outer.request("/sub/b")), [404, "not_found"]);
  assertEquals(await codeOf(outer.request("/sub/a", { method: "PUT" })), [
    405,
    "method_not_allowed",
  ]);
  assertEquals(seen, [404, 405]);
});

Deno.test("a router in a router matches no path that the outer did not see", async () => {
  const inner = createRouter().get("/admin", () => json("admin")).get(
    "/public/:x",
    () => json("public"),
  );
  const outer = createRouter().under("/sub/admin", () => json(1, { status: 401 })).mount(
    "/sub",
    inner,
  );
  for (
    const target of [
      "/sub/public/../admin",
      "/sub/%2e/admin",
      "/sub//admin",
      "/sub/public/%2e%2e/admin",
      "/sub/./admin",
      "/sub/x/..\\admin",
      "/sub\\admin",
      "/sub/\tadmin",
      "/sub/admin%",
    ]
  ) {
    const response = await outer.fetch(rawRequest(target));
    assert([400, 401, 404].includes(response.status), `${target} → ${response.status}`);
  }
  assertEquals((await outer.fetch(rawRequest("/sub/%61dmin"))).status, 401);
});

Deno.test("a Hono application can be mounted, with parameters, query and body", async () => {
  const app = new Hono();
  app.get("/users/:id", (c) => c.json([c.req.param("id"), c.req.query("q"), c.req.path]));
  app.post("/echo", async (c) => c.json(await c.req.json()));
  app.get("/", (c) => c.text("root"));
  const router = createRouter().mount("/hono", app, { insecureEncodedSlashes: true });
  assertEquals(await (await router.fetch(rawRequest("/%68ono/users/a%2Fb?q=1"))).json(), [
    "a/b",
    "1",
    "/users/a%2Fb",
  ]);
  assertEquals(await (await router.fetch(jsonRequest("/hono/echo", '{"a":1}'))).json(), { a: 1 });
  assertEquals(await (await router.request("/hono")).text(), "root");
  assertEquals((await router.request("/hono/none")).status, 404);
});

Deno.test("our router can be mounted in a Hono application", async () => {
  const router = createRouter().get(
    "/users/:id",
    (req) => json([req.params.id, req.query.q, req.path]),
  )
    .post("/echo", (req) => json(req.content)).get("/", () => json("root"));
  const app = new Hono().mount("/ours", router.fetch);
  assertEquals(await (await app.request("/ours/users/a%2Fb?q=1")).json(), [
    "a/b",
    "1",
    "/users/a%2Fb",
  ]);
  assertEquals(await (await app.request(jsonRequest("/ours/echo", '{"a":1}'))).json(), { a: 1 });
  assertEquals(await (await app.request("/ours")).json(), "root");
  assertEquals(await codeOf(await app.request("/ours/none")), [404, "not_found"]);
  assertEquals(await codeOf(await app.request("/ours/users/%E0%A4%A")), [400, "invalid_target"]);
});

Deno.test("mount() answers if a route before it passed", async () => {
  const router = createRouter().get("/sub/a", () => pass()).mount("/sub", MIRROR);
  assertEquals(await mirrored(router, "/sub/a"), "/a");
});

Deno.test("mount() returns the application's response object unchanged", () => {
  const answer = new Response("x");
  assertStrictEquals(
    createRouter().mount("/", { fetch: () => answer }).fetch(new Request("http://localhost/")),
    answer,
  );
});
