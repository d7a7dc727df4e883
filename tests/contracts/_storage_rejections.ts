/**
 * What a storage adapter must reject.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import {
  assertGone,
  casOk,
  COLLECTION,
  hookOf,
  listKeys,
  put,
  type StorageCase,
  take,
  valueOf,
  versionOf,
} from "./_storage_helpers.ts";

/** Strings that some engine replaces or truncates. */
const UNUSABLE: readonly (readonly [why: string, text: string])[] = [
  ["a NUL", "a\0b"],
  ["a trailing NUL", "a\0"],
  ["only a NUL", "\0"],
  ["a high surrogate without a low one", "a\ud83d"],
  ["a low surrogate without a high one", "\udd11a"],
  ["surrogates in the wrong order", "\udd11\ud83d"],
];

/** Values that are not JSON. */
const UNKEPT: readonly (readonly [why: string, value: unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a bigint", 1n],
  ["a circular array", listInItself()],
  ["NaN", NaN],
  ["an invalid date", new Date(NaN)],
  ["an object whose toJSON() returns null", { toJSON: () => null }],
];

/** The cases. */
export const STORAGE_REFUSED_CASES: readonly StorageCase[] = [
  {
    name: "put(), cas() and all others reject strings that some engine cannot store",
    atomic: true,
    async run({ store }) {
      await put(store, "a", { value: 1, unique: "a", index: ["a", "a"] });
      const version = await versionOf(store, "a");
      for (const [why, text] of UNUSABLE) {
        for (const attempt of attempts(store, text)) {
          await assertRejects(attempt, TypeError, undefined, why);
        }
      }
      assertEquals(await versionOf(store, "a"), version);
      for (const key of ["b", "a\ufffd", "\ufffda", "\ufffd\ufffd", ""]) {
        await assertGone(store, key, { unique: key, index: [key, key] });
      }
      assertEquals(await listKeys(store, 0, "a"), ["a"]);
    },
  },
  {
    name: "put() and cas() reject values that are not JSON, and keep the previous record",
    atomic: true,
    async run({ store }) {
      await put(store, "k", { value: 1 });
      const version = await versionOf(store, "k");
      for (const [why, value] of UNKEPT) {
        for (const key of ["k", "new"]) {
          await assertRejects(() => put(store, key, { value }), TypeError, undefined, why);
          const swap = () => casOk(store, key, key === "k" ? version : null, { value });
          await assertRejects(swap, TypeError, undefined, why);
        }
      }
      assertEquals(await store.get(COLLECTION, "k"), { value: 1, version });
      await assertGone(store, "new");
    },
  },
  {
    name: "put() and cas() reject an expiry that is not a number, and keep the previous record",
    atomic: true,
    async run({ store }) {
      await put(store, "k", { value: 1 });
      const version = await versionOf(store, "k");
      for (const expiresAt of [NaN, Infinity, -Infinity]) {
        const record = { value: 2, expiresAt };
        await assertRejects(() => put(store, "k", record), RangeError);
        await assertRejects(() => casOk(store, "k", version, record), RangeError);
      }
      assertEquals(await valueOf(store, "k"), 1);
    },
  },
  {
    name: "list() rejects an invalid index or limit",
    async run({ store }) {
      await put(store, "k", { value: 1, index: ["a", "a"] });
      for (const limit of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
        const listing = () => store.list(COLLECTION, 0, "a", { limit });
        await assertRejects(listing, RangeError, undefined, `${limit}`);
      }
      for (const index of [-1, 2, 0.5, NaN]) {
        const listing = () => store.list(COLLECTION, index as 0 | 1, "a");
        await assertRejects(listing, RangeError, undefined, `${index}`);
      }
      assertEquals(await listKeys(store, 0, "a", { limit: 0 }), []);
    },
  },
];

/** Every call with each of its strings replaced by an invalid one. */
function attempts(store: StorageAdapter, text: string): readonly (() => Promise<unknown>)[] {
  const records: readonly StoredRecord[] = [
    { value: 2, unique: text },
    { value: 2, index: [text] },
    { value: 2, index: [undefined, text] },
  ];
  const places = [[COLLECTION, text], [text, "a"]] as const;
  const hook = hookOf(store);
  return [
    ...records.flatMap((record) => [
      () => put(store, "b", record),
      () => put(store, "a", record),
      () => hook.cas(COLLECTION, "b", null, record),
    ]),
    ...places.flatMap(([collection, key]) => [
      () => store.get(collection, key),
      () => store.find(collection, key),
      () => store.list(collection, 0, key),
      () => store.list(collection, 1, key),
      () => store.put(collection, key, { value: 2 }),
      () => store.delete(collection, key),
      () => hook.cas(collection, key, null, { value: 2 }),
      () => hook.cas(collection, key, "1", null),
      () => take(store, key, collection),
    ]),
    () => store.list(COLLECTION, 0, "a", { after: text }),
  ];
}

function listInItself(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
