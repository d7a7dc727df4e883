/**
 * Refresh token families over an adapter: one record each, so that one compare-and-swap decides.
 *
 * @module
 */

import {
  eachOf,
  listAll,
  readAtomicAdapter,
  type RepoStoreOptions,
  updateRecord,
} from "./_repo.ts";
import { isSelected, rotationStep } from "./_rotate_family.ts";
import type { StoredRecord } from "./adapter.ts";
import type { RefreshFamily, RefreshSelector, RefreshTokenStore } from "./types.ts";

const FAMILIES = "refresh_families";

/**
 * Persists refresh token families. Creating a duplicate id rejects with an `Error`.
 *
 * @throws {TypeError} If the adapter is missing or has no `atomic` hook: a stolen token and the real one could both be
 * exchanged undetected.
 */
export function repoRefreshTokenStore(options: RepoStoreOptions): RefreshTokenStore {
  const adapter = readAtomicAdapter({
    store: "refresh token store",
    why: "rotate() exchanges a stolen token beside the real one",
  }, options);
  const { atomic } = adapter;
  /** Versions of families that `find()` returned, so that a rotation needs no second read. */
  const versions = new WeakMap<RefreshFamily, string>();

  async function listValid(index: 0 | 1, text: string): Promise<readonly RefreshFamily[]> {
    const found = await listAll(adapter, FAMILIES, [index, text]);
    return found.map(({ value }) => value as RefreshFamily).filter(({ revoked }) => !revoked);
  }

  async function select(by: RefreshSelector): Promise<readonly string[]> {
    if ("familyId" in by) return [by.familyId];
    if ("sessionId" in by) return (await listValid(1, by.sessionId)).map(({ id }) => id);
    const found = await listValid(0, by.sub);
    return found.filter((family) => isSelected(family, by)).map(({ id }) => id);
  }

  async function revoke(id: string): Promise<void> {
    await updateRecord(adapter, [FAMILIES, id], (value) => {
      const family = value as RefreshFamily;
      const next = family.revoked ? undefined : familyRecord({ ...family, revoked: true });
      return { outcome: undefined, ...(next && { next }) };
    });
  }

  return {
    async create(family) {
      const { status } = await atomic.cas(FAMILIES, family.id, null, familyRecord(family));
      if (status !== "ok") throw new Error("Cannot create refresh family: its id is taken");
    },
    async find(familyId) {
      const record = await adapter.get(FAMILIES, familyId);
      if (record === null) return null;
      const family = record.value as RefreshFamily;
      versions.set(family, record.version);
      return family;
    },
    async rotate(rotation) {
      const { found } = rotation;
      const version = found?.id === rotation.familyId ? versions.get(found) : undefined;
      if (found !== undefined && version !== undefined) {
        const step = rotationStep(found, rotation);
        const isWritten = "next" in step &&
          (await atomic.cas(FAMILIES, found.id, version, familyRecord(step.next))).status === "ok";
        if (isWritten) return step.outcome;
      }
      const outcome = await updateRecord(adapter, [FAMILIES, rotation.familyId], (value) => {
        const step = rotationStep(value as RefreshFamily, rotation);
        return "next" in step ? { ...step, next: familyRecord(step.next) } : step;
      });
      return outcome ?? "not_found";
    },
    revoke: async (by) => await eachOf(await select(by), revoke),
    list: (sub) => listValid(0, sub),
  };
}

function familyRecord(family: RefreshFamily): StoredRecord {
  const { sub, sessionId, familyExpiresAt, revoked } = family;
  // Revoked ones are found by their tokens only: lists stay short, however often a client signs in and out
  const index = revoked ? {} : { index: [sub, sessionId] as const };
  return { value: family, expiresAt: familyExpiresAt, ...index };
}
