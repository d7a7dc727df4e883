import { createRouter, empty, HttpError, json, pass, type TypedRouter } from "@gatehouse/http";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  badly,
  codeOf,
  collectErrors,
  countedStream,
  inheritedNames,
  jsonRequest,
  rawRequest,
  untyped,
} from "./_helpers.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Status, and text where there is a body. */
async function answer(
  router: TypedRouter,
  path: string,
  method: string = "GET",
): Promise<readonly [number, string]> {
  const response = await router.fetch(rawRequest(path, { method }));
  return [response.status, await response.text()];
}

Deno.test("createRouter() calls the route of each method", async () => {
  const router = createRouter();
  for (const method of METHODS) {
    const add = untyped<Record<string, typeof router.post>>(router)[method.toLowerCase()];
    const raw = ["POST", "PUT", "PATCH"].includes(method);
    assertStrictEquals(
      add?.("/", () => new Response(method, { headers: { "X-Route": method } }), { raw }),
      router,
    );
  }
  for (const method of METHODS) {
    const response = await router.request("/", { method });
    assertEquals([response.headers.get("X-Route"), await response.text()], [
      method,
      method === "HEAD" ? "" : method,
    ]);
  }
});

Deno.test("router.all() answers every method, known or not, and reads no body", async () => {
  const router = createRouter().all("/", (req) => new Response(req.method));
  for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND", "constructor"]) {
    assertEquals(await answer(router, "/", method), [200, method]);
  }
});

Deno.test("routes are tried in order of registration until one answers", async () => {
  const router = createRouter()
    .get("/users/:id", (req) => req.params.id === "me" ? pass() : new Response("param"))
    .get("/users/me", () => new Response("static"))
    .all("/users/*", () => new Response("wildcard"))
    .get("*", () => new Response("never"));
  assertEquals(await answer(router, "/users/7"), [200, "param"]);
  assertEquals(await answer(router, "/users/me"), [200, "static"]);
  assertEquals(await answer(router, "/users/me", "DELETE"), [200, "wildcard"]);
});

Deno.test("req has method, url, path, route, headers, params and query of the match", async () => {
  const router = createRouter({ prefix: "/api" }).get(
    "/:org/users/:id",
    (req) =>
      json([
        req.method,
        req.url,
        req.path,
        req.route,
        req.headers.get("X-A"),
        req.params,
        req.query.q,
        req.raw.method,
        req.signal.aborted,
      ]),
  );
  const response = await router.fetch(
    rawRequest("/api/a%2Fb%2541/users/%C3%A9?q=1#f", { headers: { "X-A": "1" } }),
  );
  assertEquals(await response.json(), [
    "GET",
    "http://localhost/api/a%2Fb%2541/users/%C3%A9?q=1#f",
    "/api/a%2Fb%2541/users/é",
    "/api/:org/users/:id",
    "1",
    { org: "a/b%41", id: "é" },
    "1",
    "GET",
    false,
  ]);
});

Deno.test("req.params inherits nothing, and can have the names of Object.prototype members", async () => {
  const router = createRouter().get(
    "/:__proto__/:constructor/:toString?",
    (req) => json([inheritedNames(req.params), Object.entries(req.params)]),
  );
  assertEquals(await (await router.request("/a/b")).json(), [[], [["__proto__", "a"], [
    "constructor",
    "b",
  ]]]);
});

for (const method of ["GET", "HEAD"]) {
  Deno.test(`a path without a route is a 404 problem for ${method}`, async () => {
    const response = await createRouter().get("/a", () => json(1)).request("/b", { method });
    assertEquals([response.status, response.headers.get("Content-Type")], [
      404,
      "application/problem+json",
    ]);
    assertEquals((await response.text()).length > 0, method === "GET");
  });
}

/** [routes, method, path, status, Allow] */
const ALLOWED: readonly (readonly [
  routes: string,
  method: string,
  path: string,
  status: number,
  allow: string | null,
])[] = [
  ["get /a", "POST", "/a", 405, "GET, HEAD, OPTIONS"],
  ["get /a, post /a", "PUT", "/a", 405, "GET, HEAD, POST, OPTIONS"],
  ["get /a, delete /:x", "PUT", "/a", 405, "GET, HEAD, DELETE, OPTIONS"],
  ["delete /:x", "GET", "/a", 405, "DELETE, OPTIONS"],
  ["head /a", "GET", "/a", 405, "HEAD, OPTIONS"],
  ["post /a", "HEAD", "/a", 405, "POST, OPTIONS"],
  ["get /a/*", "POST", "/a/b/c", 405, "GET, HEAD, OPTIONS"],
  ["get /a", "PROPFIND", "/a", 405, "GET, HEAD, OPTIONS"],
  ["get /a", "constructor", "/a", 405, "GET, HEAD, OPTIONS"],
  ["get /a", "get", "/a", 200, null],
  ["get /a", "OPTIONS", "/a", 204, "GET, HEAD, OPTIONS"],
  ["get /a, put /:x", "OPTIONS", "/a", 204, "GET, HEAD, PUT, OPTIONS"],
  ["get /a", "OPTIONS", "/b", 404, null],
  ["options /a, get /a", "OPTIONS", "/a", 200, null],
  ["all /a, get /a", "OPTIONS", "/a", 200, null],
  ["get /a", "POST", "/a/", 404, null],
  ["get /:x", "POST", "/%zz", 404, null],
];

