/**
 * `requireVerifiedEmail`: routes for users whose e-mail address is verified.
 *
 * @module
 */

import { markGuard } from "../../router/guard.ts";
import type { Middleware } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import { getPrincipal } from "./get_principal.ts";
import { getAuthRuntime } from "./runtime.ts";
import type { AuthRuntime } from "./types.ts";

/** Options of {@linkcode requireVerifiedEmail}. */
export interface RequireVerifiedEmailOptions {
  /** Authentication. @default what `registerAuth()` put into the default container, looked up when this is called */
  readonly runtime?: AuthRuntime<never> | undefined;
}

/**
 * Middleware for the option `use` of a guarded route: a user without a verified e-mail address gets 403 `email_unverified`.
 *
 * @throws {TypeError} If the runtime was registered without the option `accounts`.
 */
export function requireVerifiedEmail(
  options: RequireVerifiedEmailOptions = {},
): Middleware<unknown[]> {
  const { accounts } = options.runtime ?? getAuthRuntime();
  if (accounts === undefined) {
    throw new TypeError(
      "Cannot require a verified address: registerAuth() needs the option accounts",
    );
  }
  return markGuard<Middleware<unknown[]>>(async (req) => {
    const principal = getPrincipal(req);
    if (principal === undefined) throw new AuthError("unauthenticated");
    if (await accounts.hasVerifiedEmail(principal.sub)) return;
    throw new AuthError("email_unverified", { detail: "Verify your e-mail address first" });
  });
}
