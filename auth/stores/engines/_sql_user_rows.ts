/**
 * Rows of {@linkcode sqlUserStore}. A value of another type is an error: SQLite's booleans are numbers, PostgreSQL's 64-bit
 * integers arrive as strings or bigints, and what is taken for absent could let in who must stay out.
 *
 * @module
 */

import type { SqlRow } from "./_sql_client.ts";
import type { UserMember, UserTable } from "./_sql_user_table.ts";
import { isJsonObject } from "../../_strict_json.ts";
import { invalid, isAbsent } from "../checked.ts";
import type { User, UserAttributes, UserEmail } from "../types.ts";

/** Names of result columns, one lower-case word each: a client may be configured to rename others. */
const USER_RESULT = {
  sub: "sub",
  identifier: "identifier",
  passwordHash: "hash",
  securityStamp: "stamp",
  disabled: "disabled",
  pendingRemoval: "pending",
  attributes: "attributes",
  createdAt: "created",
  version: "version",
} as const satisfies Partial<Record<UserMember, string>>;

const EMAIL_RESULT = {
  sub: "sub",
  email: "email",
  emailVerifiedAt: "verified",
  emailVersion: "version",
} as const satisfies Partial<Record<UserMember, string>>;

/** The columns of a user. */
export function selectUser(table: UserTable): string {
  return selectColumns(table, USER_RESULT);
}

/** The columns of an e-mail address. */
export function selectEmail(table: UserTable): string {
  return selectColumns(table, EMAIL_RESULT);
}

/** Columns are qualified: SQLite takes an unknown name in quotes for a string. */
function selectColumns(
  table: UserTable,
  result: Readonly<Partial<Record<UserMember, string>>>,
): string {
  return (Object.entries(result) as [UserMember, string][])
    .filter(([member]) => table.columns.has(member))
    .map(([member, name]) => `${table.column(member, "mine")} AS ${name}`)
    .join(", ");
}

/** Decodes a user. @throws {TypeError} If a column has a value of another type. */
export function readUser(row: SqlRow): User {
  const { hash, disabled, pending, attributes } = row;
  return {
    sub: readText("sub", row.sub),
    identifier: readText("identifier", row.identifier),
    ...(isAbsent(hash) ? {} : { passwordHash: readText("passwordHash", hash) }),
    securityStamp: readText("securityStamp", row.stamp),
    ...(isAbsent(disabled) ? {} : { disabled: readBoolean("disabled", disabled) }),
    ...(isAbsent(pending) ? {} : { pendingRemoval: readText("pendingRemoval", pending) }),
    ...(isAbsent(attributes) ? {} : { attributes: readAttributes(attributes) }),
    createdAt: readSeconds("createdAt", row.created),
    version: readText("version", row.version),
  };
}

/** Decodes an e-mail address. @throws {TypeError} If a column has a value of another type. */
export function readEmail({ sub, email, verified, version }: SqlRow): UserEmail {
  return {
    sub: readText("sub", sub),
    email: readText("email", email),
    ...(isAbsent(verified) ? {} : { verifiedAt: readSeconds("emailVerifiedAt", verified) }),
    version: readEmailVersion(version),
  };
}

/** The version of an address that the application has written is the empty string. */
export function readEmailVersion(version: unknown): string {
  return isAbsent(version) ? "" : readText("emailVersion", version);
}

function readText(member: UserMember, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalid("user", member, "a string");
}

function readSeconds(member: UserMember, value: unknown): number {
  const isNumeric = typeof value === "number" || typeof value === "bigint" ||
    (typeof value === "string" && value.trim() !== "");
  const seconds = isNumeric ? Number(value) : NaN;
  if (Number.isSafeInteger(seconds)) return seconds;
  throw invalid("user", member, "an integer of seconds");
}

function readBoolean(member: UserMember, value: unknown): boolean {
  switch (String(value)) {
    case "true":
    case "t":
    case "1":
      return true;
    case "false":
    case "f":
    case "0":
      return false;
  }
  throw invalid("user", member, "a boolean");
}

function readAttributes(value: unknown): UserAttributes {
  try {
    const attributes: unknown = JSON.parse(readText("attributes", value));
    if (isJsonObject(attributes)) return attributes;
  } catch {
    // the message of JSON.parse() may quote the value
  }
  throw invalid("user", "attributes", "a JSON object as text");
}
