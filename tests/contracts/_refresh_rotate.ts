/**
 * Requirements of every store of refresh families: rotation.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { RefreshTokenStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { makePairs, race, raceToEnd } from "./_helpers.ts";
import {
  createFamily,
  DAY,
  FAMILY_END,
  newFamily,
  revoked,
  rotation,
  rotationAt,
  START,
  TOKEN_END,
} from "./_refresh_families.ts";

/** The cases. */
export const REFRESH_ROTATE_CASES: readonly ContractCase<RefreshTokenStore>[] = [
  {
    name: "rotate() replaces the secret, increments the generation, and extends the expiry",
    async run({ store, clock }) {
      const members = { sessionId: "s1", acr: "aal2", scope: ["a"], data: { client: "app" } };
      const family = await createFamily(store, { ...newFamily("f1"), ...members });
      clock.set(START + DAY);
      assertEquals(await store.rotate(rotationAt(START + DAY)), "rotated");
      const expiresAt = START + 15 * DAY;
      const second = { ...family, currentHash: "hash 1", generation: 1, expiresAt };
      assertEquals(await store.find("f1"), second);
      const next = { fromHash: "hash 1", toHash: "hash 2" };
      assertEquals(await store.rotate(rotationAt(START + DAY, next)), "rotated");
      assertEquals(await store.find("f1"), { ...second, currentHash: "hash 2", generation: 2 });
    },
  },
  {
    name: "rotate() from the current secret to itself leaves it valid, and still detects reuse",
    async run({ store }) {
      const family = await createFamily(store);
      const same = rotation({ toHash: "hash 0", expiresAt: family.expiresAt });
      for (const generation of [1, 2]) {
        assertEquals(await store.rotate(same), "rotated");
        assertEquals(await store.find("f1"), { ...family, generation });
      }
      const stolen = rotation({ fromHash: "hash x", toHash: "hash x" });
      assertEquals(await store.rotate(stolen), "reused");
      assertEquals(await store.find("f1"), { ...family, generation: 2, revoked: true });
    },
  },
  {
    name: "rotate() is repeated for the last secret until its time, and reused from then on",
    async run({ store, clock }) {
      const family = await createFamily(store);
      const until = START + 10;
      const first = rotation({ previous: { hash: "hash 0", salt: "salt 0", until } });
      assertEquals(await store.rotate(first), "rotated");
      const after = await store.find("f1");
      assertEquals(after?.previous, { hash: "hash 0", salt: "salt 0", until });
      const other = {
        ...first,
        toHash: "hash x",
        previous: { hash: "hash x", salt: "salt x", until: until + 10 },
      };
      clock.set(until - 1);
      assertEquals(await store.rotate({ ...other, now: until - 1 }), "repeated");
      assertEquals(await store.find("f1"), after, "a repetition changes nothing");
      // The successor is used: the first secret is not the last any more
      const next = rotation({ fromHash: "hash 1", toHash: "hash 2", now: until - 1 });
      assertEquals(await store.rotate(next), "rotated");
      assertEquals("previous" in (await store.find("f1") ?? {}), false);
      assertEquals(await store.rotate({ ...first, now: until - 1 }), "reused");
      await createFamily(store, { ...family, id: "f2" });
      const second = { ...first, familyId: "f2", found: undefined };
      assertEquals(await store.rotate(second), "rotated");
      clock.set(until);
      assertEquals(await store.rotate({ ...second, now: until }), "reused");
      assertEquals(await store.rotate({ ...second, now: until - 1 }), "revoked");
    },
  },
  {
    name: "rotate() does not extend the expiry beyond the family's",
    async run({ store, clock }) {
      const now = TOKEN_END - 1;
      clock.set(now);
      await createFamily(store);
      const far = rotation({ now, expiresAt: FAMILY_END + 1 });
      assertEquals(await store.rotate(far), "rotated");
      assertEquals((await store.find("f1"))?.expiresAt, FAMILY_END);
      clock.set(FAMILY_END);
      const late = rotationAt(FAMILY_END, { fromHash: "hash 1", toHash: "hash 2" });
      assert(["expired", "not_found"].includes(await store.rotate(late)));
    },
  },
  {
    name: "rotate() of an expired family is not_found",
    async run({ store, clock }) {
      await createFamily(store);
      clock.set(FAMILY_END);
      for (const fromHash of ["hash 0", "stolen"]) {
        assertEquals(await store.rotate(rotationAt(FAMILY_END, { fromHash })), "not_found");
      }
    },
  },
  {
    name: "rotate() of an unknown family creates none",
    async run({ store }) {
      assertEquals(await store.rotate(rotation()), "not_found");
      assertEquals(await store.find("f1"), null);
      await createFamily(store);
      for (const familyId of ["", "f2", "u1", "__proto__"]) {
        assertEquals(await store.rotate(rotation({ familyId })), "not_found", familyId);
      }
      assertEquals(await store.find("f1"), newFamily("f1"));
    },
  },
  {
    name: "rotate() of an expired current secret is expired, and does not revoke the family",
    async run({ store, clock }) {
      for (const time of [TOKEN_END, TOKEN_END + 1, FAMILY_END - 1]) {
        const id = `f${time}`;
        const family = await createFamily(store, newFamily(id));
        clock.set(time);
        assertEquals(await store.rotate(rotationAt(time, { familyId: id })), "expired");
        assertEquals(await store.find(id), family);
        clock.set(START);
      }
      await createFamily(store);
      clock.set(TOKEN_END - 1);
      assertEquals(await store.rotate(rotationAt(TOKEN_END - 1)), "rotated");
    },
  },
  {
    name: "rotate() is expired with the family, whatever the expiry of the token",
    async run({ store, clock }) {
      for (const time of [FAMILY_END, FAMILY_END + 1]) {
        clock.set(START);
        const id = `f${time}`;
        await store.create({ ...newFamily(id), expiresAt: FAMILY_END + DAY });
        clock.set(time);
        const outcome = await store.rotate(rotationAt(time, { familyId: id }));
        assert(["expired", "not_found"].includes(outcome), outcome);
      }
    },
  },
  {
    name: "rotate() from an earlier secret is reuse and revokes the family, the newest secret too",
    async run({ store }) {
      await createFamily(store);
      await store.rotate(rotation());
      assertEquals(await store.rotate(rotation({ toHash: "hash x" })), "reused");
      const found = await store.find("f1");
      assertEquals([found?.revoked, found?.currentHash, found?.generation], [true, "hash 1", 1]);
      const newest = rotation({ fromHash: "hash 1", toHash: "hash 2" });
      assertEquals(await store.rotate(newest), "revoked");
      assertEquals(await store.rotate(rotation()), "revoked");
    },
  },
  {
    name: "rotate() with a family that was read decides by the current one",
    async run({ store }) {
      await createFamily(store);
      const found = await store.find("f1") ?? undefined;
      assertEquals(await store.rotate(rotation({ found })), "rotated");
      assertEquals(await store.rotate(rotation({ found, toHash: "hash x" })), "reused");
      const family = await store.find("f1");
      assertEquals([family?.revoked, family?.currentHash, family?.generation], [true, "hash 1", 1]);
      assertEquals(await store.rotate(rotation({ found, toHash: "hash x" })), "revoked");
    },
  },
  {
    name: "rotate() from a wrong secret with a family that was read is reuse, once",
    async run({ store }) {
      await createFamily(store);
      const found = await store.find("f1") ?? undefined;
      const stolen = rotation({ found, fromHash: "stolen" });
      assertEquals(await store.rotate(stolen), "reused");
      assertEquals(await revoked(store, ["f1"]), ["f1"]);
      assertEquals(await store.rotate(stolen), "revoked");
      assertEquals(await store.rotate(rotation({ found })), "revoked");
    },
  },
  {
    name: "rotate() does not apply a family that was read to another one",
    async run({ store }) {
      await createFamily(store);
      await createFamily(store, newFamily("f2"));
      const found = await store.find("f2") ?? undefined;
      assertEquals(await store.rotate(rotation({ found })), "rotated");
      assertEquals(await store.find("f2"), newFamily("f2"));
      assertEquals((await store.find("f1"))?.generation, 1);
    },
  },
  {
    name: "rotate() returns the next token to one of many that read the same family",
    race: true,
    async run(subject) {
      const { store } = subject;
      await createFamily(store);
      const outcomes = await race(subject, async (each, racer) => {
        const found = await each.find("f1") ?? undefined;
        return await each.rotate(rotation({ found, toHash: `next ${racer}` }));
      });
      assertEquals(outcomes.filter((outcome) => outcome === "rotated").length, 1);
      const family = await store.find("f1");
      assertEquals([family?.revoked, family?.generation], [true, 1]);
      assertEquals(family?.currentHash, `next ${outcomes.indexOf("rotated")}`);
    },
  },
  {
    name: "rotate() from an unknown secret is reuse",
    async run({ store }) {
      for (const fromHash of ["", "hash", "hash 00", "HASH 0", "__proto__"]) {
        const familyId = `f${fromHash}`;
        await createFamily(store, newFamily(familyId));
        assertEquals(await store.rotate(rotation({ familyId, fromHash })), "reused", fromHash);
        assertEquals(await revoked(store, [familyId]), [familyId], fromHash);
      }
    },
  },
  {
    name: "rotate() from an earlier secret revokes the family even if the token has expired",
    async run({ store, clock }) {
      await createFamily(store);
      await store.rotate(rotation());
      clock.set(TOKEN_END);
      assertEquals(await store.rotate(rotationAt(TOKEN_END)), "reused");
      assertEquals(await revoked(store, ["f1"]), ["f1"]);
    },
  },
  {
    name: "rotate() returns the next token to one of many, and revokes the family for the others",
    race: true,
    async run(subject) {
      const { store } = subject;
      await createFamily(store);
      const outcomes = await race(
        subject,
        (each, racer) => each.rotate(rotation({ toHash: `next ${racer}` })),
      );
      const counts = (outcome: string) => outcomes.filter((each) => each === outcome).length;
      assertEquals(counts("rotated"), 1);
      assertEquals(counts("reused") + counts("revoked"), outcomes.length - 1);
      const found = await store.find("f1");
      assertEquals([found?.revoked, found?.generation], [true, 1]);
      assertEquals(found?.currentHash, `next ${outcomes.indexOf("rotated")}`);
    },
  },
  {
    name: "rotate() concurrent with reuse leaves the family revoked",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createFamily(store, newFamily(`f${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.rotate(rotation({ familyId: id, fromHash: "stolen" })),
        change: (each, { id }) => each.rotate(rotation({ familyId: id })),
      });
      const ids = items.map(({ id }) => id);
      assertEquals(await revoked(store, ids), ids);
    },
  },
  {
    name: "rotate() concurrent with revoke() leaves the family revoked",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createFamily(store, newFamily(`f${i}`, `u${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { sub }) => each.revoke({ sub }),
        change: (each, { id }) => each.rotate(rotation({ familyId: id })),
      });
      const ids = items.map(({ id }) => id);
      assertEquals(await revoked(store, ids), ids);
    },
  },
];
