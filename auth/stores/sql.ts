/**
 * Everything of authentication in one table of PostgreSQL or SQLite, by any client.
 *
 * @module
 */

import { exactClock } from "../_clock.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../_options.ts";
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
import { checkList, checkStrings, isStoreString, uniqueTaken } from "./_records.ts";
import type { AtomicHook, StorageAdapter } from "./adapter.ts";

export type { SqlDialect, SqlParameter, SqlQuery, SqlRow };

/** Options of {@linkcode sqlAdapter}. */
export interface SqlAdapterOptions {
  /** Runs one statement as a transaction of its own, and gives its rows as objects, each a {@linkcode SqlRow}. */
  readonly query: SqlQuery<unknown>;
  /** What the database speaks. */
  readonly dialect: SqlDialect;
  /**
   * Where everything is kept: `table`, or `schema.table` of a schema that is there; small letters, digits and `_`.
   * @default {"gatehouse"}
   */
  readonly table?: string | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** A database that keeps everything of authentication in one table. */
export interface SqlAdapter extends StorageAdapter {
  /** Each write is one statement, and the database decides for all its clients. */
  readonly atomic: Required<AtomicHook>;
  /** The table and its indexes, for whoever makes them by other means: statements that end in `;`. */
  readonly schema: string;
  /**
   * Makes the table and its indexes. Where they are, it only looks, and needs no more rights than to read; several
   * processes may do it at once.
   *
   * @throws {Error} If the database fails, several times over some seconds.
   */
  migrate(): Promise<void>;
  /**
   * Removes what ended more than five minutes ago, a thousand records at a time. Writes do this too, one batch every five
   * minutes; it is for processes that do not live as long.
   *
   * @returns How many it removed.
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
 * Keeps everything of authentication in one table of a SQL database, PostgreSQL 12 or SQLite 3.35 and later. It needs no
 * client of its own but a function that runs a statement:
 *
 * ```ts ignore
 * // npm:postgres
 * query: (text, params) => sql.unsafe(text, params, { prepare: true }),
 * // npm:pg, with `pool.on("error", () => {})`: without it an idle connection that drops ends the process
 * query: async (text, params) => (await pool.query(text, params)).rows,
 * // PGlite
 * query: async (text, params) => (await pglite.query(text, params)).rows,
 * // node:sqlite, with `const prepared = new Map<string, StatementSync>()`
 * query: (text, params) => {
 *   const statement = prepared.get(text) ?? database.prepare(text);
 *   prepared.set(text, statement);
 *   return statement.all(...params);
 * },
 * // bun:sqlite
 * query: (text, params) => database.query(text).all(...params),
 * // D1
 * query: async (text, params) => (await env.DB.prepare(text).bind(...params).all()).results,
 * // libSQL
 * query: async (sql, args) => (await client.execute({ sql, args })).rows,
 * ```
 *
 * A statement's text never has a value in it, and there are about thirty: to keep them prepared, as above, makes most of
 * them twice as fast. Leave `prepare: true` out behind a pooler that gives each transaction another connection and does not
 * know prepared statements.
 *
 * All statements must go to the database that decides, not to a replica, and each must be a transaction of its own. For
 * SQLite, `PRAGMA journal_mode = WAL` and `PRAGMA busy_timeout = 5000` let several processes take turns. The database's
 * text is UTF-8. Make one adapter for a process, not one for a request: on Workers, whose bindings come with a request, the
 * first one makes it. There a request has 1,000 statements on D1, or 50 on the free plan: a sign-in takes a few, but to end
 * all of a user's sessions takes one for each.
 *
 * Nothing here has a limit of time: give the client one, or requests wait for as long as the database is away. npm:pg has
 * `query_timeout` and `connectionTimeoutMillis`. npm:postgres has none of its own for a query; with
 * `connect_timeout: 5, connection: { statement_timeout: 5_000 }` PostgreSQL ends those that it has begun.
 *
 * On PostgreSQL a collection, a key and a text to find it by are up to 2,600 bytes together; a value is as long as the
 * database allows. What has ended is never returned; {@linkcode SqlAdapter.sweep} removes it.
 *
 * If the database fails, a call rejects with an `Error` whose `cause` has the name, code and message of what the client
 * threw, without what was written. What PostgreSQL rolled back by itself is tried again, and nothing else: a write whose
 * call failed may have been made.
 *
 * @throws {TypeError} If an option is of the wrong kind, or not known.
 * @throws {RangeError} If `table` is no name of at most 48 small letters, digits and `_`.
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
      if (status === "lost") throw new Error("Cannot keep record: others keep changing it");
      await sweeper.sweepAlong();
    },
    async delete(collection, key) {
      checkStrings(collection, key);
      await run("remove record", statements.delete, [collection, key]);
    },
    atomic: {
      async cas(collection, key, version, next) {
        checkStrings(collection, key);
        const now = clock();
        const expected = searchableVersion(version);
        if (next !== null) {
          const result = await writeRecord(writer, { collection, key, next, expected, now });
          await sweeper.sweepAlong();
          return result;
        }
        const [text, params] = expected === null
          ? [statements.get, [collection, key, now]]
          : [statements.remove, [collection, key, now, expected]];
        const found = (await run("remove record", text, params)).length > 0;
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
  if (typeof query !== "function") throw new TypeError(`${ACTION}: query is no function`);
  if (dialect !== "postgres" && dialect !== "sqlite") {
    throw new TypeError(`${ACTION}: dialect is neither postgres nor sqlite`);
  }
  if (typeof table !== "string") throw new TypeError(`${ACTION}: table is no text`);
  checkOptionalFunction(ACTION, "now", now);
  return { query, dialect, table, clock: exactClock(now) };
}

/** A version that no text column can hold is none of a record's; nor is no text. */
function searchableVersion(version: string | null): string | null {
  return version === null || isStoreString(version) ? version : "";
}
