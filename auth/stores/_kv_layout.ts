/**
 * How records lie in Deno KV: under which keys, and as which bytes.
 *
 * | key | value |
 * | --- | --- |
 * | …prefix, `record`, collection, key | the record |
 * | …prefix, `unique`, collection, text | the key of the record that has the text |
 * | …prefix, `index`, collection, `0` or `1`, text, key | `true` |
 *
 * @module
 */

import type { CommitLimiter } from "./_kv_limit.ts";
import { type EncodedRecord, purgeAfter } from "./_records.ts";
import type { DenoKv, DenoKvEntry, DenoKvKey } from "./kv_types.ts";

/** Most bytes of a value. */
const MAX_VALUE = 65_536;

/** Most bytes of a key: each of its texts has one more before it, and one behind it. */
const MAX_KEY = 2_048;

/** A thousand years. Deno KV refuses ends that are too far away, and what is to end then may as well stay. */
const MAX_EXPIRE_IN = 31_557_600_000_000;

const ENCODER = /* @__PURE__ */ new TextEncoder();
const DECODER = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/** Where an adapter keeps records, and what time it is there. */
export interface KvPlace {
  readonly kv: DenoKv;
  readonly gate: CommitLimiter;
  readonly prefix: readonly string[];
  readonly now: () => number;
}

/** A record as it was read. */
export interface KvRecord extends Omit<EncodedRecord, "text"> {
  readonly value: unknown;
  readonly versionstamp: string;
  /** Which write made it. */
  readonly writer: string;
}

/** The key of a record. */
export function recordKey(prefix: DenoKvKey, collection: string, key: string): DenoKvKey {
  return [...prefix, "record", collection, key];
}

/** The key of a text that one record has. */
export function uniqueKey(prefix: DenoKvKey, collection: string, text: string): DenoKvKey {
  return [...prefix, "unique", collection, text];
}

/** What all keys begin with that an index has for a text. */
export function indexPrefix(
  prefix: DenoKvKey,
  { collection, index, text }: {
    readonly collection: string;
    readonly index: 0 | 1;
    readonly text: string;
  },
): DenoKvKey {
  return [...prefix, "index", collection, `${index}`, text];
}

/** The keys that the indexes have for a record. */
export function indexKeys(
  prefix: DenoKvKey,
  { collection, key, index: texts }: {
    readonly collection: string;
    readonly key: string;
    readonly index: EncodedRecord["index"];
  },
): readonly DenoKvKey[] {
  return ([0, 1] as const).flatMap((index) => {
    const text = texts[index];
    return text === undefined ? [] : [[...indexPrefix(prefix, { collection, index, text }), key]];
  });
}

/** Whether Deno KV takes a key. There is nothing under another one, but it cannot be asked. */
export function fitsKey(key: DenoKvKey): boolean {
  const most = key.reduce((size, text) => size + text.length * 3 + 2, 0);
  if (most <= MAX_KEY) return true;
  return key.reduce((size, text) => size + ENCODER.encode(text).length + 2, 0) <= MAX_KEY;
}

/** Checks that keys can be set. @throws {RangeError} If one is too large. */
export function requireKeys(keys: readonly DenoKvKey[]): void {
  if (keys.every(fitsKey)) return;
  throw new RangeError("Cannot keep record: its key or a text is larger than Deno KV's 2 KiB");
}

/**
 * A record in bytes, with a name for the write that makes it. Deno KV would count two of them for every letter of a text with
 * one beyond Latin-1, if it were to write the object itself: nobody could say what fits.
 *
 * @throws {RangeError} If there are too many.
 */
export function encodeKvRecord(
  { text, expiresAt, unique, index }: EncodedRecord,
  writer: string,
): Uint8Array {
  const rest = JSON.stringify({ writer, index, expiresAt, unique });
  const bytes = ENCODER.encode(`{"value":${text},${rest.slice(1)}`);
  if (bytes.length <= MAX_VALUE) return bytes;
  throw new RangeError("Cannot keep record: the value is larger than Deno KV's 64 KiB");
}

/**
 * Reads what {@linkcode encodeKvRecord} made; `null` if there is nothing.
 *
 * @throws {Error} If it is something else.
 */
export function decodeKvRecord({ value, versionstamp }: DenoKvEntry): KvRecord | null {
  if (versionstamp === null) return null;
  try {
    const kept = JSON.parse(DECODER.decode(value as Uint8Array));
    const [first, second] = kept.index;
    return {
      value: kept.value,
      writer: kept.writer,
      expiresAt: kept.expiresAt,
      unique: kept.unique,
      index: [first ?? undefined, second ?? undefined],
      versionstamp,
    };
  } catch { // What JSON.parse() says could hold a part of it
    throw new Error("Cannot read record: it is not as an adapter wrote it");
  }
}

/** Options of keys that end with their record: without `expireIn` they stay, whatever they had before. */
export function expiry(expiresAt: number | undefined, now: number): { expireIn?: number } {
  if (expiresAt === undefined) return {};
  const expireIn = Math.max(1, Math.ceil((purgeAfter(expiresAt) - now) * 1000));
  return expireIn > MAX_EXPIRE_IN ? {} : { expireIn };
}
