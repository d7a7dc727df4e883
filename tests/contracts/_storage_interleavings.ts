/**
 * What a storage adapter must do with different concurrent calls: a change and a deletion, a write and a read.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { StorageAdapter, StoredRecord, Versioned } from "../../auth/stores/adapter.ts";
import { makePairs, race, RACERS, raceToEnd } from "./_helpers.ts";
import {
  assertGone,
  assertKept,
  casOk,
  casStatus,
  COLLECTION,
  END,
  listKeys,
  put,
  type StorageCase,
  take,
} from "./_storage_helpers.ts";

/** Reads during concurrent writes. */
const LOOKS = 8;

interface Item {
  readonly key: string;
  readonly version: string;
  readonly record: StoredRecord;
}

/** The cases. */
export const STORAGE_MEETING_CASES: readonly StorageCase[] = [
  {
    name: "cas() concurrent with delete() restores no record",
    atomic: true,
    race: true,
    async run(subject) {
      const items = await makeItems(subject.store);
      await raceToEnd(subject, {
        items,
        end: (store, { key }) => store.delete(COLLECTION, key),
        change,
      });
      await assertAllGone(subject.stores, items);
    },
  },
  {
    name: "cas() concurrent with take() restores no record",
    atomic: true,
    race: true,
    async run(subject) {
      const items = await makeItems(subject.store);
      await raceToEnd(subject, { items, end: (store, { key }) => take(store, key), change });
      await assertAllGone(subject.stores, items);
    },
  },
  {
    name: "cas() concurrent with put() leaves the record of put()",
    atomic: true,
    race: true,
    async run(subject) {
      const items = await makeItems(subject.store);
      const last = ({ key }: Item) =>
        ({ value: "last", unique: `last ${key}`, index: ["l"] }) as const;
      await raceToEnd(subject, {
        items,
        end: (store, item) => put(store, item.key, last(item)),
        change,
      });
      for (const item of items) {
        await assertKept(subject.store, item.key, last(item));
        await assertUnfound(subject.store, item);
        await assertUnfound(subject.store, { ...item, record: changed(item) });
      }
      assertEquals((await listKeys(subject.store, 0, "l")).length, items.length);
      assertEquals(await listKeys(subject.store, 0, "i"), []);
    },
  },
  {
    name: "put() concurrent with delete() leaves a record with all index entries, or none of it",
    atomic: true,
    race: true,
    async run(subject) {
      const items = await makeItems(subject.store);
      await raceToEnd(subject, {
        items,
        async end(store, { key }) {
          await look(store, { key, times: Number(key.slice(1)) % LOOKS });
          await store.delete(COLLECTION, key);
        },
        change: (store, item) => put(store, item.key, changed(item)),
      });
      for (const item of items) {
        const found = await subject.store.get(COLLECTION, item.key);
        const record = changed(item);
        if (found === null) await assertGone(subject.store, item.key, record);
        else await assertKept(subject.store, item.key, record);
        await put(subject.store, item.key, { value: "again" }); // a remaining index entry would find it
        await assertUnfound(subject.store, item);
        await assertUnfound(subject.store, { ...item, record });
      }
    },
  },
  {
    name: "put() over an expired record leaves its unique string to cas() of another record",
    atomic: true,
    race: true,
    async run(subject) {
      const keys = await makePairs(async (index) => {
        await put(subject.store, `k${index}`, {
          value: index,
          expiresAt: END,
          unique: `u${index}`,
        });
        return index;
      });
      subject.clock.set(END);
      await raceToEnd(subject, {
        items: keys,
        async end(store, index) {
          await look(store, { key: `k${index}`, times: index % 4 });
          await casOk(store, `new${index}`, null, { value: "new", unique: `u${index}` });
        },
        async change(store, index) {
          await look(store, { key: `k${index}`, times: (index >> 2) % 4 });
          await put(store, `k${index}`, { value: "again" });
        },
      });
      for (const index of keys) {
        await assertKept(subject.store, `new${index}`, { value: "new", unique: `u${index}` });
        await assertKept(subject.store, `k${index}`, { value: "again" });
      }
    },
  },
  {
    name: "put() concurrent with put() leaves one record, and no part of another",
    atomic: true,
    race: true,
    async run(subject) {
      await race(subject, (store, racer) => put(store, "k", recordOf(racer)));
      const value = (await subject.store.get(COLLECTION, "k"))?.value;
      assert(typeof value === "number");
      for (const store of subject.stores) {
        await assertKept(store, "k", recordOf(value));
        assertEquals(await listKeys(store, 0, "i"), ["k"]);
      }
      for (let racer = 0; racer < RACERS; racer++) {
        if (racer !== value) {
          await assertUnfound(subject.store, { key: "k", record: recordOf(racer) });
        }
      }
    },
  },
  {
    name: "find() and list() lose no record while it is written",
    atomic: true,
    race: true,
    async run(subject) {
      const write = (store: StorageAdapter, value: number) =>
        put(store, "k", { value, unique: "u", index: ["i"] });
      await write(subject.store, 0);
      await race(subject, async (store, racer) => {
        if (racer % 2 === 0) return await write(store, racer);
        for (let time = 0; time < LOOKS; time++) {
          assertEquals(await listKeys(store, 0, "i"), ["k"], "list()");
          assertEquals((await store.find(COLLECTION, "u"))?.key, "k", "find()");
        }
      });
    },
  },
  {
    // Not a race: a naive adapter passes it, too, if it stores value and version together
    name: "get(), find() and list() return a value with the version that it was written with",
    async run(subject) {
      const write = (store: StorageAdapter, value: number) =>
        put(store, "k", { value, unique: "u", index: ["i"] });
      await write(subject.store, -1);
      const values = new Map<string, unknown>();
      const note = ({ version, value }: Versioned) => {
        assertEquals(values.get(version) ?? value, value, "two values with one version");
        values.set(version, value);
      };
      await race(subject, async (store, racer) => {
        if (racer % 2 === 0) return await write(store, racer);
        for (let time = 0; time < LOOKS; time++) {
          const found = await store.get(COLLECTION, "k");
          assert(found !== null);
          note(found);
          for (const each of await store.list(COLLECTION, 0, "i")) note(each);
          const held = await store.find(COLLECTION, "u");
          if (held !== null) note(held);
        }
      });
      assertEquals(new Set(values.values()).size, values.size, "one value with two versions");
    },
  },
  {
    name: "find() and list() return no record by a string that it no longer has",
    atomic: true,
    race: true,
    async run(subject) {
      const write = (store: StorageAdapter, text: string) =>
        put(store, "k", { value: text, unique: text, index: [text, text] });
      await race(subject, async (store, racer) => {
        const text = `t${(racer >> 1) % 3}`;
        if (racer % 2 === 0) return await write(store, text);
        for (let time = 0; time < LOOKS; time++) {
          const found = await store.find(COLLECTION, text);
          assertEquals(found?.value ?? text, text, "find()");
          const listed = await store.list(COLLECTION, time % 2 === 0 ? 0 : 1, text);
          assertEquals(listed.filter(({ value }) => value !== text), [], "list()");
        }
      });
    },
  },
];

