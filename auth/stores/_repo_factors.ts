/**
 * Second factors of users over an adapter.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions } from "./_repo.ts";
import type { FactorStore, NewUserFactors } from "./types.ts";

const FACTORS = "factors";

/**
 * Persists second factors, one record for each user.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: one code could be used by several requests.
 */
export function repoFactorStore(options: RepoStoreOptions): FactorStore {
  const adapter = readAtomicAdapter({
    store: "factor store",
    why: "save() accepts one code from several requests",
  }, options);
  return {
    async find(sub) {
      const found = await adapter.get(FACTORS, sub);
      return found && { ...found.value as NewUserFactors, version: found.version };
    },
    async save({ sub, totp, pending, recoveryCodes }, expected) {
      const value = { sub, totp, pending, recoveryCodes };
      const { status } = await adapter.atomic.cas(FACTORS, sub, expected, { value });
      return status === "ok" ? "saved" : "lost";
    },
    delete: (sub) => adapter.delete(FACTORS, sub),
  };
}
