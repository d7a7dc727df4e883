/**
 * What a patch makes of a user, in every store alike.
 *
 * @module
 */

import type { NewUser, UserPatch } from "./types.ts";

/**
 * A user with what a patch has; what is absent stays.
 *
 * @throws {TypeError} If an account is to be closed or opened under the stamp that it has.
 */
export function patchUser<Kept extends NewUser>(
  user: Kept,
  { identifier, passwordHash, securityStamp, disabled }: UserPatch,
): Kept {
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
