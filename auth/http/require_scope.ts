/**
 * `requireScope`: the scope that a token or an API key needs.
 *
 * @module
 */

import { markScope } from "../../router/access.ts";
import { markGuard } from "../../router/guard.ts";
import type { Middleware } from "../../router/types.ts";
import { readScope } from "../_scope.ts";
import { AuthError } from "../error.ts";
import { findIdentity } from "./_request_state.ts";
import { missingScope, withScope } from "./_scope_check.ts";

/**
 * Middleware that rejects principals without the required scope with 403 `insufficient_scope`, RFC 6750 §3.1. It belongs
 * after a guard, and rejects anonymous requests with 401. A principal without `scope` is not limited, such as a session's.
 *
 * A route with it in `use` names these scopes, as with the option `scope`, which guarded routes may use instead.
 *
 * @param scopes The required scopes, all of them: `notes:read`.
 * @throws {TypeError | RangeError} If there is none, or one is not a valid scope, RFC 6749 §3.3.
 *
 * @example
 * ```ts
 * import {
 *   apiKeyService,
 *   apiKeyStrategy,
 *   createContainer,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   requireScope,
 *   routerBuilder,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * const apiKeys = apiKeyService(stores);
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores,
 *   deployment: "direct",
 *   strategies: [apiKeyStrategy({ apiKeys })],
 *   container: createContainer(),
 * });
 * const router = routerBuilder().withAuth(runtime.integration({ routes: { registration: "open" } })).build()
 *   .get("/notes", () => json([]), { use: [requireScope("notes:read")] });
 *
 * const credentials = { identifier: "ada", password: "lovelace wrote notes" };
 * const { sub } = await runtime.passwords.createUser(credentials);
 * const { key } = await apiKeys.create(sub, { scope: ["notes:write"] });
 * const response = await router.request("/notes", { headers: { "X-API-Key": key } });
 * assertEquals(response.status, 403);
 * ```
 */
export function requireScope(...scopes: readonly string[]): Middleware<unknown[]> {
  const required = readScope("Cannot require scope", scopes);
  if (required.length === 0) throw new TypeError("Cannot require scope: no scope is given");
  const middleware: Middleware<unknown[]> = (req) => {
    const identity = findIdentity(req);
    if (identity?.principal === undefined) throw unauthenticated(identity?.challenge, required);
    const missing = missingScope(identity.principal, required, identity.challenge ?? "");
    if (missing !== undefined) throw missing;
  };
  return markScope(markGuard(middleware), required);
}

/** With the challenge of the guard, if one has run. */
function unauthenticated(challenge: string | undefined, required: readonly string[]): AuthError {
  const headers = challenge === undefined
    ? {}
    : { "WWW-Authenticate": withScope(challenge, required) };
  return new AuthError("unauthenticated", { headers });
}
