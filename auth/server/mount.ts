/**
 * `mountOAuthServer`: the endpoints of an authorization server on a router.
 *
 * @module
 */

import type { RouteSource, RouteTarget } from "../../router/types.ts";
import { answer } from "./handle.ts";
import { type AuthorizationServer, partsOf } from "./server.ts";

/**
 * Adds the endpoints of a server to a router without a prefix, guarded or not. They are public: each checks for itself.
 *
 * @returns The same router.
 * @throws {TypeError} If `server` is not an {@linkcode AuthorizationServer}, or the router has begun to answer.
 *
 * @example
 * ```ts
 * import { createRouter, inMemoryAuthStores, keyService } from "@gatehouse/http";
 * import { AuthorizationServer, mountOAuthServer, staticClients } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const { authorizations: codes, refreshTokens: tokens, keys } = inMemoryAuthStores();
 * const server = new AuthorizationServer({
 *   issuer: "https://id.example/tenant",
 *   clients: staticClients([]),
 *   codes,
 *   tokens,
 *   keyService: keyService({ store: keys, algorithms: ["RS256"] }),
 * });
 *
 * const router = mountOAuthServer(createRouter(), server);
 * const response = await router.request("/.well-known/oauth-authorization-server/tenant");
 * assertEquals((await response.json()).issuer, "https://id.example/tenant");
 * ```
 */
export function mountOAuthServer<R extends RouteSource | RouteTarget>(
  router: R,
  server: AuthorizationServer,
): R {
  const { context, endpoints } = partsOf(server);
  const target = router as unknown as RouteTarget;
  for (const [path, endpoint] of endpoints) {
    target.all(
      path,
      (req, ...args: unknown[]) => answer(context, endpoint, req.raw, args),
      { auth: false, openapi: false },
    );
  }
  return router;
}
