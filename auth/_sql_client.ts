/**
 * How {@linkcode sqlAdapter} talks to a client: what it hands over, what it takes back, and what becomes of its errors.
 *
 * @module
 */

import { randomBytes } from "./_random.ts";
import type { KeyedRecord, Versioned } from "./storage_adapter.ts";

/** How often a statement is tried that PostgreSQL undoes, and the longest pause between two, in milliseconds. */
const TRIES = 20;
const MAX_PAUSE_MS = 100;

/** A text that may happen to be a part of a word, in characters. */
const SHORT_LENGTH = 16;

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
        cause: withoutValues(error, params),
      });
    }
    if (Array.isArray(rows) && rows.every(isRow)) return rows;
    throw new TypeError(`Cannot ${doing}: query does not give an array of rows`);
  };
}

/** Under a stricter level than read committed PostgreSQL undoes one of two that meet, and asks to do it again. */
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
      const isUndone = code === "40001" || code === "40P01"; // serialization failure, deadlock
      if (!isUndone || tries === TRIES) throw error;
      await pause(Math.min(2 ** tries, MAX_PAUSE_MS));
    }
  }
}

/** Waits half of a time or up to all of it, so that those who met do not meet again. */
export function pause(ms: number): Promise<void> {
  const [random = 0] = randomBytes(1);
  return new Promise((resolve) => setTimeout(resolve, ms / 2 * (1 + random / 256)));
}

function isRow(row: unknown): row is SqlRow {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/**
 * What a client says went wrong, for logs. Its error may hold what was written, in fields of its own (`detail`,
 * `parameters`) or in the message: of the fields only the code stays.
 */
function withoutValues(error: unknown, params: readonly SqlParameter[]): Error {
  const { name, message, code } = Object(error) as Partial<Record<string, unknown>>;
  const clean = new Error(hideTexts(typeof message === "string" ? message : "", params));
  if (typeof name === "string") clean.name = name;
  return typeof code === "string" || typeof code === "number"
    ? Object.assign(clean, { code })
    : clean;
}

/** The collection, which comes first, is no secret. The longest first: one may be a part of another. */
function hideTexts(message: string, [, ...params]: readonly SqlParameter[]): string {
  return params
    .filter((param) => typeof param === "string" && param !== "")
    .flatMap((param) => [String(param), JSON.stringify(param).slice(1, -1)])
    .sort((one, other) => other.length - one.length)
    .reduce(hideText, message);
}

/** Hides a text, but a short one not within a word, where it is something else. */
function hideText(message: string, text: string): string {
  if (text.length > SHORT_LENGTH) return message.replaceAll(text, "***");
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return message.replace(new RegExp(`(?<!\\w)${escaped}(?!\\w)`, "gu"), "***");
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
