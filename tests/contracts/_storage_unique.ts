/**
 * What a storage adapter must do with unique strings.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import { atTimesAround } from "./_helpers.ts";
import {
  assertGone,
  assertKept,
  cas,
  casOk,
  casStatus,
  COLLECTION,
  END,
  holderOf,
  listKeys,
  put,
  shown,
  START,
  type StorageCase,
  take,
  versionOf,
} from "./_storage_helpers.ts";

const FIRST: StoredRecord = { value: { a: 1 }, unique: "u", index: ["i", "j"] };
const SECOND: StoredRecord = { value: { b: 2 }, unique: "v", index: ["k", "l"] };

/** How the record `k` releases the string `u`. */
const FREEING: readonly {
  readonly why: string;
  readonly free: (store: StorageAdapter) => Promise<unknown>;
}[] = [
  { why: "delete()", free: (store) => store.delete(COLLECTION, "k") },
  { why: "take()", free: (store) => take(store, "k") },
  {
    why: "cas() that deletes",
    free: async (store) => await casOk(store, "k", await versionOf(store, "k"), null),
  },
  {
    why: "cas() to another string",
    free: async (store) => await casOk(store, "k", await versionOf(store, "k"), SECOND),
  },
  {
    why: "cas() to no string",
    free: async (store) => await casOk(store, "k", await versionOf(store, "k"), { value: 1 }),
  },
  { why: "put() with another string", free: (store) => put(store, "k", SECOND) },
  { why: "put() with no string", free: (store) => put(store, "k", { value: 1 }) },
  {
    why: "put() of an expired record",
    free: (store) => put(store, "k", { ...FIRST, expiresAt: START }),
  },
];

