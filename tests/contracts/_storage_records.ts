/**
 * What a storage adapter must do with records: store them unchanged and separate.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import { assertDetached, JSON_VALUES, ODD_KEYS } from "./_helpers.ts";
import {
  assertGone,
  assertKept,
  casOk,
  COLLECTION,
  END,
  holderOf,
  listKeys,
  put,
  type StorageCase,
  take,
  valueOf,
} from "./_storage_helpers.ts";

const FULL: StoredRecord = { value: { a: 1 }, expiresAt: END, unique: "u", index: ["i", "j"] };

/** Pairs of strings that are equal when joined without an unambiguous separator. */
const SPLITS: readonly (readonly [first: string, second: string])[] = [
  ["a", "b:c"],
  ["a:b", "c"],
  ["a", "b/c"],
  ["a/b", "c"],
  ["a", "bc"],
  ["ab", "c"],
  ["", "abc"],
  ["abc", ""],
  ["a\n", "b"],
  ["a", "\nb"],
  ["a\\", "b"],
  ["a", "\\b"],
  ['a","', "b"],
  ["a", '","b'],
  ["a\u0001", "b"],
  ["a", "\u0001b"],
  ["{a}", "b"],
  ["{a", "}b"],
];

/** The cases. */
export const STORAGE_RECORD_CASES: readonly StorageCase[] = [
  {
    name: "put() keeps a record, found by its key, its unique string and both indexes",
    async run({ store }) {
      await put(store, "k", FULL);
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "getMany(), where there is one, returns what get() of each key returns",
    async run({ store, clock }) {
      if (store.getMany === undefined) return;
      const keys = ODD_KEYS.map(([, key]) => key);
      assertEquals(await store.getMany(COLLECTION, []), []);
      assertEquals(await store.getMany(COLLECTION, keys), keys.map(() => null));
      for (const [i, key] of keys.entries()) {
        if (i % 3 > 0) {
          await put(store, key, i % 3 === 1 ? { value: i } : { value: i, expiresAt: END });
        }
      }
      const read = () => Promise.all(keys.map((key) => store.get(COLLECTION, key)));
      assertEquals(await store.getMany(COLLECTION, keys), await read());
      const [first = ""] = keys.slice(1);
      const twice = await store.getMany(COLLECTION, [first, "none", first]);
      assertEquals(twice.map((found) => found?.value), [1, undefined, 1]);
      clock.set(END);
      assertEquals(await store.getMany(COLLECTION, keys), await read());
    },
  },
  {
    name: "get(), find() and list() return nothing for unknown strings",
    async run({ store }) {
      await assertGone(store, "k", FULL);
      await put(store, "k", FULL);
      for (const text of ["", "K", "k ", "kk", "a", "__proto__", "constructor"]) {
        await assertGone(store, text, { unique: text, index: [text, text] });
        await assertGone(store, "k", { collection: text, unique: "u", index: ["i", "j"] });
      }
      assertEquals(await store.get(COLLECTION, "u"), null);
      assertEquals(await store.get(COLLECTION, "i"), null);
      for (const text of ["k", "i", "j"]) assertEquals(await holderOf(store, text), null, text);
      for (const text of ["k", "u", "j"]) assertEquals(await listKeys(store, 0, text), [], text);
      for (const text of ["k", "u", "i"]) assertEquals(await listKeys(store, 1, text), [], text);
    },
  },
  {
    name: "put() omits absent members",
    async run({ store }) {
      for (
        const index of [undefined, [], [undefined, undefined], ["i"], [undefined, "j"]] as const
      ) {
        await put(store, "k", FULL);
        await put(store, "k", { value: 1, expiresAt: undefined, unique: undefined, index });
        await assertKept(store, "k", { value: 1, ...(index && { index }) });
        assertEquals(await holderOf(store, "u"), null);
        assertEquals((await listKeys(store, 0, "i")).length, index?.[0] === "i" ? 1 : 0);
        assertEquals((await listKeys(store, 1, "j")).length, index?.[1] === "j" ? 1 : 0);
        for (const text of ["", "undefined", "null"]) {
          assertEquals(await holderOf(store, text), null, text);
          assertEquals(await listKeys(store, 0, text), [], text);
          assertEquals(await listKeys(store, 1, text), [], text);
        }
      }
    },
  },
  {
    name: "delete() deletes a record with all index entries, and may be repeated",
    async run({ store }) {
      await put(store, "k", FULL);
      await put(store, "other", { value: 2, index: ["i", "j"] });
      await store.delete(COLLECTION, "k");
      await assertGone(store, "k", FULL);
      await store.delete(COLLECTION, "k");
      await store.delete("nowhere", "k");
      await assertKept(store, "other", { value: 2, index: ["i", "j"] });
      await put(store, "k", FULL);
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "put() keeps every kind of JSON unchanged",
    async run({ store }) {
      for (const [why, value] of JSON_VALUES) {
        await put(store, why, { value, unique: why, index: ["i", why] });
      }
      for (const [why, value] of JSON_VALUES) {
        const text = JSON.stringify(value);
        assertEquals(JSON.stringify(await valueOf(store, why)), text, why);
        const found = await store.find(COLLECTION, why);
        assertEquals(JSON.stringify(found?.value), text, why);
        const [listed] = await store.list(COLLECTION, 1, why);
        assertEquals(JSON.stringify(listed?.value), text, why);
      }
      assertEquals((await store.list(COLLECTION, 0, "i")).length, JSON_VALUES.length);
      assertEquals("polluted" in {}, false);
    },
  },
  {
    name: "cas() and take() keep and return every kind of JSON unchanged",
    atomic: true,
    async run({ store }) {
      for (const [why, value] of JSON_VALUES) await casOk(store, why, null, { value });
      for (const [why, value] of JSON_VALUES) {
        assertEquals(JSON.stringify(await take(store, why)), JSON.stringify(value), why);
        assertEquals(await take(store, why), null, why);
      }
    },
  },
  {
    name: "get(), find() and list() return values that are detached",
    async run({ store }) {
      const value = { list: ["a"], inner: { b: 1 } };
      const expected = structuredClone(value);
      await put(store, "k", { value, unique: "u", index: ["i"] });
      await assertDetached(value, { expected, find: () => valueOf(store, "k") });
      const find = async () => (await store.find(COLLECTION, "u"))?.value;
      await assertDetached<unknown>({}, { expected, find });
      const list = async () => (await store.list(COLLECTION, 0, "i")).map((each) => each.value);
      await assertDetached<unknown>([], { expected: [expected], find: list });
    },
  },
  {
    name: "put() and cas() store the record as it was when they were called",
    atomic: true,
    async run({ store }) {
      const value = { list: ["a"] };
      const writing = [put(store, "k", { value }), casOk(store, "l", null, { value })];
      value.list.push("b");
      await Promise.all(writing);
      for (const key of ["k", "l"]) assertEquals(await valueOf(store, key), { list: ["a"] }, key);
    },
  },
  {
    name: "put() accepts odd strings as keys, unique strings and index strings",
    async run({ store }) {
      const records = ODD_KEYS.map(([why, key]) => {
        return { why, key, record: { value: why, unique: key, index: [key, key] as const } };
      });
      for (const { key, record } of records) await put(store, key, record);
      for (const { why, key, record } of records) {
        await assertKept(store, key, { ...record, why });
        assertEquals(await listKeys(store, 0, key), [key], why);
        assertEquals(await listKeys(store, 1, key), [key], why);
      }
      for (const { why, key, record } of records) {
        await store.delete(COLLECTION, key);
        await assertGone(store, key, { ...record, why });
      }
    },
  },
  {
    name: "cas() and take() accept unusual strings as keys",
    atomic: true,
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) await casOk(store, key, null, { value: why });
      for (const [why, key] of ODD_KEYS) assertEquals(await take(store, key), why, why);
    },
  },
  {
    name: "put() accepts odd strings as collections",
    async run({ store }) {
      for (const [why, collection] of ODD_KEYS) {
        await store.put(collection, "k", { ...FULL, value: why });
      }
      for (const [why, collection] of ODD_KEYS) {
        await assertKept(store, "k", { ...FULL, value: why, collection, why });
        assertEquals((await store.list(collection, 0, "i")).length, 1, why);
        await store.delete(collection, "k");
        await assertGone(store, "k", { ...FULL, collection, why });
      }
    },
  },
  {
    name: "put() keeps collections separate, with all index entries",
    async run({ store }) {
      for (const collection of ["a", "b"]) {
        await store.put(collection, "k", { ...FULL, value: collection });
      }
      for (const collection of ["a", "b"]) {
        await assertKept(store, "k", { ...FULL, value: collection, collection });
      }
      await store.delete("a", "k");
      await assertGone(store, "k", { ...FULL, collection: "a" });
      await assertKept(store, "k", { ...FULL, value: "b", collection: "b" });
    },
  },
  {
    name: "put() does not confuse adjacent strings",
    async run({ store }) {
      for (const [first, second] of SPLITS) {
        const value = [first, second];
        await store.put(first, second, { value, unique: second, index: [second, second] });
        await put(store, second, { value, index: [first, undefined] });
      }
      for (const [collection, text] of SPLITS) {
        const value = [collection, text];
        await assertKept(store, text, { value, unique: text, index: [text, text], collection });
      }
      await assertIndexesApart(store);
    },
  },
];

/** Asserts that index strings and keys that join to the same string are distinct. */
async function assertIndexesApart(store: StorageAdapter): Promise<void> {
  const keys = new Map<string, string>(); // a later record of a key has replaced the earlier one
  for (const [first, second] of SPLITS) keys.set(second, first);
  for (const [first] of SPLITS) {
    const expected = [...keys].filter(([, text]) => text === first).map(([key]) => key).sort();
    assertEquals((await listKeys(store, 0, first)).sort(), expected, first);
  }
  assert(keys.size > 1);
}
