/** What is left of an account that could be removed by half. */

import { assertEquals, assertRejects } from "@std/assert";
import { types, withAda } from "../_services.ts";

const down = () => Promise.reject(new Error("The store is out of order"));

Deno.test("remove() has ended all access where the account itself cannot be removed", async () => {
  const { accounts, stores, events } = await withAda({
    wrap: ({ users }) => ({ users: { ...users, delete: down } }),
  });
  await assertRejects(() => accounts.remove("u1"), Error, "out of order");
  assertEquals(await stores.sessions.list("u1"), []);
  for (const [id, revoked] of [["f1", true], ["f2", true], ["other", false]] as const) {
    assertEquals((await stores.refreshTokens.find(id))?.revoked, revoked, id);
  }
  assertEquals(events, []);
});

Deno.test("remove() removes the account where nothing of it can be ended, tells of that, and wants to be repeated", async () => {
  let isDown = true;
  const { accounts, stores, events } = await withAda({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        revokeAll: (sub, except) => isDown ? down() : sessions.revokeAll(sub, except),
      },
    }),
  });
  await assertRejects(() => accounts.remove("u1"), Error, "out of order");
  assertEquals(await stores.users.findBySub("u1"), null);
  assertEquals(types(events), ["user.removed"]);
  isDown = false;
  await accounts.remove("u1");
  assertEquals(await stores.sessions.list("u1"), []);
});
