/**
 * `mountAuthRoutes`: routes of authentication on a router.
 *
 * @module
 */

import { joinPaths } from "../../router/path.ts";
import type { RouteSource, RouteTarget } from "../../router/types.ts";
import type { AuthRoute } from "./types.ts";

/**
 * Adds routes of authentication to a router, guarded or not.
 *
 * @param basePath Path that the routes are added below, after the router's prefix.
 * @returns The same router.
 * @throws {TypeError} If the path is invalid, the router has such a route already, or it has begun to answer.
 *
 * @example
 * ```ts
 * import {
 *   createAuthRoutes,
 *   createContainer,
 *   createRouter,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   mountAuthRoutes,
 *   registerAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   container: createContainer(),
 * });
 * const router = mountAuthRoutes(createRouter(), createAuthRoutes({ runtime }), "/auth");
 * const { header } = await (await router.request("/auth/csrf")).json();
 * assertEquals(header, "X-CSRF-Token");
 * ```
 */
export function mountAuthRoutes<R extends RouteSource | RouteTarget>(
  router: R,
  routes: readonly AuthRoute[],
  basePath: string = "/auth",
): R {
  const target = router as unknown as RouteTarget;
  for (const { method, path, handler, options } of routes) {
    const add = method === "GET" ? target.get : target.post;
    add(joinPaths(basePath, path), handler, options);
  }
  return router;
}
