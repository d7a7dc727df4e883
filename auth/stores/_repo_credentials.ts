/**
 * Passkeys and API keys over an adapter.
 *
 * @module
 */

import {
  compareAndSwap,
  eachOf,
  isAtomic,
  listAll,
  readAdapter,
  readAtomicAdapter,
  type RepoStoreOptions,
} from "./_repo.ts";
import type { StoredRecord } from "./adapter.ts";
import type { ApiKey, ApiKeyStore, Credential, CredentialStore } from "./types.ts";

const CREDENTIALS = "credentials";
const API_KEYS = "api_keys";

/**
 * Persists passkeys.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: two sign-ins with one signature count, one of
 * them by a cloned authenticator, could both succeed.
 */
export function repoCredentialStore(options: RepoStoreOptions): CredentialStore {
  const adapter = readAtomicAdapter({
    store: "credential store",
    why: "updateSignCount() accepts a cloned authenticator beside the real one",
  }, options);
  const { atomic } = adapter;

  return {
    async create(credential) {
      const { status } = await atomic.cas(
        CREDENTIALS,
        credential.id,
        null,
        ownedRecord(credential),
      );
      return status === "ok" ? "created" : "taken";
    },
    async find(id) {
      const found = await adapter.get(CREDENTIALS, id);
      return found === null ? null : found.value as Credential;
    },
    async list(sub) {
      const found = await listAll(adapter, CREDENTIALS, [0, sub]);
      return found.map(({ value }) => value as Credential);
    },
    async updateSignCount(id, from, to) {
      const found = await adapter.get(CREDENTIALS, id);
      if (found === null) return "lost";
      const credential = found.value as Credential;
      if (credential.signCount !== from) return "lost";
      const next = ownedRecord({ ...credential, signCount: to });
      const { status } = await atomic.cas(CREDENTIALS, id, found.version, next);
      return status === "ok" ? "updated" : "lost";
    },
    delete: (id) => adapter.delete(CREDENTIALS, id),
  };
}

/**
 * Persists API keys. `create()` rejects with an `Error` if the id is taken.
 *
 * Without the adapter's `atomic` hook the use of keys is not recorded: that could restore a revoked one.
 *
 * @throws {TypeError} If there is no adapter.
 */
export function repoApiKeyStore(options: RepoStoreOptions): ApiKeyStore {
  const adapter = readAdapter("API key store", options);
  const swap = compareAndSwap(adapter);

  return {
    async create(key) {
      const status = await swap(API_KEYS, key.id, null, ownedRecord(key));
      if (status !== "ok") throw new Error("Cannot create API key: its id is taken");
    },
    async find(id) {
      const found = await adapter.get(API_KEYS, id);
      return found === null ? null : found.value as ApiKey;
    },
    async list(sub) {
      const found = await listAll(adapter, API_KEYS, [0, sub]);
      return found.map(({ value }) => value as ApiKey);
    },
    async touch(id, from, to) {
      const found = await adapter.get(API_KEYS, id);
      if (found === null) return "lost";
      const key = found.value as ApiKey;
      if ((key.lastUsedAt ?? null) !== from) return "lost";
      if (!isAtomic(adapter)) return "updated";
      const next = ownedRecord({ ...key, lastUsedAt: to });
      const status = await swap(API_KEYS, id, found.version, next);
      return status === "ok" ? "updated" : "lost";
    },
    revoke: (id) => adapter.delete(API_KEYS, id),
    async revokeAll(sub) {
      const found = await listAll(adapter, API_KEYS, [0, sub]);
      await eachOf(found, ({ key }) => adapter.delete(API_KEYS, key));
    },
  };
}

function ownedRecord(value: Credential | ApiKey): StoredRecord {
  return { value, index: [value.sub] };
}
