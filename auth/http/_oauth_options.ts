/**
 * The options of `createAuthRoutes` about OAuth providers.
 *
 * @module
 */

import { parseUrl } from "../_origin.ts";
import { safeRedirectPath } from "../redirect_target.ts";
import type { OAuthRoutesOptions } from "./_oauth_routes.ts";
import type { AuthRoutesOptions, AuthRuntime } from "./types.ts";

const ACTION = "Cannot create routes";

const NAME_REGEXP = /^[a-z0-9-]{1,32}$/;

/** @throws {TypeError} If the runtime has no identities, or a client or the path is invalid. */
export function readOAuthOptions(
  { oauth, oauthFailurePath: failurePath }: AuthRoutesOptions,
  { identities }: AuthRuntime<never>,
  isOpen: boolean,
): OAuthRoutesOptions | undefined {
  if (failurePath !== undefined && safeRedirectPath(failurePath, "") === "") {
    throw new TypeError(`${ACTION}: oauthFailurePath must be a path of this service`);
  }
  if (oauth === undefined) return undefined;
  if (typeof oauth !== "object" || oauth === null) {
    throw new TypeError(`${ACTION}: oauth must be an object of clients`);
  }
  if (identities === undefined) {
    throw new TypeError(`${ACTION}: oauth needs stores.identities of registerAuth()`);
  }
  const names = new Set<string>();
  for (const [name, client] of Object.entries(oauth)) {
    if (typeof client?.callback !== "function") {
      throw new TypeError(`${ACTION}: oauth.${name} must be the result of oauthClient()`);
    }
    const path = parseUrl(client.redirectUri)?.pathname ?? "";
    if (!NAME_REGEXP.test(name) || !path.endsWith(`/oauth/${name}/callback`)) {
      throw new TypeError(
        `${ACTION}: the redirect URI of oauth.${name} must end in /oauth/${name}/callback`,
      );
    }
    if (names.has(client.provider.name)) {
      throw new TypeError(`${ACTION}: two clients in oauth have a provider of one name`);
    }
    names.add(client.provider.name);
  }
  return { clients: { ...oauth }, identities, failurePath, isOpen };
}
