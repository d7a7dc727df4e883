/**
 * Users for the cases of user stores.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { NewUser, User, UserPatch, UserStore } from "../../auth/stores/types.ts";

/** A user with a name. */
export function newUser(sub: string, identifier: string): NewUser {
  return { sub, identifier, securityStamp: "stamp", createdAt: 1_700_000_000 };
}

/** Disables an account and changes its security stamp, so that old sessions stay invalid when it is enabled again. */
export const DISABLED: UserPatch = { disabled: true, securityStamp: "closed" };

/** Creates a user and reads it. */
export async function createUser(
  store: UserStore,
  user: NewUser = newUser("u1", "ada"),
): Promise<User> {
  assertEquals(await store.create(user), "created");
  const created = await store.findBySub(user.sub);
  if (created === null) throw new Error(`Cannot find user: ${user.sub} was created`);
  return created;
}

/** A user as it was created. */
export function withoutVersion({ version: _, ...user }: User): NewUser {
  return user;
}