/** A hundred records. */
function makeItems(store: StorageAdapter): Promise<Item[]> {
  return makePairs(async (index) => {
    const key = `k${index}`;
    const record = { value: index, unique: `u${index}`, index: ["i", `j${index}`] } as const;
    return { key, version: await casOk(store, key, null, record), record };
  });
}

function recordOf(racer: number): StoredRecord {
  return { value: racer, unique: `u${racer}`, index: ["i", `j${racer}`] };
}

/** The changed record. */
function changed({ key }: Item): StoredRecord {
  return { value: "changed", unique: `changed ${key}`, index: ["c", `changed ${key}`] };
}

/** Waits up to the time of a write, so that some calls come before it, some after it, and some during it. */
async function look(
  store: StorageAdapter,
  { key, times }: { readonly key: string; readonly times: number },
): Promise<void> {
  for (let time = 0; time < times; time++) await store.get(COLLECTION, key);
}

/** Changes a record if it is unchanged. */
function change(store: StorageAdapter, item: Item): Promise<unknown> {
  return casStatus(store, item.key, item.version, changed(item));
}

/** Asserts that no record is found by a record's strings. */
async function assertUnfound(
  store: StorageAdapter,
  { key, record: { unique = "", index = [] } }: Pick<Item, "key" | "record">,
): Promise<void> {
  assertEquals(await store.find(COLLECTION, unique), null, `${key}: find()`);
  assertEquals(await listKeys(store, 1, index[1] ?? ""), [], `${key}: list()`);
}

/** Asserts that records are deleted, both the old and the new ones. */
async function assertAllGone(
  stores: readonly StorageAdapter[],
  items: readonly Item[],
): Promise<void> {
  for (const store of stores) {
    for (const text of ["i", "c"]) assertEquals(await listKeys(store, 0, text), [], text);
  }
  const [store] = stores;
  assert(store !== undefined);
  for (const item of items) {
    await assertGone(store, item.key, item.record);
    await assertGone(store, item.key, changed(item));
  }
}
