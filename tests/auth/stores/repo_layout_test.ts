/** Where the stores over an adapter keep things, and what they say of an adapter that is none. */

import { assertEquals, assertThrows } from "@std/assert";
import type { StorageAdapter } from "../../../auth/stores/adapter.ts";
import {
  authStores,
  repoApiKeyStore,
  repoCredentialStore,
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
import { API_KEY, CREDENTIAL, END, FAMILY, SESSION, START, USER } from "./_store_records.ts";

const now = () => START;

const WHOLE_USER: NewUser = { ...USER, passwordHash: "$pbkdf2", disabled: false };
const LINKED_FAMILY: RefreshFamily = { ...FAMILY, sessionId: "s1" };
const ENDING_KEY: ApiKey = { ...API_KEY, expiresAt: END };
const KEY: StoredKey = { kid: "1", alg: "ES256", key: "jwe", createdAt: START, activeAt: START };
const RULE = { kind: "window", limit: 9, seconds: 600 } as const;

/** One row for each collection: what is written, and how it is found. */
interface Layout {
  readonly collection: string;
  readonly write: (stores: AuthStores) => Promise<unknown>;
  readonly key: string;
  readonly value: unknown;
  readonly expiresAt?: number;
  readonly unique?: string;
  readonly index?: readonly string[];
}

// A database outlives a version: what another one looks for elsewhere is lost. Rows are only added
const LAYOUTS: readonly Layout[] = [
  {
    collection: "users",
    write: ({ users }) => users.create(WHOLE_USER),
    key: "u1",
    value: WHOLE_USER,
    unique: "ada",
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
    write: ({ throttle }) => throttle.reserve([{ key: "digest", rule: RULE }], START),
    key: "digest",
    value: { failures: 1, lockedUntil: 0, expiresAt: END },
    expiresAt: END,
  },
  {
    collection: "api_keys",
    write: ({ apiKeys }) => apiKeys.create(ENDING_KEY),
    key: "k1",
    value: ENDING_KEY, // without an end: a key that has ended is listed until it is revoked
    index: ["u1"],
  },
];

for (const { collection, write, key, value, expiresAt, unique, index = [] } of LAYOUTS) {
  Deno.test(`authStores() keeps ${collection} where every version looks for them`, async () => {
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

Deno.test("repoKeyStore() says that what it keeps outlives the process", () => {
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
] as const;

for (const [create, name] of NAMES) {
  Deno.test(`${create.name}() throws where the adapter lacks a method, and names it`, () => {
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

Deno.test("repoStateStore() throws where the hook is there and has no cas()", () => {
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
