/**
 * Identities at OAuth providers over an adapter.
 *
 * @module
 */

import { listAll, readAtomicAdapter, type RepoStoreOptions, updateRecord } from "./_repo.ts";
import type { StoredRecord, Versioned } from "./adapter.ts";
import type { Identity, IdentityPatch, IdentityStore, NewIdentity } from "./types.ts";

const IDENTITIES = "identities";

/**
 * Persists identities.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: two accounts could get one identity.
 */
export function repoIdentityStore(options: RepoStoreOptions): IdentityStore {
  const adapter = readAtomicAdapter({
    store: "identity store",
    why: "create() links one identity to several accounts",
  }, options);
  const { atomic } = adapter;

  return {
    async create(identity) {
      const { status } = await atomic.cas(IDENTITIES, identity.id, null, identityRecord(identity));
      return status === "ok" ? "created" : "taken";
    },
    async find(id) {
      const found = await adapter.get(IDENTITIES, id);
      return found === null ? null : readIdentity(found);
    },
    async list(sub) {
      return (await listAll(adapter, IDENTITIES, [0, sub])).map(readIdentity);
    },
    async update(id, version, patch) {
      const found = await adapter.get(IDENTITIES, id);
      if (found === null) return "not_found";
      if (found.version !== version) return "lost";
      const next = identityRecord(patchIdentity(readIdentity(found), patch));
      const { status } = await atomic.cas(IDENTITIES, id, version, next);
      return status === "ok" ? "updated" : "lost";
    },
    async delete(id, sub) {
      const outcome = await updateRecord(
        adapter,
        [IDENTITIES, id],
        (value) =>
          (value as NewIdentity).sub === sub
            ? { outcome: "deleted" as const, next: null }
            : { outcome: "not_found" as const },
      );
      return outcome ?? "not_found";
    },
  };
}

/** An identity with the members of a patch; `null` removes one. */
function patchIdentity(identity: Identity, patch: IdentityPatch): NewIdentity {
  const members = Object.entries({ ...identity, ...defined(patch) });
  return Object.fromEntries(members.filter(([, value]) => value !== null)) as unknown as Identity;
}

function defined(patch: IdentityPatch): IdentityPatch {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

function identityRecord(identity: NewIdentity): StoredRecord {
  const { id, issuer, subject, sub, provider, linkedAt, usedAt, label, tokens, refreshingUntil } =
    identity;
  const value = {
    id,
    issuer,
    subject,
    sub,
    provider,
    linkedAt,
    usedAt,
    label,
    tokens,
    refreshingUntil,
  };
  return { value, index: [sub] };
}

function readIdentity({ value, version }: Versioned): Identity {
  return { ...value as NewIdentity, version };
}