for (const [routes, method, path, status, allow] of ALLOWED) {
  Deno.test(`${method} ${path} on ${routes} is ${status} with Allow ${allow}`, async () => {
    const router = createRouter();
    for (const route of routes.split(", ")) {
      const [name = "", pattern = ""] = route.split(" ");
      untyped<Record<string, typeof router.post>>(router)[name]?.(
        pattern,
        () => new Response("ok"),
        { raw: ["post", "put"].includes(name) },
      );
    }
    const request = rawRequest(path, { method });
    const response = await router.fetch(request);
    assertEquals(response.status, status);
    const fields = response.headers.get("Allow")?.split(", ").sort() ?? null;
    assertEquals(fields, allow?.split(", ").sort() ?? null);
    if (status === 405 && method !== "HEAD") {
      assertEquals(await codeOf(response), [405, "method_not_allowed"]);
    }
  });
}

Deno.test("HEAD gets the header fields of GET, its status, and no body", async () => {
  const headers = { "Content-Length": "4", "X-A": "1" };
  const router = createRouter().get("/a", () => new Response("text", { status: 203, headers }));
  const response = await router.request("/a", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [203, ""]);
  assertEquals(
    [response.headers.get("X-A"), response.headers.get("Content-Length")],
    ["1", "4"],
  );
});

Deno.test("HEAD cancels the unread body", async () => {
  const { stream, pulled, cancelled } = countedStream(new Uint8Array(1));
  const router = createRouter().get("/a", () => new Response(stream));
  assertEquals(await (await router.request("/a", { method: "HEAD" })).text(), "");
  assertEquals([pulled(), cancelled()], [0, true]);
});

Deno.test("HEAD prefers its own route, even if GET comes first", async () => {
  const router = createRouter().get("/a", () => json(1)).head(
    "/a",
    () => empty(204, { headers: { "X-Head": "1" } }),
  );
  const response = await router.request("/a", { method: "HEAD" });
  assertEquals([response.status, response.headers.get("X-Head")], [204, "1"]);
});

Deno.test("HEAD is the method that the handler sees", async () => {
  let method: string | undefined;
  await createRouter().get("/a", (req) => (method = req.method, json(1))).request("/a", {
    method: "HEAD",
  });
  assertEquals(method, "HEAD");
});

Deno.test("a handler that returns nothing is a 500, and the log names the route", async () => {
  for (const forgotten of [() => {}, () => Promise.resolve()]) {
    const { errors, onError } = collectErrors();
    const router = createRouter({ prefix: "/api", onError }).get("/users/:id", badly(forgotten));
    assertEquals(await codeOf(router.request("/api/users/secret")), [500, "internal_error"]);
    assertEquals(errors.length, 1);
    assertInstanceOf(errors[0], TypeError);
    assertStringIncludes(errors[0].message, "GET /api/users/:id");
    assert(!errors[0].message.includes("secret"), "the path may carry a secret");
  }
});

for (
  const result of [
    null,
    false,
    true,
    0,
    "",
    "text",
    {},
    [],
    new Error("x"),
    Promise.resolve(null),
    Promise.resolve("text"),
  ]
) {
  Deno.test(`a handler that returns ${result instanceof Promise ? "a promise of a wrong value" : JSON.stringify(result)} is a 500`, async () => {
    const { errors, onError } = collectErrors();
    const router = createRouter({ onError }).get("/", badly(() => result)).get(
      "*",
      () => json("the next match"),
    );
    assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
    assertEquals(errors.length, 1);
  });
}

Deno.test("a promise-like result is waited for, in middleware and handlers", async () => {
  const later = (value: unknown): unknown => ({
    then: (done: (value: unknown) => void) => void setTimeout(() => done(value), 1),
  });
  const router = createRouter({ before: [badly(() => later(undefined))] })
    .get("/", badly(() => later(json("late"))), { use: [badly(() => later(undefined))] })
    .get("/refused", () => json("open"), {
      use: [badly(() => later(json("no", { status: 403 })))],
    });
  assertEquals(await answer(router, "/"), [200, '"late"']);
  assertEquals(await answer(router, "/refused"), [403, '"no"']);
});

