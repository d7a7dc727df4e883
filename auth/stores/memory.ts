/**
 * Storage in memory: for tests and development, or for a service of one process that may lose everything when it stops.
 *
 * @module
 */

import { exactClock } from "../_clock.ts";
import { type Collection, createCollection, type Row } from "./_memory_collection.ts";
import {
  checkList,
  checkStrings,
  type EncodedRecord,
  encodeRecord,
  isExpired,
  uniqueTaken,
} from "./_records.ts";
import { THROTTLE } from "./_repo_throttle.ts";
import type { CasResult, KeyedRecord, StorageAdapter, Versioned } from "./adapter.ts";
import { authStores } from "./repo.ts";
import type { AuthStores } from "./types.ts";

/** Options of {@linkcode memoryAdapter} and {@linkcode inMemoryAuthStores}. */
export interface MemoryAdapterOptions {
  /** The time, in seconds since the epoch. */
  readonly now?: () => number;
  /**
   * Maximum number of keys that the throttle counts attempts under. When full, a new key evicts the least-attempted of the
   * next few keys. Locked keys are never evicted, so the limit can be exceeded.
   *
   * @default {100_000}
   */
  readonly maxThrottleKeys?: number;
}

/**
 * Creates a storage adapter that keeps everything in this process. Each operation is one synchronous step, so every
 * compare-and-swap has one winner.
 *
 * Values are copied as JSON when they are written, and frozen when they are read. Expired records are never returned; later
 * writes free their memory.
 *
 * @throws {TypeError} If `now` is not a function.
 * @throws {RangeError} If `maxThrottleKeys` is not a positive integer.
 *
 * @example
 * ```ts
 * import { memoryAdapter } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const adapter = memoryAdapter();
 * await adapter.put("notes", "n1", { value: { text: "Buy milk" }, index: ["ada"] });
 * const [note] = await adapter.list("notes", 0, "ada");
 * assertEquals(note?.value, { text: "Buy milk" });
 * ```
 */
export function memoryAdapter(options: MemoryAdapterOptions = {}): StorageAdapter {
  const { maxThrottleKeys = 100_000 } = options;
  if (options.now !== undefined && typeof options.now !== "function") {
    throw new TypeError("Cannot create memory adapter: now must be a function");
  }
  if (!Number.isSafeInteger(maxThrottleKeys) || maxThrottleKeys < 1) {
    throw new RangeError(
      "Cannot create memory adapter: maxThrottleKeys must be a positive integer",
    );
  }
  const now = exactClock(options.now);
  const collections = new Map<string, Collection>();
  let writes = 0; // one counter for all: a record that is deleted and created again has another version

  function collectionOf(name: string): Collection {
    const found = collections.get(name) ??
      createCollection(name === THROTTLE ? maxThrottleKeys : Infinity);
    collections.set(name, found);
    return found;
  }

  function current(row: Row | undefined): Row | undefined {
    return row === undefined || isExpired(row.expiresAt, now()) ? undefined : row;
  }

  /** Returns the record's version, or `undefined` if another record has its `unique` string. */
  function write(collection: Collection, key: string, record: EncodedRecord): string | undefined {
    const { text, expiresAt, unique, index } = record;
    const holder = unique === undefined ? undefined : collection.findUnique(unique);
    if (holder !== undefined && holder.key !== key) {
      if (current(holder) !== undefined) return undefined;
      collection.delete(holder.key);
    }
    const version = `${++writes}`;
    const value = freeze(JSON.parse(text));
    collection.set({ key, value, version, expiresAt, unique, index }, now());
    return version;
  }

  return {
    get: (collection, key) =>
      inOneTurn(() => {
        checkStrings(collection, key);
        const row = current(collectionOf(collection).get(key));
        return row === undefined ? null : versioned(row);
      }),
    find: (collection, unique) =>
      inOneTurn(() => {
        checkStrings(collection, unique);
        const row = current(collectionOf(collection).findUnique(unique));
        return row === undefined ? null : keyed(row);
      }),
    list: (collection, index, value, options = {}) =>
      inOneTurn(() => {
        const { limit, after, reverse = false } = options;
        checkStrings(collection, value);
        checkList(index, options);
        const direction = reverse ? -1 : 1;
        return collectionOf(collection).listIndex(index, value)
          .filter((row) => current(row) !== undefined)
          .filter(({ key }) => after === undefined || direction * compareUtf8(key, after) > 0)
          .sort((a, b) => direction * compareUtf8(a.key, b.key))
          .slice(0, limit)
          .map(keyed);
      }),
    put: (collection, key, record) =>
      inOneTurn(() => {
        checkStrings(collection, key);
        const version = write(collectionOf(collection), key, encodeRecord(record));
        if (version === undefined) throw uniqueTaken();
      }),
    delete: (collection, key) =>
      inOneTurn(() => {
        checkStrings(collection, key);
        collectionOf(collection).delete(key);
      }),
    atomic: {
      cas: (collection, key, expected, next) =>
        inOneTurn((): CasResult => {
          checkStrings(collection, key);
          const record = next === null ? null : encodeRecord(next);
          const rows = collectionOf(collection);
          const row = current(rows.get(key));
          if ((row?.version ?? null) !== expected) return { status: "lost" };
          if (record === null) {
            rows.delete(key);
            return { status: "ok", version: "" };
          }
          const version = write(rows, key, record);
          return version === undefined ? { status: "taken" } : { status: "ok", version };
        }),
      take: (collection, key) =>
        inOneTurn(() => {
          checkStrings(collection, key);
          const rows = collectionOf(collection);
          const row = current(rows.get(key));
          rows.delete(key);
          return row === undefined ? null : row.value;
        }),
    },
  };
}

/**
 * Creates all stores over one {@linkcode memoryAdapter}. Signing keys need no encryption: nothing outlives the process.
 *
 * @throws {TypeError} If `now` is not a function.
 * @throws {RangeError} If `maxThrottleKeys` is not a positive integer.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { states } = inMemoryAuthStores();
 * await states.put("nonce", { returnTo: "/notes" }, Date.now() / 1000 + 600);
 * assertEquals(await states.consume("nonce"), { returnTo: "/notes" });
 * assertEquals(await states.consume("nonce"), null);
 * ```
 */
export function inMemoryAuthStores(options: MemoryAdapterOptions = {}): AuthStores {
  const stores = authStores(memoryAdapter(options));
  return { ...stores, keys: { ...stores.keys, persistent: false } };
}

/** Runs a step before it returns, so that nothing comes between what it reads and what it writes. */
function inOneTurn<Result>(step: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(step()));
}

function versioned({ value, version, expiresAt }: Row): Versioned {
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

function keyed(row: Row): KeyedRecord {
  return { key: row.key, ...versioned(row) };
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}

/** The order of the bytes in UTF-8, which is that of code points; `<` compares UTF-16 code units. */
function compareUtf8(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
