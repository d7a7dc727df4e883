/** The bounds of an API key service's options, and stores that are slow, fail, or say odd things. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { apiKeyService } from "../../../auth/tokens/api_key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { withKey, withKeys } from "./_api_keys.ts";
import { refusal } from "../_services.ts";

Deno.test("apiKeyService() takes one key as the most that a user may have", async () => {
  const { apiKeys } = await withKeys({ maxPerUser: 1 });
  await apiKeys.create("u1");
  assertEquals((await refusal(() => apiKeys.create("u1"))).code, "too_many_keys");
});

for (const maxPerUser of [0, -1, 1.5, NaN, Infinity, 2 ** 53]) {
  Deno.test(`apiKeyService() refuses ${maxPerUser} as the most that a user may have`, () => {
    const make = () => apiKeyService({ ...inMemoryAuthStores(), maxPerUser });
    assertThrows(make, RangeError, "maxPerUser must be a positive integer");
  });
}

Deno.test("create() says that the user has changed when the key is gone, and not before", async () => {
  const { apiKeys, stores } = await withKeys({
    wrap: ({ apiKeys: kept, users }) => ({
      apiKeys: {
        ...kept,
        async create(key) {
          await kept.create(key);
          const { version = "" } = await users.findBySub("u1") ?? {};
          await users.update("u1", version, { securityStamp: "another" });
        },
        async revoke(id) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          await kept.revoke(id);
        },
      },
    }),
  });
  const { code, reason } = await refusal(() => apiKeys.create("u1"));
  assertEquals([code, reason], ["service_unavailable", "user_changed"]);
  assertEquals(await stores.apiKeys.list("u1"), []);
});

const down = () => Promise.reject(new Error("The store is out of order"));

for (const method of ["revoke", "revokeAll"] as const) {
  Deno.test(`${method}() rejects where the store fails, and tells of nothing`, async () => {
    const { apiKeys, id, events } = await withKey({
      wrap: ({ apiKeys: kept }) => ({ apiKeys: { ...kept, [method]: down } }),
    });
    const attempt = method === "revoke"
      ? () => apiKeys.revoke("u1", id)
      : () => apiKeys.revokeAll("u1");
    await assertRejects(async () => void await attempt(), Error, "out of order");
    assertEquals(events, []);
  });
}

Deno.test("verify() takes an end at the epoch for one that has passed", async () => {
  const { apiKeys, key } = await withKey({
    wrap: ({ apiKeys: kept }) => ({
      apiKeys: {
        ...kept,
        async find(id) {
          const found = await kept.find(id);
          return found === null ? null : { ...found, expiresAt: 0 };
        },
      },
    }),
  });
  assertEquals(await apiKeys.verify(key), undefined);
});
