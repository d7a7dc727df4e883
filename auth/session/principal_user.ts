/**
 * The users of principals, where a strategy knows them or how to find them.
 *
 * @module
 */

import type { Principal } from "../principal.ts";
import type { UserInfo } from "../users/user_info.ts";

/** What finds a user. */
export type UserLookup = () => UserInfo | undefined | Promise<UserInfo | undefined>;

const LOOKUPS: WeakMap<Principal, UserLookup> = /* @__PURE__ */ new WeakMap();

/** Records how to find the user of a principal. */
export function setUserLookup(principal: Principal, lookup: UserLookup): void {
  LOOKUPS.set(principal, lookup);
}

/** Finds the user of a principal; looks it up once. */
export function findUserOf(principal: Principal): ReturnType<UserLookup> {
  const lookup = LOOKUPS.get(principal);
  if (lookup === undefined) return undefined;
  const found = lookup();
  LOOKUPS.set(principal, () => found);
  return found;
}
