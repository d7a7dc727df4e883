/**
 * The entry of the cases on `bun:sqlite`, which whoever runs this hands over: no other runtime has such a module.
 *
 * @module
 */

import { rm } from "node:fs/promises";
import type { SqlParameter, SqlQuery, SqlRow } from "../../auth/stores/engines/sql.ts";
import { runCases, type RuntimeResult } from "./harness.ts";
import { sqliteCases } from "./sql_cases.ts";

/** The part of Bun's databases that is used here. */
interface BunDatabase {
  query(text: string): { all(...params: SqlParameter[]): SqlRow[] };
  exec(text: string): void;
  close(): void;
}

/** What makes them. */
type BunDatabaseClass = new (
  path: string,
  options?: { readonly strict: boolean; readonly safeIntegers: boolean },
) => BunDatabase;

/** Runs every case. @param folder Where files of databases go. */
export function report(Database: BunDatabaseClass, folder: string): Promise<RuntimeResult[]> {
  const path = `${folder}/gatehouse.db`;

  /** As servers open a file; it is not to survive a failure of power. */
  function connect(): BunDatabase {
    const database = new Database(path);
    database.exec(
      "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF",
    );
    return database;
  }

  return runCases([
    // Integers as bigint, as some applications want them
    ...sqliteCases("sqlAdapter() on bun:sqlite in memory", () => {
      const database = new Database(":memory:", { strict: true, safeIntegers: true });
      const query = queryOf(database);
      return { queries: [query, query], dispose: () => database.close() };
    }),
    ...sqliteCases("sqlAdapter() on a file of bun:sqlite", () => {
      const [first, second] = [connect(), connect()];
      return {
        queries: [queryOf(first), later(queryOf(second))],
        async dispose() {
          for (const database of [first, second]) database.close();
          for (const end of ["", "-wal", "-shm"]) await rm(path + end, { force: true });
        },
      };
    }),
  ]);
}

function queryOf(database: BunDatabase): SqlQuery {
  return (text, params) => database.query(text).all(...params);
}

/** The same a turn later, so that statements of others come in between. */
function later(query: SqlQuery): SqlQuery {
  return async (text, params) => {
    await Promise.resolve();
    return await query(text, params);
  };
}
