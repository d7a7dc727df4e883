/** Second factors and the account: what deletes them, and what does not. */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { factorsOf } from "../../contracts/_races.ts";
import { OTHER_PASSWORD, withAda } from "../_services.ts";

Deno.test("userService().remove() deletes the second factors of the user, and no others", async () => {
  const { accounts, stores } = await withAda();
  for (const sub of ["u1", "u9"]) await stores.factors.save(factorsOf(sub), null);
  await accounts.remove("u1");
  assertEquals(await stores.factors.find("u1"), null);
  assertNotEquals(await stores.factors.find("u9"), null);
});

Deno.test("userService().remove() deletes the second factors even if nothing else can be revoked", async () => {
  const down = () => Promise.reject(new Error("The store is out of order"));
  const { accounts, stores } = await withAda({
    wrap: ({ sessions, refreshTokens }) => ({
      sessions: { ...sessions, revokeAll: down },
      refreshTokens: { ...refreshTokens, revoke: down },
    }),
  });
  await stores.factors.save(factorsOf("u1"), null);
  await assertRejects(() => accounts.remove("u1"), Error, "out of order");
  assertEquals(await stores.factors.find("u1"), null);
});

Deno.test("Second factors survive a forgotten password, and a disabled account", async () => {
  const { accounts, passwords, stores } = await withAda();
  await stores.factors.save(factorsOf("u1"), null);
  const before = await stores.factors.find("u1");
  await passwords.reset("u1", OTHER_PASSWORD);
  await accounts.changeIdentifier("u1", "lovelace");
  await accounts.disable("u1");
  await accounts.enable("u1");
  assertEquals(await stores.factors.find("u1"), before);
});
