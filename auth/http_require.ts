/**
 * `requireAuth` and `requireAuthz`: the guard as middleware.
 *
 * @module
 */

import type { Middleware, RouteAccess, RouteRequest } from "../router/types.ts";
import type { AuthorizationManager } from "./authorization.ts";
import { createGuard, type GuardOptions } from "./http_guard.ts";
import type { AuthRuntime } from "./http_runtime.ts";

/** Options of {@linkcode requireAuth}. */
export type RequireAuthOptions = Omit<GuardOptions, "manager">;

/** Options of {@linkcode requireAuthz}. */
export interface RequireAuthzOptions {
  /** What the manager is asked about: the application's own data. */
  readonly metadata: unknown;
  /** Ask the manager about anonymous requests too. @default {false}, which is a 401 for them */
  readonly allowAnonymous?: boolean;
  /** Decides. @default the runtime's, which is what the container has as {@linkcode AUTHORIZATION_MANAGER} */
  readonly manager?: AuthorizationManager | undefined;
  /** Authentication. @default what `registerAuth()` put into the default container, looked up when this is called */
  readonly runtime?: AuthRuntime | undefined;
}

/**
 * Middleware that refuses requests without a valid principal with 401; {@linkcode getPrincipal} tells who it is. For a
 * route, or for a path by `under()`. Where whole routers are protected, {@linkcode withAuthRoutes} cannot be forgotten.
 *
 * Give the router `finally: [applyAuthHeaders]` too, which keeps answers out of caches and takes dead cookies away.
 *
 * @throws {TypeError} If there is no runtime.
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
 * Middleware that asks the authorization manager, and refuses with 403 `access_denied` what it denies. It takes the word
 * of a guard that ran before, or asks the runtime's strategies who it is.
 *
 * @throws {TypeError} If there is no runtime.
 */
export function requireAuthz(options: RequireAuthzOptions): Middleware<unknown[]> {
  const { metadata, allowAnonymous = false, runtime, manager } = options;
  const access: RouteAccess = {
    mode: allowAnonymous ? "optional" : "required",
    authorization: { metadata, allowAnonymous },
  };
  return middlewareOf({ runtime, manager }, access, true);
}

function middlewareOf(
  options: GuardOptions,
  access: RouteAccess,
  takesKnown = false,
): Middleware<unknown[]> {
  const { guard } = createGuard(options, takesKnown);
  return async (req: RouteRequest, ...args: unknown[]): Promise<void> => {
    await guard(req, access, ...args);
  };
}
