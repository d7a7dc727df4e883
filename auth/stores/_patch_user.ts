/**
 * Applying a patch to a user, the same for every store.
 *
 * @module
 */

import type { User, UserPatch } from "./types.ts";

/** What a patch can replace. */
const MEMBERS = [
  "identifier",
  "passwordHash",
  "securityStamp",
  "disabled",
  "pendingRemoval",
  "attributes",
] as const satisfies readonly (keyof UserPatch)[];

/**
 * A user with the members of a patch; absent ones are left unchanged, `null` removes one.
 *
 * @throws {TypeError} If `disabled` comes without a new stamp.
 */
export function patchUser(user: User, patch: UserPatch): User {
  checkPatch(patch);
  const next: Record<string, unknown> = { ...user };
  for (const member of MEMBERS) {
    const value: unknown = patch[member];
    if (value === null) delete next[member];
    else if (value !== undefined) next[member] = value;
  }
  return next as Record<string, unknown> & User;
}

/** Checks a patch. @throws {TypeError} If `disabled` comes without a new stamp. */
export function checkPatch(patch: UserPatch): void {
  if (patch.disabled !== undefined && patch.securityStamp === undefined) {
    throw new TypeError("Cannot update user: disabled needs a new securityStamp");
  }
}
