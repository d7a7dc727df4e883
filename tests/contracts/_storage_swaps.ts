/**
 * What the atomic hook of a storage adapter must do for one caller.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { StoredRecord } from "../../auth/stores/adapter.ts";
import {
  assertGone,
  assertKept,
  cas,
  casOk,
  casStatus,
  COLLECTION,
  END,
  hookOf,
  listKeys,
  put,
  type StorageCase,
  take,
  versionOf,
} from "./_storage_helpers.ts";

const FULL: StoredRecord = { value: { a: 1 }, expiresAt: END, unique: "u", index: ["i", "j"] };
const OTHER: StoredRecord = { value: { b: 2 }, unique: "v", index: ["k", "l"] };

/** Values that are not the version of a record. */
const ODD_VERSIONS: readonly (readonly [why: string, make: (version: string) => string])[] = [
  ["empty", () => ""],
  ["undefined, as in JavaScript", () => JSON.parse("{}").version],
  ["zero", () => "0"],
  ["the version without its last character", (version) => version.slice(0, -1)],
  ["the version with another digit", (version) => `${version}0`],
  ["the version and a space", (version) => `${version} `],
  ["the version and a NUL", (version) => `${version}\0`],
  ["a number with the same value", (version) => `0${version}`],
  ["null as a string", () => "null"],
  ["a pattern in SQL", () => "%"],
  ["a pattern in Redis", () => "*"],
  ["non-ASCII", () => "версия🔑"],
  ["a lone surrogate", () => "\ud83d"],
  ["a member of Object.prototype", () => "constructor"],
  ["a long string", () => "9".repeat(1000)],
];

