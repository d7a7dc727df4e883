/**
 * A store of identities that is correct for one caller only.
 *
 * @module
 */

import type { Identity, IdentityStore } from "../../auth/stores/types.ts";
import { createTable, nextVersion } from "./_naive_table.ts";

/** Creates the store. */
export function naiveIdentityStore(): IdentityStore {
  const identities = createTable<Identity>();
  return {
    find: (id) => identities.get(id),
    list: async (sub) => (await identities.all()).filter((identity) => identity.sub === sub),
    async create(identity) {
      if (await identities.get(identity.id) !== null) return "taken";
      await identities.put(identity.id, { ...identity, version: nextVersion() });
      return "created";
    },
    async update(id, version, patch) {
      const identity = await identities.get(id);
      if (identity === null) return "not_found";
      if (identity.version !== version) return "lost";
      const given = Object.entries(patch).filter(([, value]) => value !== undefined);
      const members = Object.entries({ ...identity, ...Object.fromEntries(given) })
        .filter(([, value]) => value !== null);
      const next = Object.fromEntries(members) as unknown as Identity;
      await identities.put(id, { ...next, version: nextVersion() });
      return "updated";
    },
    async delete(id, sub) {
      const identity = await identities.get(id);
      if (identity?.sub !== sub) return "not_found";
      await identities.remove(id);
      return "deleted";
    },
  };
}
