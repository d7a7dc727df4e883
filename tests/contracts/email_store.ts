/**
 * What every store of e-mail addresses must do.
 *
 * @module
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import type { EmailStore, UserEmail } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { ODD_KEYS, raceForOne, RACERS } from "./_helpers.ts";

type NewEmail = Omit<UserEmail, "version">;

/** An address, verified or not. */
function emailOf(sub: string, verifiedAt?: number): NewEmail {
  const email = "ada@example.com";
  return { sub, email, ...(verifiedAt === undefined ? {} : { verifiedAt }) };
}

/** Saves the first address of a user, and reads it. */
async function create(store: EmailStore, email: NewEmail): Promise<UserEmail> {
  assertEquals(await store.save(email, null), "saved");
  const found = await store.findBySub(email.sub);
  if (found === null) throw new Error(`Cannot find e-mail address of ${email.sub}: it was saved`);
  return found;
}

/** The cases. */
export const EMAIL_STORE_CASES: readonly ContractCase<EmailStore>[] = [
  {
    name: "save() keeps every member, and finds a verified address only",
    async run({ store }) {
      const { version, ...members } = await create(store, emailOf("u1"));
      assertEquals(members, emailOf("u1"));
      assertEquals("verifiedAt" in members, false);
      assertEquals(await store.findByEmail("ada@example.com"), null);
      assertEquals(await store.save(emailOf("u1", 1_700_000_000), version), "saved");
      const found = await store.findByEmail("ada@example.com");
      assertEquals(found, { ...emailOf("u1", 1_700_000_000), version: found?.version ?? "" });
      assertEquals(await store.findBySub("u1"), found);
      assertNotEquals(found?.version, version);
    },
  },
  {
    name: "save() lets several users have an address, one of whom has verified it",
    async run({ store }) {
      await create(store, emailOf("u1"));
      const second = await create(store, emailOf("u2"));
      assertEquals(await store.save(emailOf("u2", 5), second.version), "saved");
      const first = await store.findBySub("u1");
      assertEquals(await store.save(emailOf("u1", 6), first?.version ?? ""), "email_taken");
      assertEquals(await store.save(emailOf("u3", 7), null), "email_taken");
      assertEquals(await store.findBySub("u1"), first);
      assertEquals(await store.findBySub("u3"), null);
      assertEquals((await store.findByEmail("ada@example.com"))?.sub, "u2");
    },
  },
  {
    name: "save() writes nothing under another version",
    async run({ store }) {
      const first = await create(store, emailOf("u1"));
      assertEquals(await store.save(emailOf("u1", 5), null), "lost");
      assertEquals(await store.save(emailOf("u1", 5), "unknown"), "lost");
      assertEquals(await store.save(emailOf("u2", 5), first.version), "lost");
      assertEquals(await store.findBySub("u1"), first);
      assertEquals(await store.findByEmail("ada@example.com"), null);
    },
  },
  {
    name: "save() frees the address that it replaces, and delete() the one it deletes",
    async run({ store }) {
      const first = await create(store, emailOf("u1", 5));
      const next = { sub: "u1", email: "countess@example.com", verifiedAt: 6 };
      assertEquals(await store.save(next, first.version), "saved");
      assertEquals(await store.findByEmail("ada@example.com"), null);
      assertEquals(await store.save(emailOf("u2", 7), null), "saved");
      await store.delete("u2");
      await store.delete("u2");
      assertEquals(await store.findByEmail("ada@example.com"), null);
      assertEquals(await store.findBySub("u2"), null);
      assertEquals(await store.save(emailOf("u3", 8), null), "saved");
      assertEquals((await store.findByEmail("countess@example.com"))?.sub, "u1");
    },
  },
  {
    name: "save() accepts unusual subjects and addresses, and does not confuse them",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.save({ sub: key, email: key, verifiedAt: 5 }, null), "saved", why);
      }
      for (const [why, key] of ODD_KEYS) {
        assertEquals((await store.findByEmail(key))?.sub, key, why);
        assertEquals((await store.findBySub(key))?.email, key, why);
      }
    },
  },
  {
    name: "save() lets one of many verify an address",
    race: true,
    async run(subject) {
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.save(emailOf(`u${racer}`, 5), null),
        won: "saved",
        lost: "email_taken",
      });
      assertEquals((await subject.store.findByEmail("ada@example.com"))?.sub, `u${winner}`);
      for (let racer = 0; racer < RACERS; racer++) {
        const found = await subject.store.findBySub(`u${racer}`);
        assertEquals(found?.sub, racer === winner ? `u${racer}` : undefined);
      }
    },
  },
  {
    name: "save() lets one of many change the address of a user",
    race: true,
    async run(subject) {
      const { version } = await create(subject.store, emailOf("u1"));
      const winner = await raceForOne(subject, {
        start: (store, racer) =>
          store.save({ sub: "u1", email: `ada${racer}@example.com` }, version),
        won: "saved",
        lost: "lost",
      });
      assertEquals((await subject.store.findBySub("u1"))?.email, `ada${winner}@example.com`);
    },
  },
];
