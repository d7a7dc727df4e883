/**
 * How {@linkcode sqlAdapter} talks to a client: what it hands over, what it takes back, and what becomes of its errors.
 *
 * @module
 */

import { clientError } from "./_client_error.ts";
import { sleepWithJitter } from "../_backoff.ts";
import type { KeyedRecord, Versioned } from "./adapter.ts";

/** How often a statement is tried that PostgreSQL rolls back, and the longest pause between two, in milliseconds. */
const TRIES = 20;
const MAX_PAUSE_MS = 100;

/** What a statement gets. Numbers are seconds, and counts of rows. */
export type SqlParameter = string | number | null;

/** A row: an object by the names of its columns. Numbers may be text or bigint. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement, and gives its rows: an empty list if it has none to give. */
export type SqlQuery<Row = SqlRow> = (
  text: string,
  params: SqlParameter[],
) => PromiseLike<readonly Row[]> | readonly Row[];

/**
 * Runs a statement.
 *
 * @param doing What fails with it: `read record`.
 * @throws {Error} If the client throws; its error is the cause, without what was written.
 * @throws {TypeError} If what it gives is no array.
 */
export type RunSql = (
  doing: string,
  text: string,
  params?: readonly SqlParameter[],
) => Promise<readonly SqlRow[]>;

/** Makes what runs statements. */
export function sqlRunner(query: SqlQuery<unknown>): RunSql {
  return async (doing, text, params = []) => {
    let rows: readonly unknown[];
    try {
      rows = await queryAgain(query, text, params);
    } catch (error) {
      throw new Error(`Cannot ${doing}: the database failed`, {
        cause: clientError(error, textsOf(params)),
      });
    }
    if (Array.isArray(rows) && rows.every(isRow)) return rows;
    throw new TypeError(`Cannot ${doing}: query does not give an array of rows`);
  };
}

/** Above read committed, PostgreSQL rolls back one of two transactions that meet, and asks to do it again. */
async function queryAgain(
  query: SqlQuery<unknown>,
  text: string,
  params: readonly SqlParameter[],
): Promise<readonly unknown[]> {
  for (let tries = 1;; tries++) {
    try {
      return await query(text, [...params]);
    } catch (error) {
      const { code } = Object(error) as { readonly code?: unknown };
      const isRolledBack = code === "40001" || code === "40P01"; // serialization failure, deadlock
      if (!isRolledBack || tries === TRIES) throw error;
      const most = Math.min(2 ** tries, MAX_PAUSE_MS);
      await sleepWithJitter(most / 2, most);
    }
  }
}

function isRow(row: unknown): row is SqlRow {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/** What nobody must read in a log. The collection, which comes first, is no secret, nor are times and counts. */
function textsOf([, ...params]: readonly SqlParameter[]): readonly string[] {
  return params.filter((param) => typeof param === "string");
}

/**
 * Whether a statement failed because a unique index refused it, and so did nothing. PostgreSQL says so by a code, and by
 * the index's name in every language.
 */
export function isRefusedBy(index: string, failure: unknown): boolean {
  const { cause } = Object(failure) as { readonly cause?: unknown };
  const { code, message } = Object(cause) as Partial<Record<string, unknown>>;
  return code === "23505" || (typeof message === "string" && message.includes(index));
}

/** Reads a record. @throws {Error} If the row is not one that was written here. */
export function readVersioned(row: SqlRow): Versioned {
  const { version } = row;
  const expiresAt = readEnd(row);
  const value = readValue(row);
  if (typeof version !== "string") throw misread();
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

/** Reads a record with its key. @throws {Error} If the row is not one that was written here. */
export function readKeyed(row: SqlRow): KeyedRecord {
  const { key } = row;
  if (typeof key !== "string") throw misread();
  return { key, ...readVersioned(row) };
}

/** Reads the value of a record. @throws {Error} If it is not JSON. */
export function readValue({ value }: SqlRow): unknown {
  if (typeof value !== "string") throw misread();
  try {
    return JSON.parse(value);
  } catch {
    throw misread(); // the parser's own message quotes the value
  }
}

/** Reads when a record ends. Some clients give numbers as text. @throws {Error} If it is no number. */
export function readEnd({ expires }: SqlRow): number | undefined {
  if (expires === null || expires === undefined) return undefined;
  const seconds = typeof expires === "string" && expires.trim() === "" ? NaN : Number(expires);
  if (!Number.isFinite(seconds)) throw misread(); // it would stay for ever
  return seconds;
}

function misread(): Error {
  return new Error("Cannot read record: the row is not as it was written");
}
