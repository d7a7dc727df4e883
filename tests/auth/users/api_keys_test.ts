/** What closing and removing accounts does to API keys, and nothing else does. */

import { assertEquals, assertRejects } from "@std/assert";
import {
  OTHER_PASSWORD,
  type ServicesOptions,
  START,
  type WithAda,
  withAda,
} from "../_services.ts";

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["cannot be asked", () => Promise.reject(new Error("The store is out of order"))],
  ["throw at once", () => {
    throw new Error("The store is out of order");
  }],
];

for (const name of ["disable", "remove"] as const) {
  Deno.test(`${name}() ends the user's API keys, and nobody else's`, async () => {
    const { accounts, stores } = await withApiKeys();
    await accounts[name]("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
    assertEquals((await stores.apiKeys.list("u9")).map(({ id }) => id), ["k9"]);
    if (name === "disable") await accounts.enable("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
  });

  for (const [why, fail] of DOWN) {
    Deno.test(`${name}() ends the API keys even where sessions and refresh families ${why}`, async () => {
      const { accounts, stores } = await withApiKeys({
        wrap: ({ sessions, refreshTokens }) => ({
          sessions: { ...sessions, revokeAll: fail },
          refreshTokens: { ...refreshTokens, revoke: fail },
        }),
      });
      await assertRejects(async () => await accounts[name]("u1"), Error, "out of order");
      assertEquals(await stores.apiKeys.list("u1"), []);
    });

    Deno.test(`${name}() ends sessions and refresh families even where the API keys ${why}`, async () => {
      const { accounts, stores } = await withApiKeys({
        wrap: ({ apiKeys }) => ({ apiKeys: { ...apiKeys, revokeAll: fail } }),
      });
      await assertRejects(async () => await accounts[name]("u1"), Error, "out of order");
      assertEquals(await stores.sessions.list("u1"), []);
      for (const [id, revoked] of [["f1", true], ["f2", true], ["other", false]] as const) {
        assertEquals((await stores.refreshTokens.find(id))?.revoked, revoked, id);
      }
    });
  }
}

Deno.test("userService() alone ends API keys: a new password and the end of all sessions do not", async () => {
  const { passwords, sessions, accounts, stores } = await withApiKeys();
  await passwords.reset("u1", OTHER_PASSWORD);
  await sessions.revokeAll("u1");
  await accounts.changeIdentifier("u1", "lovelace");
  await accounts.enable("u1");
  assertEquals((await stores.apiKeys.list("u1")).length, 2);
});

/** Ada with two API keys, and one of somebody else. */
async function withApiKeys(options: ServicesOptions = {}): Promise<WithAda> {
  const services = await withAda(options);
  for (const [id, sub] of [["k1", "u1"], ["k2", "u1"], ["k9", "u9"]] as const) {
    const key = { id, sub, keyHash: "hash", scope: [], createdAt: START };
    await services.stores.apiKeys.create(key);
  }
  return services;
}
