/**
 * `requireAuth` and `requireAuthz`: the guard as middleware.
 *
 * @module
 */

import type { Middleware, RegisteredRules, RouteAccess } from "../../router/types.ts";
import { wrap } from "../../router/wrap.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { finalizeResponseOf } from "./response_headers.ts";
import type { GuardRules } from "./types.ts";

/** Options of {@linkcode requireAuth}. */
export type RequireAuthOptions = Omit<GuardOptions<never>, "manager">;

/** Options of {@linkcode requireAuthz}. */
export interface RequireAuthzOptions<Metadata = RegisteredRules["metadata"], Known = Metadata>
  extends GuardOptions<Metadata, Known> {
  /** What the manager decides about: the application's own data. */
  readonly metadata: NoInfer<Metadata>;
  /** Call the manager for anonymous requests too. @default {false}, which responds 401 to them */
  readonly allowAnonymous?: boolean | undefined;
}

/**
 * Middleware that rejects requests without a valid principal with 401; {@linkcode getPrincipal} returns it. For a
 * route, or for a path by `under()`. To protect a whole router, {@linkcode withAuthRoutes} cannot be forgotten.
 *
 * Pass `finally: [applyAuthHeaders]` to the router too, which clears the cookie of an invalid session with the 401.
 *
 * @throws {TypeError} If there is no runtime, or an option is unknown or of a wrong shape.
 *
 * @example
 * ```ts
 * import {
 *   applyAuthHeaders,
 *   createContainer,
 *   createRouter,
 *   generateSecret,
 *   getPrincipal,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   requireAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
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
 * Middleware that calls the authorization manager, and rejects with 403 `access_denied` what it denies. It authenticates
 * the request as {@linkcode requireAuth} does, unless an earlier guard with the same strategies has; if that guard has its
 * own `strategy` or `csrf`, pass them here too. The manager decides about the route that matched first, so it belongs
 * to a route's `use`. It does not appear in OpenAPI documents; the route option `authorization` does.
 *
 * @throws {TypeError} If there is no runtime, `metadata` is missing, or an option is unknown or of a wrong shape.
 */
export function requireAuthz<Known = RegisteredRules["metadata"], Metadata = Known>(
  options: RequireAuthzOptions<Metadata, Known>,
): Middleware<unknown[]> {
  const { metadata, allowAnonymous = false, ...guardOptions } = options;
  if (!Object.hasOwn(options, "metadata")) {
    throw new TypeError("Cannot require authorization: metadata is missing");
  }
  return middlewareOf(guardOptions, {
    mode: allowAnonymous ? "optional" : "required",
    authorization: { metadata, allowAnonymous },
  });
}

function middlewareOf<Metadata, Known>(
  options: GuardOptions<Metadata, Known>,
  access: RouteAccess<GuardRules<Metadata>>,
): Middleware<unknown[]> {
  const { guard } = createGuard(options);
  return wrap<unknown[]>(async (req, next, ...args) => {
    await guard(req, access, ...args);
    return finalizeResponseOf(req, await next());
  });
}
