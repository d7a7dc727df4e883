/**
 * What every store of second factors must do.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { FactorStore, NewUserFactors, UserFactors } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { type EndingRace, makePairs, ODD_KEYS, race, raceForOne, raceToEnd } from "./_helpers.ts";
import { factorsOf } from "./_races.ts";

/** A record with all members. */
const WHOLE: NewUserFactors = {
  ...factorsOf("u1"),
  pending: { secret: "encrypted pending", createdAt: 1_700_000_007 },
};

/** The cases. */
export const FACTOR_STORE_CASES: readonly ContractCase<FactorStore>[] = [
  {
    name: "save() keeps every member, found by the user",
    async run({ store }) {
      assertEquals(await store.find("u1"), null);
      assertEquals(await store.save(WHOLE, null), "saved");
      const { version, ...members } = await find(store, "u1");
      assertEquals(members, WHOLE);
      assertEquals(typeof version === "string" && version !== "", true);
    },
  },
  {
    name: "save() omits absent members, and removes those that are absent from the next record",
    async run({ store }) {
      const bare: NewUserFactors = { sub: "u1", recoveryCodes: [] };
      assertEquals(await store.save(bare, null), "saved");
      const first = await find(store, "u1");
      assertEquals(["totp", "pending"].filter((name) => name in first), []);
      assertEquals(await store.save(WHOLE, first.version), "saved");
      const second = await find(store, "u1");
      assertEquals(await store.save(bare, second.version), "saved");
      const { version, ...members } = await find(store, "u1");
      assertEquals(members, bare);
      assertEquals(new Set([version, first.version, second.version]).size, 3);
    },
  },
  {
    name: "save() with another version changes nothing",
    async run({ store }) {
      assertEquals(await store.save(WHOLE, "1"), "lost", "there is no record");
      assertEquals(await store.find("u1"), null);
      await store.save(WHOLE, null);
      const { version } = await find(store, "u1");
      const next = { ...WHOLE, recoveryCodes: ["other"] };
      for (const expected of [null, `${version}0`]) {
        assertEquals(await store.save(next, expected), "lost", `${expected}`);
      }
      assertEquals((await find(store, "u1")).recoveryCodes, WHOLE.recoveryCodes);
      assertEquals(await store.save(next, version), "saved");
      assertEquals(await store.save(WHOLE, version), "lost", "the version was replaced");
      assertEquals((await find(store, "u1")).recoveryCodes, ["other"]);
    },
  },
  {
    name: "save() does not restore a record that was deleted and created again",
    async run({ store }) {
      await store.save(WHOLE, null);
      const { version } = await find(store, "u1");
      await store.delete("u1");
      assertEquals(await store.save(WHOLE, version), "lost");
      assertEquals(await store.find("u1"), null);
      await store.save({ ...WHOLE, recoveryCodes: [] }, null);
      assertEquals(await store.save(WHOLE, version), "lost");
      assertEquals((await find(store, "u1")).recoveryCodes, []);
    },
  },
  {
    name: "find() and delete() do not confuse users",
    async run({ store }) {
      await store.save(WHOLE, null);
      await store.save(factorsOf("u2"), null);
      for (const key of ["", "u", "u11", "U1", "__proto__", "constructor"]) {
        assertEquals(await store.find(key), null, key);
        await store.delete(key);
      }
      assertEquals((await find(store, "u2")).sub, "u2");
      await store.delete("u1");
      await store.delete("u1");
      assertEquals(await store.find("u1"), null);
      assertEquals((await find(store, "u2")).sub, "u2");
    },
  },
  {
    name: "save(), find() and delete() accept unusual users",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.save(factorsOf(key), null), "saved", why);
      }
      for (const [why, key] of ODD_KEYS) {
        assertEquals((await find(store, key)).sub, key, why);
        await store.delete(key);
        assertEquals(await store.find(key), null, why);
      }
    },
  },
  {
    name: "save() lets one of many create the record",
    race: true,
    async run(subject) {
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.save(stepOf("u1", racer), null),
        won: "saved",
        lost: "lost",
      });
      assertEquals((await find(subject.store, "u1")).totp?.lastStep, winner);
    },
  },
  {
    name: "save() lets one of many accept a code",
    race: true,
    async run(subject) {
      await subject.store.save(WHOLE, null);
      const { version } = await find(subject.store, "u1");
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.save(stepOf("u1", racer), version),
        won: "saved",
        lost: "lost",
      });
      assertEquals((await find(subject.store, "u1")).totp?.lastStep, winner);
    },
  },
  {
    name: "save() lets each of many racers use one of the recovery codes, and none twice",
    race: true,
    async run(subject) {
      const codes = Array.from({ length: 10 }, (_, i) => `digest ${i}`);
      await subject.store.save({ ...WHOLE, recoveryCodes: codes }, null);
      const used = await race(subject, async (store) => {
        for (;;) {
          const found = await find(store, "u1");
          const [code, ...recoveryCodes] = found.recoveryCodes;
          if (code === undefined) return [];
          if (await store.save({ ...found, recoveryCodes }, found.version) === "saved") return code;
        }
      });
      assertEquals(used.flat().sort(), codes);
      assertEquals((await find(subject.store, "u1")).recoveryCodes, []);
    },
  },
  {
    name: "delete() is not undone by a concurrent save()",
    race: true,
    async run(subject) {
      const items = await makePairs(async (index) => {
        await subject.store.save(factorsOf(`u${index}`), null);
        return await find(subject.store, `u${index}`);
      });
      const ending: EndingRace<FactorStore, UserFactors> = {
        items,
        end: (store, { sub }) => store.delete(sub),
        change: (store, { sub, version }) => store.save(factorsOf(sub), version),
      };
      await raceToEnd(subject, ending);
      for (const { sub } of items) assertEquals(await subject.store.find(sub), null, sub);
    },
  },
];

function stepOf(sub: string, lastStep: number): NewUserFactors {
  return { ...factorsOf(sub), totp: { ...TOTP, lastStep } };
}

const TOTP = { secret: "encrypted", createdAt: 1_700_000_000, confirmedAt: 1_700_000_001 };

async function find(store: FactorStore, sub: string): Promise<UserFactors> {
  const found = await store.find(sub);
  if (found === null) throw new Error(`There are no factors of ${sub}`);
  return found;
}
