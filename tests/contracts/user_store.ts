/**
 * What every user store must do.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import type { NewUser, UserStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, ODD_KEYS, raceForOne, RACERS } from "./_helpers.ts";
import { USER_UPDATE_CASES } from "./_user_update.ts";
import { createUser, newUser, withoutVersion } from "./_users.ts";
import { compareUtf8 } from "./_utf8.ts";

/** The cases. */
export const USER_STORE_CASES: readonly ContractCase<UserStore>[] = [
  {
    name: "create() keeps every member, found by identifier and by sub",
    async run({ store }) {
      const user: NewUser = {
        ...newUser("u1", "ada@example.com"),
        passwordHash: "$pbkdf2-sha256$i=1$c2FsdA$aGFzaA",
        disabled: true,
        pendingRemoval: "c1",
        attributes: { plan: "free", tags: ["a"], seats: null },
      };
      const created = await createUser(store, user);
      assertEquals(withoutVersion(created), user);
      assertEquals(typeof created.version, "string");
      assertEquals(await store.findByIdentifier("ada@example.com"), created);
    },
  },
  {
    name: "create() omits absent members",
    async run({ store }) {
      const created = await createUser(store);
      assertEquals(withoutVersion(created), newUser("u1", "ada"));
      assertEquals("passwordHash" in created, false);
      assertEquals("disabled" in created, false);
      assertEquals("pendingRemoval" in created, false);
    },
  },
  {
    name: "create() rejects a taken identifier and keeps the user who has it",
    async run({ store }) {
      const first = await createUser(store);
      assertEquals(await store.create(newUser("u2", "ada")), "identifier_taken");
      assertEquals(await store.findByIdentifier("ada"), first);
      assertEquals(await store.findBySub("u2"), null);
      assertEquals(
        await store.create(newUser("u1", "ada")),
        "identifier_taken",
        "the same user again",
      );
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
    name: "findByIdentifier() and findBySub() return no unknown user, nor one by the other member",
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
    name: "create() and delete() accept unusual keys",
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
    name: "findBySub() returns users that are detached",
    async run({ store }) {
      const user = newUser("u1", "ada");
      const expected = await createUser(store, user);
      const find = () => store.findBySub("u1");
      await assertDetached<unknown>(user, { expected: structuredClone(expected), find });
      assertEquals((await store.findByIdentifier("ada"))?.sub, "u1");
    },
  },
  {
    name: "list() returns all users in the order of their sub, in pages",
    async run({ store }) {
      assertEquals(await store.list({ limit: 10 }), []);
      const subs = ["b", "a", "c", "é", "B", "🔑", "\uffee"];
      for (const sub of subs) await createUser(store, newUser(sub, `name of ${sub}`));
      const expected = [...subs].sort(compareUtf8);
      const listed = await store.list({ limit: 100 });
      assertEquals(listed.map(({ sub }) => sub), expected);
      for (const user of listed) assertEquals(user, await store.findBySub(user.sub));
      const paged: string[] = [];
      for (;;) {
        const page = await store.list({ limit: 3, after: paged.at(-1) });
        if (page.length === 0) break;
        paged.push(...page.map(({ sub }) => sub));
      }
      assertEquals(paged, expected);
    },
  },
  {
    name: "list() returns updated users once, and no deleted ones",
    async run({ store }) {
      const { version } = await createUser(store);
      await createUser(store, newUser("u2", "bob"));
      await createUser(store, newUser("u3", "eve"));
      assertEquals(await store.update("u1", version, { identifier: "lovelace" }), "updated");
      await store.delete("u2");
      const listed = await store.list({ limit: 100 });
      assertEquals(listed.map(({ identifier }) => identifier), ["lovelace", "eve"]);
      const rest = await store.list({ limit: 100, after: "u2" });
      assertEquals(rest.map(({ sub }) => sub), ["u3"], "after a deleted user");
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
  ...USER_UPDATE_CASES,
];
