/**
 * Routers that can write their own OpenAPI document, and serve folders.
 *
 * @module
 */

import {
  type BuilderOptions,
  type BuilderParts,
  type RouterBuilder,
  routerBuilder as plainBuilder,
} from "../router/builder.ts";
import type { ControllerDecorator } from "../router/decorator_types.ts";
import { HttpRouter as PlainHttpRouter, type HttpRouterOptions } from "../router/http_router.ts";
import { FILES } from "../static/native_mount.ts";
import { generateOpenAPI } from "./generator.ts";

const PARTS: BuilderParts = { generateOpenAPI, files: FILES };

/**
 * Creates a builder whose `static()` serves folders.
 *
 * @example
 * ```ts ignore
 * import { json, routerBuilder } from "@gatehouse/http/native";
 *
 * const router = routerBuilder()
 *   .static("/assets", { directory: "public", cacheControl: "public, max-age=3600" })
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * Deno.serve(router.fetch);
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return plainBuilder(options, PARTS);
}

/**
 * Describes a router on a class; its `static` serves folders. It is registered under `HTTP_ROUTER`, and built when it is
 * first resolved.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts ignore
 * import { HTTP_ROUTER, HttpRouter, inject } from "@gatehouse/http/native";
 *
 * @HttpRouter({ prefix: "/shop", static: { "/assets": { directory: "public" } } })
 * class Shop {} // serves public/app.css at /shop/assets/app.css
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  return PlainHttpRouter(options, PARTS);
}
