/**
 * Sessions over an adapter, by the token's digest: every request reads one.
 *
 * @module
 */

import {
  compareAndSwap,
  eachOf,
  isAtomic,
  listAll,
  readAdapter,
  type RepoStoreOptions,
} from "./_repo.ts";
import type { StoredRecord } from "./adapter.ts";
import type { Session, SessionStore } from "./types.ts";

const SESSIONS = "sessions";

/**
 * Persists sessions. `create()` rejects with an `Error` if the id or token is taken.
 *
 * Without the adapter's `atomic` hook the use of sessions is not recorded, since that could restore a revoked one: the idle
 * limit counts from the creation.
 *
 * @throws {TypeError} If there is no adapter.
 */
export function repoSessionStore(options: RepoStoreOptions): SessionStore {
  const adapter = readAdapter("session store", options);
  const swap = compareAndSwap(adapter);

  return {
    async create(session) {
      const status = await swap(SESSIONS, session.tokenHash, null, sessionRecord(session));
      if (status !== "ok") throw new Error("Cannot create session: its id or token is taken");
    },
    async findByTokenHash(tokenHash) {
      const found = await adapter.get(SESSIONS, tokenHash);
      return found === null ? null : found.value as Session;
    },
    async touch(id, from, to) {
      const found = await adapter.find(SESSIONS, id);
      if (found === null) return "lost";
      const session = found.value as Session;
      if (session.activeAt !== from) return "lost";
      if (!isAtomic(adapter)) return "updated";
      const next = sessionRecord({ ...session, activeAt: to });
      const status = await swap(SESSIONS, found.key, found.version, next);
      return status === "ok" ? "updated" : "lost";
    },
    async revoke(id) {
      const found = await adapter.find(SESSIONS, id);
      if (found !== null) await adapter.delete(SESSIONS, found.key);
    },
    async revokeAll(sub, exceptId) {
      const found = await listAll(adapter, SESSIONS, [0, sub]);
      const revoked = found.filter(({ value }) => (value as Session).id !== exceptId);
      await eachOf(revoked, ({ key }) => adapter.delete(SESSIONS, key));
    },
    async list(sub) {
      const found = await listAll(adapter, SESSIONS, [0, sub]);
      return found.map(({ value }) => value as Session);
    },
    async listByProvider(issuer, sid) {
      const found = await listAll(adapter, SESSIONS, [1, providerIndex(issuer, sid)]);
      return found.map(({ value }) => value as Session);
    },
  };
}

function sessionRecord(session: Session): StoredRecord {
  const { id, sub, expiresAt, provider } = session;
  const own = provider?.sid === undefined
    ? undefined
    : providerIndex(provider.issuer, provider.sid);
  return { value: session, expiresAt, unique: id, index: [sub, own] };
}

/** Both parts can be told apart: an issuer is a URL, which contains no space. */
function providerIndex(issuer: string, sid: string): string {
  return `${issuer} ${sid}`;
}
