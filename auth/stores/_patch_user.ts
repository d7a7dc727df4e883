/**
 * Applying a patch to a user, the same for every store.
 *
 * @module
 */

import type { NewUser, UserPatch } from "./types.ts";

/**
 * A user with the members of a patch; absent ones are left unchanged.
 *
 * @throws {TypeError} If `disabled` comes without a new stamp.
 */
export function patchUser<Stored extends NewUser>(
  user: Stored,
  { identifier, passwordHash, securityStamp, disabled }: UserPatch,
): Stored {
  if (disabled !== undefined && securityStamp === undefined) {
    throw new TypeError("Cannot update user: disabled needs a new securityStamp");
  }
  return {
    ...user,
    ...(identifier === undefined ? {} : { identifier }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(securityStamp === undefined ? {} : { securityStamp }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}
