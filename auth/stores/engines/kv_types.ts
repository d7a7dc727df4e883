/**
 * The part of the `Deno.Kv` interface that the adapter uses.
 *
 * @module
 */

/** A key: strings, compared part by part. */
export type DenoKvKey = readonly string[];

/** The entry of a key. */
export interface DenoKvEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** The value; `null` if the key is absent. */
  readonly value: unknown;
  /** Changes with every write; `null` if the key is absent. */
  readonly versionstamp: string | null;
}

/** Keys with a common prefix, optionally from `start` (inclusive) or up to `end` (exclusive). */
export type DenoKvRange =
  | { readonly prefix: DenoKvKey }
  | { readonly prefix: DenoKvKey; readonly start: DenoKvKey }
  | { readonly prefix: DenoKvKey; readonly end: DenoKvKey };

/** An atomic operation: all of its writes are made, or none. */
export interface DenoKvAtomic {
  /** Makes the commit fail unless the entry still has this version. */
  check(entry: { readonly key: DenoKvKey; readonly versionstamp: string | null }): unknown;
  /** Sets a key; `expireIn` is in milliseconds. */
  set(key: DenoKvKey, value: unknown, options?: { expireIn?: number }): unknown;
  /** Deletes a key. */
  delete(key: DenoKvKey): unknown;
  /** Commits if all checks hold. Called again after it rejected because the database is locked. */
  commit(): Promise<{ readonly ok: boolean; readonly versionstamp?: string }>;
}

/** The methods of `Deno.Kv` that the adapter calls. Reads must be strongly consistent. */
export interface DenoKv {
  /** Reads up to ten keys from one snapshot. */
  getMany(keys: readonly DenoKvKey[]): Promise<readonly DenoKvEntry[]>;
  /** Reads a range in ascending or descending order of the keys. */
  list(
    range: DenoKvRange,
    options: { readonly limit: number; readonly reverse: boolean },
  ): AsyncIterable<DenoKvEntry>;
  /** Begins an atomic operation. */
  atomic(): DenoKvAtomic;
}
