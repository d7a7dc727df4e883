/** What of an account that was closed by half is left when it is opened again. */

import { assertEquals, assertRejects } from "@std/assert";
import type { AuthStores } from "../../../auth/stores/types.ts";
import {
  type ServicesOptions,
  setDisabled,
  START,
  types,
  type WithAda,
  withAda,
} from "../_services.ts";

/** Ada with sessions, refresh families and an API key, none of which ended when her account was closed by hand. */
async function closedByHalf(options: ServicesOptions = {}): Promise<WithAda> {
  const services = await withAda(options);
  const { stores } = services;
  for (const [id, sub] of [["k1", "u1"], ["k9", "u9"]] as const) {
    const key = { id, sub, keyHash: "hash", scope: [], createdAt: START };
    await stores.apiKeys.create(key);
  }
  await setDisabled(stores);
  return services;
}

/** What is there: sessions, families that live, API keys. */
async function leftOf({ sessions, refreshTokens, apiKeys }: AuthStores): Promise<object> {
  const families = ["f1", "f2", "other"].map(async (id) => await refreshTokens.find(id));
  const living = (await Promise.all(families)).filter((family) => family?.revoked === false);
  const keys = [...await apiKeys.list("u1"), ...await apiKeys.list("u9")];
  return {
    sessions: (await sessions.list("u1")).length,
    families: living.map((family) => family?.id),
    keys: keys.map(({ id }) => id),
  };
}

const ALL = { sessions: 2, families: ["f1", "f2", "other"], keys: ["k1", "k9"] };

Deno.test("enable() ends what was left of an account that was closed by half, and nobody else's", async () => {
  const { accounts, stores, events } = await closedByHalf();
  assertEquals(await leftOf(stores), ALL);
  assertEquals(await accounts.enable("u1"), true);
  assertEquals(await leftOf(stores), { sessions: 0, families: ["other"], keys: ["k9"] });
  assertEquals(types(events), ["user.enabled"]);
});

Deno.test("enable() of an account that is open ends nothing", async () => {
  const { accounts, stores } = await closedByHalf();
  await setDisabled(stores, "u1", false);
  assertEquals(await accounts.enable("u1"), true);
  assertEquals(await leftOf(stores), ALL);
});

const down = () => Promise.reject(new Error("The store is out of order"));

const DOWN: readonly (readonly [what: string, wrap: NonNullable<ServicesOptions["wrap"]>])[] = [
  ["sessions", ({ sessions }) => ({ sessions: { ...sessions, revokeAll: down } })],
  ["refresh families", ({ refreshTokens: kept }) => ({ refreshTokens: { ...kept, revoke: down } })],
  ["API keys", ({ apiKeys }) => ({ apiKeys: { ...apiKeys, revokeAll: down } })],
];

for (const [what, wrap] of DOWN) {
  Deno.test(`enable() leaves the account closed where its ${what} cannot be ended`, async () => {
    const { accounts, stores, events } = await closedByHalf({ wrap });
    const before = await stores.users.findBySub("u1");
    await assertRejects(() => accounts.enable("u1"), Error, "out of order");
    assertEquals(await stores.users.findBySub("u1"), before);
    assertEquals([before?.disabled, events], [true, []]);
  });
}
