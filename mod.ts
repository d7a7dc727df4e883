/**
 * Gatehouse: a typed HTTP router on Hono's engine, with authentication, OpenAPI and static assets.
 *
 * This entry is portable: it runs on Deno, Deno Deploy, Bun, Node, workerd and in WASI components.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/hello/:name", (req) => json({ hello: req.params.name }));
 *
 * const response = await router.request("/hello/Ada");
 * assertEquals(await response.json(), { hello: "Ada" });
 * ```
 *
 * @module
 */

export * from "./router/mod.ts";
export * from "./openapi/mod.ts";
export * from "./static/mod.ts";
export * from "./auth/mod.ts";
