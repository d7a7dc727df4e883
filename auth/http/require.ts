/**
 * `requireAuth` and `requireAuthz`: the guard as middleware.
 *
 * @module
 */

import type { Middleware, RouteAccess } from "../../router/types.ts";
import { wrap } from "../../router/wrap.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { finalizeResponseOf } from "./response_headers.ts";

/** Options of {@linkcode requireAuth}. */
export type RequireAuthOptions = Omit<GuardOptions, "manager">;

/** Options of {@linkcode requireAuthz}. */
export interface RequireAuthzOptions extends GuardOptions {
  /** What the manager is asked about: the application's own data. */
  readonly metadata: unknown;
  /** Ask the manager about anonymous requests too. @default {false}, which is a 401 for them */
  readonly allowAnonymous?: boolean | undefined;
}

/**
 * Middleware that refuses requests without a valid principal with 401; {@linkcode getPrincipal} tells who it is. For a
 * route, or for a path by `under()`. Where whole routers are protected, {@linkcode withAuthRoutes} cannot be forgotten.
 *
 * Give the router `finally: [applyAuthHeaders]` too, which takes the cookie of a dead session away with the 401.
 *
 * @throws {TypeError} If there is no runtime, or an option is unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import {
 *   applyAuthHeaders,
 *   createContainer,
 *   createRouter,
 *   getPrincipal,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   requireAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: "a secret of at least 32 bytes, kept",
 *   stores: inMemoryAuthStores(),
 *   container: createContainer(), // without it, the default one: requireAuth() then finds the runtime there
 * });
 * const router = createRouter({ finally: [applyAuthHeaders] })
 *   .get("/me", (req) => json(getPrincipal(req)?.sub), { use: [requireAuth({ runtime })] });
 *
 * assertEquals((await router.request("/me")).status, 401);
 * ```
 */
export function requireAuth(options: RequireAuthOptions = {}): Middleware<unknown[]> {
  return middlewareOf(options, { mode: "required" });
}

/**
 * Middleware that asks the authorization manager, and refuses with 403 `access_denied` what it denies. It asks the
 * strategies who it is, as {@linkcode requireAuth} does, unless a guard with the same ones has; where that guard has a
 * `strategy` or `csrf` of its own, say so here too. The manager is asked about the route that matched first, so it belongs
 * to a route's `use`. It does not appear in OpenAPI documents; the route option `authorization` does.
 *
 * @throws {TypeError} If there is no runtime, nothing is said of `metadata`, or an option is unknown or of a wrong shape.
 */
export function requireAuthz(options: RequireAuthzOptions): Middleware<unknown[]> {
  const { metadata, allowAnonymous = false, ...guardOptions } = options;
  if (!Object.hasOwn(options, "metadata")) {
    throw new TypeError("Cannot require authorization: metadata is missing");
  }
  return middlewareOf(guardOptions, {
    mode: allowAnonymous ? "optional" : "required",
    authorization: { metadata, allowAnonymous },
  });
}

function middlewareOf(options: GuardOptions, access: RouteAccess): Middleware<unknown[]> {
  const { guard } = createGuard(options);
  return wrap<unknown[]>(async (req, next, ...args) => {
    await guard(req, access, ...args);
    return finalizeResponseOf(req, await next());
  });
}
