/** What Hono's middleware sets is in `req.locals`. */

import { createRouter, json, type Middleware, provide } from "@gatehouse/http";
import { fromHono, honoContext, type HonoMiddleware } from "@gatehouse/http/hono";
import { assertEquals, assertThrows } from "@std/assert";
import { createMiddleware } from "hono/factory";
import { requestId } from "hono/request-id";

/** Sets a variable before and after the rest of the request. */
function sets(name: string, before: unknown, after?: unknown): HonoMiddleware {
  return async (c, next) => {
    c.set(name, before);
    await next();
    if (after !== undefined) c.set(name, after);
  };
}

Deno.test("fromHono() passes variables to req.locals, typed by the middleware", async () => {
  const user = createMiddleware<{ Variables: { user: { id: number } } }>(async (c, next) => {
    c.set("user", { id: 7 });
    await next();
  });
  const found = fromHono(user);
  const router = createRouter();
  router.provide(found).provide(fromHono(requestId()))
    .get("/", (req) => json([req.locals.user.id, req.locals.requestId, found.of(req).user.id]));
  const response = await router.request("/", { headers: { "X-Request-Id": "a1" } });
  assertEquals(await response.json(), [7, "a1", 7]);
});

/** [why, middleware, locals in the handler] */
const LOCALS: readonly (readonly [string, readonly Middleware[], unknown])[] = [
  ["nothing set", [fromHono(async (_c, next) => await next())], {}],
  ["one variable", [fromHono(sets("a", 1))], { a: 1 }],
  ["the last of two values", [fromHono(sets("a", 1)), fromHono(sets("a", 2))], { a: 2 }],
  ["variables beside provided data", [provide(() => ({ b: 1 })), fromHono(sets("a", 1))], {
    b: 1,
    a: 1,
  }],
  ["data that was provided after a variable of its name", [
    fromHono(sets("a", 1)),
    provide(() => ({ a: 2 })),
    fromHono(sets("b", 1)),
  ], { a: 2, b: 1 }],
  ["what a handler sets", [fromHono(sets("a", 1)), (req) => honoContext(req).set("c", 3)], {
    a: 1,
    c: 3,
  }],
  ["a name that objects inherit", [fromHono(sets("__proto__", 1))], JSON.parse('{"__proto__":1}')],
];

for (const [why, use, locals] of LOCALS) {
  Deno.test(`fromHono() passes to req.locals ${why}`, async () => {
    const router = createRouter().get("/", (req) => json(req.locals), { use });
    assertEquals(JSON.stringify(await (await router.request("/")).json()), JSON.stringify(locals));
  });
}

Deno.test("fromHono() passes variables that are set after next() to hooks", async () => {
  let seen: unknown;
  const router = createRouter({ finally: [(_response, req) => void (seen = { ...req.locals })] })
    .get("/", () => json(1), { use: [fromHono(sets("a", 1, 2))] });
  await router.request("/");
  assertEquals(seen, { a: 2 });
});

Deno.test("of() of Hono middleware has its variables in mounted routers", async () => {
  const id = fromHono(requestId());
  const inner = createRouter().get("/", (req) => json(id.of(req).requestId));
  const router = createRouter({ before: [id] }).mount("/m", inner)
    .get("/", (req) => json(id.of(req.raw).requestId));
  for (const path of ["/", "/m"]) {
    const response = await router.request(path, { headers: { "X-Request-Id": "a1" } });
    assertEquals(await response.json(), "a1");
  }
});

Deno.test("of() of Hono middleware throws where none ran", () => {
  const request = new Request("http://localhost/");
  assertThrows(() => fromHono(requestId()).of(request), TypeError, "no Hono middleware ran");
});
