/** API keys: creation, verification, revocation, invalid options and faulty stores. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { ApiKey, ApiKeyStore, AuthStores } from "../../../auth/stores/types.ts";
import { generateApiKey, parseApiKey } from "../../../auth/tokens/api_key_format.ts";
import { apiKeyService } from "../../../auth/tokens/api_key_service.ts";
import type { ApiKeyService } from "../../../auth/tokens/api_key_types.ts";
import { untyped } from "../../router/_helpers.ts";
import { ADA, CLIENT, OTHER_PASSWORD, refusal, repeat, setDisabled, START } from "../_services.ts";
import { madeUp, withKey, type WithKeys, withKeys } from "./_api_keys.ts";

Deno.test("create() returns the key and stores the digest of all but its checksum", async () => {
  const { apiKeys, stores, events } = await withKeys();
  const options = { name: "  Backup 🦊 ", scope: ["notes:read", "notes:write"], expiresIn: 3_600 };
  const { key, info } = await apiKeys.create("u1", options);
  const shown = {
    id: info.id,
    sub: "u1",
    name: "Backup 🦊",
    scope: ["notes:read", "notes:write"],
    createdAt: START,
    expiresAt: START + 3_600,
  };
  assertEquals(info, shown);
  const { prefix, id } = parseApiKey(key) ?? {};
  assertEquals([prefix, id], ["key", info.id]);
  const keyHash = await digestText(key.slice(0, -6)); // without the checksum
  assertEquals(await stores.apiKeys.list("u1"), [{ ...shown, keyHash }]);
  assertEquals(events, [{ type: "api_key.created", at: START, sub: "u1", apiKeyId: info.id }]);
});

Deno.test("create() requires only a user: the key has no name, no expiry and an empty scope", async () => {
  const { apiKeys } = await withKeys({ prefix: "acme" });
  for (const options of [undefined, {}, { name: undefined, expiresIn: undefined }]) {
    const { key, info } = await apiKeys.create("u1", options);
    assertMatch(key, /^acme_/);
    assertEquals(info, { id: info.id, sub: "u1", scope: [], createdAt: START });
  }
});

Deno.test("create() generates a different key each time", async () => {
  const { apiKeys } = await withKeys();
  const made = await Promise.all(repeat(20, () => apiKeys.create("u1")));
  assertEquals(new Set(made.map(({ key }) => key)).size, 20);
  assertEquals((await apiKeys.list("u1")).length, 20);
});

Deno.test("create() copies the scope", async () => {
  const { apiKeys } = await withKeys();
  const scope = ["notes:read"];
  const { key, info } = await apiKeys.create("u1", { scope });
  scope.push("admin");
  assertEquals(info.scope, ["notes:read"]);
  assertEquals((await apiKeys.verify(key))?.apiKey.scope, ["notes:read"]);
});

Deno.test("verify() returns the key and its user, and no secret", async () => {
  const { apiKeys, key, id, clock, events } = await withKey({}, { name: "Backup", scope: ["a"] });
  clock.now += 10;
  assertEquals(await apiKeys.verify(key), {
    apiKey: {
      id,
      sub: "u1",
      name: "Backup",
      scope: ["a"],
      createdAt: START,
      lastUsedAt: START + 10,
    },
    user: { sub: "u1", identifier: ADA.identifier, createdAt: START },
  });
  assertEquals(events, []);
});

Deno.test("verify() records the use at most once a minute: one write for 1,000 requests", async () => {
  const { apiKeys, key, clock, calls } = await withKey();
  const touches = () => calls.filter((name) => name === "touch").length;
  for (let i = 0; i < 1_000; i++) {
    clock.now = START + Math.floor(i * 60 / 1_000);
    assertEquals((await apiKeys.verify(key))?.apiKey.lastUsedAt, START);
  }
  assertEquals(touches(), 1);
  clock.now = START + 60;
  assertEquals((await apiKeys.verify(key))?.apiKey.lastUsedAt, START + 60);
  assertEquals(touches(), 2);
  assertEquals((await apiKeys.list("u1")).map(({ lastUsedAt }) => lastUsedAt), [START + 60]);
});

const UNKNOWN: readonly [why: string, make: (key: string) => string | Promise<string>][] = [
  ["an unknown identifier", () => madeUp()],
  ["another secret for a known identifier", (key) => madeUp(parseApiKey(key)?.id)],
  [
    "another identifier for a known secret",
    (key) => madeUp(undefined, parseApiKey(key)?.secret),
  ],
  ["another prefix", async () => (await generateApiKey("kez")).key],
];
for (const [why, make] of UNKNOWN) {
  Deno.test(`verify() rejects ${why}, and records nothing`, async () => {
    const { apiKeys, key, calls, events } = await withKey();
    assertEquals(await apiKeys.verify(await make(key)), undefined);
    assertEquals(calls, why === "another prefix" ? [] : ["find"]);
    assertEquals(events, []);
    assert(await apiKeys.verify(key) !== undefined);
  });
}

Deno.test("verify() rejects all keys after the prefix has changed", async () => {
  const { key, stores, apiKeys } = await withKey();
  assertEquals(await apiKeyService({ ...stores, prefix: "key2" }).verify(key), undefined);
  assert(await apiKeys.verify(key) !== undefined);
});

Deno.test("verify() rejects an expired key, which list() still returns", async () => {
  const { apiKeys, key, clock, calls, id } = await withKey({}, { expiresIn: 100 });
  const times = [[0, true], [99, true], [100, false], [101, false], [1e6, false], [99, true]];
  for (const [seconds, valid] of times) {
    clock.now = START + Number(seconds);
    assertEquals(await apiKeys.verify(key) !== undefined, valid, `${seconds}`);
  }
  clock.now = START + 1e6;
  calls.length = 0;
  assertEquals(await apiKeys.verify(key), undefined);
  assertEquals(calls, ["find"]);
  const [listed] = await apiKeys.list("u1");
  assertEquals([listed?.id, listed?.expiresAt, listed?.lastUsedAt], [id, START + 100, START + 99]);
});

Deno.test("verify() accepts a key without expiry at any time", async () => {
  const { apiKeys, key, clock } = await withKey();
  clock.now += 1e9;
  assertEquals((await apiKeys.verify(key))?.user.sub, "u1");
});

const CLOSED: readonly [
  why: string,
  close: (made: WithKeys) => Promise<unknown>,
  open: (made: WithKeys) => Promise<unknown>,
][] = [
  [
    "disabled",
    ({ stores }) => setDisabled(stores),
    ({ stores }) => setDisabled(stores, "u1", false),
  ],
  ["gone", ({ stores }) => stores.users.delete("u1"), async ({ stores, before }) => {
    await stores.users.create(before);
  }],
];
for (const [why, close, open] of CLOSED) {
  Deno.test(`verify() rejects the key of a user who is ${why}, and records no use`, async () => {
    const made = await withKey();
    const { apiKeys, key, calls } = made;
    await close(made);
    assertEquals(await apiKeys.verify(key), undefined);
    assertEquals(calls, ["find"], "rejected, not revoked: a replica of the store may lag");
    await open(made);
    assert(await apiKeys.verify(key) !== undefined);
  });

  Deno.test(`create() creates no key for a user who is ${why}`, async () => {
    const made = await withKeys();
    await close(made);
    made.calls.length = 0;
    const error = await assertRejects(() => made.apiKeys.create("u1"), TypeError);
    assertEquals(
      error.message,
      "Cannot create API key: the user does not exist or is disabled",
    );
    assertEquals([made.calls, made.events], [[], []]);
  });
}

const KEEPS: readonly [why: string, change: (made: WithKeys) => Promise<unknown>][] = [
  ["the owner changes the password", ({ passwords }) => {
    const change = { currentPassword: ADA.password, newPassword: OTHER_PASSWORD };
    return passwords.change("u1", change, CLIENT);
  }],
  ["the password is reset and API keys are kept", ({ passwords }) => {
    return passwords.reset("u1", OTHER_PASSWORD, { keepApiKeys: true });
  }],
  ["all sessions are revoked", ({ sessions }) => sessions.revokeAll("u1")],
  ["one session is revoked", ({ sessions, tokens }) => sessions.revokeToken(tokens[0] ?? "")],
  ["the identifier changes", ({ accounts }) => accounts.changeIdentifier("u1", "lovelace")],
];
for (const [why, change] of KEEPS) {
  Deno.test(`verify() stays valid if ${why}, until revokeAll()`, async () => {
    const made = await withKey();
    const { apiKeys, key } = made;
    await change(made);
    assertEquals((await apiKeys.verify(key))?.user.sub, "u1");
    await apiKeys.revokeAll("u1");
    assertEquals(await apiKeys.verify(key), undefined);
  });
}

Deno.test("list() returns the newest first, without digests", async () => {
  const { apiKeys, clock } = await withKeys();
  for (const name of ["first", "second", "third"]) {
    await apiKeys.create("u1", { name, expiresIn: 15 });
    clock.now += 10;
  }
  const listed = await apiKeys.list("u1");
  assertEquals(listed.map(({ name }) => name), ["third", "second", "first"]);
  for (const info of listed) {
    assertEquals(Object.keys(info), ["id", "sub", "name", "scope", "createdAt", "expiresAt"]);
  }
  assertEquals(await apiKeys.list("u9"), []);
});

Deno.test("revoke() revokes one of the user's keys, and emits that once", async () => {
  const { apiKeys, key, id, events, clock } = await withKey();
  const other = await apiKeys.create("u1");
  events.length = 0;
  clock.now += 5;
  assertEquals(await apiKeys.revoke("u1", id), true);
  assertEquals(await apiKeys.revoke("u1", id), false);
  assertEquals(events, [{ type: "api_key.revoked", at: START + 5, sub: "u1", apiKeyId: id }]);
  assertEquals(await apiKeys.verify(key), undefined);
  assertEquals((await apiKeys.list("u1")).map((info) => info.id), [other.info.id]);
});

Deno.test("revoke() does not revoke another user's key", async () => {
  const { apiKeys, key, id, events } = await withKey();
  for (const [sub, given] of [["u9", id], ["", id], ["u1", "u1"], ["u1", ""], ["u1", key]]) {
    assertEquals(await apiKeys.revoke(sub ?? "", given ?? ""), false);
  }
  assertEquals(events, []);
  assert(await apiKeys.verify(key) !== undefined);
});

Deno.test("revokeAll() revokes all of a user's keys, and no other user's", async () => {
  const { apiKeys, key, passwords, events } = await withKey();
  await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u9" });
  const other = await apiKeys.create("u9");
  const second = await apiKeys.create("u1");
  events.length = 0;
  await apiKeys.revokeAll("u1");
  assertEquals(events, [{ type: "api_key.revoked", at: START, sub: "u1" }]);
  for (const dead of [key, second.key]) assertEquals(await apiKeys.verify(dead), undefined);
  assertEquals((await apiKeys.verify(other.key))?.user.sub, "u9");
});

Deno.test("apiKeyService() is frozen and uses the system clock by default", async () => {
  const stores = inMemoryAuthStores();
  await stores.users.create({ sub: "u1", identifier: "a", securityStamp: "s", createdAt: 0 });
  const apiKeys: ApiKeyService = apiKeyService(stores);
  assert(Object.isFrozen(apiKeys));
  const before = Math.floor(Date.now() / 1_000);
  const { info } = await apiKeys.create("u1");
  assert(info.createdAt >= before && info.createdAt <= Date.now() / 1_000);
});

Deno.test("verify() passes on errors of the store", async () => {
  const broken = () => Promise.reject(new Error("The database is down"));
  for (const method of ["find", "touch"] as const) {
    const { apiKeys, stores, key } = await withKey();
    const down = apiKeyService({ ...stores, apiKeys: { ...stores.apiKeys, [method]: broken } });
    await assertRejects(() => down.verify(key), Error, "The database is down");
    assertNotEquals(await apiKeys.verify(key), undefined);
  }
  const { stores, key } = await withKey();
  const down = apiKeyService({ ...stores, users: { findBySub: broken } });
  await assertRejects(() => down.verify(key), Error, "The database is down");
});

Deno.test("apiKeyService() accepts 1 as maxPerUser", async () => {
  const { apiKeys } = await withKeys({ maxPerUser: 1 });
  await apiKeys.create("u1");
  assertEquals((await refusal(() => apiKeys.create("u1"))).code, "too_many_keys");
});

for (const maxPerUser of [0, -1, 1.5, NaN, Infinity, 2 ** 53]) {
  Deno.test(`apiKeyService() rejects ${maxPerUser} as maxPerUser`, () => {
    const make = () => apiKeyService({ ...inMemoryAuthStores(), maxPerUser });
    assertThrows(make, RangeError, "maxPerUser must be a positive integer");
  });
}

Deno.test("create() reports user_changed only after the key is revoked", async () => {
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
  Deno.test(`${method}() passes on errors of the store, and emits nothing`, async () => {
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

Deno.test("verify() treats expiresAt 0 as expired", async () => {
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

const { apiKeys, users } = inMemoryAuthStores();
const SERVICES: readonly [why: string, options: unknown, error: typeof TypeError][] = [
  ["nothing", undefined, TypeError],
  ["null", null, TypeError],
  ["no API key store", { users }, TypeError],
  ["no user store", { apiKeys }, TypeError],
  ["a store without methods", { users, apiKeys: {} }, TypeError],
  ["a user store without methods", { users: {}, apiKeys }, TypeError],
  ["a prefix in capitals", { users, apiKeys, prefix: "KEY" }, RangeError],
  ["a prefix with an underscore", { users, apiKeys, prefix: "my_key" }, RangeError],
  ["an empty prefix", { users, apiKeys, prefix: "" }, RangeError],
  ["a prefix that is not a string", { users, apiKeys, prefix: null }, TypeError],
  ["maxPerUser of 0", { users, apiKeys, maxPerUser: 0 }, RangeError],
  ["a fractional maxPerUser", { users, apiKeys, maxPerUser: 1.5 }, RangeError],
  ["maxPerUser that is NaN", { users, apiKeys, maxPerUser: NaN }, RangeError],
  ["an infinite maxPerUser", { users, apiKeys, maxPerUser: Infinity }, RangeError],
  ["maxPerUser as a string", { users, apiKeys, maxPerUser: "5" }, RangeError],
];
for (const [why, options, error] of SERVICES) {
  Deno.test(`apiKeyService() rejects ${why}`, () => {
    const thrown = assertThrows(() => apiKeyService(untyped(options)), error);
    assert(thrown.message.startsWith("Cannot create API key service: "));
  });
}

const OPTIONS: readonly [why: string, options: unknown, error: typeof TypeError][] = [
  ["a name that is not a string", { name: 7 }, TypeError],
  ["a name that is null", { name: null }, TypeError],
  ["an empty name", { name: "" }, RangeError],
  ["a name of spaces", { name: " \t\n\u00a0 " }, RangeError],
  ["a name of 101 characters", { name: "n".repeat(101) }, RangeError],
  ["a name with a line break", { name: "Back\nup" }, RangeError],
  ["a name with NUL", { name: "Back\0up" }, RangeError],
  ["a name with an escape sequence", { name: "\x1b[31mBackup" }, RangeError],
  ["a name with DEL", { name: "Back\x7fup" }, RangeError],
  ["a name with a C1 control", { name: "Back\x85up" }, RangeError],
  ["a name with a Unicode line break", { name: "Back\u2028up" }, RangeError],
  ["a name with a lone surrogate", { name: "Back\ud800up" }, RangeError],
  ["a scope that is a string", { scope: "notes:read" }, TypeError],
  ["a scope that is null", { scope: null }, TypeError],
  ["a scope that is a Set", { scope: new Set(["a"]) }, TypeError],
  ["a scope with a number", { scope: ["a", 7] }, TypeError],
  ["a scope that is a sparse array", { scope: new Array(1) }, TypeError],
  ["an empty token", { scope: [""] }, RangeError],
  ["two tokens in one string", { scope: ["notes:read notes:write"] }, RangeError],
  ["a token with a quote", { scope: ['a"b'] }, RangeError],
  ["a token with a backslash", { scope: ["a\\b"] }, RangeError],
  ["a token with a line break", { scope: ["a\n"] }, RangeError],
  ["a token with a non-ASCII character", { scope: ["ü"] }, RangeError],
  ["a token with DEL", { scope: ["a\x7f"] }, RangeError],
  ["a token of 201 characters", { scope: ["s".repeat(201)] }, RangeError],
  ["a duplicate token", { scope: ["a", "b", "a"] }, RangeError],
  ["expiresIn of 0", { expiresIn: 0 }, RangeError],
  ["a negative expiresIn", { expiresIn: -1 }, RangeError],
  ["a fractional expiresIn", { expiresIn: 0.5 }, RangeError],
  ["an expiresIn that is NaN", { expiresIn: NaN }, RangeError],
  ["an infinite expiresIn", { expiresIn: Infinity }, RangeError],
  ["an expiresIn that is a string", { expiresIn: "60" }, RangeError],
  ["an expiresIn that is null", { expiresIn: null }, RangeError],
  ["more than 400 days", { expiresIn: 34_560_001 }, RangeError],
  ["a day in milliseconds", { expiresIn: 86_400_000 }, RangeError],
  ["a misspelled expiresIn, which would never expire", { expiresin: 60 }, TypeError],
];
for (const [why, options, error] of OPTIONS) {
  Deno.test(`create() rejects ${why}, before the store is read`, async () => {
    const asked: string[] = [];
    const { apiKeys, calls, events } = await withKeys({
      wrap: ({ users }) => ({
        users: { ...users, findBySub: (sub) => (asked.push(sub), users.findBySub(sub)) },
      }),
    });
    asked.length = 0;
    const thrown = await assertRejects(() => apiKeys.create("u1", untyped(options)), error);
    assert(thrown.message.startsWith("Cannot create API key: "));
    assert(!thrown.message.includes("Back") && !thrown.message.includes("notes"), "no raw input");
    assertEquals([asked, calls, events], [[], [], []]);
  });
}

const TAKEN: readonly [why: string, options: object, expected: object][] = [
  ["a name of one character", { name: "x" }, { name: "x" }],
  ["a name of 100 foxes", { name: "🦊".repeat(100) }, { name: "🦊".repeat(100) }],
  ["a name with spaces", { name: "\n Backup\t" }, { name: "Backup" }],
  ["a name with a joiner", { name: "👩‍💻 می‌خواهم" }, { name: "👩‍💻 می‌خواهم" }],
  ["all characters of a token", { scope: ["!#[]~:/.*%'"] }, { scope: ["!#[]~:/.*%'"] }],
  ["no scope", { scope: [] }, { scope: [] }],
  ["tokens in another case", { scope: ["a", "A"] }, { scope: ["a", "A"] }],
  ["a second", { expiresIn: 1 }, { expiresAt: START + 1 }],
  ["400 days", { expiresIn: 34_560_000 }, { expiresAt: START + 34_560_000 }],
];
for (const [why, options, expected] of TAKEN) {
  Deno.test(`create() accepts ${why}`, async () => {
    const { apiKeys } = await withKeys();
    const { info } = await apiKeys.create("u1", options);
    assertEquals(info, { id: info.id, sub: "u1", scope: [], createdAt: START, ...expected });
    assertEquals(await apiKeys.list("u1"), [info]);
  });
}

Deno.test("create() counts expired keys for maxPerUser, until one is revoked", async () => {
  const { apiKeys, clock, calls } = await withKeys({ maxPerUser: 3 });
  const made = await Promise.all(repeat(2, () => apiKeys.create("u1", { expiresIn: 1 })));
  await apiKeys.create("u1");
  clock.now += 10;
  calls.length = 0;
  const { code, status, message } = await refusal(() => apiKeys.create("u1"));
  assertEquals([code, status], ["too_many_keys", 409]);
  assertEquals(message, "There are 3 API keys already; revoke one first");
  assertEquals(calls, ["list"]);
  await apiKeys.revoke("u1", made[0]?.info.id ?? "");
  await apiKeys.create("u1");
  assertEquals((await refusal(() => apiKeys.create("u1"))).code, "too_many_keys");
});

Deno.test("create() allows 100 keys per user by default", async () => {
  const { apiKeys, stores } = await withKeys();
  await stores.users.create({ sub: "u9", identifier: "e", securityStamp: "s", createdAt: START });
  for (let i = 0; i < 100; i++) await apiKeys.create("u1");
  assertMatch((await refusal(() => apiKeys.create("u1"))).message, /are 100 API keys/);
  await apiKeys.create("u9");
});

const NO_TEXTS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NO_TIMES: readonly unknown[] = [
  `${START}`,
  BigInt(START),
  new Date(START * 1_000),
  new Date(START * 1_000).toISOString(),
  NaN,
  Infinity,
  true,
];
const NO_LISTS: readonly unknown[] = [
  null,
  undefined,
  "",
  "notes:read",
  '["notes:read"]',
  { 0: "notes:read" },
  [7],
  [null],
];

const ODD: readonly [member: keyof ApiKey, values: readonly unknown[]][] = [
  ["id", NO_TEXTS],
  ["sub", NO_TEXTS],
  ["keyHash", NO_TEXTS],
  ["createdAt", [...NO_TIMES, null, undefined]],
  ["expiresAt", NO_TIMES],
  ["lastUsedAt", NO_TIMES],
  ["scope", NO_LISTS],
];
for (const [member, values] of ODD) {
  for (const value of values) {
    Deno.test(`an API key whose ${member} is ${shown(value)} is rejected with an error`, async () => {
      const { services: { apiKeys, key, calls, events }, odd } = await withOdd();
      odd.patch = { [member]: value };
      for (const attempt of [() => apiKeys.verify(key), () => apiKeys.list("u1")]) {
        const message = `Cannot use API key: the stored ${member} must be `;
        const error = await assertRejects(attempt, TypeError, message);
        assert(!error.message.includes("notes") && !error.message.includes(`${START}`));
      }
      assertEquals([calls, events], [["find", "list"], []]);
    });
  }
}

Deno.test("revoke() revokes an API key that cannot be read", async () => {
  const { services: { apiKeys, key, id, stores }, odd } = await withOdd();
  odd.patch = { scope: null, expiresAt: "never" };
  assertEquals(await apiKeys.revoke("u1", id), true);
  assertEquals([await stores.apiKeys.list("u1"), await apiKeys.verify(key)], [[], undefined]);
});

Deno.test("toApiKeyInfo() returns neither members that a store adds nor null", async () => {
  const { services: { apiKeys, key, id }, odd } = await withOdd();
  odd.patch = { name: null, expiresAt: null, lastUsedAt: null, ip: "192.0.2.1", version: 3 };
  const shown = { id, sub: "u1", scope: ["notes:read"], createdAt: START };
  assertEquals(await apiKeys.list("u1"), [shown]);
  assertEquals((await apiKeys.verify(key))?.apiKey, { ...shown, lastUsedAt: START });
});

Deno.test("an API key is read again if its use was recorded by another request", async () => {
  let reads = 0;
  const { apiKeys, key } = await withKey({
    wrap: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        touch: () => Promise.resolve("lost"),
        async find(id) {
          const found = await apiKeys.find(id);
          if (found === null || reads++ === 0) return found;
          return { ...found, lastUsedAt: `${START}` as unknown as number };
        },
      },
    }),
  });
  await assertRejects(() => apiKeys.verify(key), TypeError, "the stored lastUsedAt");
});

Deno.test("inMemoryAuthStores() returns frozen API keys, and rejects a duplicate id without quoting it", async () => {
  const { apiKeys } = inMemoryAuthStores({ now: () => START });
  const key: ApiKey = { id: "k1", sub: "u1", keyHash: "h", scope: ["a"], createdAt: START };
  await apiKeys.create(key);
  assertEquals([Object.isFrozen(key), Object.isFrozen(key.scope)], [false, false]);
  for (let round = 0; round < 2; round++) {
    const found = await apiKeys.find("k1");
    const list = await apiKeys.list("u1");
    for (const frozen of [found, found?.scope, list[0]]) assert(Object.isFrozen(frozen));
    await apiKeys.touch("k1", null, START);
  }
  const taken = () => apiKeys.create({ ...key, sub: "u2" });
  await assertRejects(taken, Error, "Cannot create API key: its id is taken");
});

/** Ada, a key of hers, and the changes that the store applies when it is read. */
async function withOdd(): Promise<{
  readonly services: WithKeys & { readonly key: string; readonly id: string };
  readonly odd: { patch: object };
}> {
  const odd = { patch: {} };
  const oddOf = (key: ApiKey): ApiKey => ({ ...key, ...odd.patch });
  const services = await withKey({
    wrap: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        async find(id) {
          const found = await apiKeys.find(id);
          return found === null ? null : oddOf(found);
        },
        list: async (sub) => (await apiKeys.list(sub)).map(oddOf),
      },
    }),
  }, { scope: ["notes:read"] });
  return { services, odd };
}

