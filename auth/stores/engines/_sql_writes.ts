/**
 * Writes of {@linkcode sqlAdapter} that may conflict with other records.
 *
 * Each write is one statement that returns a row if it wrote. If it did not, a second statement reads the records that hold
 * the key and the unique value: it tells the reason, or that they are gone. An expired holder is deleted and the write is
 * retried.
 *
 * @module
 */

import { MAX_CONFLICTS, sleepWithJitter } from "../../_backoff.ts";
import { randomId } from "../../_random.ts";
import {
  isUniqueViolation,
  readExpiresAt,
  type RunSql,
  type SqlParameter,
  type SqlRow,
} from "./_sql_client.ts";
import type { SqlStatements } from "./_sql_statements.ts";
import { encodeRecord, isExpired } from "../_records.ts";
import type { CasResult, StoredRecord } from "../adapter.ts";

/** The longest pause before a retry, in milliseconds. */
const MAX_PAUSE_MS = 32;

/** A record, and the version that it replaces. */
export interface SqlWrite {
  readonly collection: string;
  readonly key: string;
  readonly next: StoredRecord;
  /** The version required, `null` for no record, `undefined` for any. */
  readonly expected?: string | null;
  readonly now: number;
}

/** Dependencies of writes. */
export interface SqlWriter {
  readonly run: RunSql;
  readonly statements: SqlStatements;
}

/**
 * Writes a record.
 *
 * @returns `lost` if the current version is not the expected one, `taken` if another record has the unique value.
 * @throws {Error} If the database fails. Whether the record was written is unknown then, so the write is not retried.
 */
export async function writeRecord(writer: SqlWriter, write: SqlWrite): Promise<CasResult> {
  const { collection, key, next, now } = write;
  const { text, expiresAt = null, unique = null, index: [first = null, second = null] } =
    encodeRecord(next);
  const version = randomId();
  const columns = [collection, key, text, version, expiresAt, unique, first, second];
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    // Usually the first conflict is with an expired record, which is deleted by now
    if (conflicts > 1) await sleepWithJitter(1, Math.min(2 ** conflicts, MAX_PAUSE_MS));
    const { written, failure } = await tryWrite(writer, write, columns);
    if (written) return { status: "ok", version };
    const { mine, other } = await findHolders(writer, { collection, key, unique }, failure);
    if (isLost(mine, write)) return { status: "lost" };
    if (other === undefined) continue;
    if (!isExpired(readExpiresAt(other), now)) return { status: "taken" };
    await writer.run("delete record", writer.statements.deleteExpired, [
      collection,
      String(other.key),
      now,
      String(other.version),
    ]);
  }
  throw new Error("Cannot write record: too many conflicts");
}

/** Tries to write. A failure is returned if it may be a violation of the unique index. */
async function tryWrite(
  { run, statements }: SqlWriter,
  { expected, next: { unique }, now }: SqlWrite,
  columns: readonly SqlParameter[],
): Promise<{ readonly written: boolean; readonly failure?: unknown }> {
  const [text, params] = expected === undefined
    ? [statements.put, columns]
    : expected === null
    ? [statements.create, [...columns, now]]
    : [statements.update, [...columns, now, expected]];
  try {
    return { written: (await run("write record", text, params)).length > 0 };
  } catch (failure) {
    if (unique === undefined) throw failure;
    return isUniqueViolation(failure) ? { written: false } : { written: false, failure };
  }
}

/**
 * Reads the holder of the key, and another holder of the unique value. After a failure of unknown cause another holder proves
 * that nothing was written; without one the failure is rethrown, because the record may have been written.
 */
async function findHolders(
  { run, statements }: SqlWriter,
  { collection, key, unique }: Record<"collection" | "key", string> & { unique: string | null },
  failure: unknown,
): Promise<{ readonly mine: SqlRow | undefined; readonly other: SqlRow | undefined }> {
  const read = run("read record", statements.holders, [collection, key, unique]);
  const rows = failure === undefined ? await read : await read.catch(() => []);
  const other = rows.find((row) => row.key !== key);
  if (failure !== undefined && other === undefined) throw failure;
  return { mine: rows.find((row) => row.key === key), other };
}

/** Whether the current version is not the expected one. */
function isLost(mine: SqlRow | undefined, { expected, now }: SqlWrite): boolean {
  if (expected === undefined) return false;
  const current = mine === undefined || isExpired(readExpiresAt(mine), now) ? null : mine.version;
  return current !== expected;
}
