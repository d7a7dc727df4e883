/**
 * Storage adapter for PostgreSQL and SQLite, and users on a table of the application.
 *
 * @module
 */

import { exactClock } from "../../_clock.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import {
  readKeyed,
  readValue,
  readVersioned,
  type SqlParameter,
  type SqlQuery,
  type SqlRow,
  sqlRunner,
} from "./_sql_client.ts";
import { type SqlDialect, sqlStatements } from "./_sql_statements.ts";
import { createSqlSweeper, migrateSql } from "./_sql_upkeep.ts";
import { writeRecord } from "./_sql_writes.ts";
import { checkList, checkStrings, isStoreString, uniqueTaken } from "../_records.ts";
import type { AtomicHook, StorageAdapter } from "../adapter.ts";

export type { SqlDialect, SqlParameter, SqlQuery, SqlRow };
export { sqlUserStore, sqlUserTable } from "./sql_users.ts";
export type {
  SqlUserColumns,
  SqlUserStoreOptions,
  SqlUserStores,
  SqlUserTableOptions,
} from "./sql_users.ts";

/** Options of {@linkcode sqlAdapter}. */
export interface SqlAdapterOptions {
  /** Runs one statement as a transaction of its own and returns its rows as objects, each a {@linkcode SqlRow}. */
  readonly query: SqlQuery<unknown>;
  /** The database's dialect. */
  readonly dialect: SqlDialect;
  /**
   * `table`, or `schema.table` of an existing schema; lower-case letters, digits and `_`.
   *
   * @default {"gatehouse"}
   */
  readonly table?: string | undefined;
  /** The current time, in seconds since the epoch. @default the system clock */
  readonly now?: (() => number) | undefined;
}

/** A storage adapter over one table of a SQL database. */
export interface SqlAdapter extends StorageAdapter {
  /** Compare-and-swap, and taking a record once, one statement each. */
  readonly atomic: Required<AtomicHook>;
  /** The DDL of the table and its indexes, for migrations by other means: statements that end in `;`. */
  readonly schema: string;
  /**
   * Creates the table and its indexes unless they exist; then it needs only the right to read. Several processes may call it
   * at once.
   *
   * @throws {Error} If the database fails repeatedly for some seconds.
   */
  migrate(): Promise<void>;
  /**
   * Deletes records that expired more than five minutes ago, a thousand at a time. Writes also delete one batch every five
   * minutes, so only short-lived processes need to call it.
   *
   * @returns How many records were deleted.
   * @throws {Error} If the database fails.
   */
  sweep(): Promise<number>;
}

const ACTION = "Cannot create SQL adapter";
const OPTIONS: OptionNames<SqlAdapterOptions> = {
  query: true,
  dialect: true,
  table: true,
  now: true,
};

/**
 * Stores records in one table of PostgreSQL 12 or SQLite 3.35, or later, through any client. `authStores(sqlAdapter(options))`
 * creates all stores over it.
 *
 * Every statement must run on the primary database, as a transaction of its own. A collection, a key and a unique or indexed
 * value have up to 2,600 bytes together on PostgreSQL. The adapter has no time limit: set one in the client.
 *
 * If the database fails, a call rejects with an `Error` whose `cause` has the client's name, code and message, without what
 * was written. Only transactions that PostgreSQL rolled back are retried. See docs/stores.md for clients, prepared statements
 * and time limits.
 *
 * @throws {TypeError} If an option is unknown or of another type.
 * @throws {RangeError} If `table` is not a name of at most 48 lower-case letters, digits and `_`.
 *
 * @example
 * ```ts
 * import { sqlAdapter } from "@gatehouse/http/auth/stores/sql";
 * import { assertEquals } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const database = new DatabaseSync(":memory:");
 * const adapter = sqlAdapter({
 *   dialect: "sqlite",
 *   query: (text, params) => database.prepare(text).all(...params),
 * });
 * await adapter.migrate();
 * await adapter.put("notes", "n1", { value: { title: "Milk" }, index: ["ada"] });
 * const [note] = await adapter.list("notes", 0, "ada");
 * assertEquals(note?.value, { title: "Milk" });
 * database.close();
 * ```
 */
