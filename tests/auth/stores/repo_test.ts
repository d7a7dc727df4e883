/** How the stores use an adapter, with and without a compare-and-swap. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { AuthError } from "../../../auth/error.ts";
import { type KeyService, keyService } from "../../../auth/keys/key_service.ts";
import type { AtomicHook, StorageAdapter } from "../../../auth/stores/adapter.ts";
import {
  authStores,
  repoApiKeyStore,
  repoAuthorizationStore,
  repoClientStore,
  repoCredentialStore,
  repoFactorStore,
  repoKeyStore,
  repoLoginThrottle,
  repoRefreshTokenStore,
  repoSessionStore,
  repoStateStore,
  repoUserStore,
} from "../../../auth/stores/repo.ts";
import type { ApiKey, AuthStores, User, UserPatch, UserStore } from "../../../auth/stores/types.ts";
import {
  type ContractCase,
  CONTRACTS,
  runCase,
  type StoreImplementation,
} from "../../contracts/_contract.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { pausesOf } from "../_pauses.ts";
import { OLD, TODAY } from "../keys/_encrypted_keys.ts";
import { API_KEY, FAMILY, SESSION, START, USER } from "./_store_records.ts";

const now = () => START;

/** Stores that require a compare-and-swap, and the method that would be unsafe without it. */
const ATOMIC: readonly (readonly [
  name: string,
  create: (options: { adapter: StorageAdapter }) => unknown,
  why: RegExp,
])[] = [
  ["repoStateStore", repoStateStore, /^Cannot create state store: .*atomic.*consume\(\)/],
  [
    "repoRefreshTokenStore",
    repoRefreshTokenStore,
    /^Cannot create refresh token store: .*atomic.*rotate\(\)/,
  ],
  [
    "repoCredentialStore",
    repoCredentialStore,
    /^Cannot create credential store: .*atomic.*updateSignCount\(\)/,
  ],
  ["repoKeyStore", repoKeyStore, /^Cannot create key store: .*atomic.*save\(\)/],
  [
    "repoAuthorizationStore",
    repoAuthorizationStore,
    /^Cannot create authorization store: .*atomic.*update\(\)/,
  ],
  ["repoFactorStore", repoFactorStore, /^Cannot create factor store: .*atomic.*save\(\)/],
  ["repoClientStore", repoClientStore, /^Cannot create client store: .*atomic.*update\(\)/],
  ["repoLoginThrottle", repoLoginThrottle, /^Cannot create login throttle: .*atomic.*reserve\(\)/],
  ["authStores", ({ adapter }) => authStores(adapter), /atomic/],
];

for (const [name, create, why] of ATOMIC) {
  Deno.test(`${name}() throws if the adapter has no atomic hook, and names the unsafe method`, () => {
    const adapter = memoryAdapter({ now, atomic: false });
    assertMatch(assertThrows(() => create({ adapter }), TypeError).message, why);
  });
}

for (const create of [repoUserStore, repoSessionStore, repoApiKeyStore, repoStateStore]) {
  for (
    const [why, options] of [
      ["no options", undefined],
      ["no adapter", {}],
      ["an adapter that is null", { adapter: null }],
      ["a client instead of an adapter", { adapter: new Map() }],
    ] as const
  ) {
    Deno.test(`${create.name}() throws for ${why}`, () => {
      const error = assertThrows(() => Reflect.apply(create, undefined, [options]), TypeError);
      assertMatch(error.message, /^Cannot create [\w ]+: the adapter has no \w+\(\)$/);
    });
  }
}

/** Cases that require a compare-and-swap: races, recorded uses, and rehashed passwords. */
const NEEDS_ATOMIC_REGEXP = /touch\(\)|^update\(\) (?:changes the members|with a false)/;

for (const family of ["users", "sessions", "apiKeys"] as const) {
  testWithoutHook(family);
}

