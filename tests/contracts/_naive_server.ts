/**
 * Stores of authorizations and of clients that are correct for one caller only.
 *
 * @module
 */

import type {
  AuthorizationStore,
  ClientStore,
  RegisteredClient,
  StoredAuthorization,
} from "../../auth/stores/types.ts";
import { createTable, nextVersion } from "./_naive_table.ts";
import { compareUtf8 } from "./_utf8.ts";

/** Creates a store of authorizations. */
export function naiveAuthorizationStore(now: () => number): AuthorizationStore {
  const authorizations = createTable<StoredAuthorization>();
  const find = async (id: string): Promise<StoredAuthorization | null> => {
    const found = await authorizations.get(id);
    return found !== null && now() < found.authorization.expiresAt ? found : null;
  };
  return {
    find,
    async create(authorization) {
      const { id } = authorization;
      if (await find(id) !== null) throw new Error("Cannot create authorization: its id is taken");
      await authorizations.put(id, { authorization, version: nextVersion() });
    },
    async update(next, version) {
      if ((await find(next.id))?.version !== version) return "lost";
      await authorizations.put(next.id, { authorization: next, version: nextVersion() });
      return "updated";
    },
  };
}

/** Creates a store of clients. */
export function naiveClientStore(now: () => number): ClientStore {
  const clients = createTable<RegisteredClient>();
  const isValid = ({ expiresAt = Infinity }: RegisteredClient) => now() < expiresAt;
  const find = async (clientId: string): Promise<RegisteredClient | null> => {
    const found = await clients.get(clientId);
    return found !== null && isValid(found) ? found : null;
  };
  return {
    find,
    async list({ limit, after }) {
      return (await clients.all())
        .filter(isValid)
        .filter(({ clientId }) => after === undefined || compareUtf8(clientId, after) > 0)
        .sort((a, b) => compareUtf8(a.clientId, b.clientId))
        .slice(0, limit);
    },
    async create(client) {
      if (await find(client.clientId) !== null) return "taken";
      await clients.put(client.clientId, { ...client, version: nextVersion() });
      return "created";
    },
    async update(client) {
      const found = await find(client.clientId);
      if (found === null) return "not_found";
      if (found.version !== client.version) return "lost";
      await clients.put(client.clientId, { ...client, version: nextVersion() });
      return "updated";
    },
    async delete(clientId) {
      if (await clients.get(clientId) !== null) await clients.remove(clientId);
    },
  };
}
