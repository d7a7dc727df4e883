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

/** The index of all clients. */
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

function authorizationRecord(authorization: Authorization): StoredRecord {
  const { expiresAt } = authorization;
  return { value: authorizationValue(authorization), expiresAt };
}

/** Members are listed: an object of the caller may have more. */
function authorizationValue(authorization: Authorization): Authorization {
  const { id, issuer, clientId, createdAt, expiresAt } = authorization;
  const base = { id, issuer, clientId, createdAt, expiresAt };
  switch (authorization.state) {
    case "pending": {
      const { state, request, browser, seen } = authorization;
      return { state, ...base, request, browser, ...(seen === undefined ? {} : { seen }) };
    }
    case "issued": {
      const { state, request, codeHash, subject, scope } = authorization;
      return { state, ...base, request, codeHash, subject, scope };
    }
    case "redeemed": {
      const { state, codeHash, grantId } = authorization;
      return { state, ...base, codeHash, grantId };
    }
    case "denied":
      return { state: authorization.state, ...base };
  }
}

function clientRecord(client: NewClient): StoredRecord {
  const { clientId, name, type, redirectUris, authentication, secretHashes, grants, scope } =
    client;
  const { firstParty, clientUri, registeredAt, disabled } = client;
  const value = {
    clientId,
    name,
    type,
    redirectUris,
    authentication,
    secretHashes,
    grants,
    scope,
    firstParty,
    clientUri,
    registeredAt,
    disabled,
  };
  return { value, index: [ALL] };
}

function readClient({ value, version }: Versioned): RegisteredClient {
  return { ...value as NewClient, version };
}
