/**
 * How records are stored in Deno KV: keys and value encoding.
 *
 * | key | value |
 * | --- | --- |
 * | …prefix, `record`, collection, key | the record |
 * | …prefix, `unique`, collection, unique value | the key of the record that has it |
 * | …prefix, `index`, collection, `0` or `1`, indexed value, key | `true` |
 *
 * @module
 */

import type { KeyedMutex } from "../_keyed_mutex.ts";
import { type EncodedRecord, purgeAfter } from "../_records.ts";
import type { DenoKv, DenoKvEntry, DenoKvKey } from "./kv_types.ts";

/** Deno KV's limit for a value, in bytes. */
const MAX_VALUE = 65_536;

/** Deno KV's limit for a key, in bytes: each part is stored with a type byte before it and a terminator after it. */
const MAX_KEY = 2_048;

/** A thousand years, in milliseconds. Deno KV rejects a larger `expireIn`, so such a record never expires there. */
const MAX_EXPIRE_IN = 31_557_600_000_000;

const ENCODER = /* @__PURE__ */ new TextEncoder();
const DECODER = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/** What the operations of one adapter share. */
export interface KvContext {
  readonly kv: DenoKv;
  /** Runs the writes of one record one after another. */
  readonly mutex: KeyedMutex;
  readonly prefix: readonly string[];
  readonly now: () => number;
}

/** A record as it was read. */
export interface KvRecord extends Omit<EncodedRecord, "text"> {
  readonly value: unknown;
  readonly versionstamp: string;
  /** Identifies the write that made this version. */
  readonly writer: string;
}

/** The key of a record. */
export function recordKey(prefix: DenoKvKey, collection: string, key: string): DenoKvKey {
  return [...prefix, "record", collection, key];
}

/** The key of a unique value. */
export function uniqueKey(prefix: DenoKvKey, collection: string, unique: string): DenoKvKey {
  return [...prefix, "unique", collection, unique];
}

/** The prefix of all index entries of an indexed value. */
export function indexPrefix(
  prefix: DenoKvKey,
  { collection, index, value }: {
    readonly collection: string;
    readonly index: 0 | 1;
    readonly value: string;
  },
): DenoKvKey {
  return [...prefix, "index", collection, `${index}`, value];
}

/** The keys of a record's index entries. */
export function indexKeys(
  prefix: DenoKvKey,
  { collection, key, index: values }: {
    readonly collection: string;
    readonly key: string;
    readonly index: EncodedRecord["index"];
  },
): readonly DenoKvKey[] {
  return ([0, 1] as const).flatMap((index) => {
    const value = values[index];
    return value === undefined ? [] : [[...indexPrefix(prefix, { collection, index, value }), key]];
  });
}

/** Whether a key is within Deno KV's limit. Deno KV throws on a longer one, even when it is only read. */
export function fitsKey(key: DenoKvKey): boolean {
  const upperBound = key.reduce((size, part) => size + part.length * 3 + 2, 0);
  if (upperBound <= MAX_KEY) return true;
  return key.reduce((size, part) => size + ENCODER.encode(part).length + 2, 0) <= MAX_KEY;
}

/** Checks that keys can be set. @throws {RangeError} If one is too long. */
export function requireKeys(keys: readonly DenoKvKey[]): void {
  if (keys.every(fitsKey)) return;
  throw new RangeError(
    "Cannot write record: its key, unique or indexed value exceeds Deno KV's limit of 2 KiB",
  );
}

/**
 * Encodes a record as bytes. If the object itself were set, Deno KV would count two bytes for every character of a string
 * that has one beyond Latin-1, and no limit in bytes of UTF-8 could be documented.
 *
 * @throws {RangeError} If the record is too large.
 */
export function encodeKvRecord(
  { text, expiresAt, unique, index }: EncodedRecord,
  writer: string,
): Uint8Array {
  const rest = JSON.stringify({ writer, index, expiresAt, unique });
  const bytes = ENCODER.encode(`{"value":${text},${rest.slice(1)}`);
  if (bytes.length <= MAX_VALUE) return bytes;
  throw new RangeError("Cannot write record: it exceeds Deno KV's limit of 64 KiB");
}

/**
 * Decodes what {@linkcode encodeKvRecord} wrote; `null` if the key is absent.
 *
 * @throws {Error} If the value has another format.
 */
export function decodeKvRecord({ value, versionstamp }: DenoKvEntry): KvRecord | null {
  if (versionstamp === null) return null;
  try {
    const stored = JSON.parse(DECODER.decode(value as Uint8Array));
    const [first, second] = stored.index;
    return {
      value: stored.value,
      writer: stored.writer,
      expiresAt: stored.expiresAt,
      unique: stored.unique,
      index: [first ?? undefined, second ?? undefined],
      versionstamp,
    };
  } catch { // the message of JSON.parse() may quote the value
    throw new Error("Cannot read record: the stored value has an unknown format");
  }
}

/** Options for a record's keys. Without `expireIn` a key never expires, even if its former value did. */
export function expiry(expiresAt: number | undefined, now: number): { expireIn?: number } {
  if (expiresAt === undefined) return {};
  const expireIn = Math.max(1, Math.ceil((purgeAfter(expiresAt) - now) * 1000));
  return expireIn > MAX_EXPIRE_IN ? {} : { expireIn };
}
