/**
 * Single-use values and signing keys over an adapter.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions, takeValue } from "./_repo.ts";
import type { KeyStore, StateStore, StoredKey } from "./types.ts";

const STATES = "states";
const SIGNING_KEYS = "signing_keys";
const RING = "ring";

/** The value of a claimed key. */
const MARK = 1;

/**
 * Persists single-use values.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: two requests could use one value.
 */
export function repoStateStore(options: RepoStoreOptions): StateStore {
  const adapter = readAtomicAdapter({
    store: "state store",
    why: "consume() gives one value to several requests",
  }, options);
  return {
    put: (key, value, expiresAt) => adapter.put(STATES, key, { value, expiresAt }),
    consume: (key) => takeValue(adapter, STATES, key),
    async claim(key, expiresAt) {
      const { status } = await adapter.atomic.cas(STATES, key, null, { value: MARK, expiresAt });
      return status === "ok" ? "claimed" : "taken";
    },
  };
}

/**
 * Persists the signing keys, in one record. They outlive the process: `keyService` encrypts private keys before it saves
 * them.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: processes could sign with keys that are not
 * published.
 */
export function repoKeyStore(options: RepoStoreOptions): KeyStore {
  const adapter = readAtomicAdapter({
    store: "key store",
    why: "save() overwrites the keys of another process",
  }, options);
  return {
    persistent: true,
    async load() {
      const found = await adapter.get(SIGNING_KEYS, RING);
      if (found === null) return null;
      return { version: found.version, keys: found.value as readonly StoredKey[] };
    },
    async save(keys, expected) {
      const { status } = await adapter.atomic.cas(SIGNING_KEYS, RING, expected, { value: keys });
      return status === "ok" ? "saved" : "lost";
    },
  };
}
