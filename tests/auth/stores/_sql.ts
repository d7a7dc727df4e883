/**
 * SQLite for the tests of SQL adapters, and a look at what is said to it.
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
} from "../../../auth/stores/sql.ts";

/** When tests start, in seconds since the epoch. */
export const START = 1_700_000_000;

/** What was said to a database. */
export interface Said {
  readonly text: string;
  readonly params: readonly SqlParameter[];
}

/** SQLite in memory. */
export interface Sqlite extends Disposable {
  readonly query: SqlQuery;
  /** Everything that was said, in order. */
  readonly said: Said[];
  /** Reads the table as it is. */
  rows(): SqlRow[];
  /** The time; it may be set. */
  time: number;
  /** Makes an adapter by that time. */
  adapter(options?: Partial<SqlAdapterOptions>): SqlAdapter;
}

/** Opens an empty database. */
export function openSqlite(): Sqlite {
  const database = new DatabaseSync(":memory:");
  const said: Said[] = [];
  const sqlite: Sqlite = {
    said,
    time: START,
    query(text, params) {
      said.push({ text, params: [...params] });
      return database.prepare(text).all(...params);
    },
    rows: () => database.prepare("SELECT * FROM gatehouse ORDER BY collection, key").all(),
    adapter: (options) =>
      sqlAdapter({ query: sqlite.query, dialect: "sqlite", now: () => sqlite.time, ...options }),
    [Symbol.dispose]: () => database.close(),
  };
  return sqlite;
}

/** Opens a database with its table. */
export async function openMigrated(): Promise<Sqlite & { readonly made: SqlAdapter }> {
  const sqlite = openSqlite();
  const made = sqlite.adapter();
  await made.migrate();
  sqlite.said.length = 0;
  return Object.assign(sqlite, { made });
}
