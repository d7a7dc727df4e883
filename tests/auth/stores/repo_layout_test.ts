/** Where the stores of an adapter keep records, and their errors for an invalid adapter. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { StorageAdapter } from "../../../auth/stores/adapter.ts";
import {
  authStores,
  repoApiKeyStore,
  repoAuthorizationStore,
  repoClientStore,
  repoCredentialStore,
  repoFactorStore,
  repoIdentityStore,
  repoKeyStore,
  repoLoginThrottle,
  repoRefreshTokenStore,
  repoSessionStore,
  repoStateStore,
  repoUserStore,
} from "../../../auth/stores/repo.ts";
import type {
  ApiKey,
  AuthStores,
  NewUser,
  RefreshFamily,
  StoredKey,
} from "../../../auth/stores/types.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { factorsOf, identityOf } from "../../contracts/_races.ts";
import { clientOf, EXPIRES, pendingOf } from "../../contracts/_server_records.ts";
import { API_KEY, CREDENTIAL, END, FAMILY, SESSION, START, USER } from "./_store_records.ts";

const now = () => START;

const WHOLE_USER: NewUser = {
  ...USER,
  passwordHash: "$pbkdf2",
  disabled: false,
  pendingRemoval: "c1",
};
const LINKED_FAMILY: RefreshFamily = { ...FAMILY, sessionId: "s1" };
/** A session at a provider. */
const PROVIDER = { name: "google", issuer: "https://id.example", sid: "s-1" };

const ENDING_KEY: ApiKey = { ...API_KEY, expiresAt: END };
const KEY: StoredKey = { kid: "1", alg: "ES256", key: "jwe", createdAt: START, activeAt: START };
const RULE = { kind: "window", limit: 9, seconds: 600 } as const;

/** One row for each collection: the written record, and how it is found. */
interface Layout {
  readonly collection: string;
  readonly write: (stores: AuthStores) => Promise<unknown>;
  readonly key: string;
  readonly value: unknown;
  readonly expiresAt?: number;
  readonly unique?: string;
  readonly index?: readonly string[];
}

// A database outlives a version, and records must stay where other versions look for them. Rows are only added
const LAYOUTS: readonly Layout[] = [
  {
    collection: "users",
    write: ({ users }) => users.create(WHOLE_USER),
    key: "u1",
    value: WHOLE_USER,
    unique: "ada",
    index: ["all"],
  },
  {
    collection: "sessions",
    write: ({ sessions }) => sessions.create(SESSION),
    key: "hash",
    value: SESSION,
    expiresAt: END,
    unique: "s1",
    index: ["u1"],
  },
  {
    collection: "credentials",
    write: ({ credentials }) => credentials.create(CREDENTIAL),
    key: "c1",
    value: CREDENTIAL,
    index: ["u1"],
  },
  {
    collection: "identities",
    write: ({ identities }) => identities.create(identityOf("i1")),
    key: "i1",
    value: identityOf("i1"),
    index: ["u1"],
  },
  {
    collection: "sessions",
    write: ({ sessions }) => sessions.create({ ...SESSION, provider: PROVIDER }),
    key: "hash",
    value: { ...SESSION, provider: PROVIDER },
    expiresAt: END,
    unique: "s1",
    index: ["u1", "https://id.example s-1"],
  },
  {
    collection: "states",
    write: ({ states }) => states.claim("claimed", END),
    key: "claimed",
    value: 1,
    expiresAt: END,
  },
  {
    collection: "states",
    write: ({ states }) => states.put("state", { a: 1 }, END),
    key: "state",
    value: { a: 1 },
    expiresAt: END,
  },
  {
    collection: "refresh_families",
    write: ({ refreshTokens }) => refreshTokens.create(LINKED_FAMILY),
    key: "f1",
    value: LINKED_FAMILY,
    expiresAt: END,
    index: ["u1", "s1"],
  },
  {
    collection: "signing_keys",
    write: ({ keys }) => keys.save([KEY], null),
    key: "ring",
    value: [KEY],
  },
  {
    collection: "throttle",
    write: ({ throttle }) => throttle.reserve({ key: "digest", rule: RULE }, [], START),
    key: "digest",
    value: { failures: 1, lockedUntil: 0, expiresAt: END },
    expiresAt: END,
  },
  {
    collection: "api_keys",
    write: ({ apiKeys }) => apiKeys.create(ENDING_KEY),
    key: "k1",
    value: ENDING_KEY, // without expiresAt: an expired key is listed until it is revoked
    index: ["u1"],
  },
  {
    collection: "factors",
    write: ({ factors }) => factors.save(factorsOf("u1"), null),
    key: "u1",
    value: factorsOf("u1"),
  },
  {
    collection: "authorizations",
    write: ({ authorizations }) => authorizations.create(pendingOf("a1")),
    key: "a1",
    value: pendingOf("a1"),
    expiresAt: EXPIRES,
  },
  {
    collection: "oauth_clients",
    write: ({ clients }) => clients.create(clientOf("c1")),
    key: "c1",
    value: clientOf("c1"),
    index: ["all"],
  },
];

