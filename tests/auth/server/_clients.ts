/**
 * A store of clients that tests can look into.
 *
 * @module
 */

import type {
  ClientStore,
  NewClient,
  RegisteredClient,
} from "../../../auth/stores/server_types.ts";

/** A store of clients, and what it stores. */
export interface TestClients extends Pick<ClientStore, "create" | "find" | "update"> {
  readonly records: Map<string, RegisteredClient>;
}

/** Creates a store. Versions are 0, 1, 2, … */
export function testClients(...clients: readonly NewClient[]): TestClients {
  const records = new Map<string, RegisteredClient>();
  const store: TestClients = {
    records,
    create(client) {
      records.set(client.clientId, { ...client, version: "0" });
      return Promise.resolve("created");
    },
    find: (clientId) => Promise.resolve(records.get(clientId) ?? null),
    update(client) {
      const isCurrent = records.get(client.clientId)?.version === client.version;
      if (!isCurrent) return Promise.resolve("lost");
      records.set(client.clientId, { ...client, version: `${Number(client.version) + 1}` });
      return Promise.resolve("updated");
    },
  };
  for (const client of clients) records.set(client.clientId, { ...client, version: "0" });
  return store;
}
