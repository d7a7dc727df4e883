import { createRouter, HttpError, json, redirect, type TypedRouter } from "@gatehouse/http";
import { fromHono, honoContext } from "@gatehouse/http/hono";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { requestId } from "hono/request-id";
import { codeOf, collectErrors, jsonRequest, untyped } from "./_helpers.ts";

/** What a test application returns about a request. */
interface Seen {
  readonly path: string;
  readonly url: string;
  readonly id?: string | undefined;
  readonly query: unknown;
}

/** Our router, with the same routes as {@linkcode honoApp}. */
function ourRouter(prefix = ""): TypedRouter {
  return createRouter({ prefix, onError: () => {} })
    .get("/", (req) => json({ path: req.path, url: req.url, query: req.query }))
    .get(
      "/users/:id",
      (req) => json({ path: req.path, url: req.url, id: req.params.id, query: req.query }),
    )
    .post("/echo", (req) => json(req.content))
    .get("/old", () => redirect("/new", 301))
    .get("/throws", () => {
      throw new Error("secret");
    })
    .get("/teapot", () => {
      throw new HttpError(418, "teapot");
    });
}

function honoApp(): Hono {
  const app = new Hono();
  app.get("/", (c) => c.json({ path: c.req.path, url: c.req.url, query: c.req.query() }));
  app.get(
    "/users/:id",
    (c) =>
      c.json({ path: c.req.path, url: c.req.url, id: c.req.param("id"), query: c.req.query() }),
  );
  app.post("/echo", async (c) => c.json(await c.req.json()));
  app.get("/old", (c) => c.redirect("/new", 301));
  app.get("/throws", () => {
    throw new Error("secret");
  });
  app.get("/teapot", () => {
    throw new HTTPException(418, { message: "teapot" });
  });
  app.onError((error, c) =>
    error instanceof HTTPException ? error.getResponse() : c.text("Internal Server Error", 500)
  );
  return app;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** Hono keeps encoded slashes in a parameter, as we do. */
const SLASHES = { insecureEncodedSlashes: true };

/** [how, application, prefix of its paths as the inner one sees them] */
const MOUNTS: readonly (readonly [how: string, fetch: Fetch, seen: string])[] = [
  ["ours in Hono by app.mount()", new Hono().mount("/x", ourRouter().fetch).fetch, ""],
  [
    "ours in Hono by app.all() and the raw request",
    new Hono().all("/x/*", (c) => ourRouter("/x").fetch(c.req.raw)).fetch,
    "/x",
  ],
  ["Hono in ours", createRouter().mount("/x", honoApp(), SLASHES).fetch, ""],
  [
    "Hono in ours under a prefix",
    createRouter({ prefix: "/x" }).mount("/", honoApp(), SLASHES).fetch,
    "",
  ],
  [
    "ours in Hono in ours",
    createRouter().mount("/x", new Hono().mount("/", ourRouter().fetch), SLASHES).fetch,
    "",
  ],
  [
    "Hono in ours in Hono",
    new Hono().mount("/x", createRouter().mount("/", honoApp(), SLASHES).fetch).fetch,
    "",
  ],
];

/** [path under the mount, path, id and query that the inner application sees] */
const PATHS:
  readonly (readonly [given: string, path: string, id: string | undefined, query: unknown])[] = [
    ["/users/7", "/users/7", "7", {}],
    ["/users/7?a=1&b=%20", "/users/7", "7", { a: "1", b: " " }],
    ["/users/%C3%A9", "/users/é", "é", {}],
    ["/users/a%2Fb", "/users/a%2Fb", "a/b", {}],
    ["/users/a%2541", "/users/a%2541", "a%41", {}],
  ];

for (const [how, fetch, prefix] of MOUNTS) {
  for (const [given, path, id, query] of PATHS) {
    Deno.test(`${how}: ${given} is seen as ${prefix}${path}`, async () => {
      const response = await fetch(new Request(`http://localhost/x${given}`));
      assertEquals(response.status, 200);
      const seen: Seen = await response.json();
      assertEquals([seen.path, seen.id, seen.query], [prefix + path, id, query]);
      assertEquals(seen.url, `http://localhost${prefix}${given}`);
    });
  }

  Deno.test(`${how}: a body arrives, and a redirect is unchanged`, async () => {
    const echoed = await fetch(jsonRequest("/x/echo", '{"a":"é"}'));
    assertEquals(await echoed.json(), { a: "é" });
    const moved = await fetch(new Request("http://localhost/x/old"));
    assertEquals([moved.status, moved.headers.get("Location")], [301, "/new"]);
  });

  Deno.test(`${how}: errors are answered by the inner application`, async () => {
    const statuses = ["/none", "/throws", "/teapot", "/users"].map(async (path) => {
      const response = await fetch(new Request(`http://localhost/x${path}`));
      await response.body?.cancel();
      return response.status;
    });
    assertEquals(await Promise.all(statuses), [404, 500, 418, 404]);
  });

  Deno.test(`${how}: paths outside the prefix do not reach the inner application`, async () => {
    for (const path of ["/", "/xx/users/7", "/users/7"]) {
      const response = await fetch(new Request(`http://localhost${path}`));
      await response.body?.cancel();
      assertEquals(response.status, 404);
    }
  });

  Deno.test(`${how}: HEAD has no body`, async () => {
    const response = await fetch(new Request("http://localhost/x/users/7", { method: "HEAD" }));
    assertEquals([response.status, await response.text()], [200, ""]);
  });
}

Deno.test("mount() of a Hono application keeps its own 404 and 500", async () => {
  const router = createRouter().mount("/x", honoApp());
  const missing = await router.request("/x/none");
  assertEquals([missing.status, await missing.text()], [404, "404 Not Found"]);
  const failed = await router.request("/x/throws");
  assertEquals([failed.status, await failed.text()], [500, "Internal Server Error"]);
  const teapot = await router.request("/x/teapot");
  assertEquals([teapot.status, await teapot.text()], [418, "teapot"]);
});

Deno.test("a router in a Hono application answers its 404, 405 and 500 as problems", async () => {
  const app = new Hono().mount("/x", ourRouter().fetch);
  assertEquals(await codeOf(app.request("/x/none")), [404, "not_found"]);
  assertEquals(await codeOf(app.request("/x/echo")), [405, "method_not_allowed"]);
  assertEquals(await codeOf(app.request("/x/throws")), [500, "internal_error"]);
  assertEquals(await codeOf(app.request("/x/teapot")), [418, "teapot"]);
});

Deno.test("a Hono application in a router handles the errors of its own handlers", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError }).mount("/x", honoApp());
  await (await router.request("/x/throws")).body?.cancel();
  assertEquals(errors, []);
});

