/**
 * Writes of {@linkcode sqlAdapter} that other records may stand in the way of.
 *
 * Each write is one statement that does all or nothing, and says by its row whether it did. If it did not, a look at who
 * holds the key and the unique text says why; what has ended is removed, and the write is tried again.
 *
 * @module
 */

import { randomId } from "../_random.ts";
import {
  isRefusedBy,
  readEnd,
  type RunSql,
  type SqlParameter,
  type SqlRow,
} from "./_sql_client.ts";
import type { SqlStatements } from "./_sql_statements.ts";
import { encodeRecord, isExpired } from "./_records.ts";
import type { CasResult, StoredRecord } from "./adapter.ts";

/** How often a write meets others that have gone when it looks, before it gives up. */
const TRIES = 16;

/** A record, and what it replaces. */
export interface SqlWrite {
  readonly collection: string;
  readonly key: string;
  readonly next: StoredRecord;
  /** The version that was read; `null` if there was none, `undefined` if it does not matter. */
  readonly expected?: string | null;
  readonly now: number;
}

/** What writes need. */
export interface SqlWriter {
  readonly run: RunSql;
  readonly statements: SqlStatements;
}

/**
 * Writes a record.
 *
 * @returns Why not, if it did not: `lost` if what is there is not what was read, `taken` if another one has its `unique`.
 * @throws {Error} If the database fails. If it failed after it had written, nobody knows here; it is not tried again.
 */
export async function writeRecord(writer: SqlWriter, write: SqlWrite): Promise<CasResult> {
  const { collection, key, next, now } = write;
  const { text, expiresAt = null, unique = null, index: [first = null, second = null] } =
    encodeRecord(next);
  const version = randomId();
  const columns = [collection, key, text, version, expiresAt, unique, first, second];
  for (let tries = 0; tries < TRIES; tries++) {
    const { written, failure } = await tryWrite(writer, write, columns);
    if (written) return { status: "ok", version };
    const { mine, other } = await findHolders(writer, { collection, key, unique }, failure);
    if (isLost(mine, write)) return { status: "lost" };
    if (other === undefined) continue;
    if (!isExpired(readEnd(other), now)) return { status: "taken" };
    await writer.run("remove record", writer.statements.removeEnded, [
      collection,
      String(other.key),
      now,
      String(other.version),
    ]);
  }
  return { status: "lost" };
}

/** Whether it was written. A failure is kept if it may have been another's unique text that the index refused. */
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
    return { written: (await run("keep record", text, params)).length > 0 };
  } catch (failure) {
    if (unique === undefined) throw failure;
    return isRefusedBy(statements.uniqueIndex, failure)
      ? { written: false }
      : { written: false, failure };
  }
}

/**
 * Who has the key, and who else has the unique text. After a failure that no one understands, another holder is the proof
 * that nothing was written; without one it goes on as it came, because it may have been.
 */
async function findHolders(
  { run, statements }: SqlWriter,
  { collection, key, unique }: Record<"collection" | "key", string> & { unique: string | null },
  failure: unknown,
): Promise<{ readonly mine: SqlRow | undefined; readonly other: SqlRow | undefined }> {
  const looked = run("read record", statements.holders, [collection, key, unique]);
  const rows = failure === undefined ? await looked : await looked.catch(() => []);
  const other = rows.find((row) => row.key !== key);
  if (failure !== undefined && other === undefined) throw failure;
  return { mine: rows.find((row) => row.key === key), other };
}

/** Whether something else is there than what was read. */
function isLost(mine: SqlRow | undefined, { expected, now }: SqlWrite): boolean {
  if (expected === undefined) return false;
  const there = mine === undefined || isExpired(readEnd(mine), now) ? null : mine.version;
  return there !== expected;
}
