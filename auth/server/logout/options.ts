/**
 * The option `logout` of the authorization server.
 *
 * @module
 */

import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import type { ServerContext } from "../core/context.ts";
import type { AuthorizationServerOptions, LogoutOptions } from "../core/types.ts";

const NAMES: OptionNames<LogoutOptions> = { fetch: true, waitUntil: true };

/** Reads the option. @throws {TypeError} If it is of a wrong shape, or `signOut` is missing. */
export function readLogout(
  action: string,
  { logout = false, signOut }: Pick<AuthorizationServerOptions, "logout" | "signOut">,
): ServerContext["logout"] {
  if (logout === false) return undefined;
  const options = logout === true ? {} : logout;
  rejectUnknownOptions(`${action}: logout`, options, NAMES);
  const { fetch, waitUntil } = options;
  checkOptionalFunction(action, "logout.fetch", fetch);
  checkOptionalFunction(action, "logout.waitUntil", waitUntil);
  if (signOut !== undefined) return { signOut, fetch, waitUntil };
  throw new TypeError(`${action}: logout needs signOut, which ends the session of a request`);
}
