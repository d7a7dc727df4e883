/**
 * Until when a storage adapter must return a record, to fractions of a second.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { SKEW_SECONDS } from "../../auth/_clock.ts";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import type { ContractClock } from "./_contract.ts";
import { atTimesAround } from "./_helpers.ts";
import {
  assertGone,
  assertKept,
  casOk,
  casStatus,
  COLLECTION,
  END,
  holderOf,
  listKeys,
  put,
  START,
  type StorageCase,
  take,
  versionOf,
} from "./_storage_helpers.ts";

const TEN_YEARS = 10 * 366 * 86_400;
const FULL: StoredRecord = { value: { a: 1 }, expiresAt: END, unique: "u", index: ["i", "j"] };
const LASTING: StoredRecord = { value: { a: 1 }, unique: "u", index: ["i", "j"] };

/** Expiries that an engine's seconds or milliseconds may not represent. */
const ODD_ENDS: readonly (readonly [why: string, end: number])[] = [
  ["a quarter of a second later", END + 0.25],
  ["a thousandth of a second later", END + 0.001],
  ["less than a thousandth of a second later", END + 0.000_25],
  ["a second after the start", START + 1],
  ["half a second after the start", START + 0.5],
  ["more than 32 bits", 2 ** 32 + 10],
  ["more than 31 bits", 2 ** 31 + 10],
  ["in the year 4821", 90_000_000_000],
];

/** Expiries in the far future. */
const FAR_ENDS: readonly (readonly [why: string, end: number])[] = [
  ["in the year 9999", 253_402_300_799],
  ["the last time of a Date", 8_640_000_000_000],
  ["more milliseconds than a safe integer", Number.MAX_SAFE_INTEGER],
  ["the largest number", Number.MAX_VALUE],
];

