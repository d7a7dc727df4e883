/**
 * How records in Deno KV are read: by key, by unique value and by indexed value.
 *
 * @module
 */

import { type KvCalls, kvCalls } from "./_kv_retry.ts";
import {
  decodeKvRecord,
  fitsKey,
  indexPrefix,
  type KvContext,
  type KvRecord,
  recordKey,
  uniqueKey,
} from "./_kv_layout.ts";
import { isExpired } from "../_records.ts";
import type { KeyedRecord, ListRecordsOptions, Versioned } from "../adapter.ts";
import type { DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** Deno KV's limit for the keys of one read. */
const MAX_KEYS = 10;

/** Index entries that are read at once. */
const PAGE = 100;

/** Reads a record by its key. */
export async function getRecord(
  context: KvContext,
  collection: string,
  key: string,
): Promise<Versioned | null> {
  const found = await readCurrent(context, kvCalls(context, "Cannot read record"), {
    collection,
    key,
  });
  return found === null ? null : versioned(found);
}

/** Reads a record by its unique value. */
export async function findRecord(
  context: KvContext,
  collection: string,
  unique: string,
): Promise<KeyedRecord | null> {
  const at = uniqueKey(context.prefix, collection, unique);
  if (!fitsKey(at)) return null;
  const calls = kvCalls(context, "Cannot read record");
  const [holder] = await calls.read(at);
  if (typeof holder?.value !== "string") return null;
  const found = await readCurrent(context, calls, { collection, key: holder.value });
  // If the unique value moved to another record between the reads, there was a moment when no record had it
  return found?.unique === unique ? { key: holder.value, ...versioned(found) } : null;
}

/** Arguments of {@linkcode listRecords}. */
export interface KvListing extends ListRecordsOptions {
  readonly collection: string;
  readonly index: 0 | 1;
  readonly value: string;
}

/**
 * Reads records by an indexed value.
 *
 * @throws {RangeError} If `after` exceeds the limit for a key.
 */
export async function listRecords(
  context: KvContext,
  listing: KvListing,
): Promise<readonly KeyedRecord[]> {
  const { limit = Infinity, reverse = false } = listing;
  const prefix = indexPrefix(context.prefix, listing);
  const calls = kvCalls(context, "Cannot list records");
  const found: KeyedRecord[] = [];
  let { after } = listing;
  let more = fitsKey(prefix);
  while (more && found.length < limit) {
    const size = Math.min(PAGE, Math.max(MAX_KEYS, limit - found.length));
    const keys = await readPage(calls, { prefix, after, reverse, size });
    const records = await readAll(context, calls, { listing, keys });
    found.push(...records.slice(0, limit - found.length));
    more = keys.length === size;
    after = keys.at(-1);
  }
  return found;
}

/** Reads the keys of an index that come after another key. */
async function readPage(
  calls: KvCalls,
  { prefix, after, reverse, size }: {
    readonly prefix: DenoKvKey;
    readonly after: string | undefined;
    readonly reverse: boolean;
    readonly size: number;
  },
): Promise<readonly string[]> {
  const range = rangeAfter(prefix, after, reverse);
  // One more than requested: `start` is inclusive
  const entries = await calls.readRange(range, { limit: size + 1, reverse });
  return entries.map(({ key }) => `${key.at(-1)}`).filter((key) => key !== after).slice(0, size);
}

function rangeAfter(prefix: DenoKvKey, after: string | undefined, reverse: boolean): DenoKvRange {
  if (after === undefined) return { prefix };
  const boundary = [...prefix, after];
  if (!fitsKey(boundary)) {
    throw new RangeError("Cannot list records: after exceeds Deno KV's limit of 2 KiB");
  }
  return reverse ? { prefix, end: boundary } : { prefix, start: boundary };
}

/** Reads records by their keys, without those that have expired or no longer have the indexed value. */
async function readAll(
  context: KvContext,
  calls: KvCalls,
  { listing: { collection, index, value }, keys }: {
    readonly listing: KvListing;
    readonly keys: readonly string[];
  },
): Promise<readonly KeyedRecord[]> {
  const groups: (readonly string[])[] = [];
  for (let at = 0; at < keys.length; at += MAX_KEYS) groups.push(keys.slice(at, at + MAX_KEYS));
  const read = await Promise.all(groups.map(async (group) => {
    const ats = group.map((key) => recordKey(context.prefix, collection, key));
    return await calls.read(...ats);
  }));
  const now = context.now();
  return read.flat().flatMap((entry, at) => {
    const record = decodeKvRecord(entry);
    if (record === null || record.index[index] !== value) return [];
    if (isExpired(record.expiresAt, now)) return [];
    return [{ key: keys[at] ?? "", ...versioned(record) }];
  });
}

async function readCurrent(
  { prefix, now }: KvContext,
  calls: KvCalls,
  { collection, key }: { readonly collection: string; readonly key: string },
): Promise<KvRecord | null> {
  const at = recordKey(prefix, collection, key);
  if (!fitsKey(at)) return null;
  const [entry] = await calls.read(at);
  const record = entry === undefined ? null : decodeKvRecord(entry);
  return record === null || isExpired(record.expiresAt, now()) ? null : record;
}

function versioned({ value, versionstamp, expiresAt }: KvRecord): Versioned {
  const read = { value, version: versionstamp };
  return expiresAt === undefined ? read : { ...read, expiresAt };
}
