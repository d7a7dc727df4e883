/**
 * Both contracts on a database of SQL: what the adapter does, and what the stores over it do.
 *
 * @module
 */

import { type OpenSql, sqlAdapters } from "../contracts/_sql.ts";
import { adapterContracts } from "./contract_cases.ts";
import type { RuntimeCase } from "./harness.ts";

/** A database of SQLite, for one case: ways to one table that is empty or not there. */
export type OpenSqlite = Pick<OpenSql, "queries" | "dispose">;

/** The cases. */
export function sqliteCases(
  name: string,
  open: () => Promise<OpenSqlite> | OpenSqlite,
): readonly RuntimeCase[] {
  return adapterContracts(
    sqlAdapters(name, async () => ({ dialect: "sqlite", ...await open() })),
  );
}
