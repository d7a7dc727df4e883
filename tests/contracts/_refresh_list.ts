/**
 * Requirements of every store of refresh families: listing the families of a user.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { RefreshFamily, RefreshTokenStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, atTimesAround, ODD_KEYS } from "./_helpers.ts";
import {
  createFamily,
  DAY,
  FAMILY_END,
  listIds,
  newFamily,
  rotation,
  rotationAt,
  START,
  TOKEN_END,
} from "./_refresh_families.ts";

/** The cases. */
export const REFRESH_LIST_CASES: readonly ContractCase<RefreshTokenStore>[] = [
  {
    name: "list() returns every member, and omits absent ones",
    async run({ store }) {
      const members = { sessionId: "s1", acr: "aal2", scope: ["a"], data: { client: "app" } };
      const first = await createFamily(store, { ...newFamily("f1"), ...members });
      assertEquals(await store.list("u1"), [first]);
      const second = await createFamily(store, newFamily("f2"));
      assertEquals((await store.list("u1")).find(({ id }) => id === "f2"), second);
    },
  },
  {
    name: "list() does not return an absent family, nor one by another member",
    async run({ store }) {
      assertEquals(await store.list("u1"), []);
      await createFamily(store, { ...newFamily("f1"), sessionId: "s1" });
      for (const key of ["f1", "s1", "hash 0", "", "u", "u11", "U1", "__proto__", "constructor"]) {
        assertEquals(await store.list(key), [], key);
      }
    },
  },
  {
    name: "list() returns the families of one user only",
    async run({ store }) {
      for (const id of ["f1", "f2"]) await store.create({ ...newFamily(id), sessionId: "s1" });
      await store.create({ ...newFamily("f3", "u2"), sessionId: "s1" });
      assertEquals(await listIds(store, "u1"), ["f1", "f2"]);
      assertEquals(await listIds(store, "u2"), ["f3"]);
    },
  },
  {
    name: "list() accepts unusual keys",
    async run({ store }) {
      const families = ODD_KEYS.map(([why, key]) => ({ why, family: newFamily(key, key) }));
      for (const { family } of families) await store.create(family);
      for (const { why, family } of families) {
        assertEquals(await store.list(family.sub), [family], why);
        await store.revoke({ familyId: family.id });
        assertEquals(await store.list(family.sub), [], why);
      }
    },
  },
  {
    name: "list() does not confuse adjacent keys",
    async run({ store }) {
      await store.create(newFamily("b:c", "a"));
      await store.create(newFamily("c", "a:b"));
      await store.create(newFamily("b/d", "a"));
      await store.create(newFamily("d", "a/b"));
      assertEquals(await listIds(store, "a"), ["b/d", "b:c"]);
      assertEquals(await listIds(store, "a:b"), ["c"]);
      await store.revoke({ sub: "a" });
      assertEquals(await listIds(store, "a"), []);
      assertEquals(await listIds(store, "a/b"), ["d"]);
    },
  },
  {
    name: "list() returns detached copies",
    async run({ store }) {
      const make = (): RefreshFamily => ({
        ...newFamily("f1"),
        scope: ["a"],
        data: { client: ["app"] },
      });
      const family = await createFamily(store, make());
      await assertDetached<unknown>(family, {
        expected: [make()],
        find: () => store.list("u1"),
      });
      assertEquals(await store.find("f1"), make());
    },
  },
  {
    name: "list() omits revoked families",
    async run({ store }) {
      for (const id of ["f1", "f2", "f3", "f4"]) await createFamily(store, newFamily(id));
      await store.create({ ...newFamily("f5"), sessionId: "s1" });
      await store.create({ ...newFamily("f6"), revoked: true });
      await store.revoke({ familyId: "f1" });
      assertEquals(await listIds(store, "u1"), ["f2", "f3", "f4", "f5"]);
      await store.revoke({ sessionId: "s1" });
      assertEquals(await listIds(store, "u1"), ["f2", "f3", "f4"]);
      await store.rotate(rotation({ familyId: "f2", fromHash: "stolen" }));
      assertEquals(await listIds(store, "u1"), ["f3", "f4"]);
      await store.revoke({ sub: "u1" });
      assertEquals(await listIds(store, "u1"), []);
    },
  },
  {
    name: "list() does not return an expired family",
    async run({ store, clock }) {
      const later = { expiresAt: FAMILY_END + DAY, familyExpiresAt: FAMILY_END + DAY };
      await createFamily(store);
      await createFamily(store, { ...newFamily("f2"), ...later });
      await atTimesAround({ clock, end: FAMILY_END }, async ({ there, why }) => {
        assertEquals(await listIds(store, "u1"), there ? ["f1", "f2"] : ["f2"], why);
      });
    },
  },
  {
    name: "list() returns a family whose current token has expired",
    async run({ store, clock }) {
      const family = await createFamily(store);
      for (const time of [TOKEN_END, FAMILY_END - 1]) {
        clock.set(time);
        assertEquals(await store.list("u1"), [family]);
      }
    },
  },
  {
    name: "list() returns the rotated family once",
    async run({ store, clock }) {
      const family = await createFamily(store);
      clock.set(START + DAY);
      assertEquals(await store.rotate(rotationAt(START + DAY)), "rotated");
      const expiresAt = START + 15 * DAY;
      const rotated = { ...family, currentHash: "hash 1", generation: 1, expiresAt };
      assertEquals(await store.list("u1"), [rotated]);
    },
  },
  {
    name: "list() returns the same on every connection",
    async run({ store, stores }) {
      await createFamily(store);
      for (const each of stores) assertEquals(await listIds(each, "u1"), ["f1"]);
      await store.revoke({ familyId: "f1" });
      for (const each of stores) assertEquals(await listIds(each, "u1"), []);
    },
  },
];
