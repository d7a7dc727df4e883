/**
 * Routers that can write their own OpenAPI document. They are the router's own, given the generator.
 *
 * @module
 */

import {
  type BuilderOptions,
  type BuilderParts,
  createBuilder,
  type RouterBuilder,
} from "../router/builder.ts";
import type { ControllerDecorator } from "../router/decorator_types.ts";
import { createHttpRouter, type HttpRouterOptions } from "../router/http_router.ts";
import { createOpenRouter } from "../router/router.ts";
import type { RouterOptions, TypedRouter } from "../router/types.ts";
import { generateOpenAPI } from "./generator.ts";

const PARTS: BuilderParts = { generateOpenAPI };

/**
 * Creates a router.
 *
 * `Args` types what `fetch` is called with behind the request, and what handlers get: `[Deno.ServeHandlerInfo]`, or
 * `[Env, ExecutionContext]` on workerd.
 *
 * Patterns: `/users/:id`, `/users/:id?`, `/users/:id{[0-9]+}`, `/files/*`. Matches are tried in order of
 * registration. GET routes answer HEAD; OPTIONS is answered by itself; a known path under another method is a 405 with
 * `Allow`; everything else is a 404. Errors are `application/problem+json` (RFC 9457).
 *
 * @throws {TypeError | RangeError} If an option cannot work.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({ info: { title: "Greeter", version: "1.0.0" } })
 *   .get("/hello/:name", (req) => json({ hello: req.params.name }));
 *
 * const response = await router.request("/hello/Ada");
 * assertEquals(await response.json(), { hello: "Ada" });
 * assertEquals(Object.keys(router.openapi().paths), ["/hello/{name}"]);
 * ```
 */
export function createRouter<Args extends unknown[] = []>(
  options: RouterOptions<Args> = {},
): TypedRouter<Args> {
  return createOpenRouter(options, PARTS).router;
}

/**
 * Creates a builder.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = routerBuilder()
 *   .extend((router) => router.get("/health", () => json("well")))
 *   .use((req) => req.headers.has("X-Blocked") ? new Response(null, { status: 403 }) : undefined)
 *   .prefix("/api")
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * assertEquals(await (await router.request("/api/health")).json(), "well");
 * assertEquals((await router.request("/api/hello", { headers: { "X-Blocked": "1" } })).status, 403);
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return createBuilder(options, PARTS);
}

/**
 * Describes a router on a class. It is registered under `HTTP_ROUTER`, and built when it is first resolved.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts
 * import { Controller, createContainer, Get, HTTP_ROUTER, HttpRouter, json, type TypedRouter } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * @Controller("/health")
 * class HealthController {
 *   @Get()
 *   check() {
 *     return json("well");
 *   }
 * }
 *
 * const container = createContainer();
 *
 * @HttpRouter({ prefix: "/api", controllers: [HealthController], container })
 * class Api {}
 *
 * const router = container.resolve<TypedRouter>(HTTP_ROUTER);
 * assertEquals(await (await router.request("/api/health")).json(), "well");
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  return createHttpRouter(options, PARTS);
}
