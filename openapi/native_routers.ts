/**
 * The router's factories, for routers that write their own OpenAPI document and serve folders.
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
import { FILES } from "../static/native_live.ts";
import { writeDocument } from "./_document.ts";

/** Without the default registry of `generateOpenAPI()`, which bundles of routers alone would carry along. */
const INTERNALS: RouterInternals = { generateOpenAPI: writeDocument, files: FILES };

/**
 * Creates a builder whose `static()` serves folders.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 *
 * const router = routerBuilder()
 *   .static("/assets", { directory, cacheControl: "public, max-age=3600" })
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * const response = await router.request("/assets/app.css");
 * assertEquals(await response.text(), "body { margin: 0 }");
 * assertEquals(response.headers.get("Cache-Control"), "public, max-age=3600");
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return createBuilder(withInternals(options, INTERNALS));
}

/**
 * Declares a router on a class; its `static` serves folders. It is registered under `HTTP_ROUTER` and built when it is
 * first resolved.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts
 * import { createContainer, HTTP_ROUTER, HttpRouter, type TypedRouter } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 * const container = createContainer();
 *
 * @HttpRouter({ prefix: "/shop", static: { "/assets": { directory } }, container })
 * class Shop {}
 *
 * const router = container.resolve<TypedRouter>(HTTP_ROUTER);
 * const response = await router.request("/shop/assets/app.css");
 * assertEquals(await response.text(), "body { margin: 0 }");
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  return decorateRouter(withInternals(options, INTERNALS));
}
