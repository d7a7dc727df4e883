/**
 * What every user store must do.
 *
 * @module
 */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { NewUser, User, UserPatch, UserStore } from "../../auth/store_types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  assertDetached,
  makePairs,
  ODD_KEYS,
  race,
  raceForOne,
  RACERS,
  raceToEnd,
} from "./_helpers.ts";

function newUser(sub: string, identifier: string): NewUser {
  return { sub, identifier, securityStamp: "stamp", createdAt: 1_700_000_000 };
}

/** Closes an account; the stamp goes with it, so that sessions that sleep do not wake up with the account. */
const DISABLED: UserPatch = { disabled: true, securityStamp: "closed" };

/** Creates a user and reads it. */
async function createUser(store: UserStore, user: NewUser = newUser("u1", "ada")): Promise<User> {
  assertEquals(await store.create(user), "created");
  const created = await store.findBySub(user.sub);
  if (created === null) throw new Error(`Cannot find user: ${user.sub} was created`);
  return created;
}

function withoutVersion({ version: _, ...user }: User): NewUser {
  return user;
}

/** The cases. */
export const USER_STORE_CASES: readonly ContractCase<UserStore>[] = [
  {
    name: "create() keeps every member, found by identifier and by sub",
    async run({ store }) {
      const user: NewUser = {
        ...newUser("u1", "ada@example.com"),
        passwordHash: "$pbkdf2-sha256$i=1$c2FsdA$aGFzaA",
        disabled: true,
      };
      const created = await createUser(store, user);
      assertEquals(withoutVersion(created), user);
      assertEquals(typeof created.version, "string");
      assertEquals(await store.findByIdentifier("ada@example.com"), created);
    },
  },
  {
    name: "create() leaves absent what is absent",
    async run({ store }) {
      const created = await createUser(store);
      assertEquals(withoutVersion(created), newUser("u1", "ada"));
      assertEquals("passwordHash" in created, false);
      assertEquals("disabled" in created, false);
    },
  },
  {
    name: "create() refuses a taken identifier and keeps the user who has it",
    async run({ store }) {
      const first = await createUser(store);
      assertEquals(await store.create(newUser("u2", "ada")), "identifier_taken");
      assertEquals(await store.findByIdentifier("ada"), first);
      assertEquals(await store.findBySub("u2"), null);
      assertEquals(await store.create(newUser("u1", "ada")), "identifier_taken", "the same again");
    },
  },
  {
    name: "create() rejects a taken sub, and leaves the identifier free",
    async run({ store }) {
      const first = await createUser(store);
      await assertRejects(() => store.create(newUser("u1", "bob")));
      assertEquals(await store.findBySub("u1"), first);
      assertEquals(await store.findByIdentifier("bob"), null);
      assertEquals(await store.create(newUser("u2", "bob")), "created");
    },
  },
  {
    name: "findByIdentifier() and findBySub() find nobody who is not there, nor one by the other",
    async run({ store }) {
      assertEquals(await store.findByIdentifier("ada"), null);
      assertEquals(await store.findBySub("u1"), null);
      await createUser(store);
      assertEquals(await store.findByIdentifier("u1"), null);
      assertEquals(await store.findBySub("ada"), null);
      assertEquals(await store.findBySub("__proto__"), null);
      assertEquals(await store.findByIdentifier("constructor"), null);
    },
  },
  {
    name: "create() and delete() take odd keys for keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.create(newUser(key, key)), "created", why);
      }
      for (const [why, key] of ODD_KEYS) {
        const found = await store.findBySub(key);
        assertEquals(found && withoutVersion(found), newUser(key, key), why);
        assertEquals(await store.findByIdentifier(key), found, why);
        await store.delete(key);
        assertEquals(await store.findBySub(key), null, why);
        assertEquals(await store.findByIdentifier(key), null, why);
      }
    },
  },
  {
    name: "findBySub() gives users that are detached",
    async run({ store }) {
      const user = newUser("u1", "ada");
      const expected = await createUser(store, user);
      const find = () => store.findBySub("u1");
      await assertDetached<unknown>(user, { expected: structuredClone(expected), find });
      assertEquals((await store.findByIdentifier("ada"))?.sub, "u1");
    },
  },
  {
    name: "update() changes what the patch has, and the version every time",
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
    name: "update() with a false, an empty or the same value writes it",
    async run({ store }) {
      const first = await createUser(store, { ...newUser("u1", "ada"), disabled: true });
      const patch = { disabled: false, passwordHash: "", securityStamp: "stamp" };
      assertEquals(await store.update("u1", first.version, patch), "updated");
      const second = await store.findBySub("u1");
      assertEquals(second && withoutVersion(second), { ...newUser("u1", "ada"), ...patch });
    },
  },
  {
    name: "update() under another version is lost and changes nothing",
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
    name: "update() of a user who is not there makes none",
    async run({ store }) {
      assertEquals(await store.update("u1", "1", DISABLED), "not_found");
      const { version } = await createUser(store);
      await store.delete("u1");
      assertEquals(await store.update("u1", version, DISABLED), "not_found");
      assertEquals(await store.findBySub("u1"), null);
    },
  },
  {
    name: "update() under the version of a user who was deleted and made again is lost",
    async run({ store }) {
      const { version } = await createUser(store);
      await store.delete("u1");
      await createUser(store);
      assertEquals(await store.update("u1", version, DISABLED), "lost");
    },
  },
  {
    name: "delete() frees sub and identifier, and may be repeated",
    async run({ store }) {
      await store.delete("u1");
      await createUser(store);
      const bob = await createUser(store, newUser("u2", "bob"));
      await store.delete("u1");
      await store.delete("u1");
      assertEquals(await store.findByIdentifier("ada"), null);
      assertEquals(await store.create(newUser("u3", "ada")), "created");
      await store.delete("u1");
      assertEquals((await store.findByIdentifier("ada"))?.sub, "u3");
      assertEquals(await store.findBySub("u2"), bob);
    },
  },
  {
    name: "create() lets one of many have an identifier",
    race: true,
    async run(subject) {
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.create(newUser(`u${racer}`, "ada")),
        won: "created",
        lost: "identifier_taken",
      });
      assertEquals((await subject.store.findByIdentifier("ada"))?.sub, `u${winner}`);
      for (let racer = 0; racer < RACERS; racer++) {
        const found = await subject.store.findBySub(`u${racer}`);
        assertEquals(found?.sub, racer === winner ? `u${racer}` : undefined);
      }
    },
  },
  {
    name: "create() lets one of many have a sub",
    race: true,
    async run(subject) {
      const winner = await raceForOne<UserStore, string>(subject, {
        start: (store, racer) => store.create(newUser("u1", `ada${racer}`)).catch(() => "rejected"),
        won: "created",
        lost: "rejected",
      });
      assertEquals((await subject.store.findBySub("u1"))?.identifier, `ada${winner}`);
      for (let racer = 0; racer < RACERS; racer++) {
        const found = await subject.store.findByIdentifier(`ada${racer}`);
        assertEquals(found?.sub, racer === winner ? "u1" : undefined);
      }
    },
  },
  {
    name: "update() lets one of many change a version",
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
    name: "update() changes the identifier, and leaves the old one free",
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
    name: "update() refuses an identifier that another user has, and changes nothing",
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
    name: "update() takes the identifier that the user has",
    async run({ store }) {
      const { version } = await createUser(store);
      assertEquals(await store.update("u1", version, { identifier: "ada" }), "updated");
      assertEquals((await store.findByIdentifier("ada"))?.sub, "u1");
    },
  },
  {
    name: "update() leaves an identifier free when its user is deleted under another",
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
    name: "update() beside delete() brings nobody back",
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
