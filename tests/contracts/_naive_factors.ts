/**
 * A store of second factors that is correct for one caller only.
 *
 * @module
 */

import type { FactorStore, UserFactors } from "../../auth/stores/types.ts";
import { createTable, nextVersion } from "./_naive_table.ts";

/** Creates the store. */
export function naiveFactorStore(): FactorStore {
  const factors = createTable<UserFactors>();
  return {
    find: (sub) => factors.get(sub),
    async save(next, expected) {
      const found = await factors.get(next.sub);
      if ((found?.version ?? null) !== expected) return "lost";
      await factors.put(next.sub, { ...next, version: nextVersion() });
      return "saved";
    },
    async delete(sub) {
      if (await factors.get(sub) !== null) await factors.remove(sub);
    },
  };
}
