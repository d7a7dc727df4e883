/**
 * How records in Deno KV are written: the current entries are read, and the record changes with all of its index entries in
 * one commit that depends on every entry that was read.
 *
 * @module
 */

import { type KvCalls, kvCalls } from "./_kv_retry.ts";
import {
  decodeKvRecord,
  encodeKvRecord,
  expiry,
  fitsKey,
  indexKeys,
  type KvContext,
  type KvRecord,
  recordKey,
  requireKeys,
  uniqueKey,
} from "./_kv_layout.ts";
import { randomId } from "../../_random.ts";
import { type EncodedRecord, isExpired } from "../_records.ts";
import type { CasResult } from "../adapter.ts";
import type { DenoKvAtomic, DenoKvEntry, DenoKvKey } from "./kv_types.ts";

/** A change of one record. */
export interface KvChange {
  readonly collection: string;
  readonly key: string;
  /** The version required, `null` for no record. Without this member any; as `undefined` one that no record has. */
  readonly expected?: string | null;
  /** The new record; `null` deletes. */
  readonly next: EncodedRecord | null;
}

/** The result of a change. */
export interface KvChanged {
  readonly result: CasResult;
  /** The former record, unless it had expired. */
  readonly before: KvRecord | null;
}

/** A change with all keys and values that it sets. */
interface Prepared extends KvChange {
  readonly at: DenoKvKey;
  readonly uniqueAt?: DenoKvKey | undefined;
  readonly indexAt: readonly DenoKvKey[];
  readonly bytes?: Uint8Array;
  /** Stored in the record to recognize this write. */
  readonly writer: string;
}

/** One attempt, and the operation that it commits. */
interface Attempt {
  readonly context: KvContext;
  readonly calls: KvCalls;
  readonly change: Prepared;
  readonly atomic: DenoKvAtomic;
  readonly time: number;
}

const NOTHING_DELETED: KvChanged = { result: { status: "ok", version: "" }, before: null };

/**
 * Writes or deletes a record and its index entries.
 *
 * Writers of one record in this process take turns: all but one of those that start from the same version would conflict,
 * and a hundred of them would make thousands of commits that fail.
 *
 * @throws {RangeError} If the record exceeds a limit of Deno KV.
 */
export async function changeRecord(context: KvContext, change: KvChange): Promise<KvChanged> {
  const calls = kvCalls(context, `Cannot ${change.next === null ? "delete" : "write"} record`);
  const prepared = prepare(context, change);
  return await context.mutex(JSON.stringify(prepared.at), async () => {
    for (;;) {
      const changed = await attempt(context, calls, prepared);
      if (changed !== null) return changed;
    }
  });
}

function prepare({ prefix }: KvContext, change: KvChange): Prepared {
  const { collection, key, next } = change;
  const at = recordKey(prefix, collection, key);
  const writer = randomId();
  if (next === null) return { ...change, at, indexAt: [], writer };
  const { unique } = next;
  const uniqueAt = unique === undefined ? undefined : uniqueKey(prefix, collection, unique);
  const indexAt = indexKeys(prefix, { collection, key, index: next.index });
  requireKeys([at, ...(uniqueAt === undefined ? [] : [uniqueAt]), ...indexAt]);
  return { ...change, at, uniqueAt, indexAt, bytes: encodeKvRecord(next, writer), writer };
}

/** Makes a change. @returns `null` if an entry that was read for it changed in the meantime. */
async function attempt(
  context: KvContext,
  calls: KvCalls,
  change: Prepared,
): Promise<KvChanged | null> {
  const { at, uniqueAt, expected, next, key, writer } = change;
  const [found, holder] = fitsKey(at)
    ? await calls.read(at, ...(uniqueAt === undefined ? [] : [uniqueAt]))
    : [];
  const time = context.now();
  const old = found === undefined ? null : decodeKvRecord(found);
  const before = old === null || isExpired(old.expiresAt, time) ? null : old;
  // Deno repeats a commit to a remote database after a lost response, and then the first one conflicts with the second
  if (old?.writer === writer) {
    return { result: { status: "ok", version: old.versionstamp }, before: null };
  }
  if ("expected" in change && expected !== (before?.versionstamp ?? null)) {
    return { result: { status: "lost" }, before };
  }
  if (old === null && next === null) return NOTHING_DELETED;
  const atomic = context.kv.atomic();
  const attempted: Attempt = { context, calls, change, atomic, time };
  atomic.check({ key: at, versionstamp: old?.versionstamp ?? null });
  if (old !== null) await deleteIndexEntries(attempted, old);
  if (uniqueAt !== undefined && holder !== undefined) {
    atomic.check({ key: uniqueAt, versionstamp: holder.versionstamp });
    const other = holder.versionstamp !== null && holder.value !== key;
    if (other && !(await deleteExpiredHolder(attempted, holder))) {
      return { result: { status: "taken" }, before };
    }
  }
  setEntries(attempted);
  const version = await calls.commit(atomic);
  if (version === null) return null;
  return { result: { status: "ok", version: next === null ? "" : version }, before };
}

/** Deletes the index entries of the former record that the new one does not have. */
async function deleteIndexEntries(
  { context: { prefix }, calls, atomic, change }: Attempt,
  old: KvRecord,
): Promise<void> {
  const { collection, key, indexAt, next } = change;
  const retained = new Set(indexAt.map((each) => JSON.stringify(each)));
  for (const each of indexKeys(prefix, { collection, key, index: old.index })) {
    if (!retained.has(JSON.stringify(each))) atomic.delete(each);
  }
  if (old.unique === undefined || old.unique === next?.unique) return;
  const uniqueAt = uniqueKey(prefix, collection, old.unique);
  const [holder] = await calls.read(uniqueAt);
  // Deno KV may have purged it before the expired record, and another record may have the unique value now
  if (holder?.value !== key) return;
  atomic.check({ key: uniqueAt, versionstamp: holder.versionstamp });
  atomic.delete(uniqueAt);
}

/**
 * Deletes the expired record that holds a unique value; otherwise a process with a slower clock would find two records with
 * it.
 *
 * @returns Whether the unique value is free.
 */
async function deleteExpiredHolder(
  { context: { prefix }, calls, atomic, change: { collection, next }, time }: Attempt,
  holder: DenoKvEntry,
): Promise<boolean> {
  const key = `${holder.value}`;
  const at = recordKey(prefix, collection, key);
  const [found] = await calls.read(at);
  const other = found === undefined ? null : decodeKvRecord(found);
  atomic.check({ key: at, versionstamp: other?.versionstamp ?? null });
  if (other === null || other.unique !== next?.unique) return true;
  if (!isExpired(other.expiresAt, time)) return false;
  atomic.delete(at);
  for (const each of indexKeys(prefix, { collection, key, index: other.index })) {
    atomic.delete(each);
  }
  return true;
}

/** Sets every entry, also those that exist: all of them must have the record's expiry. */
function setEntries({ atomic, time, change }: Attempt): void {
  const { at, uniqueAt, indexAt, bytes, key, next } = change;
  if (next === null) {
    atomic.delete(at);
    return;
  }
  const options = expiry(next.expiresAt, time);
  atomic.set(at, bytes, options);
  if (uniqueAt !== undefined) atomic.set(uniqueAt, key, options);
  for (const each of indexAt) atomic.set(each, true, options);
}