interface Env {
  readonly KEY: string;
}
const WORKER = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };

Deno.test("a router in a Hono application gets its env and executionCtx, by app.mount() and by hand", async () => {
  const router = createRouter<[Env, typeof WORKER]>({
    before: [fromHono(async (c: Context, next) => {
      c.set("same", c.executionCtx === WORKER && c.env.KEY === "k");
      await next();
    })],
  }).get(
    "/x/a",
    (req, env, worker) => json([env.KEY, worker === WORKER, honoContext(req).get("same")]),
  )
    .get(
      "/a",
      (req, env, worker) => json([env.KEY, worker === WORKER, honoContext(req).get("same")]),
    );
  const mounted = new Hono<{ Bindings: Env }>().mount("/x", router.fetch);
  const called = new Hono<{ Bindings: Env }>()
    .all("/x/*", (c) => router.fetch(c.req.raw, c.env, untyped<typeof WORKER>(c.executionCtx)));
  for (const app of [mounted, called]) {
    const response = await app.fetch(new Request("http://localhost/x/a"), { KEY: "k" }, WORKER);
    assertEquals(await response.json(), ["k", true, true]);
  }
});

Deno.test("a router in a Hono application without env and executionCtx gets undefined for both", async () => {
  const router = createRouter<unknown[]>({ before: [fromHono(cors())] })
    .get("/a", (req, ...args) => json([args.length, honoContext(req).env]));
  const response = await new Hono().mount("/x", router.fetch).request("/x/a");
  assertEquals(await response.json(), [2, {}]);
});

Deno.test("mount() passes env and executionCtx to a Hono application", async () => {
  const app = new Hono<{ Bindings: Env }>()
    .get("/a", (c) => c.json([c.env.KEY, untyped<unknown>(c.executionCtx) === WORKER]));
  const router = createRouter<[Env, typeof WORKER]>().mount("/x", app);
  const response = await router.request("/x/a", {}, { KEY: "k" }, WORKER);
  assertEquals(await response.json(), ["k", true]);
});

Deno.test("fromHono() around a mount runs once outside, and once for each router inside", async () => {
  const ids: unknown[] = [];
  const id = (name: string) => requestId({ headerName: name, generator: () => name });
  const inner = createRouter({ before: [fromHono(id("X-Inner"))] })
    .get("/a", (req) => json(honoContext(req).get("requestId")));
  const outer = createRouter({
    before: [
      fromHono(createMiddleware(async (c, next) => {
        await next();
        ids.push(c.get("requestId"));
      })),
      fromHono(id("X-Outer")),
      fromHono(cors()),
    ],
  }).mount("/x", inner);
  const response = await outer.request("/x/a");
  assertEquals([await response.json(), ids], ["X-Inner", ["X-Outer"]]);
  for (const name of ["X-Inner", "X-Outer", "Access-Control-Allow-Origin"]) {
    assertEquals(response.headers.has(name), true);
  }
});

Deno.test("fromHono() around a mount guards it, and sees its parameters", async () => {
  const router = createRouter().under(
    "/:org/app",
    fromHono(async (c: Context, next) => {
      return c.req.param("org") === "ours" ? await next() : c.text("no", 403);
    }),
  ).mount("/:org/app", honoApp());
  const rejected = await router.request("/theirs/app/users/7");
  assertEquals([rejected.status, await rejected.text()], [403, "no"]);
  const seen: Seen = await (await router.request("/ours/app/users/7")).json();
  assertEquals([seen.path, seen.id], ["/users/7", "7"]);
});

Deno.test("a Hono application's middleware runs around our router, which does not see its context", async () => {
  const router = createRouter({ before: [fromHono((_c, next) => next())] })
    .get("/a", (req) => json(honoContext(req).get("outer") ?? null));
  const app = new Hono<{ Variables: { outer: number } }>().use(cors()).use(async (c, next) => {
    c.set("outer", 1);
    await next();
  }).mount("/x", router.fetch);
  const response = await app.request("/x/a");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(await response.json(), null);
});

Deno.test("mount() of a Hono application returns its response object unchanged", async () => {
  const response = new Response("x");
  const router = createRouter({ before: [fromHono((_c, next) => next())] })
    .mount("/x", new Hono().get("/a", () => response));
  assertStrictEquals(await router.request("/x/a"), response);
});
