/**
 * Users in memory.
 *
 * @module
 */

import { frozenCopy, inOneTurn } from "./_memory_record.ts";
import { patchUser } from "./_patch_user.ts";
import type { User, UserStore } from "./types.ts";

/**
 * Keeps users in memory. To create a user whose `sub` another has is a mistake of the caller, who made the `sub`, and
 * rejects with an `Error`.
 */
export function memoryUserStore(): UserStore {
  const usersBySub = new Map<string, User>();
  const subsByIdentifier = new Map<string, string>();
  // One for all users: a user that is deleted and made again has no version that somebody still holds
  let writes = 0;

  return {
    create: (user) =>
      inOneTurn(() => {
        if (subsByIdentifier.has(user.identifier)) return "identifier_taken";
        if (usersBySub.has(user.sub)) throw new Error("Cannot create user: the sub is taken");
        const created = frozenCopy<User>({ ...user, version: String(++writes) });
        usersBySub.set(created.sub, created);
        subsByIdentifier.set(created.identifier, created.sub);
        return "created";
      }),
    findByIdentifier: (identifier) =>
      inOneTurn(() => {
        const sub = subsByIdentifier.get(identifier);
        return sub === undefined ? null : usersBySub.get(sub) ?? null;
      }),
    findBySub: (sub) => inOneTurn(() => usersBySub.get(sub) ?? null),
    update: (sub, version, patch) =>
      inOneTurn(() => {
        const user = usersBySub.get(sub);
        if (user === undefined) return "not_found";
        const next = patchUser(user, patch);
        if (user.version !== version) return "lost";
        if ((subsByIdentifier.get(next.identifier) ?? sub) !== sub) return "identifier_taken";
        const updated = frozenCopy<User>({ ...next, version: String(++writes) });
        usersBySub.set(sub, updated);
        subsByIdentifier.delete(user.identifier);
        subsByIdentifier.set(updated.identifier, sub);
        return "updated";
      }),
    delete: (sub) =>
      inOneTurn(() => {
        const user = usersBySub.get(sub);
        if (user === undefined) return;
        usersBySub.delete(sub);
        subsByIdentifier.delete(user.identifier);
      }),
  };
}
