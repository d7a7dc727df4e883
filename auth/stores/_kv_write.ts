/**
 * The one way in which records in Deno KV change: what there is is read, and everything about the record is written in one
 * commit that fails if any of it is no longer so.
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
  type KvPlace,
  type KvRecord,
  recordKey,
  requireKeys,
  uniqueKey,
} from "./_kv_layout.ts";
import { randomId } from "../_random.ts";
import { type EncodedRecord, isExpired } from "./_records.ts";
import type { CasResult } from "./adapter.ts";
import type { DenoKvAtomic, DenoKvEntry, DenoKvKey } from "./kv_types.ts";

/** A record to change. */
export interface KvChange {
  readonly collection: string;
  readonly key: string;
  /** The version that must be there, `null` for none; without this member, any. `undefined` is none that can be there. */
  readonly expected?: string | null;
  /** What is to be there; `null` for nothing. */
  readonly next: EncodedRecord | null;
}

/** What came of it. */
export interface KvChanged {
  readonly result: CasResult;
  /** The record that was there, unless it had ended. */
  readonly before: KvRecord | null;
}

/** A change, with all keys and values that it sets. */
interface Prepared extends KvChange {
  readonly at: DenoKvKey;
  readonly uniqueAt?: DenoKvKey | undefined;
  readonly indexAt: readonly DenoKvKey[];
  readonly bytes?: Uint8Array;
  /** Names this write in the record. */
  readonly writer: string;
}

/** One try, and what it is going to commit. */
interface Attempt {
  readonly place: KvPlace;
  readonly calls: KvCalls;
  readonly change: Prepared;
  readonly atomic: DenoKvAtomic;
  readonly time: number;
}

const NOTHING_THERE: KvChanged = { result: { status: "ok", version: "" }, before: null };

/**
 * Writes or removes a record, with all that finds it.
 *
 * @throws {RangeError} If Deno KV has no room for the record.
 */
export async function changeRecord(place: KvPlace, change: KvChange): Promise<KvChanged> {
  const removes = change.next === null;
  const calls = kvCalls(place, removes ? "Cannot remove record" : "Cannot keep record");
  const prepared = prepare(place, change);
  for (;;) {
    const changed = await attempt(place, calls, prepared);
    if (changed !== null) return changed;
  }
}

function prepare({ prefix }: KvPlace, change: KvChange): Prepared {
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

/** Makes a change if nothing that was read for it changes meanwhile: `null` if something did. */
async function attempt(
  place: KvPlace,
  calls: KvCalls,
  change: Prepared,
): Promise<KvChanged | null> {
  const { at, uniqueAt, expected, next, key, writer } = change;
  const [found, holder] = fitsKey(at)
    ? await calls.read(at, ...(uniqueAt === undefined ? [] : [uniqueAt]))
    : [];
  const time = place.now();
  const old = found === undefined ? null : decodeKvRecord(found);
  const before = old === null || isExpired(old.expiresAt, time) ? null : old;
  // Deno sends a commit to a remote database again where the answer was lost, and then the first one fails the second
  if (old?.writer === writer) {
    return { result: { status: "ok", version: old.versionstamp }, before: null };
  }
  if ("expected" in change && expected !== (before?.versionstamp ?? null)) {
    return { result: { status: "lost" }, before };
  }
  if (old === null && next === null) return NOTHING_THERE;
  const atomic = place.kv.atomic();
  const tried: Attempt = { place, calls, change, atomic, time };
  atomic.check({ key: at, versionstamp: old?.versionstamp ?? null });
  if (old !== null) await deleteIndexEntries(tried, old);
  if (uniqueAt !== undefined && holder !== undefined) {
    atomic.check({ key: uniqueAt, versionstamp: holder.versionstamp });
    const other = holder.versionstamp !== null && holder.value !== key;
    if (other && !(await dropEnded(tried, holder))) return { result: { status: "taken" }, before };
  }
  setAll(tried);
  const version = await calls.commit(atomic);
  if (version === null) return null;
  return { result: { status: "ok", version: next === null ? "" : version }, before };
}

/** Removes what finds a record as it was, and is not going to. */
async function deleteIndexEntries(
  { place: { prefix }, calls, atomic, change }: Attempt,
  old: KvRecord,
): Promise<void> {
  const { collection, key, indexAt, next } = change;
  const staying = new Set(indexAt.map((each) => JSON.stringify(each)));
  for (const each of indexKeys(prefix, { collection, key, index: old.index })) {
    if (!staying.has(JSON.stringify(each))) atomic.delete(each);
  }
  if (old.unique === undefined || old.unique === next?.unique) return;
  const uniqueAt = uniqueKey(prefix, collection, old.unique);
  const [holder] = await calls.read(uniqueAt);
  // If Deno KV has removed it before the record that ended, it may be another one's by now
  if (holder?.value !== key) return;
  atomic.check({ key: uniqueAt, versionstamp: holder.versionstamp });
  atomic.delete(uniqueAt);
}

/**
 * Removes the record that had a unique text until it ended, so that no clock that is behind finds two that have it.
 *
 * @returns Whether the text is free.
 */
async function dropEnded(
  { place: { prefix }, calls, atomic, change: { collection, next }, time }: Attempt,
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

/** Sets everything anew, for it is to end with the record, or not at all. */
function setAll({ atomic, time, change }: Attempt): void {
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
