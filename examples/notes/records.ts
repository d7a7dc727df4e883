/**
 * Typed records of one collection in the service's database.
 *
 * @module
 */

import type { KeyedRecord, ListRecordsOptions, StorageAdapter } from "@gatehouse/http/auth";

/** A record as it was read. */
export interface Stored<Value> {
  /** The value. */
  readonly value: Value;
  /** Changes with every write. */
  readonly version: string;
}

/** A record of a list. */
export interface Listed<Value> extends Stored<Value> {
  /** Its key. */
  readonly key: string;
}

/** The records of one collection. Only the service writes them, so their values are not validated. */
export interface Records<Value> {
  /** The record of a key. */
  get(key: string): Promise<Stored<Value> | undefined>;
  /** The records with an indexed value, ordered by their keys. */
  list(by: string, options?: ListRecordsOptions): Promise<readonly Listed<Value>[]>;
  /** Writes a record unconditionally. */
  put(key: string, value: Value): Promise<void>;
  /** Deletes a record, if it exists. */
  delete(key: string): Promise<void>;
  /**
   * Creates a record, or replaces it if it has the expected version.
   *
   * @returns The new version; `undefined` if another caller was first.
   */
  swap(key: string, expected: string | undefined, value: Value): Promise<string | undefined>;
  /** Deletes a record if it has the expected version. @returns Whether it did. */
  remove(key: string, expected: string): Promise<boolean>;
}

/** Options of {@linkcode recordsOf}. */
export interface RecordsOptions<Value> {
  /** Name of the collection; it must differ from those of authentication. */
  readonly collection: string;
  /** The indexed value to list a record by. @default records cannot be listed */
  readonly by?: (value: Value) => string;
}

/**
 * Accesses the records of one collection.
 *
 * @throws {TypeError} If the database has no compare-and-swap.
 */
export function recordsOf<Value>(
  adapter: StorageAdapter,
  { collection, by }: RecordsOptions<Value>,
): Records<Value> {
  const { atomic } = adapter;
  if (atomic === undefined) {
    throw new TypeError("Cannot store notes: the database has no compare-and-swap");
  }
  const recordOf = (value: Value) => {
    return { value, ...(by === undefined ? {} : { index: [by(value)] as const }) };
  };
  return {
    async get(key) {
      const found = await adapter.get(collection, key);
      return found === null ? undefined : { ...found, value: found.value as Value };
    },
    async list(indexed, options) {
      const found: readonly KeyedRecord[] = await adapter.list(collection, 0, indexed, options);
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
