/**
 * The guard of routes that change how a user signs in.
 *
 * @module
 */

import type { AccessRules, Middleware, RouteAccess, RouteRequest } from "../../router/types.ts";
import { AuthError, type AuthErrorOptions } from "../error.ts";
import { getPrincipal, getSession } from "./get_principal.ts";
import { createGuard } from "./guard.ts";
import type { AuthRuntime } from "./types.ts";

/** Options of {@linkcode sessionGuard}. */
export interface SessionGuardOptions {
  /**
   * Whether users who have a second factor must have signed in with it: a remembered browser is spared it, and with its session
   * nobody may replace it, or add a passkey, which is a sign-in by both factors.
   */
  readonly bothFactors?: boolean;
}

/**
 * Middleware that accepts sessions only, with `maxAge` recent ones: with a stolen API key, token or old cookie nobody may add
 * a way to sign in, which would outlive it.
 */
export function sessionGuard(
  runtime: AuthRuntime<never>,
  access: RouteAccess<AccessRules<never>>,
  { bothFactors = false }: SessionGuardOptions = {},
): Middleware<unknown[]> {
  const { guard, deny } = createGuard<never, never>({ runtime });
  return async (req, ...args) => {
    const principal = await guard(req, access, ...args);
    if (principal === undefined) return;
    const refuse = (options: AuthErrorOptions) =>
      deny(new AuthError("insufficient_authentication", options), principal, req, args);
    if (getSession(req) === undefined) throw refuse({ reason: "session_missing" });
    if (!bothFactors || principal.amr?.includes("mfa")) return;
    if (!await runtime.secondFactors?.has(principal.sub)) return;
    throw refuse({ detail: "The sign-in lacks the authentication method mfa" });
  };
}

/** The user who is signed in. */
export function requireSub(req: RouteRequest): string {
  const principal = getPrincipal(req);
  if (principal === undefined) throw new AuthError("unauthenticated");
  return principal.sub;
}
