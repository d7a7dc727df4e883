/**
 * Grant types of the token endpoint.
 *
 * @module
 */

import type { GrantType, RegisteredClient } from "../../stores/server_types.ts";

/** The device flow, RFC 8628 §3.4. */
export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

/** Seconds between two requests with one device code, RFC 8628 §3.2. */
export const POLL_INTERVAL = 5;

const ALL: Readonly<Record<GrantType, true>> = {
  authorization_code: true,
  refresh_token: true,
  [DEVICE_CODE]: true,
  client_credentials: true,
};

/** All grant types. */
export const GRANT_TYPES: readonly GrantType[] = /* @__PURE__ */ Object.freeze(
  Object.keys(ALL) as GrantType[],
);

/** Those that clients and servers have unless they say otherwise. */
export const DEFAULT_GRANT_TYPES: readonly GrantType[] = /* @__PURE__ */ Object.freeze(
  ["authorization_code", "refresh_token"] as const,
);

/** Whether clients that register themselves may have a grant type: of `client_credentials` no user is asked. */
export function isUserGrantType(type: string): type is GrantType {
  return isGrantType(type) && type !== "client_credentials";
}

/** Whether there is a grant type of this name. */
export function isGrantType(type: unknown): type is GrantType {
  return typeof type === "string" && Object.hasOwn(ALL, type);
}

/** Whether a client may use a grant type of a server. */
export function mayUseGrant(
  { grants }: { readonly grants: readonly GrantType[] },
  client: RegisteredClient,
  type: GrantType,
): boolean {
  return grants.includes(type) && client.grants.includes(type);
}
