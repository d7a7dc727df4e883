/**
 * The interface of a database for all stores of authentication: records by key, and one compare-and-swap.
 * {@linkcode authStores} creates all stores over one adapter.
 *
 * The adapter's clock decides what has expired, never the engine's: on every engine a record is absent from its `expiresAt`
 * on.
 *
 * @module
 */

/** A record as it is written. */
export interface StoredRecord {
  /** JSON, but not `null`. */
  readonly value: unknown;
  /** When it expires, in seconds since the epoch. @default never */
  readonly expiresAt?: number | undefined;
  /** A string that is unique in the collection; {@linkcode StorageAdapter.find} finds the record by it. */
  readonly unique?: string | undefined;
  /**
   * Up to two strings, one for each index; other records may have the same. {@linkcode StorageAdapter.list} finds by them.
   */
  readonly index?: readonly [first?: string | undefined, second?: string | undefined] | undefined;
}

/** A record as it was read. */
export interface Versioned {
  /** The value that was written, as a copy or frozen: the stored record cannot be changed through it. */
  readonly value: unknown;
  /** Changes with every write; a record that is deleted and created again has no earlier version. */
  readonly version: string;
  /** When it expires, in seconds since the epoch. */
  readonly expiresAt?: number;
}

/** A record that was not found by its key. */
export interface KeyedRecord extends Versioned {
  /** Its key. */
  readonly key: string;
}

/** Which records of an index {@linkcode StorageAdapter.list} returns. */
export interface ListRecordsOptions {
  /** Maximum number of records. @default all */
  readonly limit?: number | undefined;
  /** Only records after this key, which need not exist any more. */
  readonly after?: string | undefined;
  /** Whether keys are in descending order. @default {false} */
  readonly reverse?: boolean | undefined;
}

/**
 * The outcome of a compare-and-swap: `taken` if another record has the `unique` string, `lost` if the record has another
 * version. `version` is that of the new record; after a deletion it is empty.
 */
export type CasResult =
  | { readonly status: "ok"; readonly version: string }
  | { readonly status: "lost" | "taken" };

/** Operations that need an engine with one order of writes for all its clients. */
export interface AtomicHook {
  /**
   * Writes a record and its index entries if it still has the version that was read, or nothing. Of many callers with one
   * version exactly one gets `ok`.
   *
   * @param expected Its version; `null` if there is no record, or an expired one.
   * @param next The new record; `null` deletes it.
   */
  cas(
    collection: string,
    key: string,
    expected: string | null,
    next: StoredRecord | null,
  ): Promise<CasResult>;
  /** Deletes a record and returns its value: one of many callers gets it. @default {get() and cas()} */
  take?(collection: string, key: string): Promise<unknown | null>;
}

/**
 * A database, as stores use it. Collections and keys are any well-formed strings without NUL, compared byte by byte. What
 * fails rejects with an `Error` that contains no value of a record.
 */
export interface StorageAdapter {
  /** Finds a record by key; `null` if it is absent or expired. */
  get(collection: string, key: string): Promise<Versioned | null>;
  /**
   * Finds records by their keys, in the order of the keys; `null` for those that are absent or expired.
   *
   * @default {get() of each}
   */
  getMany?(collection: string, keys: readonly string[]): Promise<readonly (Versioned | null)[]>;
  /** Finds a record by its `unique` string. */
  find(collection: string, unique: string): Promise<KeyedRecord | null>;
  /** Records by a string of their index, in the order of their keys' UTF-8 bytes. */
  list(
    collection: string,
    index: 0 | 1,
    value: string,
    options?: ListRecordsOptions,
  ): Promise<readonly KeyedRecord[]>;
  /** Creates or replaces a record. Rejects if another one has its `unique` string. */
  put(collection: string, key: string, record: StoredRecord): Promise<void>;
  /** Deletes a record, if it exists. */
  delete(collection: string, key: string): Promise<void>;
  /** Compare-and-swap; absent on engines where clients may see writes in different orders. */
  readonly atomic?: AtomicHook | undefined;
}
