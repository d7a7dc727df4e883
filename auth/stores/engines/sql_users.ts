/**
 * Users on a table of the application, in PostgreSQL or SQLite.
 *
 * @module
 */

import { rejectUnknownOptions } from "../../_options.ts";
import { type SqlQuery, sqlRunner } from "./_sql_client.ts";
import { sqlEmails } from "./_sql_email_store.ts";
import type { SqlDialect } from "./_sql_statements.ts";
import { createTableCheck } from "./_sql_user_check.ts";
import { sqlUsers } from "./_sql_user_store.ts";
import { readUserTable, writeUserTable } from "./_sql_user_table.ts";
import type { EmailStore, UserStore } from "../types.ts";

/** Names of columns, each of at most 63 letters, digits and `_`. Types are those of {@linkcode sqlUserTable}. */
export interface SqlUserColumns {
  /** Subject id, unique. @default {"sub"} */
  readonly sub?: string | undefined;
  /** What the user signs in with, unique. @default {"identifier"} */
  readonly identifier?: string | undefined;
  /** Hash of the password. @default {"password_hash"} */
  readonly passwordHash?: string | undefined;
  /** Security stamp. @default {"security_stamp"} */
  readonly securityStamp?: string | undefined;
  /** Whether the account is disabled. @default {"disabled"} */
  readonly disabled?: string | undefined;
  /** A way to sign in that is being removed. @default {"pending_removal"} */
  readonly pendingRemoval?: string | undefined;
  /** Attributes, as JSON. `null` if there is no such column: writing attributes then rejects. @default {"attributes"} */
  readonly attributes?: string | null | undefined;
  /** When the account was created, in seconds. @default {"created_at"} */
  readonly createdAt?: string | undefined;
  /** Version of the user. @default {"version"} */
  readonly version?: string | undefined;
  /** E-mail address; unique where it is verified. @default {"email"} */
  readonly email?: string | undefined;
  /** When the address was verified, in seconds. @default {"email_verified_at"} */
  readonly emailVerifiedAt?: string | undefined;
  /** Version of the address. @default {"email_version"} */
  readonly emailVersion?: string | undefined;
}

/** Options of {@linkcode sqlUserTable}. */
export interface SqlUserTableOptions {
  /** The database's dialect. */
  readonly dialect: SqlDialect;
  /**
   * `table`, or `schema.table` of an existing schema: letters, digits and `_`, as the database has them. PostgreSQL converts
   * names to lower case that were created without quotes.
   *
   * @default {"users"}
   */
  readonly table?: string | undefined;
  /** Names of the columns that have other names. */
  readonly columns?: SqlUserColumns | undefined;
}

/** Options of {@linkcode sqlUserStore}. */
export interface SqlUserStoreOptions extends SqlUserTableOptions {
  /** Runs one statement as a transaction of its own and returns its rows as objects, as for {@linkcode sqlAdapter}. */
  readonly query: SqlQuery<unknown>;
}

/** Stores over one table. */
export interface SqlUserStores {
  /** Persists users. */
  readonly users: UserStore;
  /** Persists e-mail addresses of users in the same rows. The address of a user that does not exist is `lost`. */
  readonly emails: EmailStore;
}

const TABLE_OPTIONS = { dialect: true, table: true, columns: true };

/**
 * Persists users and their e-mail addresses in a table of the application, in PostgreSQL 12 or SQLite 3.35, or later, so that
 * its own tables can reference them and be joined with them. Each call is one statement that compares and swaps.
 *
 * The table may have other columns, which need a default or allow `NULL`, and are not changed. The application may read all
 * columns. If it writes those of the store, it also writes a new random `version`, and a new `email_version` for an address.
 *
 * The first call checks that the table has all columns and unique indexes, and rejects otherwise with an `Error` whose `cause`
 * names what is missing. Errors are those of {@linkcode sqlAdapter}.
 *
 * @throws {TypeError} If an option is unknown or of another type.
 * @throws {RangeError} If a name has characters other than letters, digits and `_`, or two members have one column.
 *
 * @example
 * ```ts
 * import { sqlUserStore, sqlUserTable } from "@gatehouse/http/auth/stores/sql";
 * import { assertEquals } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const database = new DatabaseSync(":memory:");
 * const names = { dialect: "sqlite", table: "members", columns: { sub: "id" } } as const;
 * for (const statement of sqlUserTable(names)) database.exec(statement);
 *
 * const { users } = sqlUserStore({
 *   ...names,
 *   query: (text, params) => database.prepare(text).all(...params),
 * });
 * await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 * const row = database.prepare("SELECT id, identifier FROM members").get();
 * assertEquals({ ...row }, { id: "u1", identifier: "ada" });
 * database.close();
 * ```
 */
export function sqlUserStore(options: SqlUserStoreOptions): SqlUserStores {
  const action = "Cannot create SQL user store";
  rejectUnknownOptions<SqlUserStoreOptions>(action, options, { ...TABLE_OPTIONS, query: true });
  const { query } = options;
  if (typeof query !== "function") throw new TypeError(`${action}: query must be a function`);
  const table = readUserTable(action, options);
  const runUnchecked = sqlRunner(query, 0);
  const check = createTableCheck(runUnchecked, table);
  const run: typeof runUnchecked = async (...statement) => {
    await check();
    return await runUnchecked(...statement);
  };
  return { users: sqlUsers(run, table), emails: sqlEmails(run, table) };
}

/**
 * The DDL of a table for {@linkcode sqlUserStore}: `CREATE TABLE` and one index, each unless it exists. Run it to start with an
 * empty table, or read what an existing one needs.
 *
 * @throws {TypeError} If an option is unknown or of another type.
 * @throws {RangeError} If a name has characters other than letters, digits and `_`, or two members have one column.
 * @returns Statements without `;`, to be run in their order.
 *
 * @example
 * ```ts
 * import { sqlUserTable } from "@gatehouse/http/auth/stores/sql";
 * import { assertEquals } from "@std/assert";
 *
 * const [table, index] = sqlUserTable({ dialect: "postgres", table: "app.members" });
 * assertEquals(table?.split("\n")[0], 'CREATE TABLE IF NOT EXISTS "app"."members" (');
 * assertEquals(index?.split("\n")[0], 'CREATE UNIQUE INDEX IF NOT EXISTS "members_verified_email"');
 * ```
 */
export function sqlUserTable(options: SqlUserTableOptions): readonly string[] {
  const action = "Cannot write user table";
  rejectUnknownOptions<SqlUserTableOptions>(action, options, TABLE_OPTIONS);
  return writeUserTable(readUserTable(action, options));
}
