/**
 * The scope check of guards and of `requireScope`.
 *
 * @module
 */

import type { ScopeOption } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";

/**
 * Why a principal does not pass a route: with a `scope`, even an empty one, it needs those that the route names, unless that is
 * `any`. A principal without `scope` is not limited.
 *
 * @returns `insufficient_scope`, RFC 6750 §3.1; `undefined` if it passes.
 */
export function missingScope(
  principal: Principal | undefined,
  named: ScopeOption | undefined,
): AuthError | undefined {
  if (principal?.scope === undefined || named === "any") return undefined;
  const { scope, method } = principal;
  const isNamed = named !== undefined && named.length > 0;
  if (isNamed && named.every((each) => scope.includes(each))) return undefined;
  const needed = isNamed ? `, scope="${named.join(" ")}"` : "";
  const challenge = `Bearer error="insufficient_scope"${needed}`;
  return new AuthError("insufficient_scope", {
    headers: method === "bearer" ? { "WWW-Authenticate": challenge } : {},
    reason: isNamed ? `needs ${named.join(" ")}` : "the route names no scope",
  });
}
