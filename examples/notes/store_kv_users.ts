/**
 * Users in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `["users", sub]` | the user; its versionstamp is the version |
 * | `["identifiers", identifier]` | `sub` of the user who has it |
 *
 * Both are written in one commit that checks both, so that an identifier has one user, and a user one identifier.
 *
 * @module
 */

import type { NewUser, User, UserPatch, UserStore } from "@gatehouse/http/auth";

/** Keeps users in a Deno KV database, which stays the caller's to close. */
export function kvUserStore(kv: Deno.Kv): UserStore {
  function read(sub: string): Promise<Deno.KvEntryMaybe<NewUser>> {
    return kv.get<NewUser>(userKey(sub));
  }

  async function create(
    { sub, identifier, passwordHash, securityStamp, disabled, createdAt }: NewUser,
  ): Promise<"created" | "identifier_taken"> {
    const user: NewUser = {
      sub,
      identifier,
      securityStamp,
      createdAt,
      ...(passwordHash === undefined ? {} : { passwordHash }),
      ...(disabled === undefined ? {} : { disabled }),
    };
    for (;;) {
      const holder = await kv.get<string>(identifierKey(identifier));
      if (holder.value !== null) return "identifier_taken";
      const taken = await read(sub);
      if (taken.value !== null) throw new Error("Cannot create user: the sub is taken");
      const commit = kv.atomic()
        .check(holder)
        .check(taken)
        .set(taken.key, user)
        .set(holder.key, sub);
      if ((await commit.commit()).ok) return "created";
    }
  }

  async function findBySub(sub: string): Promise<User | null> {
    const { value, versionstamp } = await read(sub);
    return value === null ? null : { ...value, version: versionstamp };
  }

  async function findByIdentifier(identifier: string): Promise<User | null> {
    for (;;) {
      const { value: sub } = await kv.get<string>(identifierKey(identifier));
      if (sub === null) return null;
      const user = await findBySub(sub);
      if (user?.identifier === identifier) return user;
      // Between the two readings it went to somebody else, or to nobody
    }
  }

  async function update(
    sub: string,
    version: string,
    { identifier, passwordHash, securityStamp, disabled }: UserPatch,
  ): Promise<"updated" | "lost" | "not_found" | "identifier_taken"> {
    for (;;) {
      const entry = await read(sub);
      if (entry.value === null) return "not_found";
      if (entry.versionstamp !== version) return "lost";
      const commit = kv.atomic().check(entry).set(
        entry.key,
        {
          ...entry.value,
          ...(identifier === undefined ? {} : { identifier }),
          ...(passwordHash === undefined ? {} : { passwordHash }),
          ...(securityStamp === undefined ? {} : { securityStamp }),
          ...(disabled === undefined ? {} : { disabled }),
        } satisfies NewUser,
      );
      if (identifier !== undefined && identifier !== entry.value.identifier) {
        const holder = await kv.get<string>(identifierKey(identifier));
        if (holder.value !== null) return "identifier_taken";
        commit.check(holder).set(holder.key, sub).delete(identifierKey(entry.value.identifier));
      }
      if ((await commit.commit()).ok) return "updated";
    }
  }

  async function remove(sub: string): Promise<void> {
    for (;;) {
      const entry = await read(sub);
      if (entry.value === null) return;
      const commit = kv.atomic()
        .check(entry)
        .delete(entry.key)
        .delete(identifierKey(entry.value.identifier));
      if ((await commit.commit()).ok) return;
    }
  }

  return { create, findByIdentifier, findBySub, update, delete: remove };
}

function userKey(sub: string): Deno.KvKey {
  return ["users", sub];
}

function identifierKey(identifier: string): Deno.KvKey {
  return ["identifiers", identifier];
}
