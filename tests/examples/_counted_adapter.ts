/**
 * A storage adapter that counts its records, and can simulate a crash after any of its writes, for tests.
 *
 * @module
 */

import type { AtomicHook, StorageAdapter } from "@gatehouse/http/auth";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";

/** An adapter with a compare-and-swap. */
export interface CountedAdapter extends StorageAdapter {
  readonly atomic: AtomicHook;
}

/** A database that several processes share. */
export interface CountedPlace {
  /**
   * An adapter of a process.
   *
   * @param writes Number of writes before the crash. @default unlimited
   * @param onEnd Called for each write after the crash.
   */
  adapter(writes?: number, onEnd?: () => void): CountedAdapter;
  /** Numbers of records in some collections. */
  count(...collections: readonly string[]): readonly number[];
}

/** Creates an empty database. @param now The time, in seconds since the epoch. */
export function countedPlace(now: () => number): CountedPlace {
  const place = memoryAdapter({ now });
  const { atomic } = place;
  if (atomic === undefined) throw new TypeError("Cannot count: the adapter has no hook");
  const keys = new Map<string, Set<string>>();

  function keep(collection: string, key: string, isThere: boolean): void {
    const known = keys.get(collection) ?? new Set();
    keys.set(collection, known);
    if (isThere) known.add(key);
    else known.delete(key);
  }

  return {
    adapter(writes, onEnd) {
      let left = writes ?? Infinity;
      const write = () => {
        if (left-- > 0) return;
        onEnd?.();
        throw new Error("The process ended");
      };
      return {
        ...place,
        async put(collection, key, record) {
          write();
          await place.put(collection, key, record);
          keep(collection, key, true);
        },
        async delete(collection, key) {
          write();
          await place.delete(collection, key);
          keep(collection, key, false);
        },
        atomic: {
          async cas(collection, key, expected, next) {
            write();
            const result = await atomic.cas(collection, key, expected, next);
            if (result.status === "ok") keep(collection, key, next !== null);
            return result;
          },
        },
      };
    },
    count: (...collections) => collections.map((collection) => keys.get(collection)?.size ?? 0),
  };
}
