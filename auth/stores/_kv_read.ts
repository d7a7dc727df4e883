/**
 * How records in Deno KV are read: by their key, by a text that one has, and by a text that many have.
 *
 * @module
 */

import { type KvCalls, kvCalls } from "./_kv_retry.ts";
import {
  decodeKvRecord,
  fitsKey,
  indexPrefix,
  type KvPlace,
  type KvRecord,
  recordKey,
  uniqueKey,
} from "./_kv_layout.ts";
import { isExpired } from "./_records.ts";
import type { KeyedRecord, ListRecordsOptions, Versioned } from "./adapter.ts";
import type { DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** How many keys Deno KV reads at once. */
const MOST_KEYS = 10;

/** How many entries of an index are read at once. */
const PAGE = 100;

/** Reads the record of a key. */
export async function getRecord(
  place: KvPlace,
  collection: string,
  key: string,
): Promise<Versioned | null> {
  const found = await readLiving(place, kvCalls(place, "Cannot read record"), {
    collection,
    key,
  });
  return found === null ? null : versioned(found);
}

/** Reads the record that has a text. */
export async function findRecord(
  place: KvPlace,
  collection: string,
  unique: string,
): Promise<KeyedRecord | null> {
  const at = uniqueKey(place.prefix, collection, unique);
  if (!fitsKey(at)) return null;
  const calls = kvCalls(place, "Cannot read record");
  const [holder] = await calls.read(at);
  if (typeof holder?.value !== "string") return null;
  const found = await readLiving(place, calls, { collection, key: holder.value });
  // If the text has gone to another record meanwhile, there was a time when none had it
  return found?.unique === unique ? { key: holder.value, ...versioned(found) } : null;
}

/** What {@linkcode listRecords} looks for. */
export interface KvListing extends ListRecordsOptions {
  readonly collection: string;
  readonly index: 0 | 1;
  readonly text: string;
}

/**
 * Reads records by a text of an index.
 *
 * @throws {RangeError} If `after` is too large to be a key.
 */
export async function listRecords(
  place: KvPlace,
  listing: KvListing,
): Promise<readonly KeyedRecord[]> {
  const { limit = Infinity, reverse = false } = listing;
  const prefix = indexPrefix(place.prefix, listing);
  const calls = kvCalls(place, "Cannot list records");
  const found: KeyedRecord[] = [];
  let { after } = listing;
  let more = fitsKey(prefix);
  while (more && found.length < limit) {
    const size = Math.min(PAGE, Math.max(MOST_KEYS, limit - found.length));
    const keys = await readPage(calls, { prefix, after, reverse, size });
    const records = await readAll(place, calls, { listing, keys });
    found.push(...records.slice(0, limit - found.length));
    more = keys.length === size;
    after = keys.at(-1);
  }
  return found;
}

/** Reads keys of an index that are behind another one. */
async function readPage(
  calls: KvCalls,
  { prefix, after, reverse, size }: {
    readonly prefix: DenoKvKey;
    readonly after: string | undefined;
    readonly reverse: boolean;
    readonly size: number;
  },
): Promise<readonly string[]> {
  const range = rangeBehind(prefix, after, reverse);
  // One more than asked for: `start` is a part of the range
  const entries = await calls.readRange(range, { limit: size + 1, reverse });
  return entries.map(({ key }) => `${key.at(-1)}`).filter((key) => key !== after).slice(0, size);
}

function rangeBehind(prefix: DenoKvKey, after: string | undefined, reverse: boolean): DenoKvRange {
  if (after === undefined) return { prefix };
  const boundary = [...prefix, after];
  if (!fitsKey(boundary)) {
    throw new RangeError("Cannot list records: after is larger than Deno KV's 2 KiB");
  }
  return reverse ? { prefix, end: boundary } : { prefix, start: boundary };
}

/** Reads the records of keys: those that have not ended, and still have the text. */
async function readAll(
  place: KvPlace,
  calls: KvCalls,
  { listing: { collection, index, text }, keys }: {
    readonly listing: KvListing;
    readonly keys: readonly string[];
  },
): Promise<readonly KeyedRecord[]> {
  const groups: (readonly string[])[] = [];
  for (let at = 0; at < keys.length; at += MOST_KEYS) groups.push(keys.slice(at, at + MOST_KEYS));
  const read = await Promise.all(groups.map(async (group) => {
    const ats = group.map((key) => recordKey(place.prefix, collection, key));
    return await calls.read(...ats);
  }));
  const now = place.now();
  return read.flat().flatMap((entry, at) => {
    const record = decodeKvRecord(entry);
    if (record === null || record.index[index] !== text) return [];
    if (isExpired(record.expiresAt, now)) return [];
    return [{ key: keys[at] ?? "", ...versioned(record) }];
  });
}

async function readLiving(
  { prefix, now }: KvPlace,
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
