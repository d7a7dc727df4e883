/**
 * What pages call the user who is signed in.
 *
 * @module
 */

import type { User } from "../../stores/types.ts";

/** What the user signs in with. Users that are not read have their subject id as identifier, which means nothing to them. */
export function accountOf(user: User | null, sub: string): string | undefined {
  return user === null || user.identifier === sub ? undefined : user.identifier;
}
