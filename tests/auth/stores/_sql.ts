/**
 * SQLite for the tests of SQL adapters, with a log of its statements.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import {
  type SqlAdapter,
  sqlAdapter,
  type SqlAdapterOptions,
  type SqlParameter,
  type SqlQuery,
  type SqlRow,
} from "../../../auth/stores/engines/sql.ts";

/** When tests start, in seconds since the epoch. */
export const START = 1_700_000_000;

/** A statement that was run. */
export interface Statement {
  readonly text: string;
  readonly params: readonly SqlParameter[];
}

/** SQLite in memory. */
export interface Sqlite extends Disposable {
  readonly query: SqlQuery;
  /** The statements that were run, in order. */
  readonly log: Statement[];
  /** Reads all rows of the table. */
  rows(): SqlRow[];
  /** The current time; may be set. */
  time: number;
  /** Creates an adapter with that clock. */
  adapter(options?: Partial<SqlAdapterOptions>): SqlAdapter;
}

/** Opens an empty database. */
export function openSqlite(): Sqlite {
  const database = new DatabaseSync(":memory:");
  const log: Statement[] = [];
  const sqlite: Sqlite = {
    log,
    time: START,
    query(text, params) {
      log.push({ text, params: [...params] });
      return database.prepare(text).all(...params);
    },
    rows: () => database.prepare("SELECT * FROM gatehouse ORDER BY collection, key").all(),
    adapter: (options) =>
      sqlAdapter({ query: sqlite.query, dialect: "sqlite", now: () => sqlite.time, ...options }),
    [Symbol.dispose]: () => database.close(),
  };
  return sqlite;
}

/** Opens a database that has its table. */
export async function openMigrated(): Promise<Sqlite & { readonly made: SqlAdapter }> {
  const sqlite = openSqlite();
  const made = sqlite.adapter();
  await made.migrate();
  sqlite.log.length = 0;
  return Object.assign(sqlite, { made });
}
