/**
 * Grant types of the token endpoint.
 *
 * @module
 */

import type { GrantType } from "../../stores/server_types.ts";

const ALL: Readonly<Record<GrantType, true>> = { authorization_code: true, refresh_token: true };

/** Grant types: a client has them all by default, and the metadata lists them. */
export const GRANT_TYPES: readonly GrantType[] = /* @__PURE__ */ Object.freeze(
  Object.keys(ALL) as GrantType[],
);

/** Whether a client may ask for a grant of this type. */
export function isGrantType(type: unknown): type is GrantType {
  return typeof type === "string" && Object.hasOwn(ALL, type);
}
