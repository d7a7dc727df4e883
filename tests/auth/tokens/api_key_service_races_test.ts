import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ApiKey, ApiKeyStore, AuthStores } from "../../../auth/stores/types.ts";
import { withKey, withKeys } from "./_api_keys.ts";
import { OTHER_PASSWORD, refusal, repeat, START } from "../_services.ts";

/** Stores that do something right before, or after, a key's use is noted. */
function touching(
  { apiKeys }: AuthStores,
  { before, after }: Partial<Record<"before" | "after", ApiKeyStore["touch"]>>,
): { apiKeys: ApiKeyStore } {
  return {
    apiKeys: {
      ...apiKeys,
      async touch(...args) {
        await before?.(...args);
        const touched = await apiKeys.touch(...args);
        await after?.(...args);
        return touched;
      },
    },
  };
}

type End = (store: ApiKeyStore, id: string) => Promise<void>;
const ENDS: readonly [why: string, end: End][] = [
  ["revoke()", (store, id) => store.revoke(id)],
  ["revokeAll()", (store) => store.revokeAll("u1")],
];
for (const [why, end] of ENDS) {
  for (const when of ["before", "after"] as const) {
    for (const used of [false, true]) {
      const which = used ? "a key that was used" : "a new key";
      Deno.test(`verify() of ${which} cannot undo ${why} that comes ${when} the note of use`, async () => {
        let armed = false;
        const { apiKeys, stores, key, clock, events } = await withKey({
          wrap: (stores) =>
            touching(stores, {
              async [when](id: string) {
                if (armed) await end(stores.apiKeys, id);
                return "lost" as const;
              },
            }),
        });
        if (used) assert(await apiKeys.verify(key) !== undefined);
        armed = true;
        clock.now += 60;
        const verified = await apiKeys.verify(key);
        assertEquals(verified === undefined, when === "before");
        assertEquals(await stores.apiKeys.list("u1"), []);
        assertEquals(await apiKeys.verify(key), undefined);
        assertEquals(events, []);
      });
    }
  }
}

Deno.test("verify() that loses the note of use to another request takes the other's", async () => {
  const { apiKeys, key, clock } = await withKey({
    wrap: (stores) =>
      touching(stores, { before: (id, from, to) => stores.apiKeys.touch(id, from, to - 1) }),
  });
  for (const lastUsedAt of [START - 1, START + 59]) {
    assertEquals((await apiKeys.verify(key))?.apiKey.lastUsedAt, lastUsedAt);
    clock.now += 60;
  }
});

const STALE: readonly [why: string, lastUsedAt: number | undefined][] = [
  ["what was there before", START],
  ["something older", START - 1],
  ["that it was never used", undefined],
];
for (const [why, lastUsedAt] of STALE) {
  Deno.test(`verify() that loses the note of use believes no store that still shows ${why}`, async () => {
    let stale = false;
    const { apiKeys, key, clock } = await withKey({
      wrap: ({ apiKeys }) => ({
        apiKeys: {
          ...apiKeys,
          touch: async (...args) => stale ? "lost" : await apiKeys.touch(...args),
          async find(id) {
            const found = await apiKeys.find(id);
            if (found === null || !stale) return found;
            const { lastUsedAt: _, ...rest } = found;
            return { ...rest, ...(lastUsedAt === undefined ? {} : { lastUsedAt }) };
          },
        },
      }),
    });
    await apiKeys.verify(key);
    stale = true;
    clock.now += 60;
    assertEquals(await apiKeys.verify(key), undefined);
  });
}

Deno.test("verify() of 50 requests at once takes all, and notes the use once", async () => {
  let updates = 0;
  const { apiKeys, key, clock } = await withKey({
    wrap: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        async touch(...args) {
          const touched = await apiKeys.touch(...args);
          if (touched === "updated") updates++;
          return touched;
        },
      },
    }),
  });
  for (let minute = 1; minute <= 3; minute++) {
    const verified = await Promise.all(repeat(50, () => apiKeys.verify(key)));
    assertEquals(verified.filter((one) => one?.apiKey.lastUsedAt === clock.now).length, 50);
    assertEquals(updates, minute);
    clock.now += 60;
  }
});