function testWithoutHook<F extends "users" | "sessions" | "apiKeys">(family: F): void {
  const cases: readonly ContractCase<AuthStores[F]>[] = CONTRACTS[family];
  for (const contractCase of cases) {
    if (contractCase.race || NEEDS_ATOMIC_REGEXP.test(contractCase.name)) continue;
    const name = `repo stores without the hook: ${family}.${contractCase.name}`;
    Deno.test(name, () => runCase(WITHOUT_HOOK, { family, contractCase }));
  }
}

Deno.test("repoUserStore() without the hook does not rehash, which could undo an update", async () => {
  const users = repoUserStore({ adapter: memoryAdapter({ now, atomic: false }) });
  const { version } = await createUser(users);
  assertEquals(await users.update("u1", version, { passwordHash: "rehashed" }), "lost");
  const changed = { passwordHash: "changed", securityStamp: "other" };
  assertEquals(await users.update("u1", version, changed), "updated");
  assertEquals((await users.findBySub("u1"))?.passwordHash, "changed");
});

Deno.test("repoUserStore() does not disable an account without a new stamp", async () => {
  const users = repoUserStore({ adapter: memoryAdapter({ now }) });
  const { version } = await createUser(users);
  const patch = { disabled: true } as unknown as UserPatch;
  await assertRejects(() => users.update("u1", version, patch), TypeError, "securityStamp");
});

Deno.test("repoSessionStore() without the hook records no use, and detects revoked sessions", async () => {
  const sessions = repoSessionStore({ adapter: memoryAdapter({ now, atomic: false }) });
  await sessions.create(SESSION);
  assertEquals(await sessions.touch("s1", START, START + 60), "updated");
  assertEquals(await sessions.findByTokenHash("hash"), SESSION);
  assertEquals(await sessions.touch("s1", START + 60, START + 120), "lost");
  await sessions.revoke("s1");
  assertEquals(await sessions.touch("s1", START, START + 60), "lost");
});

Deno.test("repoApiKeyStore() without the hook records no use, and detects revoked keys", async () => {
  const apiKeys = repoApiKeyStore({ adapter: memoryAdapter({ now, atomic: false }) });
  const key: ApiKey = { id: "k1", sub: "u1", keyHash: "hash", scope: [], createdAt: START };
  await apiKeys.create(key);
  assertEquals(await apiKeys.touch("k1", null, START + 60), "updated");
  assertEquals(await apiKeys.find("k1"), key);
  await apiKeys.revoke("k1");
  assertEquals(await apiKeys.touch("k1", null, START + 60), "lost");
});

Deno.test("authStores() accepts a class instance, whose methods need this", async () => {
  const stores = authStores(new ClassAdapter(memoryAdapter({ now })));
  await createUser(stores.users);
  assertEquals((await stores.users.findByIdentifier("ada"))?.sub, "u1");
  await stores.users.delete("u1");
  await stores.sessions.create(SESSION);
  assertEquals(await stores.sessions.touch("s1", START, START + 60), "updated");
  assertEquals((await stores.sessions.list("u1")).length, 1);
  await stores.states.put("state", 1, START + 60);
  assertEquals(await stores.states.consume("state"), 1);
  assertEquals(await stores.keys.save([], null), "saved");
  const key = { key: "k", rule: { kind: "window", limit: 1, seconds: 60 } } as const;
  assertEquals(await stores.throttle.reserve(key, [], START), { allowed: true, recorded: [] });
});

Deno.test("repoStateStore() uses get() and cas() if the hook has no take()", async () => {
  const inner = memoryAdapter({ now });
  assert(inner.atomic !== undefined);
  const { cas } = inner.atomic;
  const states = repoStateStore({ adapter: { ...inner, atomic: { cas } } });
  await states.put("state", { a: 1 }, START + 60);
  const taken = await Promise.all(Array.from({ length: 50 }, () => states.consume("state")));
  assertEquals(taken.filter((value) => value !== null), [{ a: 1 }]);
  assertEquals(await states.consume("state"), null);
});

const WITHOUT_HOOK: StoreImplementation = {
  name: "repo stores without the hook",
  open(now) {
    const options = { adapter: memoryAdapter({ now, atomic: false }) };
    return {
      stores: [{
        users: repoUserStore(options),
        sessions: repoSessionStore(options),
        apiKeys: repoApiKeyStore(options),
      }],
    };
  },
};

