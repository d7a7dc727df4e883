/**
 * What all storage adapters share: encoding of values, valid keys, and expiry.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import type { ListRecordsOptions, StoredRecord } from "./adapter.ts";

/** A record with valid strings, and its value as JSON. */
export interface EncodedRecord {
  /** The value, as JSON. */
  readonly text: string;
  readonly expiresAt: number | undefined;
  readonly unique: string | undefined;
  /** The strings of both indexes. */
  readonly index: readonly [string | undefined, string | undefined];
}

/**
 * Checks a record and encodes its value.
 *
 * @throws {TypeError} If the value is not JSON, or a string is malformed or has a NUL.
 * @throws {RangeError} If `expiresAt` is not a finite number.
 */
export function encodeRecord(record: StoredRecord): EncodedRecord {
  const { value, expiresAt, unique, index: [first, second] = [] } = record;
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined || text === "null") {
    throw new TypeError("Cannot write record: value must be JSON");
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    throw new RangeError("Cannot write record: expiresAt must be a number of seconds"); // it would never expire
  }
  for (const one of [unique, first, second]) if (one !== undefined) checkStrings(one);
  return { text, expiresAt, unique, index: [first, second] };
}

/**
 * Checks keys. An engine that replaces lone surrogates, or ends strings at a NUL, would take two keys for one.
 *
 * @throws {TypeError} If one is not a string, or has a lone surrogate or a NUL.
 */
export function checkStrings(...strings: readonly string[]): void {
  if (strings.every(isStoreString)) return;
  throw new TypeError("Cannot use storage: keys must be well-formed strings without NUL");
}

/** Whether a value can be a key. */
export function isStoreString(value: string): boolean {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}

/**
 * Checks the arguments of `list()`.
 *
 * @throws {TypeError} If `after` is not a well-formed string without NUL.
 * @throws {RangeError} If there is no such index, or the limit is not an integer from 0 on.
 */
export function checkList(index: 0 | 1, { limit, after }: ListRecordsOptions): void {
  if (after !== undefined) checkStrings(after);
  if (index !== 0 && index !== 1) { // it becomes part of a statement, or of a key
    throw new RangeError("Cannot list records: index must be 0 or 1");
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new RangeError("Cannot list records: limit must be an integer from 0 on");
  }
}

/** The error of `put()` if another record has the `unique` string. */
export function uniqueTaken(): Error {
  return new Error("Cannot write record: another record has its unique string");
}

/** Whether a record has expired. */
export function isExpired(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && !(now < expiresAt);
}

/**
 * When an expired record may be deleted, by any process: the clocks of two may differ by five minutes, and what has expired
 * for one may be valid for the other.
 */
export function purgeAfter(expiresAt: number): number {
  return expiresAt + SKEW_SECONDS;
}