const CHANGES: readonly [why: string, change: (stores: AuthStores) => Promise<unknown>][] = [
  ["is disabled", (stores) => patch(stores, { disabled: true, securityStamp: "s2" })],
  ["is disabled under the same stamp", (stores) => patch(stores, { disabled: true })],
  ["is disabled, with all keys, and opened again", async (stores) => {
    await patch(stores, { disabled: true, securityStamp: "s2" });
    await stores.apiKeys.revokeAll("u1");
    await patch(stores, { disabled: false, securityStamp: "s3" });
  }],
  [
    "gets another password",
    (stores) => patch(stores, { passwordHash: OTHER_PASSWORD, securityStamp: "s2" }),
  ],
  ["is removed", ({ users }) => users.delete("u1")],
  ["is removed and made anew", async ({ users }) => {
    await users.delete("u1");
    await users.create({ sub: "u1", identifier: "ada", securityStamp: "s9", createdAt: START });
  }],
];
for (const when of ["before", "after"] as const) {
  for (const [why, change] of CHANGES) {
    Deno.test(`create() leaves no key where the user ${why} right ${when} it is kept`, async () => {
      const { apiKeys, stores, events } = await withKeys({
        wrap: (stores) => ({
          apiKeys: {
            ...stores.apiKeys,
            async create(key: ApiKey) {
              if (when === "before") await change(stores);
              await stores.apiKeys.create(key);
              if (when === "after") await change(stores);
            },
          },
        }),
      });
      const error = await refusal(() => apiKeys.create("u1"));
      assertEquals([error.code, error.reason], ["service_unavailable", "user_changed"]);
      assertEquals(await stores.apiKeys.list("u1"), []);
      assertEquals(events, []);
    });
  }
}

Deno.test("create() beside disable() leaves no key, whoever is first", async () => {
  for (let turns = 0; turns < 24; turns++) {
    const { apiKeys, accounts, stores } = await withKeys();
    const late = (async () => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await accounts.disable("u1");
    })();
    const [created] = await Promise.allSettled([apiKeys.create("u1"), late]);
    assertEquals(await stores.apiKeys.list("u1"), []);
    await accounts.enable("u1");
    if (created.status === "fulfilled") {
      assertEquals(await apiKeys.verify(created.value.key), undefined);
    }
  }
});

Deno.test("create() gives no key where nobody can say what has become of the user", async () => {
  let reads = 0;
  const { apiKeys, events } = await withKeys({
    wrap: ({ users }) => ({
      users: {
        ...users,
        findBySub(sub) {
          if (reads++ === 0) return users.findBySub(sub);
          return Promise.reject(new Error("The database is down"));
        },
      },
    }),
  });
  reads = 0;
  await assertRejects(() => apiKeys.create("u1"), Error, "The database is down");
  assertEquals(events, []);
});

Deno.test("create() of many at once gives no more keys than a user may have", async () => {
  const { apiKeys, stores, events } = await withKeys({ maxPerUser: 5 });
  const created = await Promise.allSettled(repeat(50, () => apiKeys.create("u1")));
  const kept = (await stores.apiKeys.list("u1")).map(({ id }) => id).sort();
  assert(kept.length <= 5, `${kept.length} keys`);
  const given = created.flatMap((one) => one.status === "fulfilled" ? one.value.info.id : []);
  assertEquals(given.sort(), kept);
  assertEquals(events.length, kept.length);
  for (const one of created) {
    if (one.status === "rejected") assertEquals(one.reason.code, "too_many_keys");
  }
});

/** Changes Ada as somebody else would; with what a store may be told beside the types, too. */
async function patch({ users }: AuthStores, change: object): Promise<void> {
  const { version = "", securityStamp = "" } = await users.findBySub("u1") ?? {};
  assertEquals(await users.update("u1", version, { securityStamp, ...change }), "updated");
}
