/** Lists that are longer than what the stores over an adapter read, or end, at once. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { StorageAdapter } from "../../../auth/stores/adapter.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { SESSION, START } from "./_store_records.ts";

/** A user's records, as they are made, listed and ended all at once. */
interface Kind {
  readonly name: string;
  readonly collection: string;
  readonly index: readonly [first: string, second?: string];
  list(stores: AuthStores): Promise<readonly unknown[]>;
  end?(stores: AuthStores): Promise<void>;
}

const KINDS: readonly Kind[] = [
  {
    name: "sessions",
    collection: "sessions",
    index: ["u1"],
    list: ({ sessions }) => sessions.list("u1"),
    end: ({ sessions }) => sessions.revokeAll("u1"),
  },
  {
    name: "credentials",
    collection: "credentials",
    index: ["u1"],
    list: ({ credentials }) => credentials.list("u1"),
  },
  {
    name: "API keys",
    collection: "api_keys",
    index: ["u1"],
    list: ({ apiKeys }) => apiKeys.list("u1"),
    end: ({ apiKeys }) => apiKeys.revokeAll("u1"),
  },
  {
    name: "refresh families",
    collection: "refresh_families",
    index: ["u1", "s1"],
    list: ({ refreshTokens }) => refreshTokens.list("u1"),
    end: ({ refreshTokens }) => refreshTokens.revoke({ sub: "u1" }),
  },
  {
    name: "refresh families, ended by session",
    collection: "refresh_families",
    index: ["u1", "s1"],
    list: ({ refreshTokens }) => refreshTokens.list("u1"),
    end: ({ refreshTokens }) => refreshTokens.revoke({ sessionId: "s1" }),
  },
];

/** How many records there are: none, around the end of a page, and around the end of two. */
const COUNTS = [0, 1, 499, 500, 501, 999, 1_000, 1_001] as const;

for (const { name, collection, index, list, end } of KINDS) {
  Deno.test(`authStores() lists and ends all, however many, of a user's ${name}`, async () => {
    for (const count of COUNTS) {
      const adapter = memoryAdapter({ now: () => START });
      const keys = Array.from({ length: count }, (_, i) => `k${i}`);
      for (const id of keys) {
        await adapter.put(collection, id, { value: { id, sub: "u1", sessionId: "s1" }, index });
      }
      await adapter.put(collection, "other", { value: { id: "other", sub: "u2" }, index: ["u2"] });
      const limits: (number | undefined)[] = [];
      const stores = authStores(counting(adapter, limits));
      const listed = await list(stores);
      const ids = listed.map((value) => (value as { readonly id: string }).id);
      assertEquals(ids.sort(), keys.sort(), `${count}`);
      assert(limits.every((limit) => limit !== undefined && limit <= 500), "in pages");
      assert(limits.length <= 1 + count / 400, `${limits.length} pages of ${count}`);
      if (end === undefined) continue;
      await end(stores);
      assertEquals(await list(stores), [], `${count}`);
      assert(await adapter.get(collection, "other") !== null, "another user's is left");
    }
  });
}

Deno.test("authStores() goes on behind the last key though its record is gone meanwhile", async () => {
  const inner = memoryAdapter({ now: () => START });
  for (let i = 1_000; i < 2_000; i++) {
    await inner.put("api_keys", `k${i}`, { value: { id: `k${i}`, sub: "u1" }, index: ["u1"] });
  }
  const { apiKeys } = authStores({
    ...inner,
    async list(...args) {
      const page = await inner.list(...args);
      for (const { key } of page) await inner.delete("api_keys", key);
      return page;
    },
  });
  assertEquals((await apiKeys.list("u1")).length, 1_000);
});

for (const { name, collection, index, end } of KINDS) {
  if (end === undefined) continue;
  Deno.test(`authStores() ends each once, and no more than a few at once, of a user's ${name}`, async () => {
    const inner = memoryAdapter({ now: () => START });
    for (let i = 0; i < 100; i++) {
      await inner.put(collection, `k${i}`, { value: { id: `k${i}`, sub: "u1" }, index });
    }
    const ended: string[] = [];
    let open = 0;
    let most = 0;
    const during = async <Result>(key: string, step: () => Promise<Result>): Promise<Result> => {
      ended.push(key);
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 0));
      const result = await step();
      open--;
      return result;
    };
    await end(authStores({
      ...inner,
      delete: (...args) => during(args[1], () => inner.delete(...args)),
      atomic: {
        async cas(...args) {
          const lost = { status: "lost" } as const;
          return await during(args[1], async () => await inner.atomic?.cas(...args) ?? lost);
        },
      },
    }));
    assertEquals([ended.length, new Set(ended).size], [100, 100]);
    assert(most <= 16, `${most} at once`);
    assert(most > 1, "one after the other takes as many round trips");
  });
}

/** Says how much is asked for at once. */
function counting(inner: StorageAdapter, limits: (number | undefined)[]): StorageAdapter {
  return {
    ...inner,
    list(...args) {
      limits.push(args[3]?.limit);
      return inner.list(...args);
    },
  };
}

Deno.test("authStores() ends all that it can where one end fails, and then says so", async () => {
  const inner = memoryAdapter({ now: () => START });
  const { sessions } = authStores({
    ...inner,
    delete: (collection, key) =>
      key === "hash of s3"
        ? Promise.reject(new Error("The database is down"))
        : inner.delete(collection, key),
  });
  for (let i = 0; i < 40; i++) {
    await sessions.create({ ...SESSION, id: `s${i}`, tokenHash: `hash of s${i}` });
  }
  await assertRejects(() => sessions.revokeAll("u1"), Error, "The database is down");
  assertEquals((await sessions.list("u1")).map(({ id }) => id), ["s3"]);
});
