/**
 * What every store of refresh families must do: creation and lookup.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { RefreshFamily, RefreshTokenStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, atTimesAround, ODD_KEYS } from "./_helpers.ts";
import { createFamily, FAMILY_END, newFamily, revoked, rotation } from "./_refresh_families.ts";
import { REFRESH_LIST_CASES } from "./_refresh_list.ts";
import { REFRESH_REVOKE_CASES } from "./_refresh_revoke.ts";
import { REFRESH_ROTATE_CASES } from "./_refresh_rotate.ts";

/** The cases. */
export const REFRESH_TOKEN_STORE_CASES: readonly ContractCase<RefreshTokenStore>[] = [
  {
    name: "create() stores every member",
    async run({ store }) {
      const family = await createFamily(store, {
        ...newFamily("f1"),
        sessionId: "s1",
        generation: 3,
        amr: [],
        acr: "urn:example:aal2",
        scope: ["notes:read", "notes:write"],
        data: { clientId: "app", deep: { list: [1, null] } },
      });
      assertEquals(await store.find("f1"), family);
    },
  },
  {
    name: "create() omits absent members",
    async run({ store }) {
      await createFamily(store);
      const found = await store.find("f1");
      assertEquals(found, newFamily("f1"));
      const optional = ["sessionId", "acr", "scope", "data"];
      assertEquals(optional.filter((member) => member in (found ?? {})), []);
    },
  },
  {
    name: "create() keeps an empty scope, since a family without one is not limited",
    async run({ store }) {
      await createFamily(store, { ...newFamily("f1"), scope: [] });
      assertEquals((await store.find("f1"))?.scope, []);
    },
  },
  {
    name: "find() does not return an absent family, nor one by another member",
    async run({ store }) {
      assertEquals(await store.find("f1"), null);
      await createFamily(store, { ...newFamily("f1"), sessionId: "s1" });
      for (const key of ["u1", "s1", "hash 0", "", "f", "__proto__", "constructor"]) {
        assertEquals(await store.find(key), null, key);
      }
    },
  },
  {
    name: "create(), rotate() and revoke() accept unusual keys",
    async run({ store }) {
      for (const [, key] of ODD_KEYS) {
        await store.create({ ...newFamily(key, key), sessionId: key, currentHash: key });
      }
      const ids = ODD_KEYS.map(([, key]) => key);
      const gone: string[] = [];
      for (const [index, [why, key]] of ODD_KEYS.entries()) {
        const toHash = `${key}+`;
        const outcome = await store.rotate(rotation({ familyId: key, fromHash: key, toHash }));
        assertEquals(outcome, "rotated", why);
        assertEquals((await store.find(key))?.currentHash, toHash, why);
        const selectors = [{ familyId: key }, { sessionId: key }, { sub: key }] as const;
        const selector = selectors[index % 3];
        if (selector !== undefined) await store.revoke(selector);
        gone.push(key);
        assertEquals(await revoked(store, ids), gone, why);
      }
    },
  },
  {
    name: "find() returns detached copies",
    async run({ store }) {
      const make = (): RefreshFamily => ({
        ...newFamily("f1"),
        scope: ["a"],
        data: { client: ["app"] },
      });
      const family = await createFamily(store, make());
      await assertDetached(family, { expected: make(), find: () => store.find("f1") });
    },
  },
  {
    name: "find() does not return an expired family",
    async run({ store, clock }) {
      const family = await createFamily(store);
      await atTimesAround({ clock, end: FAMILY_END }, async ({ there, why }) => {
        assertEquals(await store.find("f1"), there ? family : null, why);
      });
    },
  },
  ...REFRESH_ROTATE_CASES,
  ...REFRESH_REVOKE_CASES,
  ...REFRESH_LIST_CASES,
];
