/**
 * Authorizations and clients of an authorization server over an adapter.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions } from "./_repo.ts";
import type { StoredRecord, Versioned } from "./adapter.ts";
import type {
  Authorization,
  AuthorizationStore,
  ClientStore,
  NewClient,
  RegisteredClient,
} from "./server_types.ts";

const AUTHORIZATIONS = "authorizations";
const CLIENTS = "oauth_clients";

/** The indexed value of every client, by which they are listed. */
const ALL = "all";

/**
 * Persists authorizations. Creating a duplicate id rejects with an `Error`.
 *
 * @throws {TypeError} If the adapter is missing or has no `atomic` hook: one code could be exchanged several times.
 */
export function repoAuthorizationStore(options: RepoStoreOptions): AuthorizationStore {
  const adapter = readAtomicAdapter({
    store: "authorization store",
    why: "update() lets several requests exchange one code",
  }, options);
  const { atomic } = adapter;

  return {
    async create(authorization) {
      const record = authorizationRecord(authorization);
      const { status } = await atomic.cas(AUTHORIZATIONS, authorization.id, null, record);
      if (status !== "ok") throw new Error("Cannot create authorization: its id is taken");
    },
    async find(id) {
      const found = await adapter.get(AUTHORIZATIONS, id);
      if (found === null) return null;
      return { authorization: found.value as Authorization, version: found.version };
    },
    async update(next, version) {
      const record = authorizationRecord(next);
      const { status } = await atomic.cas(AUTHORIZATIONS, next.id, version, record);
      return status === "ok" ? "updated" : "lost";
    },
  };
}

/**
 * Persists clients.
 *
 * @throws {TypeError} If the adapter is missing or has no `atomic` hook: a revoked secret could come back.
 */
export function repoClientStore(options: RepoStoreOptions): ClientStore {
  const adapter = readAtomicAdapter({
    store: "client store",
    why: "update() restores a secret that another one has revoked",
  }, options);
  const { atomic } = adapter;

  return {
    async find(clientId) {
      const found = await adapter.get(CLIENTS, clientId);
      return found === null ? null : readClient(found);
    },
    async create(client) {
      const { status } = await atomic.cas(CLIENTS, client.clientId, null, clientRecord(client));
      return status === "ok" ? "created" : "taken";
    },
    async update(client) {
      const { clientId, version } = client;
      const { status } = await atomic.cas(CLIENTS, clientId, version, clientRecord(client));
      if (status === "ok") return "updated";
      return await adapter.get(CLIENTS, clientId) === null ? "not_found" : "lost";
    },
    delete: (clientId) => adapter.delete(CLIENTS, clientId),
    async list({ limit, after }) {
      return (await adapter.list(CLIENTS, 0, ALL, { limit, after })).map(readClient);
    },
  };
}

function authorizationRecord(value: Authorization): StoredRecord {
  return { value, expiresAt: value.expiresAt };
}

/** The version is that of the record. */
function clientRecord(client: NewClient & { readonly version?: string }): StoredRecord {
  const { version: _, ...value } = client;
  return { value, index: [ALL], expiresAt: client.expiresAt };
}

function readClient({ value, version }: Versioned): RegisteredClient {
  return { ...value as NewClient, version };
}
