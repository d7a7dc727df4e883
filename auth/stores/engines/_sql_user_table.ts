/**
 * The application's table of {@linkcode sqlUserStore}: its names, and its DDL.
 *
 * @module
 */

import { rejectUnknownOptions } from "../../_options.ts";
import type { SqlDialect } from "./_sql_statements.ts";

/** Default names of the columns, by member. */
const COLUMN_NAMES = {
  sub: "sub",
  identifier: "identifier",
  passwordHash: "password_hash",
  securityStamp: "security_stamp",
  disabled: "disabled",
  pendingRemoval: "pending_removal",
  attributes: "attributes",
  createdAt: "created_at",
  version: "version",
  email: "email",
  emailVerifiedAt: "email_verified_at",
  emailVersion: "email_version",
} as const;

/** A member that has a column. */
export type UserMember = keyof typeof COLUMN_NAMES;

/** All members that have a column. */
export const USER_MEMBERS: readonly UserMember[] = Object.keys(COLUMN_NAMES) as UserMember[];

/** Names of a table, as an application gives them. */
export interface UserTableNames {
  readonly dialect: SqlDialect;
  readonly table?: string | undefined;
  readonly columns?:
    | Readonly<Partial<Record<UserMember, string | null | undefined>>>
    | undefined;
}

/** A table with checked names. */
export interface UserTable {
  readonly dialect: SqlDialect;
  readonly schema: string | undefined;
  readonly name: string;
  /** The table, quoted. */
  readonly at: string;
  /** Its columns, quoted; without `attributes` if there is no such column. */
  readonly columns: ReadonlyMap<UserMember, string>;
  /** A column, quoted. @param alias Alias of the table. */
  column(member: UserMember, alias?: string): string;
}

/** PostgreSQL truncates names to 63 bytes; 48 leave room for the suffix of the index. */
const TABLE_REGEXP = /^(?:([A-Za-z_][A-Za-z0-9_]{0,62})\.)?([A-Za-z_][A-Za-z0-9_]{0,47})$/;
const COLUMN_REGEXP = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Checks the names of a table. They become part of statements, so they are letters, digits and `_` only.
 *
 * @throws {TypeError} If an option is of another type, or `columns` has an unknown member.
 * @throws {RangeError} If a name has other characters, or two members have one column.
 */
export function readUserTable(action: string, options: UserTableNames): UserTable {
  const { dialect, table = "users", columns = {} } = options;
  if (dialect !== "postgres" && dialect !== "sqlite") {
    throw new TypeError(`${action}: dialect must be postgres or sqlite`);
  }
  if (typeof table !== "string") throw new TypeError(`${action}: table must be a string`);
  const [, schema, name] = TABLE_REGEXP.exec(table) ?? [];
  if (name === undefined) {
    throw new RangeError(
      `${action}: table must be a name of at most 48 letters, digits and _, or a schema and a name`,
    );
  }
  const quoted = readColumns(action, columns);
  return {
    dialect,
    schema,
    name,
    at: schema === undefined ? `"${name}"` : `"${schema}"."${name}"`,
    columns: quoted,
    column(member, alias) {
      const column = quoted.get(member);
      if (column === undefined) throw new TypeError(`${action}: columns.${member} is null`);
      return alias === undefined ? column : `${alias}.${column}`;
    },
  };
}

function readColumns(
  action: string,
  columns: NonNullable<UserTableNames["columns"]>,
): ReadonlyMap<UserMember, string> {
  rejectUnknownOptions(`${action}: columns`, columns, COLUMN_NAMES);
  const quoted = new Map<UserMember, string>();
  const used = new Set<string>();
  for (const member of USER_MEMBERS) {
    const name = columns[member] === undefined ? COLUMN_NAMES[member] : columns[member];
    if (name === null && member === "attributes") continue;
    if (typeof name !== "string") {
      throw new TypeError(`${action}: columns.${member} must be a string`);
    }
    if (!COLUMN_REGEXP.test(name)) {
      throw new RangeError(
        `${action}: columns.${member} must be a name of at most 63 letters, digits and _`,
      );
    }
    const folded = name.toLowerCase(); // SQLite does not distinguish case
    if (used.has(folded)) {
      throw new RangeError(`${action}: columns.${member} is the column of another member`);
    }
    used.add(folded);
    quoted.set(member, `"${name}"`);
  }
  return quoted;
}

/** Types of the columns; `KEY` is a string that is compared by its bytes. */
const COLUMN_TYPES: Readonly<Record<UserMember, string>> = {
  sub: "KEY NOT NULL PRIMARY KEY",
  identifier: "KEY NOT NULL UNIQUE",
  passwordHash: "TEXT",
  securityStamp: "TEXT NOT NULL",
  disabled: "BOOLEAN",
  pendingRemoval: "TEXT",
  attributes: "TEXT",
  createdAt: "BIGINT NOT NULL",
  version: "TEXT NOT NULL",
  email: "KEY",
  emailVerifiedAt: "BIGINT",
  emailVersion: "TEXT",
};

/** The DDL of a table and its index, one statement each. */
export function writeUserTable(table: UserTable): readonly string[] {
  const { dialect, schema, name, at, columns } = table;
  const key = dialect === "postgres" ? 'TEXT COLLATE "C"' : "TEXT";
  const lines = [...columns].map(([member, column]) =>
    `  ${column} ${COLUMN_TYPES[member].replace("KEY", key)}`
  );
  // The schema qualifies the table on PostgreSQL, the index on SQLite
  const index = `"${name}_verified_email"`;
  const [indexAt, on] = dialect === "postgres" || schema === undefined
    ? [index, at]
    : [`"${schema}".${index}`, `"${name}"`];
  return [
    `CREATE TABLE IF NOT EXISTS ${at} (\n${lines.join(",\n")}\n)`,
    `CREATE UNIQUE INDEX IF NOT EXISTS ${indexAt}\n  ON ${on} (${table.column("email")}) ` +
    `WHERE ${table.column("emailVerifiedAt")} IS NOT NULL`,
  ];
}
