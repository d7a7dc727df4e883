/**
 * Changing a user that others may be changing too.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { User, UserPatch, UserStore } from "../stores/types.ts";

/** How often a change starts over because somebody else was first. */
const ATTEMPTS = 5;

/**
 * Reads a user, asks what is to change, and writes that if the user is still as it was; else all over again.
 *
 * @param patchOf What is to change; it throws to change nothing.
 * @throws {AuthError} `service_unavailable`, if somebody else is first each time; `identifier_unavailable`.
 * @returns Whether there is such a user.
 */
export async function changeUser(
  users: UserStore,
  sub: string,
  patchOf: (user: User) => Promise<UserPatch> | UserPatch,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const user = await users.findBySub(sub);
    if (user === null) return false;
    const outcome = await users.update(sub, user.version, await patchOf(user));
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
  throw new AuthError("service_unavailable", { reason: "the user changes all the time" });
}

/** What is said where another user has an identifier. */
export function identifierTaken(): AuthError {
  return new AuthError("identifier_unavailable", { detail: "The identifier is taken" });
}
