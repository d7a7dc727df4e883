/**
 * All stores in Deno KV: a file on one machine, or Deno Deploy's database.
 *
 * @module
 */

import { exactClock } from "../_clock.ts";
import { changeRecord } from "./_kv_write.ts";
import { kvGate } from "./_kv_limit.ts";
import type { KvPlace } from "./_kv_layout.ts";
import { findRecord, getRecord, listRecords } from "./_kv_read.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { checkList, checkStrings, encodeRecord, uniqueTaken } from "./_records.ts";
import type { AtomicHook, StorageAdapter } from "./adapter.ts";
import type { DenoKv } from "./kv_types.ts";

export type { DenoKv, DenoKvAtomic, DenoKvEntry, DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** Options of {@linkcode denoKvAdapter}. */
export interface DenoKvAdapterOptions {
  /** What all keys begin with. @default {["gatehouse"]} */
  readonly prefix?: readonly string[] | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** An adapter with a compare-and-swap. */
export interface DenoKvAdapter extends StorageAdapter {
  /** Its compare-and-swap, and what takes a record. */
  readonly atomic: Required<AtomicHook>;
}

const OPTIONS: OptionNames<DenoKvAdapterOptions> = { prefix: true, now: true };

const CANNOT_CREATE = "Cannot create Deno KV adapter";

/**
 * Keeps records in Deno KV. `authStores(denoKvAdapter(kv))` makes all stores of it.
 *
 * **Where.** `Deno.openKv("data/auth.sqlite3")` is a file that processes of one machine share, `Deno.openKv(":memory:")` is
 * for tests, and `Deno.openKv()` is the application's own database: on Deno Deploy one that all its instances share, which
 * has to be assigned to the application first; by `Deno.openKv("https://…")` others may share it. Deno needs the flag
 * `--unstable-kv`, or `"unstable": ["kv"]` in `deno.json`. The adapter never closes the database.
 *
 * **What it promises.** A record and all that finds it change in one commit, which depends on everything that it was made
 * from. Of many callers one wins, however many processes or regions there are. Reads are strong, which is Deno KV's default:
 * they see every commit that was done before them, and come from the primary region for that.
 *
 * **Ends.** Each read compares the end of a record with the adapter's clock. Deno KV removes a record by itself, but five
 * minutes after its end at the earliest: no process finds it any more, even if its clock is behind.
 *
 * **Limits.** 64 KiB (65,536 bytes) for a record, which is its value as JSON in UTF-8 and the texts that find it. 2 KiB for
 * the prefix, the collection's name, a text and the record's key together, with two bytes more for each of them. What is
 * larger rejects with a `RangeError`, and nothing is written; whoever looks for it finds nothing.
 *
 * **Faults.** Processes that share a file lock it for each other while they write. A commit that meets the lock is tried again
 * for five seconds, at random and longer intervals; Deno KV itself waits up to five seconds for each commit before it reports
 * a lock, and answers no read meanwhile. After that time, and after any other fault at once, a call rejects with an `Error`
 * whose `cause` is what Deno KV said. Nothing is ever written in part. A lock's fault says that nothing was written; after
 * another one (a broken connection, a full disk), only a look tells.
 *
 * Deno sends to a remote database (`Deno.openKv("https://…")`) again and again for as long as that is away, and a call waits
 * as long: give requests a time limit of their own. It does so too where an answer was lost on its way. A record that was
 * written is known again then, but not one that was removed: `take()` gives `null`, and a `cas()` that removes is `lost`.
 *
 * @throws {TypeError} If `kv` is no open Deno KV, or an option is not known or of another type.
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
  const place = placeOf(kv, options);
  return {
    async get(collection, key) {
      checkStrings(collection, key);
      return await getRecord(place, collection, key);
    },
    async find(collection, unique) {
      checkStrings(collection, unique);
      return await findRecord(place, collection, unique);
    },
    async list(collection, index, value, options = {}) {
      const { limit, after, reverse } = options;
      checkStrings(collection, value);
      checkList(index, { limit, after });
      return await listRecords(place, { collection, index, text: value, limit, after, reverse });
    },
    async put(collection, key, record) {
      checkStrings(collection, key);
      const { result } = await changeRecord(place, { collection, key, next: encodeRecord(record) });
      if (result.status !== "ok") throw uniqueTaken();
    },
    async delete(collection, key) {
      checkStrings(collection, key);
      await changeRecord(place, { collection, key, next: null });
    },
    atomic: {
      async cas(collection, key, expected, next) {
        checkStrings(collection, key);
        const encoded = next === null ? null : encodeRecord(next);
        return (await changeRecord(place, { collection, key, expected, next: encoded })).result;
      },
      async take(collection, key) {
        checkStrings(collection, key);
        const { before } = await changeRecord(place, { collection, key, next: null });
        return before === null ? null : before.value;
      },
    },
  };
}

function placeOf(kv: DenoKv, options: DenoKvAdapterOptions): KvPlace {
  rejectUnknownOptions(CANNOT_CREATE, options, OPTIONS);
  const { prefix = ["gatehouse"], now } = options;
  checkOptionalFunction(CANNOT_CREATE, "now", now);
  for (const method of ["getMany", "list", "atomic"] as const) {
    if (typeof kv?.[method] === "function") continue;
    throw new TypeError(`${CANNOT_CREATE}: kv is no open Deno KV`); // often a forgotten await
  }
  if (!Array.isArray(prefix)) throw new TypeError(`${CANNOT_CREATE}: prefix is no array of texts`);
  checkStrings(...prefix);
  return { kv, gate: kvGate(), prefix: [...prefix], now: exactClock(now) };
}