for (const { collection, write, key, value, expiresAt, unique, index = [] } of LAYOUTS) {
  Deno.test(`authStores() stores ${collection} under the keys of every version`, async () => {
    const adapter = memoryAdapter({ now });
    await write(authStores(adapter));
    const found = await adapter.get(collection, key);
    assertEquals([found?.value, found?.expiresAt], [value, expiresAt]);
    if (unique !== undefined) assertEquals((await adapter.find(collection, unique))?.key, key);
    for (const [which, text] of index.entries()) {
      const listed = await adapter.list(collection, which === 0 ? 0 : 1, text);
      assertEquals(listed.map((record) => record.key), [key], text);
    }
  });
}

Deno.test("repoKeyStore() is persistent", () => {
  assertEquals(repoKeyStore({ adapter: memoryAdapter({ now }) }).persistent, true);
});

const NAMES = [
  [repoUserStore, "user store"],
  [repoSessionStore, "session store"],
  [repoCredentialStore, "credential store"],
  [repoStateStore, "state store"],
  [repoRefreshTokenStore, "refresh token store"],
  [repoKeyStore, "key store"],
  [repoLoginThrottle, "login throttle"],
  [repoApiKeyStore, "API key store"],
  [repoFactorStore, "factor store"],
  [repoIdentityStore, "identity store"],
  [repoAuthorizationStore, "authorization store"],
  [repoClientStore, "client store"],
] as const;

for (const [create, name] of NAMES) {
  Deno.test(`${create.name}() throws if the adapter lacks a method, and names it`, () => {
    for (const method of ["get", "find", "list", "put", "delete"] as const) {
      const adapter = { ...memoryAdapter({ now }), [method]: undefined } as unknown;
      assertThrows(
        () => create({ adapter: adapter as StorageAdapter }),
        TypeError,
        `Cannot create ${name}: the adapter has no ${method}()`,
      );
    }
  });
}

Deno.test("repoStateStore() throws if the atomic hook has no cas()", () => {
  const adapter = { ...memoryAdapter({ now }), atomic: {} } as unknown;
  const { message } = assertThrows(
    () => repoStateStore({ adapter: adapter as StorageAdapter }),
    TypeError,
  );
  assertEquals(
    message,
    "Cannot create state store: the adapter has no atomic.cas(); without a compare-and-swap consume() gives one value to several requests",
  );
});

// Lists that exceed the page size and the concurrency of the stores.

/** A user's records, and how they are created, listed and revoked. */
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
    name: "identities",
    collection: "identities",
    index: ["u1"],
    list: ({ identities }) => identities.list("u1"),
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
    name: "refresh families, revoked by session",
    collection: "refresh_families",
    index: ["u1", "s1"],
    list: ({ refreshTokens }) => refreshTokens.list("u1"),
    end: ({ refreshTokens }) => refreshTokens.revoke({ sessionId: "s1" }),
  },
];

/** Numbers of records: none, around the end of a page, and around the end of two pages. */
const COUNTS = [0, 1, 499, 500, 501, 999, 1_000, 1_001] as const;

for (const { name, collection, index, list, end } of KINDS) {
  Deno.test(`authStores() lists and revokes all records, however many, of a user's ${name}`, async () => {
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

Deno.test("authStores() continues after the last key even if its record was deleted meanwhile", async () => {
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
  Deno.test(`authStores() revokes each record once, and only a few concurrently, of a user's ${name}`, async () => {
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
    assert(most > 1, "sequential calls would take one round trip each");
  });
}

/** Records how many calls are concurrent. */
function counting(inner: StorageAdapter, limits: (number | undefined)[]): StorageAdapter {
  return {
    ...inner,
    list(...args) {
      limits.push(args[3]?.limit);
      return inner.list(...args);
    },
  };
}

Deno.test("authStores() revokes all others if one revocation fails, and then rejects", async () => {
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
