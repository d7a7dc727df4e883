/**
 * `getPrincipal`, `getSession` and `getUser`: who a request is from.
 *
 * @module
 */

import type { Principal } from "../principal.ts";
import { activeSessionOf } from "../session/cookie_strategy.ts";
import { findUserOf } from "../session/principal_user.ts";
import type { ActiveSession } from "../session/types.ts";
import type { UserInfo } from "../users/user_info.ts";
import { findIdentity } from "./_request_state.ts";
import type { RequestLike } from "./types.ts";

/**
 * The principal of a request that a guard authenticated, or that has just signed in. Where a route's types have it, read
 * `req.principal`.
 *
 * In a mounted router it is the one of the outer router, unless the mounted one has a runtime of its own: each sees the
 * principals of its own runtime only.
 *
 * @param request The router's request, or the standard one.
 * @returns `undefined` for anonymous requests, and where no guard ran.
 */
export function getPrincipal(request: RequestLike): Principal | undefined {
  return findIdentity(request)?.principal;
}

/**
 * The session of a request that a guard authenticated by its cookie, and its user.
 *
 * @param request The router's request, or the standard one.
 * @returns `undefined` for anonymous requests, those with a credential of another kind, and where no guard ran.
 */
export function getSession(request: RequestLike): ActiveSession | undefined {
  const principal = getPrincipal(request);
  return principal === undefined ? undefined : activeSessionOf(principal);
}

/**
 * The user of a request, however a guard authenticated it: by a session, an API key, or an access token that
 * {@linkcode registerAuth} issued. The guard has read it already, except for tokens with `accept: "insecureSkip"`, which cost
 * one lookup in the store for each request.
 *
 * @param request The router's request, or the standard one.
 * @returns `undefined` for anonymous requests, a token whose user was deleted or disabled, credentials of other strategies,
 * and where no guard ran.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   generateSecret,
 *   getUser,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   routerBuilder,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   jwt: { issuer: "https://example.com", audience: "notes" },
 *   container: createContainer(),
 * });
 * const router = routerBuilder().withAuth(runtime.integration({ routes: false })).build()
 *   .get("/me", async (req) => json((await getUser(req))?.identifier));
 *
 * const credentials = { identifier: "ada", password: "lovelace wrote notes" };
 * const { accessToken } = await runtime.tokens.issue(await runtime.passwords.createUser(credentials));
 * const headers = { Authorization: `Bearer ${accessToken}` };
 * assertEquals(await (await router.request("/me", { headers })).json(), "ada");
 * ```
 */
export async function getUser(request: RequestLike): Promise<UserInfo | undefined> {
  const principal = getPrincipal(request);
  return principal === undefined ? undefined : await findUserOf(principal);
}