/** The cases. */
export const STORAGE_UNIQUE_CASES: readonly StorageCase[] = [
  {
    name: "find() returns the key of the one record that has a unique string",
    async run({ store }) {
      await put(store, "k", FIRST);
      await put(store, "l", { ...SECOND, index: ["i", "j"] });
      assertEquals(await holderOf(store, "u"), "k");
      assertEquals(await holderOf(store, "v"), "l");
      assertEquals(await holderOf(store, "U"), null);
    },
  },
  {
    name: "cas() to a unique string that another record has is taken, and creates no record",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FIRST);
      const version = await versionOf(store, "k");
      const next = { ...SECOND, unique: "u" };
      assertEquals(await cas(store, "new", null, next), { status: "taken" });
      await assertGone(store, "new", { index: ["k", "l"] });
      await assertKept(store, "k", FIRST);
      assertEquals(await versionOf(store, "k"), version);
    },
  },
  {
    name: "cas() to a unique string that another record has is taken, and changes no record",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FIRST);
      const version = await casOk(store, "l", null, SECOND);
      const next = { value: 3, unique: "u", index: ["i", "j"] } as const;
      assertEquals(await cas(store, "l", version, next), { status: "taken" });
      await assertKept(store, "l", SECOND);
      await assertKept(store, "k", FIRST);
      assertEquals(await listKeys(store, 0, "i"), ["k"]);
      await casOk(store, "l", version, { ...SECOND, value: 4 });
    },
  },
  {
    name: "cas() with an old version and the unique string of another record changes no record",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FIRST);
      const old = await casOk(store, "l", null, SECOND);
      await casOk(store, "l", old, SECOND);
      for (const expected of [null, old]) {
        const status = await casStatus(store, "l", expected, { value: 3, unique: "u" });
        assert(status === "taken" || status === "lost");
      }
      assertEquals(await casStatus(store, "none", old, { value: 3, unique: "w" }), "lost");
      await assertKept(store, "k", FIRST);
      await assertKept(store, "l", SECOND);
      assertEquals(await holderOf(store, "w"), null);
    },
  },
  {
    name: "put() of a unique string that another record has rejects, and changes no record",
    async run({ store }) {
      await put(store, "k", FIRST);
      await put(store, "l", SECOND);
      const versions = [await versionOf(store, "k"), await versionOf(store, "l")];
      const next = { value: "kept to itself", unique: "u", index: ["i", "j"] } as const;
      for (const key of ["l", "new"]) {
        const error = await assertRejects(() => put(store, key, next), Error);
        for (const secret of ["kept to itself", "unique: u", '"u"', "'u'", "(u)"]) {
          assert(!shown(error).includes(secret), "the error reveals the record");
        }
      }
      await assertGone(store, "new");
      await assertKept(store, "k", FIRST);
      await assertKept(store, "l", SECOND);
      assertEquals([await versionOf(store, "k"), await versionOf(store, "l")], versions);
      assertEquals(await listKeys(store, 0, "i"), ["k"]);
    },
  },
  {
    name: "put() and cas() rewrite a record with its current unique string",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FIRST);
      await put(store, "k", { ...FIRST, value: 2 });
      await casOk(store, "k", await versionOf(store, "k"), { ...FIRST, value: 3 });
      await assertKept(store, "k", { ...FIRST, value: 3 });
    },
  },
  {
    name: "put() and cas() write many records without a unique string",
    atomic: true,
    async run({ store }) {
      for (const key of ["k", "l"]) await put(store, key, { value: key });
      for (const key of ["m", "n"]) await casOk(store, key, null, { value: key });
      for (const key of ["k", "l", "m", "n"]) await assertKept(store, key, { value: key });
    },
  },
  {
    name: "cas() gets a unique string as soon as it is released, and keeps those of other records",
    atomic: true,
    async run({ store }) {
      for (const { why, free } of FREEING) {
        await put(store, "k", FIRST);
        assertEquals(await casStatus(store, "new", null, FIRST), "taken", why);
        await free(store);
        assertEquals(await store.find(COLLECTION, "u"), null, why);
        await casOk(store, "new", null, FIRST);
        await assertKept(store, "new", { ...FIRST, why });
        for (const key of ["k", "new"]) await store.delete(COLLECTION, key);
      }
    },
  },
  {
    name: "put() gets a unique string as soon as it is released, and keeps those of other records",
    atomic: true,
    async run({ store }) {
      for (const { why, free } of FREEING) {
        await put(store, "k", FIRST);
        await free(store);
        await put(store, "new", FIRST);
        await assertKept(store, "new", { ...FIRST, why });
        for (const key of ["k", "new"]) await store.delete(COLLECTION, key);
        assertEquals(await holderOf(store, "u"), null, why);
      }
    },
  },
  {
    name:
      "delete() and take() of a record that released its unique string keep it for the new holder",
    atomic: true,
    async run({ store }) {
      for (const { why, free } of FREEING) {
        await put(store, "k", FIRST);
        await free(store);
        await put(store, "new", FIRST);
        await store.delete(COLLECTION, "k");
        await put(store, "k", { value: 1 });
        await take(store, "k");
        await assertKept(store, "new", { ...FIRST, why });
        assertEquals(await casStatus(store, "k", null, FIRST), "taken", why);
        await store.delete(COLLECTION, "new");
      }
    },
  },
  {
    name: "cas() gets the unique string of a record from its expiry on, not before",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", { ...FIRST, expiresAt: END });
      await atTimesAround({ clock, end: END }, async ({ there, why }) => {
        assertEquals(await holderOf(store, "u"), there ? "k" : null, why);
        assertEquals(await casStatus(store, "new", null, FIRST), there ? "taken" : "ok", why);
        if (!there) await store.delete(COLLECTION, "new");
      });
    },
  },
  {
    name:
      "cas() of an existing record gets the unique string of another from its expiry on, not before",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", { ...FIRST, expiresAt: END });
      await put(store, "l", SECOND);
      const version = await versionOf(store, "l");
      clock.set(END - 1);
      assertEquals(await casStatus(store, "l", version, { value: 3, unique: "u" }), "taken");
      clock.set(END);
      await casOk(store, "l", version, { value: 3, unique: "u" });
      await assertKept(store, "l", { value: 3, unique: "u" });
      assertEquals(await holderOf(store, "v"), null);
    },
  },
  {
    name: "cas() over an expired record is taken while another has the unique string",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", { ...FIRST, expiresAt: END });
      await put(store, "l", { ...SECOND, expiresAt: END - 60 });
      clock.set(END - 60);
      const next = { value: 3, unique: "u" };
      assertEquals(await cas(store, "l", null, next), { status: "taken" });
      await assertGone(store, "l", SECOND);
      await assertKept(store, "k", { ...FIRST, expiresAt: END });
      clock.set(END);
      await casOk(store, "l", null, next);
      await assertKept(store, "l", next);
      await assertGone(store, "k", { index: FIRST.index });
    },
  },
  {
    name: "put() gets the unique string of a record from its expiry on, not before",
    async run({ store, clock }) {
      await put(store, "k", { ...FIRST, expiresAt: END });
      clock.set(END - 1);
      await assertRejects(() => put(store, "new", FIRST), Error);
      clock.set(END);
      await put(store, "new", FIRST);
      await assertKept(store, "new", FIRST);
      await assertGone(store, "k");
    },
  },
  {
    name: "put() and cas() over an expired record leave the unique string to its new holder",
    atomic: true,
    async run({ store, clock }) {
      for (const write of ["put", "cas", "delete", "take"] as const) {
        clock.set(START);
        await put(store, "k", { ...FIRST, expiresAt: END });
        clock.set(END);
        await put(store, "new", { value: 2, unique: "u", index: ["i", "j"] });
        if (write === "put") await put(store, "k", { value: 3 });
        if (write === "cas") await casOk(store, "k", null, { value: 3 });
        if (write === "delete") await store.delete(COLLECTION, "k");
        if (write === "take") assertEquals(await take(store, "k"), null);
        await assertKept(store, "new", { value: 2, unique: "u", index: ["i", "j"], why: write });
        assertEquals(await casStatus(store, "third", null, FIRST), "taken", write);
        for (const key of ["k", "new"]) await store.delete(COLLECTION, key);
      }
    },
  },
];
