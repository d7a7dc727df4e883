/**
 * What is used of Deno KV. A `Deno.Kv` has all of it, and so has whatever else speaks for one.
 *
 * @module
 */

/** A key: texts, by which it is sorted one after the other. */
export type DenoKvKey = readonly string[];

/** What there is under a key. */
export interface DenoKvEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** What was set; `null` if there is nothing. */
  readonly value: unknown;
  /** Changes with every set; `null` if there is nothing. */
  readonly versionstamp: string | null;
}

/** Keys that begin alike: from `start` on, or before `end`. */
export type DenoKvRange =
  | { readonly prefix: DenoKvKey }
  | { readonly prefix: DenoKvKey; readonly start: DenoKvKey }
  | { readonly prefix: DenoKvKey; readonly end: DenoKvKey };

/** Writes that are made together, or not at all. */
export interface DenoKvAtomic {
  /** Lets the commit depend on an entry being what it was. */
  check(entry: { readonly key: DenoKvKey; readonly versionstamp: string | null }): unknown;
  /** Sets a key; `expireIn` is in milliseconds. */
  set(key: DenoKvKey, value: unknown, options?: { expireIn?: number }): unknown;
  /** Removes a key. */
  delete(key: DenoKvKey): unknown;
  /** Writes everything if all checks hold. */
  commit(): Promise<{ readonly ok: boolean; readonly versionstamp?: string }>;
}

/** What is used of a `Deno.Kv`. Reads see every commit that was done before them. */
export interface DenoKv {
  /** Reads up to ten keys as they are at one time. */
  getMany(keys: readonly DenoKvKey[]): Promise<readonly DenoKvEntry[]>;
  /** Reads a range in the order of the keys, or the other way round. */
  list(
    range: DenoKvRange,
    options: { readonly limit: number; readonly reverse: boolean },
  ): AsyncIterable<DenoKvEntry>;
  /** Begins writes that are made together. */
  atomic(): DenoKvAtomic;
}
