// deno-lint-ignore-file no-console -- console.warn is replaced
import {
  AuthError,
  createContainer,
  createRouter,
  HTTP_ROUTER,
  HttpError,
  HttpRouter,
  json,
  logDenials,
  pass,
  problem,
  type RequestEvent,
  routerBuilder,
  type TypedRouter,
  wrap,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import * as v from "valibot";
import { collectErrors, countedStream, rawRequest, untyped } from "./_helpers.ts";

/** Collects events, without what differs from run to run. */
function collectEvents() {
  const events: RequestEvent[] = [];
  const lines = () =>
    events.map(({ method, route, path, status, sub, code }) =>
      [method, route || "-", path, status, sub ?? "-", code ?? "-"].join(" ")
    );
  return { events, lines, onRequest: (event: RequestEvent) => void events.push(event) };
}

const guard = {
  guard: ({ headers }: { headers: Headers }) => {
    const sub = headers.get("X-Sub");
    return sub === null ? undefined : { sub };
  },
};

Deno.test("onRequest is called once for each request, whoever answers it", async () => {
  const { events, lines, onRequest } = collectEvents();
  const { errors, onError } = collectErrors();
  const inner = createRouter({ prefix: "/v1" }) // without a hook of its own
    .get("/users/:id", ({ params }) => json(params))
    .get("/denied", () => {
      throw new HttpError(403, "denied");
    });
  const router = createRouter({
    onRequest,
    onError,
    before: [({ path }) => path === "/blocked" ? new Response(null, { status: 403 }) : undefined],
  })
    .get("/", () => new Response("sync"))
    .get("/async", () => Promise.resolve(new Response("async")))
    .get("/pass/:id", () => pass())
    .get("/pass/*", () => json("passed"))
    .get("/own", () => problem(409, "conflict"))
    .get("/fault", () => {
      throw new Error("fault");
    })
    .get("/teapot", () => {
      throw new HttpError(418, "teapot");
    })
    .get("/stream", () => new Response(countedStream(new Uint8Array(1), 1).stream))
    .get("/blocked", () => json("never"))
    .mount("/api", inner)
    .mount("/other", { fetch: () => new Response("other") })
    .mount("/maybe", {
      fetch: async (request) => {
        const response = await inner.fetch(request);
        return response.status === 404 ? undefined : response;
      },
    })
    .get("/maybe/*", () => json("later"))
    .withAuth(guard)
    .get("/me", ({ principal }) => json(principal));
  const as = (sub: string) => ({ headers: { "X-Sub": sub } });
  const requests: [string, RequestInit?][] = [
    ["/"],
    ["/", { method: "HEAD" }],
    ["/", { method: "PUT" }],
    ["/", { method: "OPTIONS" }],
    ["/nowhere"],
    ["/async"],
    ["/pass/1"],
    ["/own"],
    ["/fault"],
    ["/teapot"],
    ["/stream"],
    ["/blocked"],
    ["/api/v1/users/7"],
    ["/api/v1/denied"],
    ["/api/v1/nowhere"],
    ["/api/v1/denied", { method: "POST" }],
    ["/other/x"],
    ["/maybe/x"],
    ["/me", as("ada")],
    ["/me"],
  ];
  for (const [target, init] of requests) {
    await (await router.request(target, init)).body?.cancel();
  }
  await router.fetch(rawRequest("/%ff"));
  assertEquals(lines(), [
    "GET / / 200 - -",
    "HEAD / / 200 - -",
    "PUT - / 405 - method_not_allowed",
    "OPTIONS - / 204 - -",
    "GET - /nowhere 404 - not_found",
    "GET /async /async 200 - -",
    "GET /pass/* /pass/1 200 - -", // the route that answered
    "GET /own /own 409 - -", // the handler's own answer
    "GET /fault /fault 500 - internal_error",
    "GET /teapot /teapot 418 - teapot",
    "GET /stream /stream 200 - -",
    "GET /blocked /blocked 403 - -",
    "GET /api/v1/users/:id /api/v1/users/7 200 - -",
    "GET /api/v1/denied /api/v1/denied 403 - denied",
    "GET /api/* /api/v1/nowhere 404 - not_found",
    "POST /api/* /api/v1/denied 405 - method_not_allowed",
    "GET /other/* /other/x 200 - -",
    "GET /maybe/* /maybe/x 200 - -",
    "GET /me /me 200 ada -",
    "GET /me /me 401 - unauthenticated",
    "GET - /%ff 404 - not_found",
  ]);
  assertEquals(errors.length, 1);
  assert(events.every(({ durationMs }) => durationMs >= 0 && durationMs < 1000));
  assertEquals(events[8]?.error, errors[0]); // the thrown value, for traces
  assertEquals(events[0]?.req.headers instanceof Headers, true);
});

Deno.test("onRequest of a mounted router is called before that of the router around it, each once", async () => {
  const inner = collectEvents();
  const outer = collectEvents();
  const router = createRouter({ onRequest: outer.onRequest })
    .mount(
      "/a",
      createRouter().mount(
        "/b",
        createRouter({ onRequest: inner.onRequest }).withAuth(guard).get("/c/:id", () => json(1)),
      ),
    );
  await router.request("/a/b/c/1", { headers: { "X-Sub": "ada" } });
  assertEquals(inner.lines(), ["GET /c/:id /c/1 200 ada -"]);
  assertEquals(outer.lines(), ["GET /a/b/c/:id /a/b/c/1 200 ada -"]);
});

Deno.test("onRequest sees what hooks made of an error", async () => {
  const { events, lines, onRequest } = collectEvents();
  const failing = createRouter({
    onRequest,
    catch: (error) =>
      (error as HttpError).status === 401 ? Response.redirect("http://x/") : undefined,
    finally: [(response) => {
      if (response.status === 409) throw new HttpError(503, "busy");
    }],
  })
    .get("/401", () => {
      throw new HttpError(401, "unauthenticated");
    })
    .get("/409", () => {
      throw new HttpError(409, "conflict");
    })
    .get("/replaced", () => {
      throw new HttpError(409, "conflict");
    }, { use: [wrap(async (_req, next) => (await next(), new Response("replaced")))] });
  for (const path of ["/401", "/409", "/replaced"]) await failing.request(path);
  assertEquals(lines(), [
    "GET /401 /401 302 - -",
    "GET /409 /409 503 - busy",
    "GET /replaced /replaced 200 - -",
  ]);
  assertEquals((events[0]?.error as HttpError).code, "unauthenticated");
});

Deno.test("onRequest that throws or rejects changes no response, and is reported", async () => {
  for (
    const fail of [() => {
      throw new Error("hook");
    }, () => Promise.reject(new Error("hook"))]
  ) {
    const { errors, onError } = collectErrors();
    const router = createRouter({ onRequest: fail, onError }).get("/", () => json("well"));
    assertEquals(await (await router.request("/")).json(), "well");
    await Promise.resolve();
    assertEquals(errors.map((error) => (error as Error).message), ["hook"]);
  }
});

Deno.test("onRequest keeps an answer synchronous, and the same Request may be answered twice at once", async () => {
  const { lines, onRequest } = collectEvents();
  const router = createRouter({ onRequest })
    .get("/", () => new Response("now"))
    .get("/later", () => Promise.resolve(new Response("later")));
  assert(router.fetch(new Request("http://x/")) instanceof Response);
  const request = new Request("http://x/later");
  await Promise.all([router.fetch(request), router.fetch(request)]);
  assertEquals(lines().length, 3);
});

Deno.test("onRequest is an option of the builder and of @HttpRouter, and is checked", async () => {
  const { lines, onRequest } = collectEvents();
  await routerBuilder({ onRequest }).build().request("/built");
  const container = createContainer();
  @HttpRouter({ onRequest, container })
  class _Api {}
  await container.resolve<TypedRouter>(HTTP_ROUTER).request("/declared");
  assertEquals(lines(), ["GET - /built 404 - not_found", "GET - /declared 404 - not_found"]);
  assertThrows(() => createRouter({ onRequest: untyped("log") }), TypeError, "onRequest");
  createRouter({ onRequest: undefined });
});

Deno.test("logDenials() writes one line for each denial, without values of the request", async () => {
  const schema = {
    body: v.object({ title: v.string(), tags: v.array(v.pipe(v.string(), v.email())) }),
  };
  const router = createRouter({
    onRequest: logDenials,
    catch: (error) =>
      (error as { code?: string }).code === "csrf_failed" ? new Response("page") : undefined,
  })
    .post("/notes/:id", () => json(1), { schema })
    .get("/fine", () => json(1))
    .get("/reason", () => {
      throw new AuthError("access_denied", { reason: "not the\r\n\x1b[2Jowner" });
    })
    .get("/caught", () => {
      throw new AuthError("csrf_failed", { reason: "the origin is foreign" });
    })
    .get("/own", () => new Response(null, { status: 403 }))
    .get("/fault", () => {
      throw new HttpError(409, "conflict");
    })
    .withAuth(guard).get("/me", () => json(1));
  const lines: unknown[] = [];
  const warn = console.warn;
  console.warn = (...args: unknown[]) => void lines.push(...args);
  try {
    const post = (body: string, type = "application/json") =>
      router.request("/notes/secret-id?token=secret", {
        method: "POST",
        headers: { "Content-Type": type },
        body,
      });
    await post(JSON.stringify({ title: 7, tags: ["a@b.co", "secret"] }));
    await post("[]");
    await post("secret", "text/plain");
    for (const path of ["/fine", "/reason", "/caught", "/own", "/fault", "/me", "/nowhere"]) {
      await router.request(path);
    }
  } finally {
    console.warn = warn;
  }
  assertEquals(lines, [
    "Denied POST /notes/:id: 422 validation_failed (body /title, body /tags/1)",
    "Denied POST /notes/:id: 422 validation_failed (body /title, body /tags)",
    "Denied POST /notes/:id: 415 unsupported_media_type (This resource takes application/json)",
    "Denied GET /reason: 403 access_denied (not the [2Jowner)",
    "Denied GET /caught: 403 csrf_failed (the origin is foreign)",
    "Denied GET /own: 403 (no code)",
    "Denied GET /me: 401 unauthenticated",
  ]);
});
