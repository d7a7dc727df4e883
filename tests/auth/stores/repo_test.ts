/** What the stores over an adapter ask of it, and what they do where it has no compare-and-swap. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
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
import type { AtomicHook, StorageAdapter } from "../../../auth/stores/adapter.ts";
import type { ApiKey, AuthStores, User, UserPatch, UserStore } from "../../../auth/stores/types.ts";
import {
  type ContractCase,
  CONTRACTS,
  runCase,
  type StoreImplementation,
} from "../../contracts/_contract.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { SESSION, START } from "./_store_records.ts";

const now = () => START;

/** Stores that are worth nothing without a compare-and-swap, and what would go wrong. */
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
  ["repoLoginThrottle", repoLoginThrottle, /^Cannot create login throttle: .*atomic.*reserve\(\)/],
  ["authStores", ({ adapter }) => authStores(adapter), /atomic/],
];

for (const [name, create, why] of ATOMIC) {
  Deno.test(`${name}() throws where the adapter has no atomic hook, and says why`, () => {
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
      ["a client in place of an adapter", { adapter: new Map() }],
    ] as const
  ) {
    Deno.test(`${create.name}() throws where there is ${why}`, () => {
      const error = assertThrows(() => Reflect.apply(create, undefined, [options]), TypeError);
      assertMatch(error.message, /^Cannot create [\w ]+: the adapter has no \w+\(\)$/);
    });
  }
}

/** What only a compare-and-swap can keep: races, notes of use, and a hash that is made anew. */
const NEEDS_ATOMIC_REGEXP = /touch\(\)|^update\(\) (?:changes what|with a false)/;

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

Deno.test("repoUserStore() without the hook makes no hash anew, which could undo a change", async () => {
  const users = repoUserStore({ adapter: memoryAdapter({ now, atomic: false }) });
  const { version } = await createUser(users);
  assertEquals(await users.update("u1", version, { passwordHash: "rehashed" }), "lost");
  const changed = { passwordHash: "changed", securityStamp: "other" };
  assertEquals(await users.update("u1", version, changed), "updated");
  assertEquals((await users.findBySub("u1"))?.passwordHash, "changed");
});

Deno.test("repoUserStore() closes no account without a new stamp", async () => {
  const users = repoUserStore({ adapter: memoryAdapter({ now }) });
  const { version } = await createUser(users);
  const patch = { disabled: true } as unknown as UserPatch;
  await assertRejects(() => users.update("u1", version, patch), TypeError, "securityStamp");
});

Deno.test("repoSessionStore() without the hook notes no use, and knows what was revoked", async () => {
  const sessions = repoSessionStore({ adapter: memoryAdapter({ now, atomic: false }) });
  await sessions.create(SESSION);
  assertEquals(await sessions.touch("s1", START, START + 60), "updated");
  assertEquals(await sessions.findByTokenHash("hash"), SESSION);
  assertEquals(await sessions.touch("s1", START + 60, START + 120), "lost");
  await sessions.revoke("s1");
  assertEquals(await sessions.touch("s1", START, START + 60), "lost");
});

Deno.test("repoApiKeyStore() without the hook notes no use, and knows what was revoked", async () => {
  const apiKeys = repoApiKeyStore({ adapter: memoryAdapter({ now, atomic: false }) });
  const key: ApiKey = { id: "k1", sub: "u1", keyHash: "hash", scope: [], createdAt: START };
  await apiKeys.create(key);
  assertEquals(await apiKeys.touch("k1", null, START + 60), "updated");
  assertEquals(await apiKeys.find("k1"), key);
  await apiKeys.revoke("k1");
  assertEquals(await apiKeys.touch("k1", null, START + 60), "lost");
});

Deno.test("authStores() takes an adapter whose methods need it, as those of a class", async () => {
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
  const claims = [{ key: "k", rule: { kind: "window", limit: 1, seconds: 60 } }] as const;
  assertEquals(await stores.throttle.reserve(claims, START), { allowed: true });
});

Deno.test("repoStateStore() takes by get() and cas() where the hook has no take()", async () => {
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

/** An adapter with members that only its own methods reach. */
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
