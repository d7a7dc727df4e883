/**
 * What applications see of a user.
 *
 * @module
 */

import type { User } from "../stores/types.ts";

/** The public members of a user. */
export type UserInfo = Pick<User, "sub" | "identifier" | "createdAt">;

/** The public members of a user, listed because a store may return additional ones. */
export function toUserInfo({ sub, identifier, createdAt }: UserInfo): UserInfo {
  return { sub, identifier, createdAt };
}