Deno.test("prefix applies to every path, and is part of the match", async () => {
  const router = createRouter({ prefix: "/api/" }).get("/", () => new Response("root")).get(
    "/a",
    () => new Response("a"),
  ).get("*", () => new Response("rest"));
  assertEquals(router.routes.map(({ pattern }) => pattern), ["/api", "/api/a", "/api/*"]);
  assertEquals(await answer(router, "/api"), [200, "root"]);
  assertEquals(await answer(router, "/api/a"), [200, "a"]);
  assertEquals(await answer(router, "/api/b/c"), [200, "rest"]);
  for (const path of ["/a", "/", "/apia", "//api/a", "/API/a", "/api%2Fa"]) {
    assertEquals((await answer(router, path))[0], 404, path);
  }
});

Deno.test("prefix may have parameters", async () => {
  const router = createRouter({ prefix: "/:org" }).get(
    "/users/:id" as string,
    (req) => json(req.params),
  );
  assertEquals(await answer(router, "/acme/users/7"), [200, '{"org":"acme","id":"7"}']);
});

for (const path of ["users", "", "https://x/y"]) {
  Deno.test(`a path ${JSON.stringify(path)} without a slash is rejected, with a prefix too`, () => {
    for (const prefix of ["", "/", "/api", "/api/"]) {
      assertThrows(
        () => createRouter({ prefix }).get(path, () => json(1)),
        TypeError,
        "does not start with /",
      );
    }
  });
}

for (const prefix of ["api", "/api/*", "/:a?", "*"]) {
  Deno.test(`a prefix ${prefix} is rejected when the router is created`, () => {
    assertThrows(() => createRouter({ prefix }), TypeError);
  });
}

Deno.test("router.routes lists method, pattern and options in order, and is read-only", () => {
  const router = createRouter({ prefix: "/v1" })
    .get("/a/:id", () => json(1))
    .post("/b", () => json(1), { multipart: true, maxBodyBytes: 7 })
    .mount("/c", { fetch: () => undefined });
  assertEquals(
    router.routes.map(({ method, pattern, mounted }) => `${method} ${pattern} ${mounted}`),
    [
      "GET /v1/a/:id false",
      "POST /v1/b false",
      "ALL /v1/c/* true",
    ],
  );
  assertEquals({ ...router.routes[1]?.options }, { multipart: true, maxBodyBytes: 7 });
  assertThrows(() => untyped<{ auth: boolean }>(router.routes[1]?.options).auth = false, TypeError);
});

Deno.test("router.request() takes a path, a URL or a Request, and an init", async () => {
  const router = createRouter().all(
    "*",
    (req) => json([req.method, req.url, req.headers.get("X-A")]),
  );
  const init = { method: "PUT", headers: { "X-A": "1" } };
  assertEquals(await (await router.request("/a?b=1", init)).json(), [
    "PUT",
    "http://localhost/a?b=1",
    "1",
  ]);
  assertEquals(await (await router.request("https://example.com/a")).json(), [
    "GET",
    "https://example.com/a",
    null,
  ]);
  assertEquals(await (await router.request(new Request("http://localhost/b", init))).json(), [
    "PUT",
    "http://localhost/b",
    "1",
  ]);
  assertEquals(
    await (await router.request(new Request("http://localhost/b", init), { method: "DELETE" }))
      .json(),
    ["DELETE", "http://localhost/b", "1"],
  );
  assertEquals(await (await router.request("//a//b")).json(), [
    "GET",
    "http://localhost//a//b",
    null,
  ], "not another host");
});

Deno.test("router.fetch works unbound, and passes extra arguments to hooks, middleware and handlers", async () => {
  const seen: unknown[] = [];
  const router = createRouter<[{ db: string }, number]>({
    before: [(_req, env, n) => void seen.push("before", env.db, n)],
    catch: (_error, _req, env, n) => (seen.push("catch", env.db, n), json(env.db)),
    finally: [(_response, _req, env, n) => void seen.push("finally", env.db, n)],
  }).under("/", (_req, env, n) => void seen.push("under", env.db, n)).get("/", (_req, env, n) => {
    seen.push("handler", env.db, n);
    throw new Error();
  }, { use: [(_req, env, n) => void seen.push("use", env.db, n)] });
  const { fetch } = router;
  assertEquals(await (await fetch(new Request("http://localhost/"), { db: "kv" }, 7)).json(), "kv");
  assertEquals(await (await router.request("/", {}, { db: "kv" }, 7)).json(), "kv");
  assertEquals(
    seen.slice(0, 18),
    ["before", "under", "use", "handler", "catch", "finally"].flatMap((name) => [name, "kv", 7]),
  );
});