function shown(value: unknown): string {
  if (value === "" || value instanceof Date) return value === "" ? "empty" : "a date";
  return `${typeof value} ${Array.isArray(value) ? "list " : ""}${value}`;
}

/** Stores that run a hook directly before, or after, a key's use is recorded. */
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
      Deno.test(`verify() of ${which} cannot undo ${why} ${when} the update of lastUsedAt`, async () => {
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

Deno.test("verify() uses the record of a concurrent request", async () => {
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
  ["the previous record", START],
  ["an older record", START - 1],
  ["no use at all", undefined],
];
for (const [why, lastUsedAt] of STALE) {
  Deno.test(`verify() after a conflict ignores a store that still returns ${why}`, async () => {
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

Deno.test("verify() accepts 50 concurrent requests, and records the use once", async () => {
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
  ["is disabled with an unchanged stamp", (stores) => patch(stores, { disabled: true })],
  ["is disabled, with all keys revoked, and enabled again", async (stores) => {
    await patch(stores, { disabled: true, securityStamp: "s2" });
    await stores.apiKeys.revokeAll("u1");
    await patch(stores, { disabled: false, securityStamp: "s3" });
  }],
  [
    "gets another password",
    (stores) => patch(stores, { passwordHash: OTHER_PASSWORD, securityStamp: "s2" }),
  ],
  ["is deleted", ({ users }) => users.delete("u1")],
  ["is deleted and created again", async ({ users }) => {
    await users.delete("u1");
    await users.create({ sub: "u1", identifier: "ada", securityStamp: "s9", createdAt: START });
  }],
];
for (const when of ["before", "after"] as const) {
  for (const [why, change] of CHANGES) {
    Deno.test(`create() leaves no key if the user ${why} directly ${when} it is stored`, async () => {
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

Deno.test("create() concurrent with disable() leaves no key, in either order", async () => {
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

Deno.test("create() returns no key if the user cannot be read again", async () => {
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

Deno.test("create() called concurrently stays within maxPerUser", async () => {
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

/** Changes Ada as another process would, including members that the types do not allow. */
async function patch({ users }: AuthStores, change: object): Promise<void> {
  const { version = "", securityStamp = "" } = await users.findBySub("u1") ?? {};
  assertEquals(await users.update("u1", version, { securityStamp, ...change }), "updated");
}
