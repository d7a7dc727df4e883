/**
 * Users over an adapter.
 *
 * @module
 */

import { compareAndSwap, isAtomic, readAdapter, type RepoStoreOptions } from "./_repo.ts";
import { patchUser } from "./_patch_user.ts";
import type { StoredRecord, Versioned } from "./adapter.ts";
import type { NewUser, User, UserPatch, UserStore } from "./types.ts";

const USERS = "users";

/** The indexed value of every user, by which they are listed. */
const ALL = "all";

/**
 * Persists users. Without the adapter's `atomic` hook two concurrent registrations may get one identifier, the later of two
 * concurrent updates wins, and passwords are not rehashed at a login: that could undo an update.
 *
 * @throws {TypeError} If there is no adapter.
 */
export function repoUserStore(options: RepoStoreOptions): UserStore {
  const adapter = readAdapter("user store", options);
  const swap = compareAndSwap(adapter);

  return {
    async create(user) {
      const status = await swap(USERS, user.sub, null, userRecord(user));
      if (status === "ok") return "created";
      const taken = status === "taken" || await adapter.find(USERS, user.identifier) !== null;
      if (taken) return "identifier_taken";
      throw new Error("Cannot create user: the sub is taken");
    },
    findByIdentifier: async (identifier) => userOf(await adapter.find(USERS, identifier)),
    findBySub: async (sub) => userOf(await adapter.get(USERS, sub)),
    async list({ limit, after }) {
      const found = await adapter.list(USERS, 0, ALL, { limit, after });
      return found.map(readUser);
    },
    async update(sub, version, patch) {
      const user = userOf(await adapter.get(USERS, sub));
      if (user === null) return "not_found";
      const next = patchUser(user, patch);
      if (user.version !== version || (isRehash(patch) && !isAtomic(adapter))) return "lost";
      const status = await swap(USERS, sub, version, userRecord(next));
      switch (status) {
        case "ok":
          return "updated";
        case "taken":
          return "identifier_taken";
        case "lost":
          return "lost";
      }
    },
    delete: (sub) => adapter.delete(USERS, sub),
  };
}

/** Whether a patch replaces the hash of an unchanged password only. */
function isRehash({ passwordHash, ...others }: UserPatch): boolean {
  return typeof passwordHash === "string" &&
    Object.values(others).every((member) => member === undefined);
}

function userRecord(user: NewUser): StoredRecord {
  const { sub, identifier, passwordHash, securityStamp, disabled, pendingRemoval } = user;
  const { attributes, createdAt } = user;
  const value = {
    sub,
    identifier,
    passwordHash,
    securityStamp,
    disabled,
    pendingRemoval,
    attributes,
    createdAt,
  };
  return { value, unique: identifier, index: [ALL] };
}

function userOf(record: Versioned | null): User | null {
  return record === null ? null : readUser(record);
}

function readUser({ value, version }: Versioned): User {
  return { ...value as NewUser, version };
}
