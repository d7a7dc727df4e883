/**
 * `withAuthRoutes`, and the integration of authentication into routers.
 *
 * @module
 */

import type {
  AccessRules,
  AuthIntegration,
  NoLocals,
  RegisteredRules,
  TypedRouter,
} from "../../router/types.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { withAuthErrors } from "./errors.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { applyAuthHeaders, finalizeResponse } from "./response_headers.ts";
import { mountAuthRoutes } from "./mount_routes.ts";
import type { AuthRuntime, GuardRules, IntegrationOptions, RefusalHandler } from "./types.ts";
import type { Principal } from "../principal.ts";

/** Options of {@linkcode withAuthRoutes}. */
export interface WithAuthRoutesOptions<Metadata = RegisteredRules["metadata"], Known = Metadata>
  extends GuardOptions<Metadata, Known> {
  /** Responds to refusals in the application's own way, for example by a page. If it returns nothing, the response is the problem. */
  readonly catch?: RefusalHandler | undefined;
}

/**
 * Protects every route and mount that is added to a router later; earlier ones are unchanged. `req.principal` is
 * a {@linkcode Principal} there. `auth: false` makes a route public, `auth: { mode: "optional" }` accepts anonymous requests
 * too, `authorization: { metadata }` calls the authorization manager, and `scope` names the scopes that API keys and tokens
 * need: without it, principals with a scope are rejected.
 *
 * @returns The same router.
 * @throws {TypeError} If the router has a guard or has begun to answer, there is no runtime, or an option is unknown or of a
 * wrong shape.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   createRouter,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   withAuthRoutes,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   container: createContainer(),
 * });
 * const router = withAuthRoutes(createRouter(), { runtime })
 *   .get("/me", (req) => json(req.principal.sub))
 *   .get("/greeting", (req) => json(req.principal === undefined ? "hello, you" : "hello again"), {
 *     auth: { mode: "optional" },
 *   })
 *   .get("/health", () => json("well"), { auth: false });
 *
 * assertEquals((await router.request("/me")).status, 401);
 * assertEquals(await (await router.request("/greeting")).json(), "hello, you");
 * assertEquals(await (await router.request("/health")).json(), "well");
 * ```
 */
export function withAuthRoutes<
  Args extends unknown[],
  Locals = NoLocals,
  Prefix = unknown,
  Known = RegisteredRules["metadata"],
  Metadata = Known,
>(
  router: TypedRouter<Args, unknown, AccessRules<never, never>, Locals, Prefix>,
  options: WithAuthRoutesOptions<Metadata, Known> = {},
): TypedRouter<Args, Principal, GuardRules<Metadata>, Locals, Prefix> {
  return router.withAuth(guardIntegration(options));
}

/** The integration for `withAuth()` of builders and routers: guard, routes and hooks. */
export function authIntegration<Metadata>(
  runtime: AuthRuntime<Metadata>,
  options: IntegrationOptions,
): AuthIntegration<Principal, unknown[], GuardRules<Metadata>> {
  // a misspelt `routes: false` would leave registration open
  rejectUnknownOptions("Cannot integrate authentication", options, {
    basePath: true,
    routes: true,
    catch: true,
  });
  const { basePath, routes, catch: handler } = options;
  const integration = guardIntegration({ runtime, catch: handler });
  if (routes === false) return integration;
  const authRoutes = runtime.routes(routes);
  if (routes?.registration === undefined) { // not open to the public unless someone says so
    throw new TypeError(
      'Cannot integrate authentication: routes must be false or have registration, "open" or "closed"',
    );
  }
  return {
    ...integration,
    routes: (router) => void mountAuthRoutes(router, authRoutes, basePath),
  };
}

/** Guard and hooks. */
export function guardIntegration<Metadata, Known>(
  { catch: handler, ...options }: WithAuthRoutesOptions<Metadata, Known>,
): AuthIntegration<Principal, unknown[], GuardRules<Metadata>> {
  const { deny: _, ...guard } = createGuard(options);
  return {
    ...guard,
    use: [finalizeResponse],
    catch: withAuthErrors(handler),
    finally: applyAuthHeaders,
  };
}