async function createUser(users: UserStore): Promise<User> {
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "stamp", createdAt: START });
  const user = await users.findBySub("u1");
  assert(user !== null);
  return user;
}

/** An adapter whose methods use private members. */
class ClassAdapter implements StorageAdapter {
  readonly #inner: StorageAdapter;
  readonly atomic: AtomicHook;

  constructor(inner: StorageAdapter) {
    this.#inner = inner;
    assert(inner.atomic !== undefined);
    this.atomic = new ClassHook(inner.atomic);
  }

  get(...args: Parameters<StorageAdapter["get"]>) {
    return this.#inner.get(...args);
  }
  find(...args: Parameters<StorageAdapter["find"]>) {
    return this.#inner.find(...args);
  }
  list(...args: Parameters<StorageAdapter["list"]>) {
    return this.#inner.list(...args);
  }
  put(...args: Parameters<StorageAdapter["put"]>) {
    return this.#inner.put(...args);
  }
  delete(...args: Parameters<StorageAdapter["delete"]>) {
    return this.#inner.delete(...args);
  }
}

class ClassHook implements AtomicHook {
  readonly #inner: AtomicHook;

  constructor(inner: AtomicHook) {
    this.#inner = inner;
  }

  cas(...args: Parameters<AtomicHook["cas"]>) {
    return this.#inner.cas(...args);
  }
}

// Strings from requests that cannot be keys: no engine stores a NUL or a lone surrogate.

const NOW = 1_700_000_000;

/** Calls with a client's string, and their result if no record has it. */
const ASKED: readonly (readonly [
  name: string,
  ask: (stores: AuthStores, text: string) => Promise<unknown>,
  answer: unknown,
])[] = [
  ["users.findByIdentifier()", ({ users }, text) => users.findByIdentifier(text), null],
  ["users.findBySub()", ({ users }, text) => users.findBySub(text), null],
  ["users.delete()", ({ users }, text) => users.delete(text), undefined],
  ["sessions.findByTokenHash()", ({ sessions }, text) => sessions.findByTokenHash(text), null],
  ["sessions.list()", ({ sessions }, text) => sessions.list(text), []],
  ["sessions.touch()", ({ sessions }, text) => sessions.touch(text, NOW, NOW + 60), "lost"],
  ["sessions.revoke()", ({ sessions }, text) => sessions.revoke(text), undefined],
  ["sessions.revokeAll()", ({ sessions }, text) => sessions.revokeAll(text), undefined],
  ["states.consume()", ({ states }, text) => states.consume(text), null],
  ["credentials.find()", ({ credentials }, text) => credentials.find(text), null],
  ["sessions.listByProvider()", ({ sessions }, text) => sessions.listByProvider(text, text), []],
  ["identities.find()", ({ identities }, text) => identities.find(text), null],
  ["identities.list()", ({ identities }, text) => identities.list(text), []],
  ["identities.delete()", ({ identities }, text) => identities.delete(text, text), "not_found"],
  ["factors.find()", ({ factors }, text) => factors.find(text), null],
  ["factors.delete()", ({ factors }, text) => factors.delete(text), undefined],
  ["authorizations.find()", ({ authorizations }, text) => authorizations.find(text), null],
  ["clients.find()", ({ clients }, text) => clients.find(text), null],
  ["clients.delete()", ({ clients }, text) => clients.delete(text), undefined],
  ["refreshTokens.find()", ({ refreshTokens }, text) => refreshTokens.find(text), null],
  [
    "refreshTokens.rotate()",
    ({ refreshTokens }, familyId) =>
      refreshTokens.rotate({ familyId, fromHash: "a", toHash: "b", now: NOW, expiresAt: NOW + 60 }),
    "not_found",
  ],
  [
    "refreshTokens.revoke()",
    ({ refreshTokens }, familyId) => refreshTokens.revoke({ familyId }),
    undefined,
  ],
  ["apiKeys.find()", ({ apiKeys }, text) => apiKeys.find(text), null],
  ["apiKeys.touch()", ({ apiKeys }, text) => apiKeys.touch(text, null, NOW), "lost"],
  ["apiKeys.revoke()", ({ apiKeys }, text) => apiKeys.revoke(text), undefined],
];

