/**
 * Writes of {@linkcode sqlUserStore}.
 *
 * Each write is one statement that returns a row if it wrote. If it did not, a second statement reads the rows that may be
 * the reason. Nothing depends on the text of an error: a failure that another row explains is its outcome, any other one is
 * thrown.
 *
 * @module
 */

import { isUniqueViolation, type RunSql, type SqlParameter, type SqlRow } from "./_sql_client.ts";
import type { SqlDialect } from "./_sql_statements.ts";
import { USER_MEMBERS, type UserMember, type UserTable } from "./_sql_user_table.ts";
import { sleepWithJitter } from "../../_backoff.ts";
import { isStoreString } from "../_records.ts";

/** How often a write is attempted whose reason to fail is gone when it is looked for. */
const MAX_ATTEMPTS = 20;
/** The longest pause before a retry, in milliseconds. */
const MAX_PAUSE_MS = 32;

/** A statement that is being written, with its parameters. */
export interface StatementParameters {
  readonly params: readonly SqlParameter[];
  /** Adds a parameter. @returns Its placeholder. */
  add(value: SqlParameter): string;
}

/** Starts a statement. */
export function createParameters(dialect: SqlDialect): StatementParameters {
  const params: SqlParameter[] = [];
  return { params, add: (value) => placeholder(dialect, params.push(value)) };
}

/** bun:sqlite numbers `$2` by its position in the text; `?2` is the second parameter everywhere. */
export function placeholder(dialect: SqlDialect, position: number): string {
  return `${dialect === "postgres" ? "$" : "?"}${position}`;
}

/** Values of columns; those that are `undefined` are not written. */
export type UserValues = Readonly<
  Partial<Record<UserMember, string | number | boolean | null | undefined>>
>;

/**
 * The columns that are written, and their expressions.
 *
 * @throws {TypeError} If a string has a NUL or a lone surrogate, or there is no such column.
 * @throws {RangeError} If a time is not an integer.
 */
export function writeColumns(
  table: UserTable,
  values: UserValues,
  { add }: StatementParameters,
): readonly (readonly [column: string, expression: string])[] {
  return USER_MEMBERS.flatMap((member) => {
    const value = values[member];
    if (value === undefined || (value === null && !table.columns.has(member))) return [];
    return [[table.column(member), writeValue(member, value, add)] as const];
  });
}

/** Columns and their expressions, for `UPDATE`. */
export function joinAssignments(written: ReturnType<typeof writeColumns>): string {
  return written.map((assignment) => assignment.join(" = ")).join(", ");
}

/** Booleans are no parameters: clients disagree about their type. */
function writeValue(
  member: UserMember,
  value: NonNullable<UserValues[UserMember]> | null,
  add: StatementParameters["add"],
): string {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new RangeError(`Cannot write user: ${member} must be an integer of seconds`);
  }
  if (typeof value === "string" && !isStoreString(value)) {
    throw new TypeError(`Cannot write user: ${member} must be a well-formed string without NUL`);
  }
  return add(value);
}

/** A write, and what its failure means. */
export interface UserWrite<Outcome> {
  /** What is reported to have failed: `create user`. */
  readonly action: string;
  readonly text: string;
  readonly params: readonly SqlParameter[];
  /** The outcome of a write that returned a row. */
  readonly written: Outcome;
  /** Reads the rows that may be the reason. */
  readonly reasons: { readonly text: string; readonly params: readonly SqlParameter[] };
  /** The outcome that the rows explain; `undefined` if there is none. */
  explain(rows: readonly SqlRow[], failed: boolean): Outcome | undefined;
}

/**
 * Writes a row.
 *
 * @throws {Error} If the database fails. Whether the row was written is unknown then, so the write is not retried.
 */
export async function writeUser<Outcome>(run: RunSql, write: UserWrite<Outcome>): Promise<Outcome> {
  const { action, text, params, reasons } = write;
  let last: unknown;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // Usually the first conflict is with a row that is gone by now
    if (attempt > 2) await sleepWithJitter(1, Math.min(2 ** attempt, MAX_PAUSE_MS));
    let failure: unknown;
    try {
      if ((await run(action, text, params)).length > 0) return write.written;
    } catch (error) {
      failure = error;
    }
    const failed = failure !== undefined;
    const read = run(action, reasons.text, reasons.params);
    const rows = failed ? await read.catch(() => []) : await read;
    const outcome = write.explain(rows, failed);
    if (outcome !== undefined) return outcome;
    if (failed && !isUniqueViolation(failure)) throw failure;
    last = failure;
  }
  throw last ?? new Error(`Cannot ${action}: too many conflicts`);
}
