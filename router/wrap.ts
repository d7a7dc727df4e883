/**
 * Middleware that runs around the rest of the request.
 *
 * @module
 */

import type { Middleware, Next } from "./handler.ts";
import type { RouteRequest } from "./request.ts";

/** Runs around the rest of the request: `next()` returns its response. */
export type Wrapper<Args extends unknown[] = []> = (
  req: RouteRequest,
  next: Next,
  ...args: Args
) => Response | Promise<Response>;

const WRAPPER: unique symbol = Symbol("gatehouse.wrapper");

/**
 * Creates middleware that runs before and after the rest of the request: timing, logging, caching, changing the response.
 *
 * `next()` may be called once; an error after it is returned as the response that the client would get.
 *
 * @example
 * ```ts
 * import { createRouter, editHeaders, json, wrap } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const version = wrap(async (_req, next) => editHeaders(await next(), (headers) => headers.set("X-Version", "7")));
 * const router = createRouter({ before: [version] }).get("/", () => json("hello"));
 * assertEquals((await router.request("/")).headers.get("X-Version"), "7");
 * assertEquals((await router.request("/nowhere")).headers.get("X-Version"), "7");
 * ```
 */
export function wrap<Args extends unknown[] = []>(wrapper: Wrapper<Args>): Middleware<Args> {
  const middleware: Middleware<Args> = () => {
    throw new TypeError("Cannot call wrapping middleware: only a router can run it");
  };
  return Object.defineProperty(middleware, WRAPPER, { value: wrapper });
}

/**
 * The wrapper inside a middleware, if it is a wrapping one.
 *
 * @internal
 */
export function wrapperOf(middleware: Middleware<unknown[]>): Wrapper<unknown[]> | undefined {
  return (middleware as { [WRAPPER]?: Wrapper<unknown[]> })[WRAPPER];
}
