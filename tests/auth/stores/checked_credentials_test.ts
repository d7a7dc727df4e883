/** Passkeys with the types of other engines: what decides is not guessed. */

import { assertEquals, assertRejects } from "@std/assert";
import { checkedCredentials } from "../../../auth/stores/checked.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { Credential, CredentialStore } from "../../../auth/stores/types.ts";
import { CREDENTIAL, START } from "./_store_records.ts";

/** A store whose records have other members when they are read. */
async function storeWith(patch: object): Promise<CredentialStore> {
  const { credentials } = inMemoryAuthStores({ now: () => START });
  await credentials.create(CREDENTIAL);
  const patched = (read: Credential): Credential => ({ ...read, ...patch });
  return checkedCredentials({
    ...credentials,
    async find(id) {
      const read = await credentials.find(id);
      return read === null ? null : patched(read);
    },
    list: async (sub) => (await credentials.list(sub)).map(patched),
  });
}

const NOT_STRINGS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NOT_INTEGERS: readonly unknown[] = [null, undefined, "7", 7n, 7.5, NaN, Infinity, true, []];
const NOT_BOOLEANS: readonly unknown[] = [null, undefined, 0, 1, 1n, "t", "false", "", new Date(0)];

/** Members that decide, and what they must not be. */
const DECIDING: readonly (readonly [
  member: keyof Credential,
  type: string,
  others: readonly unknown[],
])[] = [
  ["id", "a non-empty string", NOT_STRINGS],
  ["sub", "a non-empty string", NOT_STRINGS],
  ["rpId", "a non-empty string", NOT_STRINGS],
  ["userHandle", "a non-empty string", NOT_STRINGS],
  ["publicKey", "a non-empty string", NOT_STRINGS],
  ["signCount", "an integer", NOT_INTEGERS],
  ["backupEligible", "a boolean", NOT_BOOLEANS],
];
for (const [member, type, others] of DECIDING) {
  for (const value of others) {
    Deno.test(`checkedCredentials() rejects a ${member} that is ${typeof value} ${value}`, async () => {
      const store = await storeWith({ [member]: value });
      const message = `Cannot use passkey: the stored ${member} must be ${type}`;
      await assertRejects(() => store.find("c1"), TypeError, message);
      await assertRejects(() => store.list("u1"), TypeError, message);
    });
  }
}

Deno.test("checkedCredentials() accepts columns that do not decide, and members that it does not know", async () => {
  const patch = { name: null, transports: null, discoverable: 1, lastUsedAt: null, version: 3 };
  const store = await storeWith(patch);
  const expected: unknown = { ...CREDENTIAL, ...patch };
  assertEquals<unknown>(await store.find("c1"), expected);
  assertEquals<unknown>(await store.list("u1"), [expected]);
});

Deno.test("checkedCredentials() passes every call to the store", async () => {
  const use = { backedUp: true, userVerified: true, lastUsedAt: START + 60 };
  const store = await storeWith({});
  assertEquals(await store.find("c2"), null);
  assertEquals(await store.create(CREDENTIAL), "taken");
  assertEquals(await store.create({ ...CREDENTIAL, id: "c2" }), "created");
  assertEquals(await store.updateSignCount("c1", 0, 2, use), "lost");
  assertEquals(await store.updateSignCount("c1", 1, 2, use), "updated");
  assertEquals(await store.rename("c1", "u2", "phone"), "not_found");
  assertEquals(await store.rename("c1", "u1", "phone"), "renamed");
  assertEquals(await store.find("c1"), { ...CREDENTIAL, ...use, signCount: 2, name: "phone" });
  await store.delete("c1");
  assertEquals((await store.list("u1")).map(({ id }) => id), ["c2"]);
});
