/**
 * The guard of routes that change how a user signs in.
 *
 * @module
 */

import type { AccessRules, Middleware, RouteAccess, RouteRequest } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import { getPrincipal, getSession } from "./get_principal.ts";
import { createGuard } from "./guard.ts";
import type { AuthRuntime } from "./types.ts";

/**
 * Middleware that accepts sessions only, with `maxAge` recent ones: with a stolen API key, token or old cookie nobody may add
 * a way to sign in, which would outlive it.
 */
export function sessionGuard(
  runtime: AuthRuntime<never>,
  access: RouteAccess<AccessRules<never>>,
): Middleware<unknown[]> {
  const { guard, deny } = createGuard<never, never>({ runtime });
  return async (req, ...args) => {
    const principal = await guard(req, access, ...args);
    if (principal === undefined || getSession(req) !== undefined) return;
    const error = new AuthError("insufficient_authentication", { reason: "session_missing" });
    throw deny(error, principal, req, args);
  };
}

/** The user who is signed in. */
export function requireSub(req: RouteRequest): string {
  const principal = getPrincipal(req);
  if (principal === undefined) throw new AuthError("unauthenticated");
  return principal.sub;
}
