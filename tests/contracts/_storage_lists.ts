/**
 * Which records a storage adapter must list, and in which order.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { ListRecordsOptions, StorageAdapter } from "../../auth/stores/adapter.ts";
import {
  casOk,
  COLLECTION,
  END,
  listKeys,
  put,
  type StorageCase,
  take,
  versionOf,
} from "./_storage_helpers.ts";

/** Keys in the order of their bytes in UTF-8, which is neither that of UTF-16 nor that of any language. */
const ORDERED: readonly string[] = [
  "",
  " ",
  "-",
  "1",
  "10",
  "2",
  "A",
  "B",
  "_",
  "a",
  "a ",
  "aa",
  "a\u00e9",
  "b",
  "e",
  "z",
  "\u007f",
  "\u00e9",
  "\u0451",
  "\uff5e",
  "\ufffd",
  "\u{1f511}",
  "\u{10ffff}",
];

/** Options of list() over the keys 0 to 9, and the expected keys. */
const ASKED: readonly (readonly [why: string, options: ListRecordsOptions, keys: string])[] = [
  ["no options", {}, "0123456789"],
  ["undefined options", { limit: undefined, after: undefined, reverse: undefined }, "0123456789"],
  ["a few", { limit: 3 }, "012"],
  ["one", { limit: 1 }, "0"],
  ["none", { limit: 0 }, ""],
  ["as many as there are", { limit: 10 }, "0123456789"],
  ["more than there are", { limit: 11 }, "0123456789"],
  ["after one", { after: "6" }, "789"],
  ["after one that does not exist", { after: "65" }, "789"],
  ["after one with a key as its prefix", { after: "5\u{10ffff}" }, "6789"],
  ["after the last", { after: "9" }, ""],
  ["after all", { after: "a" }, ""],
  ["after a string before all", { after: "" }, "0123456789"],
  ["after another string before all", { after: " " }, "0123456789"],
  ["a few after one", { after: "2", limit: 3 }, "345"],
  ["in reverse", { reverse: true }, "9876543210"],
  ["not in reverse", { reverse: false }, "0123456789"],
  ["the last few", { reverse: true, limit: 3 }, "987"],
  ["before one", { reverse: true, after: "3" }, "210"],
  ["before one that does not exist", { reverse: true, after: "25" }, "210"],
  ["before the first", { reverse: true, after: "0" }, ""],
  ["before a string before all", { reverse: true, after: "" }, ""],
  ["before a string after all", { reverse: true, after: "a" }, "9876543210"],
  ["a few before one", { reverse: true, after: "7", limit: 3 }, "654"],
  ["none before one", { reverse: true, after: "7", limit: 0 }, ""],
];

/** How the record `k` is removed from the list. */
const LEAVING: readonly {
  readonly why: string;
  readonly leave: (store: StorageAdapter) => Promise<unknown>;
}[] = [
  { why: "delete()", leave: (store) => store.delete(COLLECTION, "k") },
  { why: "take()", leave: (store) => take(store, "k") },
  {
    why: "put() with another string",
    leave: (store) => put(store, "k", { value: 2, index: ["x"] }),
  },
  {
    why: "put() of the strings in reverse order",
    leave: (store) => put(store, "k", { value: 2, index: ["j", "i"] }),
  },
  { why: "put() without", leave: (store) => put(store, "k", { value: 2 }) },
  {
    why: "cas() to another string",
    leave: async (store) =>
      await casOk(store, "k", await versionOf(store, "k"), { value: 2, index: ["x", "y"] }),
  },
  {
    why: "cas() to no strings",
    leave: async (store) => await casOk(store, "k", await versionOf(store, "k"), { value: 2 }),
  },
  {
    why: "cas() that deletes",
    leave: async (store) => await casOk(store, "k", await versionOf(store, "k"), null),
  },
];

