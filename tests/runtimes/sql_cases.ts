/**
 * Both contracts on a database of SQL: what the adapter does, and what the stores over it do.
 *
 * @module
 */

import { authStores } from "../../mod.ts";
import { type SqlAdapter, sqlAdapter, type SqlQuery } from "../../auth/store_sql.ts";
import { storageContract, storeContract } from "./contract_cases.ts";
import type { RuntimeCase } from "./harness.ts";

/** A database of SQLite, for one case. */
export interface OpenSqlite {
  /** Ways to it, over one table that is empty or not there. */
  readonly queries: readonly [SqlQuery, ...SqlQuery[]];
  /** Closes and removes what was opened. */
  readonly dispose?: () => Promise<void> | void;
}

/** The cases. */
export function sqliteCases(
  name: string,
  open: () => Promise<OpenSqlite> | OpenSqlite,
): readonly RuntimeCase[] {
  async function openAdapters(now: () => number) {
    const { queries: [first, ...others], dispose = () => {} } = await open();
    const make = (query: SqlQuery) => sqlAdapter({ query, dialect: "sqlite", now });
    const adapters: [SqlAdapter, ...SqlAdapter[]] = [make(first), ...others.map(make)];
    await Promise.all(adapters.map((adapter) => adapter.migrate()));
    return { adapters, dispose };
  }

  return [
    ...storageContract({ name, open: openAdapters }),
    ...storeContract({
      name: `authStores() over ${name}`,
      async open(now) {
        const { adapters: [first, ...others], dispose } = await openAdapters(now);
        return { stores: [authStores(first), ...others.map(authStores)], dispose };
      },
    }),
  ];
}
