/**
 * Storage adapter for Deno KV.
 *
 * @module
 */

import { exactClock } from "../../_clock.ts";
import { changeRecord } from "./_kv_write.ts";
import type { KvContext } from "./_kv_layout.ts";
import { findRecord, getRecord, listRecords } from "./_kv_read.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import { checkList, checkStrings, encodeRecord, uniqueTaken } from "../_records.ts";
import { createKeyedMutex } from "../_keyed_mutex.ts";
import type { AtomicHook, StorageAdapter } from "../adapter.ts";
import type { DenoKv } from "./kv_types.ts";

export type { DenoKv, DenoKvAtomic, DenoKvEntry, DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** Options of {@linkcode denoKvAdapter}. */
export interface DenoKvAdapterOptions {
  /** The first parts of every key. @default {["gatehouse"]} */
  readonly prefix?: readonly string[] | undefined;
  /** The current time, in seconds since the epoch. @default the system clock */
  readonly now?: (() => number) | undefined;
}

/** A storage adapter over Deno KV. */
export interface DenoKvAdapter extends StorageAdapter {
  /** Compare-and-swap, and taking a record once. */
  readonly atomic: Required<AtomicHook>;
}

const OPTIONS: OptionNames<DenoKvAdapterOptions> = { prefix: true, now: true };

const ACTION = "Cannot create Deno KV adapter";

/**
 * Stores records in Deno KV: a file on one machine, or Deno Deploy's database. `authStores(denoKvAdapter(kv))` creates all
 * stores over it. Deno needs `--unstable-kv`, or `"unstable": ["kv"]` in `deno.json`.
 *
 * A record has up to 64 KiB as JSON; a key, unique or indexed value, with prefix and collection, up to 2 KiB. A longer one
 * rejects with a `RangeError`. While another process has locked the file, a call is retried for five seconds; after that, and
 * after any other failure at once, it rejects with an `Error` whose `cause` is Deno KV's. The adapter never closes the
 * database. See docs/stores.md for connecting, durability and remote databases.
 *
 * @throws {TypeError} If `kv` is not an open Deno KV, or an option is unknown or of another type.
 *
 * @example
 * ```ts
 * import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
 * import { assertEquals } from "@std/assert";
 *
 * const kv = await Deno.openKv(":memory:");
 * const adapter = denoKvAdapter(kv);
 * const { status } = await adapter.atomic.cas("notes", "n1", null, { value: { text: "Buy milk" } });
 * assertEquals(status, "ok");
 * assertEquals(await adapter.atomic.take("notes", "n1"), { text: "Buy milk" });
 * assertEquals(await adapter.atomic.take("notes", "n1"), null);
 * kv.close();
 * ```
 */
export function denoKvAdapter(kv: DenoKv, options: DenoKvAdapterOptions = {}): DenoKvAdapter {
  const context = createContext(kv, options);
  return {
    async get(collection, key) {
      checkStrings(collection, key);
      return await getRecord(context, collection, key);
    },
    async find(collection, unique) {
      checkStrings(collection, unique);
      return await findRecord(context, collection, unique);
    },
    async list(collection, index, value, options = {}) {
      const { limit, after, reverse } = options;
      checkStrings(collection, value);
      checkList(index, { limit, after });
      return await listRecords(context, { collection, index, value, limit, after, reverse });
    },
    async put(collection, key, record) {
      checkStrings(collection, key);
      const { result } = await changeRecord(context, {
        collection,
        key,
        next: encodeRecord(record),
      });
      if (result.status !== "ok") throw uniqueTaken();
    },
    async delete(collection, key) {
      checkStrings(collection, key);
      await changeRecord(context, { collection, key, next: null });
    },
    atomic: {
      async cas(collection, key, expected, next) {
        checkStrings(collection, key);
        const encoded = next === null ? null : encodeRecord(next);
        return (await changeRecord(context, { collection, key, expected, next: encoded })).result;
      },
      async take(collection, key) {
        checkStrings(collection, key);
        const { before } = await changeRecord(context, { collection, key, next: null });
        return before === null ? null : before.value;
      },
    },
  };
}

function createContext(kv: DenoKv, options: DenoKvAdapterOptions): KvContext {
  rejectUnknownOptions(ACTION, options, OPTIONS);
  const { prefix = ["gatehouse"], now } = options;
  checkOptionalFunction(ACTION, "now", now);
  for (const method of ["getMany", "list", "atomic"] as const) {
    if (typeof kv?.[method] === "function") continue;
    throw new TypeError(`${ACTION}: kv must be an open Deno KV`); // often a missing await
  }
  if (!Array.isArray(prefix)) throw new TypeError(`${ACTION}: prefix must be an array of strings`);
  checkStrings(...prefix);
  return { kv, mutex: createKeyedMutex(), prefix: [...prefix], now: exactClock(now) };
}
