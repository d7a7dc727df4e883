/**
 * Requirements of every passkey store: concurrent callers.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { CredentialStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { createCredential, newCredential } from "./_credentials.ts";
import { assertSoleOwner, makePairs, race, raceForOne, RACERS, raceToEnd } from "./_helpers.ts";

const TIME = 1_700_000_000;

/** The cases. */
export const CREDENTIAL_RACES: readonly ContractCase<CredentialStore>[] = [
  {
    name: "create() lets one of many have an id",
    race: true,
    async run(subject) {
      const { store } = subject;
      const winner = await raceForOne(subject, {
        start: (each, racer) => each.create(newCredential("c1", `u${racer}`)),
        won: "created",
        lost: "taken",
      });
      assertEquals((await store.find("c1"))?.sub, `u${winner}`);
      await assertSoleOwner(store, winner);
    },
  },
  {
    name: "updateSignCount() lets one of many advance a count",
    race: true,
    async run(subject) {
      await createCredential(subject.store, newCredential("c1"));
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.updateSignCount("c1", 0, racer + 1),
        won: "updated",
        lost: "lost",
      });
      assertEquals((await subject.store.find("c1"))?.signCount, winner + 1);
    },
  },
  {
    name: "updateSignCount() concurrent with delete() restores no credential",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createCredential(store, newCredential(`c${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.delete(id),
        change: (each, { id }) => each.updateSignCount(id, 0, 1),
      });
      for (const { id } of items) assertEquals(await store.find(id), null);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "updateSignCount() from 0 to 0 succeeds for all of many, and loses no use",
    race: true,
    async run(subject) {
      const { store } = subject;
      const credential = await createCredential(store, {
        ...newCredential("c1"),
        userVerified: false,
      });
      const outcomes = await race(subject, (each, racer) =>
        each.updateSignCount("c1", 0, 0, {
          backedUp: true,
          userVerified: racer === 0,
          lastUsedAt: TIME + RACERS - racer, // the first racer's use is the latest
        }));
      assertEquals(outcomes.filter((outcome) => outcome !== "updated"), []);
      const latest = { backedUp: true, userVerified: true, lastUsedAt: TIME + RACERS };
      assertEquals(await store.find("c1"), { ...credential, ...latest });
    },
  },
  {
    name: "rename() concurrent with updateSignCount() loses neither",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createCredential(store, newCredential(`c${i}`)));
      const outcomes: string[] = [];
      const use = { backedUp: true, userVerified: true, lastUsedAt: TIME + 60 };
      await raceToEnd(subject, {
        items,
        end: async (each, { id }) => void outcomes.push(await each.rename(id, "u1", "phone")),
        change: async (each, { id }) =>
          void outcomes.push(await each.updateSignCount(id, 0, 7, use)),
      });
      assertEquals([...new Set(outcomes)].sort(), ["renamed", "updated"]);
      for (const credential of items) {
        const expected = { ...credential, ...use, signCount: 7, name: "phone" };
        assertEquals(await store.find(credential.id), expected);
      }
    },
  },
  {
    name: "rename() concurrent with delete() restores no credential",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createCredential(store, newCredential(`c${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.delete(id),
        change: (each, { id }) => each.rename(id, "u1", "phone"),
      });
      for (const { id } of items) assertEquals(await store.find(id), null);
      assertEquals(await store.list("u1"), []);
    },
  },
];
