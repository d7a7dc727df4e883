import {
  createRouter,
  editHeaders,
  HttpError,
  json,
  type Middleware,
  type Next,
  pass,
  type RouteRequest,
  wrap,
} from "@gatehouse/http";
import { assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { badly, codeOf, collectErrors, jsonRequest, untyped } from "./_helpers.ts";

/** A wrapper that records when it is entered and left. */
function noted(log: string[], name: string): Middleware {
  return wrap(async (_req, next) => {
    log.push(`${name} in`);
    const response = await next();
    log.push(`${name} out ${response.status}`);
    return response;
  });
}

Deno.test("wrap() runs around all later steps, in before, under and use", async () => {
  const log: string[] = [];
  const router = createRouter({
    before: [noted(log, "b1"), () => void log.push("plain"), noted(log, "b2")],
  })
    .under("/a", noted(log, "u"))
    .get("/a/b", () => (log.push("handler"), json(1)), {
      use: [noted(log, "r"), () => void log.push("use")],
    });
  assertEquals((await router.request("/a/b")).status, 200);
  assertEquals(log, [
    ..."b1 in,plain,b2 in,u in,r in,use,handler,r out 200,u out 200,b2 out 200,b1 out 200".split(
      ",",
    ),
  ]);
});

Deno.test("wrap() around every step sees 404, 405, OPTIONS and responses of middleware", async () => {
  const log: string[] = [];
  const router = createRouter({
    before: [noted(log, "w"), (req) => req.path === "/stop" ? json(1, { status: 403 }) : undefined],
  })
    .get("/a", () => json(1));
  for (
    const [path, method] of [["/none", "GET"], ["/a", "PUT"], ["/a", "OPTIONS"], [
      "/stop",
      "GET",
    ]] as const
  ) {
    await (await router.request(path, { method })).body?.cancel();
  }
  assertEquals(log.filter((line) => line !== "w in"), [
    "w out 404",
    "w out 405",
    "w out 204",
    "w out 403",
  ]);
});

Deno.test("wrap() around one route sees no other", async () => {
  const log: string[] = [];
  const router = createRouter().get("/a", () => json(1), { use: [noted(log, "r")] }).get(
    "/b",
    () => json(1),
  );
  await (await router.request("/b")).body?.cancel();
  await (await router.request("/none")).body?.cancel();
  assertEquals(log, []);
});

for (
  const [why, fail, status] of [
    ["throws", () => {
      throw new Error("secret");
    }, 500],
    ["rejects", () => Promise.reject(new Error("secret")), 500],
    ["throws an HttpError", () => {
      throw new HttpError(409, "taken");
    }, 409],
    ["returns nothing", () => pass(), 500],
    ["returns something else", () => untyped<Response>("text"), 500],
  ] as const
) {
  Deno.test(`wrap() receives a response from next() if the handler ${why}`, async () => {
    const { errors, onError } = collectErrors();
    const seen: unknown[] = [];
    const router = createRouter({
      onError,
      before: [wrap(async (_req, next) => {
        const response = await next();
        seen.push(response.status, await response.clone().json().then(({ code }) => code));
        return editHeaders(response, (headers) => headers.set("X-Outer", "1"));
      })],
    }).get("/", fail);
    const response = await router.request("/");
    assertEquals([response.status, response.headers.get("X-Outer")], [status, "1"]);
    assertEquals(seen, [status, status === 409 ? "taken" : "internal_error"]);
    assertEquals(
      errors.length,
      status === 500 ? 1 : 0,
      "reported once, however many wrappers there are",
    );
    await response.body?.cancel();
  });
}

Deno.test("wrap() passes the response of catch to each wrapper, and runs catch once", async () => {
  const log: string[] = [];
  const router = createRouter({
    before: [noted(log, "a"), noted(log, "b")],
    catch: () => (log.push("catch"), json(1, { status: 418 })),
    finally: [() => void log.push("finally")],
  }).get("/", () => {
    throw new Error();
  });
  assertEquals((await router.request("/")).status, 418);
  assertEquals(log, ["a in", "b in", "catch", "b out 418", "a out 418", "finally"]);
});

Deno.test("wrap() need not call next(): nothing after it runs", async () => {
  const log: string[] = [];
  const router = createRouter({
    before: [wrap(() => json("cached"))],
    finally: [() => void log.push("finally")],
  })
    .under("/", () => void log.push("under"))
    .get("/", () => (log.push("handler"), json(1)));
  assertEquals(await (await router.request("/")).json(), "cached");
  assertEquals(log, ["finally"]);
});

Deno.test("wrap() may return another response than next() returned", async () => {
  const router = createRouter({
    before: [wrap(async (_req, next) => {
      await (await next()).body?.cancel();
      return json("instead");
    })],
  }).get("/", () => json(1));
  assertEquals(await (await router.request("/")).json(), "instead");
});

Deno.test("wrap() that throws after next() is handled like any error", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({
    onError,
    before: [wrap(async (_req, next) => {
      await (await next()).body?.cancel();
      throw new HttpError(502, "late");
    })],
  }).get("/", () => json(1));
  assertEquals(await codeOf(router.request("/")), [502, "late"]);
  assertEquals(errors, []);
});

