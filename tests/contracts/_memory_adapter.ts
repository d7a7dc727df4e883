/**
 * The storage adapter in memory with properties of other engines: latency, or missing parts of the atomic hook.
 *
 * @module
 */

import { encodeRecord } from "../../auth/stores/_records.ts";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import * as shipped from "../../auth/stores/memory.ts";

/** Options of {@linkcode memoryAdapter}. */
export interface MemoryAdapterOptions {
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Whether it has a compare-and-swap. @default {true} */
  readonly atomic?: boolean;
  /** Whether the atomic hook has a take. @default {true} */
  readonly take?: boolean;
}

/** Options of {@linkcode memoryAdapters}. */
export interface MemoryAdaptersOptions extends MemoryAdapterOptions {
  /** Latency of each adapter in turns, before and after a call. @default {[0, 0]} */
  readonly turns?: readonly [number, ...number[]];
}

/** Creates an adapter with separate records. */
export function memoryAdapter({ now, ...options }: MemoryAdapterOptions): StorageAdapter {
  return adapterOver(shipped.memoryAdapter({ now }), { ...options, turns: 0 });
}

/** Creates several adapters over the same records. */
export function memoryAdapters(
  { now, turns: [first, ...others] = [0, 0], ...options }: MemoryAdaptersOptions,
): [StorageAdapter, ...StorageAdapter[]] {
  const inner = shipped.memoryAdapter({ now });
  const make = (turns: number) => adapterOver(inner, { ...options, turns });
  return [make(first), ...others.map(make)];
}

function adapterOver(
  inner: StorageAdapter,
  { atomic = true, take = true, turns }: Omit<MemoryAdaptersOptions, "now" | "turns"> & {
    readonly turns: number;
  },
): StorageAdapter {
  const { atomic: hook, ...methods } = delayed(inner, turns);
  if (!atomic || hook === undefined) return methods;
  return { ...methods, atomic: take ? hook : { cas: hook.cas } };
}

/** Waits, runs one step, and waits again. */
function delayed(inner: StorageAdapter, turns: number): StorageAdapter {
  const { atomic } = inner;
  const wait = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  const visit = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    await wait();
    const result = await step();
    await wait();
    return result;
  };
  if (turns === 0 || atomic?.take === undefined) return inner;
  const { cas, take } = atomic;
  return {
    get: (...args) => visit(() => inner.get(...args)),
    find: (...args) => visit(() => inner.find(...args)),
    list: (...args) => visit(() => inner.list(...args)),
    async put(collection, key, record) {
      const sent = copy(record);
      await visit(() => inner.put(collection, key, sent));
    },
    delete: (...args) => visit(() => inner.delete(...args)),
    atomic: {
      async cas(collection, key, expected, next) {
        const sent = next === null ? null : copy(next);
        return await visit(() => cas(collection, key, expected, sent));
      },
      take: (...args) => visit(() => take(...args)),
    },
  };
}

/** A copy: later changes to the record must not be stored. */
function copy(record: StoredRecord): StoredRecord {
  const { text, ...members } = encodeRecord(record);
  return { ...members, value: JSON.parse(text) };
}
