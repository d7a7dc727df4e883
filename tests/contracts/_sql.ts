/**
 * SQL adapters under both contracts: what adapters do, and what the stores over them do.
 *
 * @module
 */

import { authStores } from "../../auth/store_repo.ts";
import { type SqlAdapter, sqlAdapter, type SqlAdapterOptions } from "../../auth/store_sql.ts";
import { registerContracts } from "./_contract.ts";
import { registerStorageContract } from "./storage_adapter.ts";

/** A database, for one case. */
export interface OpenSql extends Pick<SqlAdapterOptions, "dialect" | "table"> {
  /** Ways to it, over one empty table or none. */
  readonly queries: readonly [SqlAdapterOptions["query"], ...SqlAdapterOptions["query"][]];
  /** Closes and removes what was opened. */
  readonly dispose?: () => Promise<void> | void;
}

/** Registers a test for each case of each contract. */
export function registerSqlContracts(name: string, open: () => Promise<OpenSql> | OpenSql): void {
  async function openAdapters(now: () => number) {
    const { queries: [first, ...more], dispose = () => {}, ...options } = await open();
    const make = (query: SqlAdapterOptions["query"]) => sqlAdapter({ query, now, ...options });
    const adapters: [SqlAdapter, ...SqlAdapter[]] = [make(first), ...more.map(make)];
    await Promise.all(adapters.map((adapter) => adapter.migrate()));
    return { adapters, dispose };
  }

  registerStorageContract({ name, open: openAdapters });
  registerContracts({
    name: `authStores() over ${name}`,
    async open(now) {
      const { adapters: [first, ...more], dispose } = await openAdapters(now);
      return { stores: [authStores(first), ...more.map(authStores)], dispose };
    },
  });
}
