/**
 * SQL adapters for the contracts.
 *
 * @module
 */

import {
  type SqlAdapter,
  sqlAdapter,
  type SqlAdapterOptions,
} from "../../auth/stores/engines/sql.ts";
import type { AdapterImplementation } from "./storage_adapter.ts";

/** A database, for one case. */
export interface OpenSql extends Pick<SqlAdapterOptions, "dialect" | "table"> {
  /** Connections to one database with an empty table or none. */
  readonly queries: readonly [SqlAdapterOptions["query"], ...SqlAdapterOptions["query"][]];
  /** Closes and removes the database. */
  readonly dispose?: () => Promise<void> | void;
}

/** The adapters over a database. Their table exists. */
export function sqlAdapters(
  name: string,
  open: () => Promise<OpenSql> | OpenSql,
): AdapterImplementation {
  return {
    name,
    async open(now) {
      const { queries: [first, ...more], dispose, ...options } = await open();
      const make = (query: SqlAdapterOptions["query"]) => sqlAdapter({ query, now, ...options });
      const adapters: [SqlAdapter, ...SqlAdapter[]] = [make(first), ...more.map(make)];
      await Promise.all(adapters.map((adapter) => adapter.migrate()));
      return { adapters, ...(dispose && { dispose }) };
    },
  };
}