/** The cases. */
export const STORAGE_LIST_CASES: readonly StorageCase[] = [
  {
    name:
      "list() returns records in the order of their keys' bytes, in both directions, from anywhere",
    async run({ store }) {
      for (const key of ORDERED.toReversed()) await put(store, key, { value: key, index: ["i"] });
      assertEquals(await listKeys(store, 0, "i"), ORDERED);
      assertEquals(await listKeys(store, 0, "i", { reverse: true }), ORDERED.toReversed());
      for (const [at, key] of ORDERED.entries()) {
        const behind = await listKeys(store, 0, "i", { after: key });
        assertEquals(behind, ORDERED.slice(at + 1), `after ${key}`);
        const before = await listKeys(store, 0, "i", { after: key, reverse: true });
        assertEquals(before, ORDERED.slice(0, at).toReversed(), `before ${key}`);
      }
    },
  },
  {
    name: "list() applies its options, in both indexes",
    async run({ store }) {
      for (const key of "5038214697") {
        await put(store, key, { value: key, index: ["i", "j"] });
        await put(store, `${key}5`, { value: key, index: ["j", "i"] });
      }
      for (const [why, options, keys] of ASKED) {
        assertEquals(await listKeys(store, 0, "i", options), [...keys], why);
        assertEquals(await listKeys(store, 1, "j", options), [...keys], why);
      }
    },
  },
  {
    name: "list() counts no expired record",
    async run({ store, clock }) {
      for (const [at, key] of [..."0123456789"].entries()) {
        const ending = at % 2 === 0 ? { expiresAt: END } : { expiresAt: END + 10 };
        await put(store, key, { value: key, index: ["i"], ...ending });
      }
      clock.set(END);
      assertEquals(await listKeys(store, 0, "i", { limit: 3 }), ["1", "3", "5"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 3, reverse: true }), ["9", "7", "5"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 3, after: "4" }), ["5", "7", "9"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 9, after: "8" }), ["9"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 1, after: "9" }), []);
      assertEquals(await listKeys(store, 0, "i"), [..."13579"]);
    },
  },
  {
    name: "list() finds a valid record after a hundred expired ones",
    async run({ store, clock }) {
      for (let at = 0; at < 100; at++) {
        await put(store, `k${at}`, { value: at, index: ["i"], expiresAt: END });
      }
      await put(store, "z", { value: "last", index: ["i"] });
      await put(store, "a", { value: "first", index: ["i"] });
      clock.set(END);
      assertEquals(await listKeys(store, 0, "i", { limit: 2 }), ["a", "z"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 1, after: "a" }), ["z"]);
      assertEquals(await listKeys(store, 0, "i", { limit: 1, after: "z", reverse: true }), ["a"]);
    },
  },
  {
    name: "list() keeps both indexes apart",
    async run({ store }) {
      await put(store, "k", { value: 1, index: ["i"] });
      await put(store, "l", { value: 2, index: [undefined, "i"] });
      await put(store, "m", { value: 3, index: ["i", "i"] });
      assertEquals(await listKeys(store, 0, "i"), ["k", "m"]);
      assertEquals(await listKeys(store, 1, "i"), ["l", "m"]);
    },
  },
  {
    name: "list() finds a record by its current strings",
    atomic: true,
    async run({ store }) {
      for (const { why, leave } of LEAVING) {
        await put(store, "k", { value: 1, index: ["i", "j"] });
        await put(store, "l", { value: 1, index: ["i", "j"] });
        await leave(store);
        assertEquals(await listKeys(store, 0, "i"), ["l"], why);
        assertEquals(await listKeys(store, 1, "j"), ["l"], why);
        assertEquals(await listKeys(store, 0, "i", { limit: 1 }), ["l"], why);
        await put(store, "k", { value: 3, index: ["i", "j"] });
        assertEquals(await listKeys(store, 0, "i"), ["k", "l"], why);
      }
    },
  },
  {
    name: "list() returns a record that was written repeatedly once, with the last value",
    async run({ store }) {
      for (let value = 0; value < 5; value++) {
        await put(store, "k", { value, index: ["i", `${value % 2}`] });
      }
      const listed = await store.list(COLLECTION, 0, "i");
      assertEquals(listed.map((each) => each.value), [4]);
      assertEquals(await listKeys(store, 1, "0"), ["k"]);
      assertEquals(await listKeys(store, 1, "1"), []);
    },
  },
  {
    name: "list() returns a thousand records, whole and in pages, in both directions",
    async run({ store }) {
      const keys = Array.from({ length: 1000 }, (_, at) => `k${at}`).sort();
      for (let at = 0; at < keys.length; at += 50) {
        const some = keys.slice(at, at + 50);
        await Promise.all(some.map((key) => put(store, key, { value: key, index: [key, "j"] })));
      }
      const listed = await store.list(COLLECTION, 1, "j");
      assertEquals(listed.map((each) => each.key), keys);
      assertEquals(listed.map((each) => each.value), keys);
      assertEquals(await listPages(store, {}), keys);
      assertEquals(await listPages(store, { reverse: true }), keys.toReversed());
      assertEquals(await listKeys(store, 0, "k7"), ["k7"]);
    },
  },
];

/** All keys of index 1, a hundred at a time. */
async function listPages(
  store: StorageAdapter,
  options: Pick<ListRecordsOptions, "reverse">,
): Promise<string[]> {
  const keys: string[] = [];
  for (let page = 0; page <= 10; page++) {
    const after = keys.at(-1);
    const asked = { ...options, limit: 100, ...(after === undefined ? {} : { after }) };
    const found = await listKeys(store, 1, "j", asked);
    assertEquals(found.length, page < 10 ? 100 : 0, `page ${page}`);
    keys.push(...found);
  }
  return keys;
}
