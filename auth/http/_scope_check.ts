/**
 * The scope check of guards and of `requireScope`, and what challenges say of it.
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
  challenge: string,
): AuthError | undefined {
  if (hasScope(principal, named)) return undefined;
  const needed = scopeParameter(named);
  const refused = tokenChallenge("insufficient_scope", principal, challenge, needed);
  return new AuthError("insufficient_scope", {
    headers: refused === undefined ? {} : { "WWW-Authenticate": refused },
    reason: needed === "" ? "the route names no scope" : `needs ${[named].flat().join(" ")}`,
  });
}

/** RFC 9728 §5.1: the parameter of a challenge that names the API's metadata. */
const METADATA_REGEXP = /, resource_metadata="[^"]*"/;

/**
 * The challenge of an access token that does not suffice, with that parameter of the guard's challenge, and others.
 *
 * @returns `undefined` for another credential.
 */
export function tokenChallenge(
  error: string,
  principal: Principal | undefined,
  challenge: string,
  parameters: string,
): string | undefined {
  const method = principal?.method;
  const scheme = method === "dpop" ? "DPoP" : method === "bearer" && "Bearer";
  if (!scheme) return undefined;
  return `${scheme} error="${error}"${METADATA_REGEXP.exec(challenge)?.[0] ?? ""}${parameters}`;
}

/** A challenge whose client finds out by the metadata how to get a token, and here with which scopes, RFC 6750 §3. */
export function withScope(challenge: string, named: ScopeOption | undefined): string {
  return challenge.replace(METADATA_REGEXP, (found) => found + scopeParameter(named));
}

function scopeParameter(named: ScopeOption | undefined): string {
  return typeof named === "object" && named.length > 0 ? `, scope="${named.join(" ")}"` : "";
}
