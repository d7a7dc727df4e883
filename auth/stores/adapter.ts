/**
 * What a database has to do so that everything of authentication can be kept in it: a few records by their keys, and one
 * compare-and-swap. {@linkcode authStores} makes all stores of one adapter.
 *
 * An adapter's clock decides what has ended, never the engine's: what ends at a time is there until a second before it, and
 * no longer, on every engine alike.
 *
 * @module
 */

/** A record as it is written. */
export interface StoredRecord {
  /** JSON, and not `null`. */
  readonly value: unknown;
  /** From when on it counts as absent, in seconds since the epoch. @default never */
  readonly expiresAt?: number | undefined;
  /** A text that no other record of the collection has; {@linkcode StorageAdapter.find} finds by it. */
  readonly unique?: string | undefined;
  /**
   * Up to two texts, one for each index; other records may have the same. {@linkcode StorageAdapter.list} finds by them.
   */
  readonly index?: readonly [first?: string | undefined, second?: string | undefined] | undefined;
}

/** A record as it was read. */
export interface Versioned {
  /** What was written, and a copy: to change it changes nothing that is kept. */
  readonly value: unknown;
  /** Changes with every write; a record that is removed and made again has none that it had before. */
  readonly version: string;
  /** From when on it counts as absent, in seconds since the epoch. */
  readonly expiresAt?: number;
}

/** A record that was found by something else than its key. */
export interface KeyedRecord extends Versioned {
  /** Its key. */
  readonly key: string;
}

/** Which records of an index {@linkcode StorageAdapter.list} gives. */
export interface ListRecordsOptions {
  /** Most records. @default all */
  readonly limit?: number | undefined;
  /** Only records behind this key, which need not be there any more. */
  readonly after?: string | undefined;
  /** Whether the last key comes first. @default {false} */
  readonly reverse?: boolean | undefined;
}

/**
 * What a compare-and-swap came to: `taken` if another record has its `unique` text, `lost` if somebody else was first.
 * `version` is that of the record that is there now; after a removal there is none, and it is empty.
 */
export type CasResult =
  | { readonly status: "ok"; readonly version: string }
  | { readonly status: "lost" | "taken" };

/** What only an engine can do that decides for all its clients in one order. */
export interface AtomicHook {
  /**
   * Writes a record if it still is the one that was read, with everything that finds it, or not at all. Of many callers
   * with one version exactly one hears `ok`.
   *
   * @param expected Its version; `null` if there is none, or one that has ended.
   * @param next What is to be there; `null` removes it.
   */
  cas(
    collection: string,
    key: string,
    expected: string | null,
    next: StoredRecord | null,
  ): Promise<CasResult>;
  /** Removes a record and gives its value: of many callers one gets it. @default {get() and cas()} */
  take?(collection: string, key: string): Promise<unknown | null>;
}

/**
 * A database, as stores use it. Collections and keys are any well-formed text without NUL; two that differ by one bit are
 * different. What it cannot do rejects with an `Error` that holds no value of a record.
 */
export interface StorageAdapter {
  /** The record of a key; `null` from its end on. */
  get(collection: string, key: string): Promise<Versioned | null>;
  /** The record that has a `unique` text. */
  find(collection: string, unique: string): Promise<KeyedRecord | null>;
  /** Records by a text of their index, in the order of their keys' bytes in UTF-8. */
  list(
    collection: string,
    index: 0 | 1,
    value: string,
    options?: ListRecordsOptions,
  ): Promise<readonly KeyedRecord[]>;
  /** Writes a record, whatever is there. Rejects if another one has its `unique` text. */
  put(collection: string, key: string, record: StoredRecord): Promise<void>;
  /** Removes a record; nothing happens if there is none. */
  delete(collection: string, key: string): Promise<void>;
  /** Compare-and-swap; absent on engines that show different clients different orders. */
  readonly atomic?: AtomicHook | undefined;
}