for (const [name, ask, answer] of ASKED) {
  Deno.test(`authStores() ${name} finds nothing for a string that no engine can store`, async () => {
    const stores = authStores(memoryAdapter({ now: () => NOW }));
    for (const text of ["\0", "a\0b", "\ud83d", "a\udd11", "\udd11\ud83d"]) {
      assertEquals(await ask(stores, text), answer, JSON.stringify(text));
    }
  });
}

Deno.test("authStores() stores nothing under a string that no engine can store", async () => {
  const { users, states } = authStores(memoryAdapter({ now: () => NOW }));
  const user = { sub: "u1", identifier: "a\0", securityStamp: "stamp", createdAt: NOW };
  await assertRejects(() => users.create(user), TypeError);
  assertEquals(await users.findBySub("u1"), null);
  await assertRejects(() => states.put("\ud83d", 1, NOW + 60), TypeError);
});

// Results of the stores if a value is taken, a record was changed meanwhile, or a write fails.

Deno.test("repoUserStore() without the hook returns lost if the user was changed between two reads", async () => {
  const inner = memoryAdapter({ now, atomic: false });
  await repoUserStore({ adapter: inner }).create(USER);
  const version = (await inner.get("users", "u1"))?.version ?? "";
  let reads = 0;
  const users = repoUserStore({
    adapter: {
      ...inner,
      async get(...args) {
        const found = await inner.get(...args);
        if (++reads === 1) await inner.put("users", "u1", { value: USER, unique: "ada" });
        return found;
      },
    },
  });
  assertEquals(await users.update("u1", version, { securityStamp: "next" }), "lost");
  assertEquals((await users.findBySub("u1"))?.securityStamp, "stamp");
});

/** Writes and their results. */
const WRITES: readonly (readonly [name: string, (adapter: StorageAdapter) => Promise<unknown>])[] =
  [
    ["repoUserStore", (adapter) => repoUserStore({ adapter }).create(USER)],
    ["repoSessionStore", (adapter) => repoSessionStore({ adapter }).create(SESSION)],
    ["repoApiKeyStore", (adapter) => repoApiKeyStore({ adapter }).create(API_KEY)],
  ];

for (const [name, write] of WRITES) {
  Deno.test(`${name}() without the hook rejects if the adapter fails to write`, async () => {
    const adapter: StorageAdapter = {
      ...memoryAdapter({ now, atomic: false }),
      put: () => Promise.reject(new Error("gone")),
    };
    await assertRejects(() => write(adapter), Error, "gone");
  });
}

/** Stores of both kinds of adapter. */
const HOOKS: readonly (readonly [which: string, atomic: boolean])[] = [
  ["with the hook", true],
  ["without the hook", false],
];

for (const [which, atomic] of HOOKS) {
  Deno.test(`repoSessionStore() ${which} rejects an id or a token that is taken`, async () => {
    const sessions = repoSessionStore({ adapter: memoryAdapter({ now, atomic }) });
    await sessions.create(SESSION);
    for (const taken of [{}, { id: "s2", sub: "u2" }, { tokenHash: "other", sub: "u2" }]) {
      const { message } = await assertRejects(
        () => sessions.create({ ...SESSION, ...taken }),
        Error,
      );
      assertEquals(message, "Cannot create session: its id or token is taken");
    }
    assertEquals(await sessions.findByTokenHash("hash"), SESSION);
    assertEquals(await sessions.findByTokenHash("other"), null);
    assertEquals([await sessions.list("u1"), await sessions.list("u2")], [[SESSION], []]);
  });
}