export function sqlAdapter(options: SqlAdapterOptions): SqlAdapter {
  const { query, dialect, table, clock } = readOptions(options);
  const statements = sqlStatements(dialect, table);
  const run = sqlRunner(query);
  const sweeper = createSqlSweeper({ run, statements, clock });
  const writer = { run, statements };

  return {
    schema: statements.schema.map((statement) => `${statement};\n`).join(""),
    migrate: () => migrateSql(writer),
    sweep: () => sweeper.sweep(),
    async get(collection, key) {
      checkStrings(collection, key);
      const [row] = await run("read record", statements.get, [collection, key, clock()]);
      return row === undefined ? null : readVersioned(row);
    },
    async getMany(collection, keys) {
      checkStrings(collection, ...keys);
      if (keys.length === 0) return []; // PostgreSQL has no IN ()
      const params = [collection, clock(), ...keys];
      const rows = await run("read records", statements.getMany(keys.length), params);
      const found = new Map(rows.map(readKeyed).map(({ key, ...record }) => [key, record]));
      return keys.map((key) => found.get(key) ?? null);
    },
    async find(collection, unique) {
      checkStrings(collection, unique);
      const [row] = await run("find record", statements.find, [collection, unique, clock()]);
      return row === undefined ? null : readKeyed(row);
    },
    async list(collection, index, value, { after, limit, reverse = false } = {}) {
      checkStrings(collection, value);
      checkList(index, { limit, after });
      const shape = { index, after: after !== undefined, limit: limit !== undefined, reverse };
      const more = [after, limit].filter((param) => param !== undefined);
      const params = [collection, value, clock(), ...more];
      return (await run("list records", statements.list(shape), params)).map(readKeyed);
    },
    async put(collection, key, next) {
      checkStrings(collection, key);
      const { status } = await writeRecord(writer, { collection, key, next, now: clock() });
      if (status === "taken") throw uniqueTaken();
      await sweeper.sweepAfterWrite();
    },
    async delete(collection, key) {
      checkStrings(collection, key);
      await run("delete record", statements.delete, [collection, key]);
    },
    atomic: {
      async cas(collection, key, version, next) {
        checkStrings(collection, key);
        const now = clock();
        const expected = searchableVersion(version);
        if (next !== null) {
          const result = await writeRecord(writer, { collection, key, next, expected, now });
          await sweeper.sweepAfterWrite();
          return result;
        }
        const [text, params] = expected === null
          ? [statements.get, [collection, key, now]]
          : [statements.remove, [collection, key, now, expected]];
        const found = (await run("delete record", text, params)).length > 0;
        return found === (expected !== null) ? { status: "ok", version: "" } : { status: "lost" };
      },
      async take(collection, key) {
        checkStrings(collection, key);
        const [row] = await run("take record", statements.take, [collection, key, clock()]);
        return row === undefined ? null : readValue(row);
      },
    },
  };
}

function readOptions(
  options: SqlAdapterOptions,
): Pick<SqlAdapterOptions, "query" | "dialect"> & {
  readonly table: string;
  readonly clock: () => number;
} {
  rejectUnknownOptions(ACTION, options, OPTIONS);
  const { query, dialect, table = "gatehouse", now } = options;
  if (typeof query !== "function") throw new TypeError(`${ACTION}: query must be a function`);
  if (dialect !== "postgres" && dialect !== "sqlite") {
    throw new TypeError(`${ACTION}: dialect must be postgres or sqlite`);
  }
  if (typeof table !== "string") throw new TypeError(`${ACTION}: table must be a string`);
  checkOptionalFunction(ACTION, "now", now);
  return { query, dialect, table, clock: exactClock(now) };
}

/** No record has a version that a text column cannot hold; the empty string stands for it. */
function searchableVersion(version: string | null): string | null {
  return version === null || isStoreString(version) ? version : "";
}