Deno.test("router.fetch stays synchronous if no step is asynchronous", () => {
  const router = createRouter({
    before: [() => {}],
    catch: () => undefined,
    finally: [(response) => response],
    onError: () => {},
  })
    .under("/a", () => undefined)
    .get("/a", () => json(1), { use: [() => {}] })
    .get("/:x/y", () => pass())
    .get("/t/z", () => {
      throw new HttpError(400, "x");
    })
    .post("/p", () => json(1), { raw: true });
  for (
    const [path, method, status] of [
      ["/a", "GET", 200],
      ["/a", "HEAD", 200],
      ["/a", "PUT", 405],
      ["/a", "OPTIONS", 204],
      ["/none", "GET", 404],
      ["/x/y", "GET", 500],
      ["/t/z", "GET", 400],
      ["/p", "POST", 200],
      ["/%zz", "GET", 404],
    ] as const
  ) {
    const response = router.fetch(rawRequest(path, { method }));
    assertInstanceOf(response, Response, path);
    assertEquals(response.status, status, path);
  }
});

Deno.test("adding anything after the first request throws a TypeError", async () => {
  const router = createRouter().get("/", () => json(1));
  await (await router.request("/none")).body?.cancel();
  for (
    const add of [
      () => router.get("/a", () => json(1)),
      () => router.all("*", () => json(1)),
      () => router.post("/b", () => json(1)),
      () => router.under("/", () => {}),
      () => router.mount("/m", { fetch: () => undefined }),
      () => router.withAuth({ guard: () => ({ sub: "x" }) }),
    ]
  ) {
    assertThrows(add, TypeError, "has begun to answer");
  }
  assertEquals(router.routes.length, 1);
});

for (const handler of [undefined, null, "text", {}, json(1)]) {
  Deno.test(`a handler that is ${handler instanceof Response ? "a response" : JSON.stringify(handler)} is rejected at registration`, () => {
    assertThrows(
      () => createRouter().get("/a", badly(handler)),
      TypeError,
      "Cannot add route GET /a: the handler is not a function",
    );
  });
}

for (
  const [why, options] of [["multipart", { multipart: true }], ["raw", { raw: true }], [
    "a body schema",
    { schema: { body: { "~standard": {} } } },
  ]] as const
) {
  Deno.test(`${why} on a route without content is rejected at registration`, () => {
    const router = createRouter();
    for (const add of [router.get, router.head, router.delete, router.options, router.all]) {
      assertThrows(
        () => add("/", () => json(1), untyped<{ use?: [] }>(options)),
        TypeError,
        "only POST, PUT and PATCH have content",
      );
    }
  });
}

Deno.test("raw with multipart or a body schema is rejected at registration", () => {
  for (
    const options of [{ raw: true, multipart: true }, {
      raw: true,
      schema: { body: { "~standard": {} } },
    }]
  ) {
    assertThrows(
      () => createRouter().post("/", () => json(1), untyped<{ raw: true }>(options)),
      TypeError,
      "raw content is neither",
    );
  }
});

Deno.test("a path that cannot be decoded is a 400 where a route binds it, and a 404 otherwise", async () => {
  let handled = 0;
  const router = createRouter().get("/p/:x", () => json(handled++)).get(
    "/w/*",
    () => json(handled++),
  ).get("/s", () => json(handled++));
  for (const path of ["/p/%E0%A4%A", "/p/%", "/p/%00", "/p/\0", "/w/a/%zz", "/w/%C0%AF"]) {
    assertEquals(await codeOf(router.fetch(rawRequest(path))), [400, "invalid_target"], path);
  }
  for (const path of ["/s%", "/%zz/s", "/%00", "/none/%E0"]) {
    assertEquals(await codeOf(router.fetch(rawRequest(path))), [404, "not_found"], path);
  }
  assertEquals(handled, 0);
});

Deno.test("two routers share no state", async () => {
  const one = createRouter({ finally: [(response) => void response.headers.set("X-One", "1")] })
    .get("/a", () => json(1));
  const two = createRouter().get("/b", () => json(2));
  assertEquals([(await one.request("/b")).status, (await two.request("/a")).status], [404, 404]);
  assertEquals((await two.request("/b")).headers.get("X-One"), null);
});

Deno.test("concurrent requests do not share state", async () => {
  const router = createRouter().post("/:id", async (req) => {
    await new Promise((done) => setTimeout(done, Number(req.params.id) % 3));
    return json([req.params.id, req.query.q, req.content]);
  });
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, i) => router.fetch(jsonRequest(`/${i}?q=${i}`, `{"n":${i}}`))),
  );
  for (const [i, response] of all.entries()) {
    assertEquals(await response.json(), [`${i}`, `${i}`, { n: i }]);
  }
});
