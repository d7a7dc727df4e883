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
  updateRecord,
} from "./_repo.ts";
import type { StoredRecord } from "./adapter.ts";
import type { ApiKey, ApiKeyStore, Credential, CredentialStore, CredentialUse } from "./types.ts";

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
    // Retried: of many passkeys the count is always 0, and a conflict is then another sign-in or a rename, not a clone
    async updateSignCount(id, from, to, use) {
      const outcome = await updateRecord(adapter, [CREDENTIALS, id], (value) => {
        const credential = value as Credential;
        if (credential.signCount !== from) return { outcome: "lost" as const };
        const used = { signCount: to, ...(use && usedMembers(credential, use)) };
        const isChanged = Object.entries(used).some(([member, now]) =>
          credential[member as keyof typeof used] !== now
        );
        const next = isChanged ? { next: ownedRecord({ ...credential, ...used }) } : {};
        return { outcome: "updated" as const, ...next };
      });
      return outcome ?? "lost";
    },
    async rename(id, sub, name) {
      const outcome = await updateRecord(adapter, [CREDENTIALS, id], (value) => {
        const credential = value as Credential;
        return credential.sub === sub
          ? { outcome: "renamed" as const, next: ownedRecord({ ...credential, name }) }
          : { outcome: "not_found" as const };
      });
      return outcome ?? "not_found";
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

/** The members of a credential after a use: of concurrent uses the latest is kept, and a verification of the user stays. */
function usedMembers(credential: Credential, use: CredentialUse): CredentialUse {
  return {
    backedUp: use.backedUp,
    userVerified: credential.userVerified || use.userVerified,
    lastUsedAt: Math.max(credential.lastUsedAt ?? use.lastUsedAt, use.lastUsedAt),
  };
}

function ownedRecord(value: Credential | ApiKey): StoredRecord {
  return { value, index: [value.sub] };
}
