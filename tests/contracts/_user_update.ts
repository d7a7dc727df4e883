/**
 * Requirements of every user store: updates.
 *
 * @module
 */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { NewUser, UserPatch, UserStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { makePairs, race, raceForOne, raceToEnd } from "./_helpers.ts";
import { createUser, DISABLED, newUser, withoutVersion } from "./_users.ts";

/** The cases. */
export const USER_UPDATE_CASES: readonly ContractCase<UserStore>[] = [
  {
    name: "update() changes the members of the patch, and the version every time",
    async run({ store }) {
      const first = await createUser(store, { ...newUser("u1", "ada"), passwordHash: "old" });
      assertEquals(await store.update("u1", first.version, { passwordHash: "new" }), "updated");
      const second = await store.findBySub("u1");
      assertEquals(second, { ...first, passwordHash: "new", version: second?.version ?? "" });
      assertNotEquals(second?.version, first.version);
      const patch = { securityStamp: "next", disabled: true };
      assertEquals(await store.update("u1", second?.version ?? "", patch), "updated");
      const third = await store.findByIdentifier("ada");
      assertEquals(third && withoutVersion(third), {
        ...newUser("u1", "ada"),
        passwordHash: "new",
        ...patch,
      });
      assertEquals(await store.update("u1", third?.version ?? "", {}), "updated");
      const versions = [first, second, third, await store.findBySub("u1")].map((user) =>
        user?.version
      );
      assertEquals(new Set(versions).size, 4);
    },
  },
  {
    name: "update() keeps members that are not in the patch, and a disabled account stays disabled",
    async run({ store }) {
      const patches: readonly UserPatch[] = [
        { identifier: "countess", securityStamp: "2" },
        { passwordHash: "new", securityStamp: "3" },
        { securityStamp: "4" },
        { securityStamp: "5", disabled: undefined },
      ];
      let expected: NewUser = { ...newUser("u1", "ada"), passwordHash: "old", disabled: true };
      let { version } = await createUser(store, expected);
      for (const patch of patches) {
        assertEquals(await store.update("u1", version, patch), "updated");
        expected = { ...expected, ...JSON.parse(JSON.stringify(patch)) };
        const found = await store.findBySub("u1");
        assertEquals(found && withoutVersion(found), expected);
        version = found?.version ?? "";
      }
    },
  },
  {
    name: "update() removes the password for null, and no other member",
    async run({ store }) {
      const whole: NewUser = {
        ...newUser("u1", "ada"),
        passwordHash: "old",
        disabled: true,
        pendingRemoval: "c1",
      };
      let { version } = await createUser(store, whole);
      const { passwordHash: _, ...expected } = whole;
      for (const why of ["a password", "none"]) {
        assertEquals(await store.update("u1", version, { passwordHash: null }), "updated", why);
        const found = await store.findBySub("u1");
        assertEquals(found && withoutVersion(found), expected, why);
        assertEquals("passwordHash" in (found ?? {}), false, why);
        assertNotEquals(found?.version, version, why);
        version = found?.version ?? "";
      }
      const patch = { passwordHash: "new", securityStamp: "next" };
      assertEquals(await store.update("u1", version, patch), "updated");
      const found = await store.findByIdentifier("ada");
      assertEquals(found && withoutVersion(found), { ...expected, ...patch });
    },
  },
  {
    name: "update() replaces attributes as a whole, and removes them for null",
    async run({ store }) {
      let { version } = await createUser(store, {
        ...newUser("u1", "ada"),
        attributes: { plan: "free" },
      });
      for (const attributes of [{ seats: 3, nested: { a: [null, "é"] } }, {}, null, null]) {
        assertEquals(await store.update("u1", version, { attributes }), "updated");
        const found = await store.findBySub("u1");
        assertEquals(found?.attributes, attributes ?? undefined);
        assertEquals("attributes" in (found ?? {}), attributes !== null);
        version = found?.version ?? "";
      }
    },
  },
  {
    name: "update() keeps the passkey whose removal began, until another one's begins",
    async run({ store }) {
      let { version } = await createUser(store, { ...newUser("u1", "ada"), passwordHash: "old" });
      const patches: readonly [UserPatch, pendingRemoval: string][] = [
        [{ pendingRemoval: "c1" }, "c1"],
        [{ securityStamp: "next" }, "c1"],
        [{ pendingRemoval: "c2" }, "c2"],
        [{ passwordHash: null }, "c2"],
      ];
      for (const [patch, pendingRemoval] of patches) {
        assertEquals(await store.update("u1", version, patch), "updated");
        const found = await store.findBySub("u1");
        assertEquals(found?.pendingRemoval, pendingRemoval);
        assertEquals(await store.findByIdentifier("ada"), found);
        version = found?.version ?? "";
      }
    },
  },
  {
    name: "update() writes false, empty and unchanged values",
    async run({ store }) {
      const first = await createUser(store, { ...newUser("u1", "ada"), disabled: true });
      const patch = { disabled: false, passwordHash: "", securityStamp: "stamp" };
      assertEquals(await store.update("u1", first.version, patch), "updated");
      const second = await store.findBySub("u1");
      assertEquals(second && withoutVersion(second), { ...newUser("u1", "ada"), ...patch });
    },
  },
  {
    name: "update() does not disable an account without a new security stamp, whatever the version",
    async run({ store }) {
      const { version } = await createUser(store, newUser("u1", "ada"));
      const patch: UserPatch = JSON.parse('{ "disabled": true }'); // which TypeScript rejects
      for (const one of [version, "stale"]) {
        await assertRejects(async () => await store.update("u1", one, patch), TypeError);
      }
      assertEquals((await store.findBySub("u1"))?.version, version);
    },
  },
  {
    name: "update() with another version is lost and does not change the user",
    async run({ store }) {
      const first = await createUser(store);
      await store.update("u1", first.version, { securityStamp: "next" });
      const second = await store.findBySub("u1");
      for (const version of [first.version, "", "__proto__", "0"]) {
        assertEquals(await store.update("u1", version, { securityStamp: "late" }), "lost", version);
      }
      assertEquals(await store.findBySub("u1"), second);
    },
  },
  {
    name: "update() of a user that does not exist creates none",
    async run({ store }) {
      assertEquals(await store.update("u1", "1", DISABLED), "not_found");
      const { version } = await createUser(store);
      await store.delete("u1");
      assertEquals(await store.update("u1", version, DISABLED), "not_found");
      assertEquals(await store.findBySub("u1"), null);
    },
  },
  {
    name: "update() with the version of a user that was deleted and created again is lost",
    async run({ store }) {
      const { version } = await createUser(store);
      await store.delete("u1");
      await createUser(store);
      assertEquals(await store.update("u1", version, DISABLED), "lost");
    },
  },
  {
    name: "update() lets one of many change the same version",
    race: true,
    async run(subject) {
      const { version } = await createUser(subject.store);
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.update("u1", version, { securityStamp: `stamp${racer}` }),
        won: "updated",
        lost: "lost",
      });
      assertEquals((await subject.store.findBySub("u1"))?.securityStamp, `stamp${winner}`);
    },
  },
  {
    name: "update() changes the identifier, and frees the old one",
    async run({ store }) {
      const { version } = await createUser(store);
      assertEquals(await store.update("u1", version, { identifier: "lovelace" }), "updated");
      const renamed = await store.findBySub("u1");
      assertEquals(renamed?.identifier, "lovelace");
      assertEquals(await store.findByIdentifier("lovelace"), renamed);
      assertEquals(await store.findByIdentifier("ada"), null);
      assertEquals(await store.create(newUser("u2", "ada")), "created");
      assertEquals(await store.create(newUser("u3", "lovelace")), "identifier_taken");
    },
  },
  {
    name: "update() rejects a taken identifier, and does not change the user",
    async run({ store }) {
      const ada = await createUser(store);
      const bob = await createUser(store, newUser("u2", "bob"));
      const patch = { identifier: "ada", securityStamp: "next" };
      assertEquals(await store.update("u2", bob.version, patch), "identifier_taken");
      assertEquals(await store.findBySub("u2"), bob);
      assertEquals(await store.findByIdentifier("bob"), bob);
      assertEquals(await store.findByIdentifier("ada"), ada);
    },
  },
  {
    name: "update() accepts the user's current identifier",
    async run({ store }) {
      const { version } = await createUser(store);
      assertEquals(await store.update("u1", version, { identifier: "ada" }), "updated");
      assertEquals((await store.findByIdentifier("ada"))?.sub, "u1");
    },
  },
  {
    name: "update() leaves no identifier taken when its user is deleted concurrently",
    async run({ store }) {
      const { version } = await createUser(store);
      await store.update("u1", version, { identifier: "lovelace" });
      await store.delete("u1");
      assertEquals(await store.findByIdentifier("lovelace"), null);
      assertEquals(await store.create(newUser("u2", "lovelace")), "created");
      assertEquals(await store.create(newUser("u3", "ada")), "created");
    },
  },
  {
    name: "update() lets one of many users take an identifier",
    race: true,
    async run(subject) {
      const users = await makePairs((i) => createUser(subject.store, newUser(`u${i}`, `ada${i}`)));
      const outcomes = await race(subject, (store, racer) => {
        const { sub, version } = users[racer % users.length] ?? { sub: "", version: "" };
        return store.update(sub, version, { identifier: "ada" });
      });
      assertEquals(outcomes.filter((outcome) => outcome === "updated").length, 1);
      const owner = await subject.store.findByIdentifier("ada");
      for (const { sub, identifier } of users) {
        const found = await subject.store.findBySub(sub);
        assertEquals(found?.identifier, sub === owner?.sub ? "ada" : identifier);
      }
    },
  },
  {
    name: "update() concurrent with delete() restores no user",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createUser(store, newUser(`u${i}`, `ada${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { sub }) => each.delete(sub),
        change: (each, { sub, version }) => each.update(sub, version, DISABLED),
      });
      for (const { sub, identifier } of items) {
        assertEquals(await store.findBySub(sub), null);
        assertEquals(await store.findByIdentifier(identifier), null);
      }
    },
  },
];