/** The cases. */
export const STORAGE_SWAP_CASES: readonly StorageCase[] = [
  {
    name: "cas() creates a record, found by all index entries, with the returned version",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "k", null, FULL);
      await assertKept(store, "k", FULL);
      assertEquals(await versionOf(store, "k"), version);
    },
  },
  {
    name: "cas() replaces the record that was read, with all index entries",
    atomic: true,
    async run({ store }) {
      const first = await casOk(store, "k", null, FULL);
      const second = await casOk(store, "k", first, OTHER);
      assertNotEquals(second, first);
      await assertKept(store, "k", OTHER);
      assertEquals(await versionOf(store, "k"), second);
      assertEquals(await store.find(COLLECTION, "u"), null);
      assertEquals(await listKeys(store, 0, "i"), []);
      assertEquals(await listKeys(store, 1, "j"), []);
      const third = await casOk(store, "k", second, FULL);
      await assertKept(store, "k", FULL);
      assertEquals(new Set([first, second, third]).size, 3);
    },
  },
  {
    name: "cas() with the version of get(), find() or list() wins, also after put()",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FULL);
      await casOk(store, "k", await versionOf(store, "k"), FULL);
      const found = await store.find(COLLECTION, "u");
      await casOk(store, "k", found?.version ?? "", FULL);
      const [listed] = await store.list(COLLECTION, 1, "j");
      await casOk(store, "k", listed?.version ?? "", { value: 3 });
      await assertKept(store, "k", { value: 3 });
    },
  },
  {
    name: "cas() with no version is lost if there is a record, and does not change it",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "k", null, FULL);
      assertEquals(await cas(store, "k", null, OTHER), { status: "lost" });
      await assertKept(store, "k", FULL);
      await assertGone(store, "other", OTHER);
      assertEquals(await versionOf(store, "k"), version);
    },
  },
  {
    name: "cas() with a version is lost if there is no record, and creates none",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "other", null, { value: 1 });
      for (const expected of [version, "1", ""]) {
        assertEquals(await cas(store, "k", expected, FULL), { status: "lost" });
        assertEquals(await cas(store, "k", expected, null), { status: "lost" });
        await assertGone(store, "k", FULL);
      }
    },
  },
  {
    name: "cas() with an invalid version is lost, and does not change the record",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "k", null, FULL);
      for (const [why, make] of ODD_VERSIONS) {
        for (const next of [OTHER, null]) {
          assertEquals(await casStatus(store, "k", make(version), next), "lost", why);
        }
      }
      await assertKept(store, "k", FULL);
      assertEquals(await versionOf(store, "k"), version);
    },
  },
  {
    name: "cas() with an old version is lost, even if the record has the old content again",
    atomic: true,
    async run({ store }) {
      const old: string[] = [];
      old.push(await casOk(store, "k", null, FULL));
      old.push(await casOk(store, "k", old[0] ?? "", OTHER));
      await casOk(store, "k", old[1] ?? "", FULL);
      for (const version of old) {
        assertEquals(await casStatus(store, "k", version, OTHER), "lost");
        assertEquals(await casStatus(store, "k", version, null), "lost");
      }
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "cas() with a version of another key or collection is lost",
    atomic: true,
    async run({ store }) {
      const atomic = hookOf(store);
      const versions = new Map<string, string>();
      for (const collection of ["a", "b"]) {
        for (const key of ["k", "l"]) {
          const made = await atomic.cas(collection, key, null, { value: 1 });
          assert(made.status === "ok");
          versions.set(`${collection} ${key}`, made.version);
        }
      }
      // Two records may have equal versions; each must be checked against its own version
      for (const name of ["a k", "b k", "a l"]) {
        const [collection = "", key = ""] = name.split(" ");
        const updated = await atomic.cas(collection, key, versions.get(name) ?? null, { value: 2 });
        assertEquals(updated.status, "ok", name);
      }
      for (const name of ["a k", "b k", "a l"]) {
        const [collection = "", key = ""] = name.split(" ");
        const { status } = await atomic.cas(collection, key, versions.get("b l") ?? null, null);
        assertEquals(status, "lost", name);
      }
      assertEquals((await store.get("b", "l"))?.version, versions.get("b l"));
    },
  },
  {
    name: "put() changes the version, even if it writes the same record",
    async run({ store }) {
      const versions = new Set<string>();
      for (let time = 0; time < 5; time++) {
        await put(store, "k", FULL);
        versions.add(await versionOf(store, "k"));
      }
      assertEquals(versions.size, 5);
      assert([...versions].every((version) => typeof version === "string"));
    },
  },
  {
    name: "put() invalidates a version that was read before",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "k", null, FULL);
      await put(store, "k", FULL);
      assertEquals(await casStatus(store, "k", version, OTHER), "lost");
      assertEquals(await casStatus(store, "k", version, null), "lost");
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "get() returns the same version until a write, whatever is read or rejected",
    atomic: true,
    async run({ store, stores }) {
      const version = await casOk(store, "k", null, FULL);
      await put(store, "other", { value: 1, index: ["i"] });
      await store.find(COLLECTION, "u");
      await casStatus(store, "k", `${version}0`, OTHER);
      await casStatus(store, "k", null, null);
      await casStatus(store, "new", null, { value: 1, unique: "u" });
      await store.delete(COLLECTION, "other");
      for (const reader of stores) assertEquals(await versionOf(reader, "k"), version);
      const [listed] = await store.list(COLLECTION, 0, "i");
      assertEquals(listed?.version, version);
      assertEquals((await store.find(COLLECTION, "u"))?.version, version);
    },
  },
  {
    name: "cas(), put(), delete() and take() do not reuse a version for a record created again",
    atomic: true,
    async run({ store }) {
      const seen: string[] = [];
      const removals: readonly ((version: string) => Promise<unknown>)[] = [
        () => store.delete(COLLECTION, "k"),
        (version) => casOk(store, "k", version, null),
        () => take(store, "k"),
      ];
      for (const remove of [...removals, ...removals]) {
        seen.push(await casOk(store, "k", null, FULL));
        await remove(seen.at(-1) ?? "");
        await put(store, "k", FULL);
        seen.push(await versionOf(store, "k"));
        await remove(seen.at(-1) ?? "");
      }
      assertEquals(new Set(seen).size, seen.length);
      await put(store, "k", FULL);
      for (const version of seen) {
        assertEquals(await casStatus(store, "k", version, OTHER), "lost");
        assertEquals(await casStatus(store, "k", version, null), "lost");
      }
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "cas() with a version and no record deletes the record, with all index entries",
    atomic: true,
    async run({ store }) {
      const version = await casOk(store, "k", null, FULL);
      const removed = await hookOf(store).cas(COLLECTION, "k", version, null);
      assertEquals(removed, { status: "ok", version: "" });
      await assertGone(store, "k", FULL);
      assertEquals(await casStatus(store, "k", version, null), "lost");
      await casOk(store, "k", null, FULL);
      await assertKept(store, "k", FULL);
    },
  },
  {
    name: "take() returns a value once, and deletes the record with all index entries",
    atomic: true,
    async run({ store }) {
      await put(store, "k", FULL);
      await put(store, "other", OTHER);
      assertEquals(await take(store, "k"), FULL.value);
      await assertGone(store, "k", FULL);
      assertEquals(await take(store, "k"), null);
      assertEquals(await take(store, "none"), null);
      assertEquals(await take(store, "other", "nowhere"), null);
      await assertKept(store, "other", OTHER);
      await put(store, "k", { ...FULL, value: 2 });
      assertEquals(await take(store, "k"), 2);
    },
  },
];
