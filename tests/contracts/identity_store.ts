/**
 * What every store of identities must do.
 *
 * @module
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import type { Identity, IdentityStore, NewIdentity } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { ODD_KEYS, race, RACERS } from "./_helpers.ts";
import { identityOf } from "./_races.ts";

/** The cases. */
export const IDENTITY_STORE_CASES: readonly ContractCase<IdentityStore>[] = [
  {
    name: "create() keeps every member, found by id and in the list",
    async run({ store }) {
      const identity = {
        ...identityOf("i1"),
        label: "ada@example.org",
        tokens: "t",
        refreshingUntil: 5,
      };
      assertEquals(await store.create(identity), "created");
      const { version, ...members } = await find(store, "i1");
      assertEquals(members, identity);
      assertEquals(typeof version === "string" && version !== "", true);
      assertEquals(await store.list("u1"), [{ ...identity, version }]);
    },
  },
  {
    name: "create() omits absent members",
    async run({ store }) {
      await store.create(identityOf("i1"));
      const { version: _, ...members } = await find(store, "i1");
      assertEquals(members, identityOf("i1"));
      assertEquals(["label", "tokens", "refreshingUntil"].filter((name) => name in members), []);
    },
  },
  {
    name: "create() rejects a taken id, of any user, and keeps the identity",
    async run({ store }) {
      await store.create(identityOf("i1"));
      for (const sub of ["u1", "u2"]) {
        assertEquals(
          await store.create({ ...identityOf("i1"), sub, label: "other" }),
          "taken",
          sub,
        );
      }
      assertEquals((await find(store, "i1")).label, undefined);
      assertEquals(await store.list("u2"), []);
    },
  },
  {
    name: "find(), list() and delete() do not confuse ids and users",
    async run({ store }) {
      await store.create(identityOf("i1"));
      await store.create({ ...identityOf("i2"), sub: "u2" });
      for (const key of ["u1", "", "i", "i11", "__proto__", "constructor"]) {
        assertEquals(await store.find(key), null, key);
        assertEquals(await store.delete(key, "u1"), "not_found", key);
      }
      for (const key of ["i1", "", "u", "u11", "__proto__"]) {
        assertEquals(await store.list(key), [], key);
      }
      assertEquals((await store.list("u1")).map(({ id }) => id), ["i1"]);
    },
  },
  {
    name: "create(), update() and delete() accept unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.create({ ...identityOf(key), sub: key }), "created", why);
      }
      for (const [why, key] of ODD_KEYS) {
        const { version } = await find(store, key);
        assertEquals(await store.update(key, version, { label: why }), "updated", why);
        assertEquals((await store.list(key)).map(({ label }) => label), [why]);
        assertEquals(await store.delete(key, key), "deleted", why);
        assertEquals(await store.find(key), null, why);
      }
    },
  },
  {
    name: "update() replaces what the patch has, removes what is null, and changes the version",
    async run({ store }) {
      await store.create({ ...identityOf("i1"), label: "a", tokens: "t", refreshingUntil: 5 });
      const first = await find(store, "i1");
      const patch = { usedAt: 9, label: undefined, tokens: "t2", refreshingUntil: null };
      assertEquals(await store.update("i1", first.version, patch), "updated");
      const { version, ...members } = await find(store, "i1");
      assertEquals(members, { ...identityOf("i1"), usedAt: 9, label: "a", tokens: "t2" });
      assertNotEquals(version, first.version);
      assertEquals((await store.list("u1")).length, 1);
    },
  },
  {
    name: "update() with another version, or of an unknown identity, changes nothing",
    async run({ store }) {
      await store.create(identityOf("i1"));
      const { version } = await find(store, "i1");
      assertEquals(await store.update("i2", version, { usedAt: 9 }), "not_found");
      assertEquals(await store.update("i1", `${version}0`, { usedAt: 9 }), "lost");
      await store.update("i1", version, { usedAt: 8 });
      assertEquals(await store.update("i1", version, { usedAt: 9 }), "lost");
      assertEquals((await find(store, "i1")).usedAt, 8);
    },
  },
  {
    name: "delete() deletes only the identity of its user, once, and it can be created again",
    async run({ store }) {
      await store.create(identityOf("i1"));
      assertEquals(await store.delete("i1", "u2"), "not_found");
      assertEquals(await store.delete("i1", "u1"), "deleted");
      assertEquals(await store.delete("i1", "u1"), "not_found");
      assertEquals(await store.list("u1"), []);
      assertEquals(await store.create({ ...identityOf("i1"), sub: "u2" }), "created");
      assertEquals((await store.list("u2")).length, 1);
    },
  },
  {
    name: "create() links an identity to one of many users",
    race: true,
    async run(subject) {
      const outcomes = await race(
        subject,
        (store, racer) => store.create({ ...identityOf("i1"), sub: `u${racer}` }),
      );
      assertEquals(outcomes.filter((outcome) => outcome === "created").length, 1);
      const { sub } = await find(subject.store, "i1");
      assertEquals(sub, `u${outcomes.indexOf("created")}`);
    },
  },
  {
    name: "update() lets one of many writers of one version win",
    race: true,
    async run(subject) {
      await subject.store.create(identityOf("i1"));
      const { version } = await find(subject.store, "i1");
      const outcomes = await race(
        subject,
        (store, racer) => store.update("i1", version, { refreshingUntil: racer }),
      );
      assertEquals(outcomes.filter((outcome) => outcome === "updated").length, 1);
      assertEquals(outcomes.filter((outcome) => outcome === "lost").length, RACERS - 1);
      const { refreshingUntil } = await find(subject.store, "i1");
      assertEquals(refreshingUntil, outcomes.indexOf("updated"));
    },
  },
  {
    name: "delete() says to one of many that it deleted",
    race: true,
    async run(subject) {
      await subject.store.create(identityOf("i1"));
      const outcomes = await race(subject, (store) => store.delete("i1", "u1"));
      assertEquals(outcomes.filter((outcome) => outcome === "deleted").length, 1);
    },
  },
];

async function find(store: IdentityStore, id: string): Promise<Identity & NewIdentity> {
  const found = await store.find(id);
  if (found === null) throw new Error(`There is no identity ${id}`);
  return found;
}
