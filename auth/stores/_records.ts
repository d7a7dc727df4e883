/**
 * What all storage adapters share: how values become text, which texts can be keys, and when a record has ended.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import type { ListRecordsOptions, StoredRecord } from "./adapter.ts";

/** A record whose texts every engine can keep, its value as JSON. */
export interface EncodedRecord {
  /** The value, as JSON. */
  readonly text: string;
  readonly expiresAt: number | undefined;
  readonly unique: string | undefined;
  /** The texts of both indexes. */
  readonly index: readonly [string | undefined, string | undefined];
}

/**
 * Checks a record, and turns its value into text.
 *
 * @throws {TypeError} If the value is not JSON, or a text is malformed or has a NUL.
 * @throws {RangeError} If the end is no number.
 */
export function encodeRecord(record: StoredRecord): EncodedRecord {
  const { value, expiresAt, unique, index: [first, second] = [] } = record;
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined || text === "null") {
    throw new TypeError("Cannot keep record: its value is not JSON");
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    throw new RangeError("Cannot keep record: its end is no number of seconds"); // it would stay for ever
  }
  for (const one of [unique, first, second]) if (one !== undefined) checkStrings(one);
  return { text, expiresAt, unique, index: [first, second] };
}

/**
 * Checks what a record is found by. An engine that replaces half a surrogate pair, or ends a text at a NUL, would take two
 * keys for one.
 *
 * @throws {TypeError} If one is no text, or has half a surrogate pair or a NUL.
 */
export function checkStrings(...texts: readonly string[]): void {
  if (texts.every(isStoreString)) return;
  throw new TypeError("Cannot use storage: a key is no well-formed text without NUL");
}

/** Whether a text can find something. */
export function isStoreString(text: string): boolean {
  return typeof text === "string" && text.isWellFormed() && !text.includes("\0");
}

/**
 * Checks what is asked of a list.
 *
 * @throws {TypeError} If `after` is no well-formed text without NUL.
 * @throws {RangeError} If there is no such index, or the limit is no whole number from 0 on.
 */
export function checkList(index: 0 | 1, { limit, after }: ListRecordsOptions): void {
  if (after !== undefined) checkStrings(after);
  if (index !== 0 && index !== 1) { // it becomes a part of a statement, or of a key
    throw new RangeError("Cannot list records: index is neither 0 nor 1");
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new RangeError("Cannot list records: limit is no whole number from 0 on");
  }
}

/** What `put()` rejects with where another record has the `unique` text. */
export function uniqueTaken(): Error {
  return new Error("Cannot keep record: another one has its unique text");
}

/** Whether a record has ended. */
export function isExpired(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && !(now < expiresAt);
}

/**
 * From when on a record that ends at a time may be removed, by any process: the clocks of two may be five minutes apart, and
 * what has ended here may be there for another one.
 */
export function purgeAfter(expiresAt: number): number {
  return expiresAt + SKEW_SECONDS;
}
