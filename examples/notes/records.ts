/**
 * Records of one kind in whatever database the service has.
 *
 * @module
 */

import type { KeyedRecord, ListRecordsOptions, StorageAdapter } from "@gatehouse/http/auth";

/** A record as it was read. */
export interface Stored<Value> {
  /** What it says. */
  readonly value: Value;
  /** Changes with every write. */
  readonly version: string;
}

/** A record of a list. */
export interface Listed<Value> extends Stored<Value> {
  /** Its key. */
  readonly key: string;
}

/** What the service does with records of one kind. Nobody else writes them, so they are what they were written as. */
export interface Records<Value> {
  /** The record of a key. */
  get(key: string): Promise<Stored<Value> | undefined>;
  /** Records that were written with a text to list them by, in the order of their keys. */
  list(by: string, options?: ListRecordsOptions): Promise<readonly Listed<Value>[]>;
  /** Writes a record, whatever is there. */
  put(key: string, value: Value): Promise<void>;
  /** Removes a record, if there is one. */
  delete(key: string): Promise<void>;
  /**
   * Writes a record if there is none, or if the one that there is has not changed.
   *
   * @returns Its version; `undefined` if somebody else was first.
   */
  swap(key: string, expected: string | undefined, value: Value): Promise<string | undefined>;
  /** Removes a record if it has not changed, and says whether it did. */
  remove(key: string, expected: string): Promise<boolean>;
}

/** How records are kept. */
export interface RecordsOptions<Value> {
  /** Which kind they are. No two kinds have one name, those of authentication among them. */
  readonly collection: string;
  /** The text to list a record by. @default none can be listed */
  readonly by?: (value: Value) => string;
}

/**
 * Keeps records of one kind.
 *
 * @throws {TypeError} If the database has no compare-and-swap.
 */
export function recordsOf<Value>(
  adapter: StorageAdapter,
  { collection, by }: RecordsOptions<Value>,
): Records<Value> {
  const { atomic } = adapter;
  if (atomic === undefined) {
    throw new TypeError("Cannot keep notes: the database has no compare-and-swap");
  }
  const recordOf = (value: Value) => {
    return { value, ...(by === undefined ? {} : { index: [by(value)] as const }) };
  };
  return {
    async get(key) {
      const found = await adapter.get(collection, key);
      return found === null ? undefined : { ...found, value: found.value as Value };
    },
    async list(text, options) {
      const found: readonly KeyedRecord[] = await adapter.list(collection, 0, text, options);
      return found.map((record) => ({ ...record, value: record.value as Value }));
    },
    put: (key, value) => adapter.put(collection, key, recordOf(value)),
    delete: (key) => adapter.delete(collection, key),
    async swap(key, expected, value) {
      const result = await atomic.cas(collection, key, expected ?? null, recordOf(value));
      return result.status === "ok" ? result.version : undefined;
    },
    async remove(key, expected) {
      return (await atomic.cas(collection, key, expected, null)).status === "ok";
    },
  };
}
