/**
 * Updates of a user by compare-and-swap.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { User, UserPatch, UserStore } from "../stores/types.ts";

/** How often an update is attempted on conflict. */
const ATTEMPTS = 5;

/**
 * Reads a user and writes a patch if the user has not changed since; retries on conflict.
 *
 * @param patchOf Returns the patch for the user; `undefined`, or an error that it throws, cancels the update.
 * @throws {AuthError} `service_unavailable` after repeated conflicts; `identifier_unavailable`.
 * @returns Whether the user was updated: `false` if there is no such user, or the update was cancelled.
 */
export async function updateUser(
  users: UserStore,
  sub: string,
  patchOf: (user: User) => Promise<UserPatch | undefined> | UserPatch | undefined,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const user = await users.findBySub(sub);
    if (user === null) return false;
    const patch = await patchOf(user);
    if (patch === undefined) return false;
    const outcome = await users.update(sub, user.version, patch);
    switch (outcome) {
      case "updated":
        return true;
      case "not_found":
        return false;
      case "identifier_taken":
        throw identifierTaken();
      case "lost":
    }
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}

/** The error for an identifier of another user. */
export function identifierTaken(): AuthError {
  return new AuthError("identifier_unavailable", { detail: "The identifier is taken" });
}