for (
  const [why, result] of [["undefined", undefined], ["null", null], ["a string", "x"], [
    "a promise of nothing",
    Promise.resolve(),
  ]] as const
) {
  Deno.test(`wrap() that returns ${why} is a 500, and never continues implicitly`, async () => {
    const { errors, onError } = collectErrors();
    let handled = 0;
    const router = createRouter({ onError, before: [wrap(() => untyped<Response>(result))] }).get(
      "/",
      () => json(handled++),
    );
    assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
    assertEquals([handled, errors.length], [0, 1]);
    assertInstanceOf(errors[0], TypeError);
  });
}

Deno.test("wrap() that does not return the response of next() is a 500", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({
    onError,
    before: [wrap(badly(async (_req: RouteRequest, next: Next) => {
      await (await next()).body?.cancel();
    }))],
  }).get("/", () => json(1));
  assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
  assertEquals(errors.length, 1);
});

Deno.test("wrap() that calls next() without waiting leaves no unhandled rejection", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({
    onError,
    before: [wrap((_req, next) => {
      void next();
      return json("early");
    })],
  }).get("/", () => Promise.reject(new Error("late")));
  assertEquals(await (await router.request("/")).json(), "early");
  await new Promise((done) => setTimeout(done, 0));
  assertEquals(errors.length, 1);
});

for (
  const [how, call] of [
    ["one after the other", async (next: Next) => {
      await (await next()).body?.cancel();
      return await next();
    }],
    ["at once", async (next: Next) => (await Promise.all([next(), next()]))[1]],
    ["without waiting", (next: Next) => (void next(), next())],
  ] as const
) {
  Deno.test(`wrap() that calls next() twice, ${how}, is a 500: nothing runs twice`, async () => {
    let finals = 0;
    let handled = 0;
    const { errors, onError } = collectErrors();
    const router = createRouter({
      onError,
      before: [wrap((_req, next) => call(next))],
      finally: [() => void finals++],
    })
      .post("/", () => json(handled++));
    assertEquals(await codeOf(router.fetch(jsonRequest("/", '{"a":1}'))), [500, "internal_error"]);
    await new Promise((done) => setTimeout(done, 0));
    assertEquals([handled, finals, errors.length], [1, 1, 1]);
  });
}

Deno.test("wrap() stays synchronous if every step does", () => {
  const router = createRouter({ before: [wrap((_req, next) => next())] }).get("/", () => json(1));
  for (const path of ["/", "/none"]) {
    assertInstanceOf(router.fetch(new Request("http://localhost" + path)), Response);
  }
});

Deno.test("wrap() may run next() later", async () => {
  const router = createRouter({
    before: [wrap(async (_req, next) => {
      await Promise.resolve();
      return next();
    })],
  }).get("/", () => json("later"));
  assertEquals(await (await router.request("/")).json(), "later");
});

Deno.test("wrap() gets the request and the extra arguments of fetch", async () => {
  const seen: unknown[] = [];
  const middleware = wrap<[string, number]>((
    req,
    next,
    a,
    b,
  ) => (seen.push(req.path, a, b), next()));
  const router = createRouter<[string, number]>({ before: [middleware] }).get(
    "/x",
    (_req, a, b) => json([a, b]),
  );
  const response = await router.fetch(new Request("http://localhost/x"), "env", 7);
  assertEquals(await response.json(), ["env", 7]);
  assertEquals(seen, ["/x", "env", 7]);
});

Deno.test("wrap() around a route that passes sees the response of the next match", async () => {
  const log: string[] = [];
  const router = createRouter()
    .get("/a", () => pass(), { use: [noted(log, "first")] })
    .get("/:x", () => (log.push("second"), json(1, { status: 201 })));
  assertEquals((await router.request("/a")).status, 201);
  assertEquals(log, ["first in", "second", "first out 201"]);
});

Deno.test("wrap() returns middleware that only a router can run", () => {
  const middleware = wrap(() => json(1));
  assertThrows(() => untyped<() => unknown>(middleware)(), TypeError, "only a router can run it");
});

for (const later of [false, true]) {
  Deno.test(`wrap() that fails ${later ? "later" : "at once"} cancels the body of the response that it received`, async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel(): void {
        cancelled = true;
      },
    });
    const failing = wrap((_req, next) => {
      const response = next();
      if (later) return Promise.resolve(response).then(() => Promise.reject(new Error("boom")));
      throw new Error("boom");
    });
    const router = createRouter({ before: [failing], onError: () => {} }).get(
      "/",
      () => new Response(body),
    );
    assertEquals((await router.request("/")).status, 500);
    assertEquals(cancelled, true);
  });
}
