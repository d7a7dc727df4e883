/**
 * Applying a patch to a user, the same for every store.
 *
 * @module
 */

import type { User, UserPatch } from "./types.ts";

/**
 * A user with the members of a patch; absent ones are left unchanged.
 *
 * @throws {TypeError} If `disabled` comes without a new stamp.
 */
export function patchUser(user: User, patch: UserPatch): User {
  const { identifier, passwordHash, securityStamp, disabled, pendingRemoval } = patch;
  if (disabled !== undefined && securityStamp === undefined) {
    throw new TypeError("Cannot update user: disabled needs a new securityStamp");
  }
  const { passwordHash: _, ...withoutPassword } = user;
  return {
    ...(passwordHash === null ? withoutPassword : user),
    ...(identifier === undefined ? {} : { identifier }),
    ...(typeof passwordHash === "string" ? { passwordHash } : {}),
    ...(securityStamp === undefined ? {} : { securityStamp }),
    ...(disabled === undefined ? {} : { disabled }),
    ...(pendingRemoval === undefined ? {} : { pendingRemoval }),
  };
}
