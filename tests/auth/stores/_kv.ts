/**
 * Deno KV databases for tests, and hooks into their calls.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type DenoKv, denoKvAdapter } from "../../../auth/stores/engines/kv.ts";

/** When tests start, in seconds since the epoch. */
export const START = 1_700_000_000;

/** A file in a folder that is deleted at the end of the block. */
export interface KvFile extends AsyncDisposable {
  readonly path: string;
}

/** Creates the folder of a file. */
export async function kvFile(): Promise<KvFile> {
  const folder = await Deno.makeTempDir({ prefix: "store_kv_" });
  return {
    path: join(folder, "kv.sqlite3"),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** All keys of a database, their parts joined by `|`. */
export async function allKeys(kv: Deno.Kv): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of kv.list({ prefix: [] })) keys.push(key.join("|"));
  return keys;
}

/** Hooks into calls of Deno KV; each may throw or wait. */
export interface KvHooks {
  onRead?(): Promise<unknown> | void;
  onSet?(key: readonly string[], options: { expireIn?: number } | undefined): void;
  /** Gets the commit, to make it or not. */
  onCommit?(commit: () => Promise<Deno.KvCommitResult | Deno.KvCommitError>): Promise<
    Deno.KvCommitResult | Deno.KvCommitError
  >;
}

/** The same database with hooks. */
export function hookedKv(kv: Deno.Kv, hooks: KvHooks): DenoKv {
  return {
    async getMany(keys) {
      await hooks.onRead?.();
      return await kv.getMany(keys);
    },
    async *list(range, options) {
      await hooks.onRead?.();
      yield* kv.list(range, options);
    },
    atomic() {
      const atomic = kv.atomic();
      return {
        check: (entry) => atomic.check(entry),
        set(key, value, options) {
          hooks.onSet?.(key, options);
          return atomic.set(key, value, options);
        },
        delete: (key) => atomic.delete(key),
        commit: () => hooks.onCommit?.(() => atomic.commit()) ?? atomic.commit(),
      };
    },
  };
}

/**
 * Asserts that every record of a collection has all of its index entries, and that every entry has a record. Each record must
 * have a unique value and two indexed values.
 *
 * @returns The number of records.
 */
export async function assertWhole(kv: Deno.Kv, collection: string): Promise<number> {
  const adapter = denoKvAdapter(kv, { now: () => START });
  const keys = (await allKeys(kv)).map((key) => key.split("|"));
  const of = (kind: string) => keys.filter((key) => key[1] === kind && key[2] === collection);
  const records = of("record");
  for (const [, , , key = ""] of records) {
    assert(await adapter.get(collection, key) !== null, key);
  }
  assertEquals(of("unique").length, records.length);
  for (const [, , , text = ""] of of("unique")) {
    assert(await adapter.find(collection, text) !== null, text);
  }
  assertEquals(of("index").length, records.length * 2);
  for (const [, , , index, text = "", key] of of("index")) {
    const found = await adapter.list(collection, index === "0" ? 0 : 1, text);
    assertEquals(found.filter((each) => each.key === key).length, 1, text);
  }
  return records.length;
}