/** The cases. */
export const STORAGE_EXPIRY_CASES: readonly StorageCase[] = [
  {
    name: "get(), find() and list() return no record from its expiry on",
    async run({ store, clock }) {
      await put(store, "k", FULL);
      await put(store, "later", { ...FULL, unique: "v", expiresAt: END + 10 });
      await atTimesAround({ clock, end: END }, async ({ there, why }) => {
        await assertThere(store, { there, why });
        assertEquals(await listKeys(store, 0, "i"), there ? ["k", "later"] : ["later"], why);
      });
    },
  },
  {
    name: "get() finds a record to a fraction of a second, and returns the expiry that was written",
    async run({ store, clock }) {
      for (const [why, end] of ODD_ENDS) {
        clock.set(START);
        await put(store, "k", { ...FULL, expiresAt: end });
        await assertKept(store, "k", { ...FULL, expiresAt: end, why });
        for (const [before, there] of [[0.000_1, true], [0, false], [-0.000_1, false]] as const) {
          clock.set(end - before);
          const expected = { ...FULL, expiresAt: end, why: `${why}, ${before} before` };
          await (there ? assertKept : assertGone)(store, "k", expected);
        }
      }
    },
  },
  {
    name: "put() and cas() store an expiry in the far future",
    atomic: true,
    async run({ store, clock }) {
      for (const [why, end] of FAR_ENDS) {
        await put(store, "k", { ...FULL, expiresAt: end });
        await assertKept(store, "k", { ...FULL, expiresAt: end, why });
        await casOk(store, "k", await versionOf(store, "k"), { ...FULL, expiresAt: end });
        clock.set(START + TEN_YEARS);
        await assertKept(store, "k", { ...FULL, expiresAt: end, why });
        clock.set(START);
      }
    },
  },
  {
    name: "get(), find() and list() return a record without an expiry for ten years",
    async run({ store, clock }) {
      await put(store, "k", LASTING);
      for (const time of [START + 86_400, END + TEN_YEARS]) {
        clock.set(time);
        await assertKept(store, "k", LASTING);
      }
    },
  },
  {
    name: "put() and cas() of an expired record store no record",
    atomic: true,
    async run({ store }) {
      for (const expiresAt of [START, START - 1, START - TEN_YEARS, 1, 0, -1, -0.5]) {
        const why = `expires at ${expiresAt}`;
        await put(store, "k", FULL);
        await put(store, "k", { ...FULL, expiresAt });
        await assertGone(store, "k", { ...FULL, why });
        await put(store, "k", FULL);
        await casOk(store, "k", await versionOf(store, "k"), { ...FULL, expiresAt });
        await assertGone(store, "k", { ...FULL, why });
        await casOk(store, "k", null, { ...FULL, expiresAt });
        await assertGone(store, "k", { ...FULL, why });
        await casOk(store, "other", null, { value: 2, unique: "u" });
        await store.delete(COLLECTION, "other");
      }
    },
  },
  {
    name: "put() replaces the expiry of an earlier record, or removes it",
    async run({ store, clock }) {
      await assertEnds({ store, clock }, (record) => put(store, "k", record));
    },
  },
  {
    name: "cas() replaces the expiry of an earlier record, or removes it",
    atomic: true,
    async run({ store, clock }) {
      await assertEnds({ store, clock }, async (record) => {
        const found = await store.get(COLLECTION, "k");
        await casOk(store, "k", found?.version ?? null, record);
      });
    },
  },
  {
    name: "cas() with the version of a record from its expiry on is lost",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", FULL);
      const version = await versionOf(store, "k");
      for (const time of [END, END + 1, END + TEN_YEARS]) {
        clock.set(time);
        assertEquals(
          await casStatus(store, "k", version, { ...FULL, expiresAt: time + 9 }),
          "lost",
        );
        assertEquals(await casStatus(store, "k", version, LASTING), "lost");
        assertEquals(await casStatus(store, "k", version, null), "lost");
        await assertGone(store, "k", FULL);
      }
    },
  },
  {
    name: "cas() with the version of a record wins until its expiry",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", FULL);
      await put(store, "l", { value: 1, expiresAt: END });
      clock.set(END - 1);
      await casOk(store, "k", await versionOf(store, "k"), { ...FULL, expiresAt: END + 10 });
      await casOk(store, "l", await versionOf(store, "l"), null);
      clock.set(END);
      await assertKept(store, "k", { ...FULL, expiresAt: END + 10 });
    },
  },
  {
    name: "cas() with no version wins over a record from its expiry on, not before",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", FULL);
      const old = await versionOf(store, "k");
      const next = { value: 2, unique: "v", index: ["j", "i"] } as const;
      await atTimesAround({ clock, end: END }, async ({ there, why }) => {
        if (why === "a second later") return; // it has won by then
        assertEquals(await casStatus(store, "k", null, next), there ? "lost" : "ok", why);
      });
      await assertKept(store, "k", next);
      assertEquals(await holderOf(store, "u"), null);
      assertEquals(await listKeys(store, 0, "i"), []);
      assertEquals(await casStatus(store, "k", old, null), "lost");
    },
  },
  {
    name: "put() replaces an expired record and its index entries",
    async run({ store, clock }) {
      await put(store, "k", FULL);
      clock.set(END);
      await put(store, "k", { value: 2, expiresAt: END + 10, unique: "v", index: ["j"] });
      await assertKept(store, "k", { value: 2, expiresAt: END + 10, unique: "v", index: ["j"] });
      assertEquals(await holderOf(store, "u"), null);
      assertEquals(await listKeys(store, 0, "i"), []);
      assertEquals(await listKeys(store, 1, "j"), []);
      clock.set(END + 10);
      await assertGone(store, "k", { unique: "v", index: ["j"] });
    },
  },
  {
    name: "take() returns a value until its expiry, and null from then on",
    atomic: true,
    async run({ store, clock }) {
      await atTimesAround({ clock, end: END }, async ({ there, why }) => {
        const time = clock.now();
        clock.set(START);
        await put(store, "k", FULL);
        clock.set(time);
        assertEquals(await take(store, "k"), there ? FULL.value : null, why);
        assertEquals(await take(store, "k"), null, why);
      });
    },
  },
  {
    name: "delete() deletes an expired record",
    async run({ store, clock }) {
      await put(store, "k", FULL);
      clock.set(END);
      await store.delete(COLLECTION, "k");
      clock.set(END - 1);
      await assertGone(store, "k", FULL);
    },
  },
  {
    name:
      "get(), find(), list() and lost cas() do not delete a record that is valid by a slower clock",
    atomic: true,
    async run({ store, clock }) {
      await put(store, "k", FULL);
      const version = await versionOf(store, "k");
      clock.set(END + SKEW_SECONDS - 1); // another process with a fast clock
      await assertGone(store, "k", FULL);
      assertEquals(await casStatus(store, "k", version, null), "lost");
      await put(store, "other", { ...FULL, unique: "v", expiresAt: END + 3600 });
      await store.delete(COLLECTION, "other");
      clock.set(END - 1);
      await assertKept(store, "k", FULL);
    },
  },
];

/** Returns whether the record is found, by key, unique string or index. */
async function assertThere(
  store: StorageAdapter,
  { there, why }: { there: boolean; why: string },
): Promise<void> {
  await (there ? assertKept : assertGone)(store, "k", { ...FULL, why });
}

/** Asserts that a record's expiry is that of the last write. */
async function assertEnds(
  { store, clock }: { store: StorageAdapter; clock: ContractClock },
  write: (record: StoredRecord) => Promise<void>,
): Promise<void> {
  await write(FULL);
  await write({ ...FULL, expiresAt: END + 600 });
  clock.set(END);
  await assertKept(store, "k", { ...FULL, expiresAt: END + 600, why: "a later expiry" });
  await write(LASTING);
  clock.set(END + TEN_YEARS);
  await assertKept(store, "k", { ...LASTING, why: "the expiry was removed" });
  await write({ ...FULL, expiresAt: END + TEN_YEARS + 10 });
  await write({ ...FULL, expiresAt: END + TEN_YEARS + 5 });
  clock.set(END + TEN_YEARS + 4);
  await assertKept(store, "k", {
    ...FULL,
    expiresAt: END + TEN_YEARS + 5,
    why: "an expiry was added",
  });
  clock.set(END + TEN_YEARS + 5);
  await assertGone(store, "k", { ...FULL, why: "an earlier expiry" });
}
