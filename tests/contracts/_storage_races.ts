/**
 * What a storage adapter must do for concurrent callers: on one record, and on two that compete for a unique string.
 *
 * @module
 */

import { assert, assertEquals, AssertionError } from "@std/assert";
import type { StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import type { ContractSubject } from "./_contract.ts";
import { makePairs, race, raceForOne, RACERS } from "./_helpers.ts";
import {
  assertKept,
  casOk,
  casStatus,
  COLLECTION,
  END,
  listKeys,
  put,
  type StorageCase,
  take,
  valueOf,
} from "./_storage_helpers.ts";

/** After so many lost swaps in a row, a racer assumes that no swap wins. */
const MOST_ATTEMPTS = 500;

/** Concurrent writes of one record: creates the previous record, and returns the version that each of them expects. */
const WRITES_OF_ONE: readonly (readonly [
  name: string,
  prepare: (subject: ContractSubject<StorageAdapter>) => Promise<string | null>,
])[] = [
  ["create a record", () => Promise.resolve(null)],
  ["create a record over an expired one", async ({ store, clock }) => {
    await put(store, "k", { value: 1, expiresAt: END, unique: "u0", index: ["i", "j"] });
    clock.set(END);
    return null;
  }],
  ["replace a record with the same version", ({ store }) => {
    return casOk(store, "k", null, { value: 1, index: ["i", "j"] });
  }],
];

/** The cases. */
export const STORAGE_RACE_CASES: readonly StorageCase[] = [
  ...WRITES_OF_ONE.map(([name, prepare]): StorageCase => ({
    name: `cas() lets one of many ${name}`,
    atomic: true,
    race: true,
    async run(subject) {
      const expected = await prepare(subject);
      const winner = await raceForOne(subject, {
        start: (store, racer) => casStatus(store, "k", expected, recordOf(racer)),
        won: "ok",
        lost: "lost",
      });
      await assertWinner(subject.stores, winner);
    },
  })),
  {
    name: "cas() lets one of many delete a record with the same version",
    atomic: true,
    race: true,
    async run(subject) {
      const version = await casOk(subject.store, "k", null, { value: 1, index: ["i", "j"] });
      const start = (store: StorageAdapter) => casStatus(store, "k", version, null);
      await raceForOne(subject, { start, won: "ok", lost: "lost" });
      for (const store of subject.stores) assertEquals(await listKeys(store, 0, "i"), []);
    },
  },
  {
    name: "cas() counts every increment of callers that retry on conflict",
    atomic: true,
    race: true,
    async run(subject) {
      await put(subject.store, "k", { value: 0, unique: "u", index: ["i", "j"] });
      await race(subject, increment);
      for (const store of subject.stores) {
        await assertKept(store, "k", { value: RACERS, unique: "u", index: ["i", "j"] });
      }
    },
  },
  {
    name: "take() returns a value to one of many",
    atomic: true,
    race: true,
    async run(subject) {
      await put(subject.store, "k", { value: { a: 1 }, expiresAt: END });
      const values = await race(subject, (store) => take(store, "k"));
      assertEquals(values.filter((value) => value !== null), [{ a: 1 }]);
    },
  },
  {
    name: "take() returns each of many values to one of two",
    atomic: true,
    race: true,
    async run(subject) {
      await makePairs((index) => put(subject.store, `k${index}`, { value: index }));
      const values = await race(subject, (store, racer) => take(store, `k${racer >> 1}`));
      const given = values.filter((value) => value !== null).map(Number).sort((a, b) => a - b);
      assertEquals(given, Array.from({ length: RACERS / 2 }, (_, index) => index));
    },
  },
  {
    name:
      "take() returns the value before or after a concurrent cas(), consistent with the result of cas()",
    atomic: true,
    race: true,
    async run(subject) {
      const version = await casOk(subject.store, "k", null, { value: "old" });
      const outcomes = await race(
        subject,
        (store, racer) =>
          racer % 2 === 0 ? casStatus(store, "k", version, { value: "new" }) : take(store, "k"),
      );
      const swaps = outcomes.filter((outcome) => outcome === "ok").length;
      const taken = outcomes.filter((outcome) => outcome === "old" || outcome === "new");
      const left = await valueOf(subject.store, "k"); // if every take() came before the swap of one
      assertEquals(left, null);
      assertEquals(taken, [swaps === 0 ? "old" : "new"]);
      assert(swaps <= 1);
    },
  },
  {
    name: "cas() lets one of many new keys have a unique string",
    atomic: true,
    race: true,
    async run(subject) {
      const statuses = await race(
        subject,
        (store, racer) => casStatus(store, `k${racer}`, null, { ...recordOf(racer), unique: "u" }),
      );
      await assertSole(subject.stores, statuses);
    },
  },
  {
    name: "cas() lets one of many new keys have the unique string of an expired record",
    atomic: true,
    race: true,
    async run(subject) {
      await put(subject.store, "k", { value: 1, expiresAt: END, unique: "u", index: ["i", "j"] });
      subject.clock.set(END);
      const statuses = await race(
        subject,
        (store, racer) => casStatus(store, `k${racer}`, null, { ...recordOf(racer), unique: "u" }),
      );
      await assertSole(subject.stores, statuses);
    },
  },
  {
    name: "cas() lets one of many existing records have a unique string",
    atomic: true,
    race: true,
    async run(subject) {
      const made = await race(subject, async (store, racer) => {
        return await casOk(store, `k${racer}`, null, { value: racer, unique: `u${racer}` });
      });
      const statuses = await race(
        subject,
        (store, racer) =>
          casStatus(store, `k${racer}`, made[racer] ?? "", { ...recordOf(racer), unique: "u" }),
      );
      await assertSole(subject.stores, statuses);
      for (const [racer, status] of statuses.entries()) {
        const found = await subject.store.find(COLLECTION, `u${racer}`);
        assertEquals(found?.key, status === "ok" ? undefined : `k${racer}`);
      }
    },
  },
  {
    name: "put() lets one of many keys have a unique string, and rejects the others",
    atomic: true,
    race: true,
    async run(subject) {
      const statuses = await race(subject, async (store, racer) => {
        try {
          await put(store, `k${racer}`, { ...recordOf(racer), unique: "u" });
          return "ok";
        } catch (error) {
          assert(error instanceof Error);
          return "taken";
        }
      });
      await assertSole(subject.stores, statuses);
    },
  },
];

function recordOf(racer: number): StoredRecord {
  return { value: racer, unique: `u${racer}`, index: ["i", `j${racer}`] };
}

/** Asserts that the record `k` is that of one racer, with no part of another. */
async function assertWinner(stores: readonly StorageAdapter[], winner: number): Promise<void> {
  for (const store of stores) {
    await assertKept(store, "k", recordOf(winner));
    assertEquals(await listKeys(store, 0, "i"), ["k"]);
    assertEquals(await listKeys(store, 1, "j"), []);
  }
  const [store] = stores;
  assert(store !== undefined);
  for (let racer = 0; racer < RACERS; racer++) {
    const holds = racer === winner;
    assertEquals((await store.find(COLLECTION, `u${racer}`))?.key, holds ? "k" : undefined);
    assertEquals((await listKeys(store, 1, `j${racer}`)).length, holds ? 1 : 0);
  }
}

/** Asserts that one racer has the unique string `u`, and that only its record is listed. */
async function assertSole(
  stores: readonly StorageAdapter[],
  statuses: readonly string[],
): Promise<void> {
  assertEquals(statuses.filter((status) => status === "ok").length, 1, "one has the string");
  const refused = statuses.filter((status) => status === "taken" || status === "lost");
  assertEquals(refused.length, statuses.length - 1);
  const winner = statuses.indexOf("ok");
  for (const store of stores) {
    assertEquals(await listKeys(store, 0, "i"), [`k${winner}`]);
    await assertKept(store, `k${winner}`, { ...recordOf(winner), unique: "u" });
  }
}

/** Adds one, retrying on conflict, with exponential backoff and jitter. */
async function increment(store: StorageAdapter, racer: number): Promise<void> {
  for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt++) {
    const record = await store.get(COLLECTION, "k");
    assert(record !== null);
    const next = { value: Number(record.value) + 1, unique: "u", index: ["i", "j"] } as const;
    if (await casStatus(store, "k", record.version, next) === "ok") return;
    const most = 2 ** Math.min(attempt, 8);
    await new Promise((resolve) => setTimeout(resolve, (racer * 7919 + attempt * 104_729) % most));
  }
  throw new AssertionError(`Cannot increment: ${MOST_ATTEMPTS} swaps were lost`);
}
