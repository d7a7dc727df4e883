/**
 * The router's factories, for routers that write their own OpenAPI document.
 *
 * @module
 */

import {
  type BuilderOptions,
  type RouterBuilder,
  routerBuilder as createBuilder,
} from "../router/builder.ts";
import type { ControllerDecorator } from "../router/decorator_types.ts";
import { HttpRouter as decorateRouter, type HttpRouterOptions } from "../router/http_router.ts";
import { type RouterInternals, withInternals } from "../router/internals.ts";
import { createRouter as createBareRouter } from "../router/router.ts";
import type { PrefixParamsOf } from "../router/markers.ts";
import type { AccessRules, RouterOptions, TypedRouter } from "../router/types.ts";
import { writeDocument } from "./_document.ts";

/** Without the default registry of `generateOpenAPI()`, which bundles of routers alone would carry along. */
const INTERNALS: RouterInternals = { generateOpenAPI: writeDocument };

/**
 * Creates a router as `createRouter` of `@gatehouse/http/router` does, with a working `openapi()`.
 *
 * @throws {TypeError | RangeError} If an option is invalid.
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
export function createRouter<Args extends unknown[] = [], Prefix extends string = "">(
  options: RouterOptions<Args, Prefix> = {},
): TypedRouter<Args, unknown, AccessRules, PrefixParamsOf<Prefix>> {
  return createBareRouter(withInternals(options, INTERNALS));
}

/**
 * Creates a builder as `routerBuilder` of `@gatehouse/http/router` does; the built router has a working `openapi()`.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = routerBuilder({ info: { title: "Greeter", version: "1.0.0" } })
 *   .prefix("/api")
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * assertEquals(Object.keys(router.openapi().paths), ["/api/hello"]);
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return createBuilder(withInternals(options, INTERNALS));
}

/**
 * Declares a router on a class as `HttpRouter` of `@gatehouse/http/router` does, with a working `openapi()`.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts
 * import { createContainer, HTTP_ROUTER, HttpRouter, type TypedRouter } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const container = createContainer();
 *
 * @HttpRouter({ info: { title: "Api", version: "1.0.0" }, container })
 * class Api {}
 *
 * const router = container.resolve<TypedRouter>(HTTP_ROUTER);
 * assertEquals(router.openapi().info.title, "Api");
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  return decorateRouter(withInternals(options, INTERNALS));
}
