/** Where the stores over an adapter keep things, and what they say of an adapter that is none. */

import { assertEquals, assertThrows } from "@std/assert";
import type { StorageAdapter } from "../../auth/storage_adapter.ts";
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
} from "../../auth/store_repo.ts";
import type {
  ApiKey,
  AuthStores,
  Credential,
  NewUser,
  RefreshFamily,
  Session,
  StoredKey,
} from "../../auth/store_types.ts";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";

const START = 1_700_000_000;
const now = () => START;
const END = START + 600;

const USER: NewUser = {
  sub: "u1",
  identifier: "ada",
  passwordHash: "$pbkdf2",
  securityStamp: "stamp",
  disabled: false,
  createdAt: START,
};
const SESSION: Session = {
  id: "s1",
  sub: "u1",
  tokenHash: "hash",
  securityStamp: "stamp",
  createdAt: START,
  activeAt: START,
  expiresAt: END,
  authTime: START,
  amr: ["pwd"],
};
const CREDENTIAL: Credential = {
  id: "c1",
  sub: "u1",
  publicKey: "key",
  algorithm: -7,
  signCount: 1,
  backupEligible: false,
  backedUp: false,
  createdAt: START,
};
const FAMILY: RefreshFamily = {
  id: "f1",
  sub: "u1",
  sessionId: "s1",
  securityStamp: "stamp",
  currentHash: "hash",
  generation: 0,
  revoked: false,
  createdAt: START,
  expiresAt: START + 60,
  familyExpiresAt: END,
  authTime: START,
  amr: ["pwd"],
};
const API_KEY: ApiKey = {
  id: "k1",
  sub: "u1",
  keyHash: "hash",
  scope: [],
  createdAt: START,
  expiresAt: END,
};
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
    write: ({ users }) => users.create(USER),
    key: "u1",
    value: USER,
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
    write: ({ refreshTokens }) => refreshTokens.create(FAMILY),
    key: "f1",
    value: FAMILY,
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
    write: ({ apiKeys }) => apiKeys.create(API_KEY),
    key: "k1",
    value: API_KEY, // without an end: a key that has ended is listed until it is revoked
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
