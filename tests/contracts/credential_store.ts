/**
 * What every store of passkeys must do.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Credential, CredentialStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  assertDetached,
  assertSoleOwner,
  makePairs,
  ODD_KEYS,
  raceForOne,
  raceToEnd,
} from "./_helpers.ts";

function newCredential(id: string, sub = "u1"): Credential {
  return {
    id,
    sub,
    publicKey: "pQECAyYgASFYIA",
    algorithm: -7,
    signCount: 0,
    backupEligible: true,
    backedUp: false,
    createdAt: 1_700_000_000,
  };
}

async function createCredential(
  store: CredentialStore,
  credential: Credential,
): Promise<Credential> {
  assertEquals(await store.create(credential), "created");
  return credential;
}

/** The cases. */
export const CREDENTIAL_STORE_CASES: readonly ContractCase<CredentialStore>[] = [
  {
    name: "create() keeps every member, found by id and in the list",
    async run({ store }) {
      const credential = await createCredential(store, {
        ...newCredential("c1"),
        signCount: 4_294_967_295, // 32 bits, WebAuthn Level 3 §6.1
        transports: ["internal", "hybrid"],
        name: "Ada's phone",
      });
      assertEquals(await store.find("c1"), credential);
      assertEquals(await store.list("u1"), [credential]);
    },
  },
  {
    name: "create() omits absent members, and keeps an empty array",
    async run({ store }) {
      await createCredential(store, newCredential("c1"));
      const found = await store.find("c1");
      assertEquals(found, newCredential("c1"));
      assertEquals(["transports", "name"].filter((member) => member in (found ?? {})), []);
      const second = await createCredential(store, { ...newCredential("c2"), transports: [] });
      assertEquals(await store.find("c2"), second);
    },
  },
  {
    name: "create() rejects a taken id, of any user, and keeps the credential",
    async run({ store }) {
      const first = await createCredential(store, newCredential("c1"));
      for (const sub of ["u1", "u2"]) {
        const second = { ...newCredential("c1", sub), publicKey: "other", signCount: 7 };
        assertEquals(await store.create(second), "taken", sub);
      }
      assertEquals(await store.find("c1"), first);
      assertEquals(await store.list("u1"), [first]);
      assertEquals(await store.list("u2"), []);
    },
  },
  {
    name: "find() and list() return nothing for an unknown id, nor by the other member",
    async run({ store }) {
      assertEquals(await store.find("c1"), null);
      assertEquals(await store.list("u1"), []);
      await createCredential(store, newCredential("c1"));
      for (const key of ["u1", "", "c", "c11", "__proto__", "constructor"]) {
        assertEquals(await store.find(key), null, key);
      }
      for (const key of ["c1", "", "u", "u11", "__proto__", "constructor"]) {
        assertEquals(await store.list(key), [], key);
      }
    },
  },
  {
    name: "create(), list() and delete() accept unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.create(newCredential(key, key)), "created", why);
      }
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.find(key), newCredential(key, key), why);
        assertEquals(await store.list(key), [newCredential(key, key)], why);
        assertEquals(await store.updateSignCount(key, 0, 1), "updated", why);
        await store.delete(key);
        assertEquals(await store.find(key), null, why);
        assertEquals(await store.list(key), [], why);
      }
    },
  },
  {
    name: "list() returns the credentials of one user only",
    async run({ store }) {
      for (const id of ["c1", "c2", "c3"]) await createCredential(store, newCredential(id));
      await createCredential(store, newCredential("c4", "u2"));
      await createCredential(store, newCredential("c:5", "u"));
      await createCredential(store, newCredential("5", "u:c"));
      const ids = async (sub: string) => (await store.list(sub)).map(({ id }) => id).sort();
      assertEquals(await ids("u1"), ["c1", "c2", "c3"]);
      assertEquals(await ids("u2"), ["c4"]);
      assertEquals(await ids("u"), ["c:5"]);
      assertEquals(await ids("u:c"), ["5"]);
    },
  },
  {
    name: "find() and list() return credentials that are detached",
    async run({ store }) {
      const make = (): Credential => ({ ...newCredential("c1"), transports: ["usb"] });
      const credential = await createCredential(store, make());
      const expected = make();
      await assertDetached(credential, { expected, find: () => store.find("c1") });
      await assertDetached<unknown>([], { expected: [expected], find: () => store.list("u1") });
    },
  },
  {
    name: "updateSignCount() changes the count only, also downwards",
    async run({ store }) {
      const credential = await createCredential(store, newCredential("c1"));
      assertEquals(await store.updateSignCount("c1", 0, 5), "updated");
      assertEquals(await store.find("c1"), { ...credential, signCount: 5 });
      assertEquals(await store.list("u1"), [{ ...credential, signCount: 5 }]);
      assertEquals(await store.updateSignCount("c1", 5, 5), "updated");
      assertEquals(await store.updateSignCount("c1", 5, 3), "updated");
      assertEquals((await store.find("c1"))?.signCount, 3);
    },
  },
  {
    name: "updateSignCount() from another count is lost and does not change the credential",
    async run({ store }) {
      const credential = await createCredential(store, { ...newCredential("c1"), signCount: 7 });
      for (const from of [6, 8, 0, -1]) {
        assertEquals(await store.updateSignCount("c1", from, 9), "lost");
      }
      assertEquals(await store.find("c1"), credential);
    },
  },
  {
    name: "updateSignCount() of a credential that does not exist creates none",
    async run({ store }) {
      assertEquals(await store.updateSignCount("c1", 0, 1), "lost");
      await createCredential(store, newCredential("c1"));
      await store.delete("c1");
      assertEquals(await store.updateSignCount("c1", 0, 1), "lost");
      assertEquals(await store.find("c1"), null);
    },
  },
  {
    name: "delete() frees the id, and may be repeated",
    async run({ store }) {
      await store.delete("c1");
      await createCredential(store, newCredential("c1"));
      const second = await createCredential(store, newCredential("c2"));
      await store.delete("c1");
      await store.delete("c1");
      assertEquals(await store.list("u1"), [second]);
      await createCredential(store, newCredential("c1", "u2"));
      assertEquals(await store.list("u1"), [second]);
    },
  },
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
];
