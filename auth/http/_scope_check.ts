/**
 * The scope check of guards and of `requireScope`.
 *
 * @module
 */

import type { ScopeOption } from "../../router/types.ts";
import { hasScope } from "../_scope.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";

/**
 * Why a principal does not pass a route, see {@linkcode hasScope}.
 *
 * @returns `insufficient_scope`, RFC 6750 §3.1; `undefined` if it passes.
 */
export function missingScope(
  principal: Principal | undefined,
  named: ScopeOption | undefined,
): AuthError | undefined {
  if (hasScope(principal, named)) return undefined;
  const needed = typeof named === "object" && named.length > 0 ? named.join(" ") : undefined;
  const parameter = needed === undefined ? "" : `, scope="${needed}"`;
  const challenge = `Bearer error="insufficient_scope"${parameter}`;
  return new AuthError("insufficient_scope", {
    headers: principal?.method === "bearer" ? { "WWW-Authenticate": challenge } : {},
    reason: needed === undefined ? "the route names no scope" : `needs ${needed}`,
  });
}