Deno.test("repoRefreshTokenStore() rejects an id that is taken, and keeps the family", async () => {
  const refreshTokens = repoRefreshTokenStore({ adapter: memoryAdapter({ now }) });
  await refreshTokens.create({ ...FAMILY, revoked: true });
  for (const sub of ["u1", "u2"]) {
    const { message } = await assertRejects(
      () => refreshTokens.create({ ...FAMILY, sub, currentHash: "other" }),
      Error,
    );
    assertEquals(message, "Cannot create refresh family: its id is taken");
  }
  assertEquals(await refreshTokens.find("f1"), { ...FAMILY, revoked: true });
});

Deno.test("repoRefreshTokenStore() does not write to a revoked family", async () => {
  const adapter = memoryAdapter({ now });
  const refreshTokens = repoRefreshTokenStore({ adapter });
  await refreshTokens.create({ ...FAMILY, revoked: true });
  const before = await adapter.get("refresh_families", "f1");
  await refreshTokens.revoke({ familyId: "f1" });
  const rotation = { familyId: "f1", toHash: "next", now: START, expiresAt: START + 60 };
  for (const fromHash of ["hash", "other"]) {
    assertEquals(await refreshTokens.rotate({ ...rotation, fromHash }), "revoked");
  }
  assertEquals(await adapter.get("refresh_families", "f1"), before);
});

Deno.test("repoUserStore() reports that the identifier was taken, even if its user has been deleted since", async () => {
  const users = repoUserStore({
    adapter: {
      ...memoryAdapter({ now }),
      atomic: { cas: () => Promise.resolve({ status: "taken" }) },
    },
  });
  assertEquals(await users.create(USER), "identifier_taken");
});

Deno.test("repoStateStore() uses one call if the hook has take()", async () => {
  const unused = () => Promise.reject(new Error("several calls"));
  const states = repoStateStore({
    adapter: {
      ...memoryAdapter({ now }),
      get: unused,
      delete: unused,
      atomic: { cas: unused, take: (collection, key) => Promise.resolve([collection, key]) },
    },
  });
  assertEquals(await states.consume("state"), ["states", "state"]);
});

// Conflicts at every attempt.

Deno.test("repoRefreshTokenStore() fails after conflicts at every attempt", async () => {
  let tried = 0;
  const inner = memoryAdapter({ now });
  const refreshTokens = repoRefreshTokenStore({
    adapter: {
      ...inner,
      get: () => Promise.resolve({ value: FAMILY, version: "1" }),
      atomic: {
        cas() {
          tried++;
          return Promise.resolve({ status: "lost" });
        },
      },
    },
  });
  const waits = await pausesOf(async () => {
    const revoking = () => refreshTokens.revoke({ familyId: FAMILY.id });
    const { code, reason } = await assertRejects(revoking, AuthError);
    assertEquals([code, reason], ["service_unavailable", "record_contended"]);
  });
  assert(tried >= 50, `${tried} times`);
  assertEquals(waits.length, tried);
  for (const [attempt, ms] of waits.entries()) {
    assert(ms >= 0 && ms <= Math.min(50, 2 ** attempt), `${ms} ms before attempt ${attempt + 2}`);
  }
  assert(waits.some((ms) => ms > 25), "concurrent callers retry at different times");
  assert(new Set(waits).size > 10, "their total waits differ");
});

// Signing keys that are re-encrypted and rotated concurrently.

Deno.test("repoKeyStore() loses no write if keys are re-encrypted and rotated after one read", async () => {
  const inner = memoryAdapter({ now });
  const outcomes: string[] = [];
  const adapter: StorageAdapter = {
    ...inner,
    atomic: {
      async cas(...args) {
        const result = await inner.atomic?.cas(...args) ?? { status: "lost" };
        outcomes.push(result.status);
        return result;
      },
    },
  };
  const service = (secret: string | readonly string[]): KeyService =>
    keyService({
      store: repoKeyStore({ adapter }),
      keys: deriveKeys(secret),
      algorithms: ["Ed25519"],
      now,
    });
  await service(OLD).jwks();
  await service([TODAY, OLD]).rotate();
  assertEquals(outcomes, ["ok", "ok", "ok"], "created, reencrypted, rotated");
  assertEquals((await service(TODAY).jwks()).keys.length, 2);
});
