/**
 * What every store of passkeys must do.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Credential, CredentialStore, CredentialUse } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { CREDENTIAL_RACES } from "./_credential_races.ts";
import { createCredential, newCredential } from "./_credentials.ts";
import { assertDetached, ODD_KEYS } from "./_helpers.ts";

const TIME = 1_700_000_000;
const USE: CredentialUse = { backedUp: true, userVerified: true, lastUsedAt: TIME + 60 };

/** What a use changes: the stored members, the use, and those that it must not change. */
const USES: readonly (readonly [
  why: string,
  stored: Partial<Credential>,
  use: CredentialUse,
  kept: Partial<Credential>,
])[] = [
  ["the first one", { userVerified: false }, USE, {}],
  ["a later one", { lastUsedAt: TIME + 59 }, USE, {}],
  ["the same one again", { ...USE }, USE, {}],
  ["a passkey that is backed up no more", { backedUp: true }, { ...USE, backedUp: false }, {}],
  [
    "without a verification, one that was verified stays so",
    { userVerified: true },
    { ...USE, userVerified: false },
    { userVerified: true },
  ],
  [
    "without a verification, one that never was",
    { userVerified: false },
    { ...USE, userVerified: false },
    {},
  ],
  [
    "an earlier one, by a process whose clock is behind",
    { lastUsedAt: TIME + 90 },
    USE,
    { lastUsedAt: TIME + 90 },
  ],
];

/** The cases. */
export const CREDENTIAL_STORE_CASES: readonly ContractCase<CredentialStore>[] = [
  {
    name: "create() keeps every member, found by id and in the list",
    async run({ store }) {
      const credential = await createCredential(store, {
        ...newCredential("c1"),
        signCount: 4_294_967_295, // 32 bits, WebAuthn Level 3 §6.1
        transports: ["internal", "hybrid"],
        discoverable: false,
        name: "Ada's phone",
        lastUsedAt: 1_700_000_060,
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
      const optional = ["transports", "discoverable", "name", "lastUsedAt"];
      assertEquals(optional.filter((member) => member in (found ?? {})), []);
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
        assertEquals(await store.rename(key, key, key), "renamed", why);
        assertEquals((await store.find(key))?.name, key, why);
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
        assertEquals(await store.updateSignCount("c1", from, 7, USE), "lost");
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
      assertEquals(await store.updateSignCount("c1", 0, 0, USE), "lost");
      assertEquals(await store.find("c1"), null);
    },
  },
  ...USES.map(([why, stored, use, members]): ContractCase<CredentialStore> => ({
    name: `updateSignCount() records a use: ${why}`,
    async run({ store }) {
      for (const [id, to] of [["c1", 0], ["c2", 8]] as const) {
        const credential = await createCredential(store, { ...newCredential(id), ...stored });
        assertEquals(await store.updateSignCount(id, 0, to, use), "updated");
        const expected = { ...credential, signCount: to, ...use, ...members };
        assertEquals(await store.find(id), expected);
        assertEquals((await store.list("u1")).find((one) => one.id === id), expected);
      }
    },
  })),
  {
    name: "rename() sets the name only, in place of an earlier one",
    async run({ store }) {
      const credential = await createCredential(store, newCredential("c1"));
      const other = await createCredential(store, newCredential("c2"));
      for (const name of ["Ada's phone", "Ada's phone", "ключ 🔑", "__proto__", ""]) {
        assertEquals(await store.rename("c1", "u1", name), "renamed", name);
        assertEquals(await store.find("c1"), { ...credential, name });
      }
      assertEquals(await store.find("c2"), other);
      assertEquals((await store.list("u1")).map(({ name }) => name).sort(), ["", undefined]);
    },
  },
  {
    name: "rename() does not find a credential of another user",
    async run({ store }) {
      const credential = await createCredential(store, newCredential("c1"));
      for (const sub of ["u2", "", "u", "u11", "c1", "U1", "__proto__"]) {
        assertEquals(await store.rename("c1", sub, "stolen"), "not_found", sub);
      }
      assertEquals(await store.find("c1"), credential);
    },
  },
  {
    name: "rename() of a credential that does not exist creates none",
    async run({ store }) {
      assertEquals(await store.rename("c1", "u1", "phone"), "not_found");
      await createCredential(store, newCredential("c1"));
      await store.delete("c1");
      assertEquals(await store.rename("c1", "u1", "phone"), "not_found");
      assertEquals(await store.find("c1"), null);
      assertEquals(await store.list("u1"), []);
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
  ...CREDENTIAL_RACES,
];
