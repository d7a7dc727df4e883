/**
 * How {@linkcode sqlAdapter} calls a client: statements, rows and errors.
 *
 * @module
 */

import { clientError } from "./_client_error.ts";
import { MAX_CONFLICTS, sleepWithJitter } from "../../_backoff.ts";
import type { KeyedRecord, Versioned } from "../adapter.ts";

/** The longest pause before a statement that PostgreSQL rolled back is run again, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** A parameter of a statement. Numbers are seconds or counts of rows. */
export type SqlParameter = string | number | null;

/** A row as an object, column name to value. Numbers may be strings or bigints. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement and returns its rows, an empty array if there are none. */
export type SqlQuery<Row = SqlRow> = (
  text: string,
  params: SqlParameter[],
) => PromiseLike<readonly Row[]> | readonly Row[];

/**
 * Runs a statement.
 *
 * @param action What is reported to have failed: `read record`.
 * @throws {Error} If the client throws; the cause is its error without the parameters.
 * @throws {TypeError} If the client does not return an array of objects.
 */
export type RunSql = (
  action: string,
  text: string,
  params?: readonly SqlParameter[],
) => Promise<readonly SqlRow[]>;

/**
 * Wraps a client's query function.
 *
 * @param shown How many of the first parameters may be logged. @default 1, the collection
 */
export function sqlRunner(query: SqlQuery<unknown>, shown = 1): RunSql {
  return async (action, text, params = []) => {
    let rows: readonly unknown[];
    try {
      rows = await queryWithRetry(query, text, params);
    } catch (error) {
      throw new Error(`Cannot ${action}: the database failed`, {
        cause: clientError(error, secretsOf(params.slice(shown))),
      });
    }
    // After a query that failed midway, postgres.js may return the next one's rows after holes (porsager/postgres#1181):
    // every() and filter() skip holes
    if (Array.isArray(rows) && rows.every(isRow)) return rows.filter(() => true);
    throw new TypeError(`Cannot ${action}: query must return an array of rows`);
  };
}

/** Above read committed, PostgreSQL rolls back one of two conflicting transactions, which must be run again. */
async function queryWithRetry(
  query: SqlQuery<unknown>,
  text: string,
  params: readonly SqlParameter[],
): Promise<readonly unknown[]> {
  for (let attempt = 1;; attempt++) {
    try {
      return await query(text, [...params]);
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const isRolledBack = code === "40001" || code === "40P01"; // serialization failure, deadlock
      if (!isRolledBack || attempt === MAX_CONFLICTS) throw error;
      const maxMs = Math.min(2 ** attempt, MAX_PAUSE_MS);
      await sleepWithJitter(maxMs / 2, maxMs);
    }
  }
}

function isRow(row: unknown): row is SqlRow {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/** The parameters that must not be logged. */
function secretsOf(params: readonly SqlParameter[]): readonly string[] {
  return params.filter((param) => typeof param === "string");
}

/** Whether PostgreSQL reported a violation of a unique index, after which nothing was written. */
export function isUniqueViolation(failure: unknown): boolean {
  const { cause } = Object(failure) as { readonly cause?: unknown };
  const { code } = Object(cause) as { readonly code?: unknown };
  return code === "23505";
}

/** Decodes a record. @throws {Error} If the row has another format. */
export function readVersioned(row: SqlRow): Versioned {
  const { version } = row;
  const expiresAt = readExpiresAt(row);
  const value = readValue(row);
  if (typeof version !== "string") throw invalidRow();
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

/** Decodes a record with its key. @throws {Error} If the row has another format. */
export function readKeyed(row: SqlRow): KeyedRecord {
  const { key } = row;
  if (typeof key !== "string") throw invalidRow();
  return { key, ...readVersioned(row) };
}

/** Decodes the value of a record. @throws {Error} If it is not JSON. */
export function readValue({ value }: SqlRow): unknown {
  if (typeof value !== "string") throw invalidRow();
  try {
    return JSON.parse(value);
  } catch {
    throw invalidRow(); // the message of JSON.parse() may quote the value
  }
}

/** Decodes the expiry of a record. Some clients return numbers as strings. @throws {Error} If it is not a number. */
export function readExpiresAt({ expires }: SqlRow): number | undefined {
  if (expires === null || expires === undefined) return undefined;
  const seconds = typeof expires === "string" && expires.trim() === "" ? NaN : Number(expires);
  if (!Number.isFinite(seconds)) throw invalidRow(); // the record would never expire
  return seconds;
}

function invalidRow(): Error {
  return new Error("Cannot read record: the row has an unknown format");
}
