import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { generateApiKey, parseApiKey } from "../../../auth/tokens/api_key_format.ts";
import { apiKeyService } from "../../../auth/tokens/api_key_service.ts";
import type { ApiKeyService } from "../../../auth/tokens/api_key_types.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { madeUp, withKey, type WithKeys, withKeys } from "./_api_keys.ts";
import { ADA, CLIENT, OTHER_PASSWORD, repeat, setDisabled, START } from "../_services.ts";

Deno.test("create() gives the key to its owner, and keeps the digest of all but its checksum", async () => {
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

Deno.test("create() needs a user alone: a key without name and end, good for nothing in particular", async () => {
  const { apiKeys } = await withKeys({ prefix: "acme" });
  for (const options of [undefined, {}, { name: undefined, expiresIn: undefined }]) {
    const { key, info } = await apiKeys.create("u1", options);
    assertMatch(key, /^acme_/);
    assertEquals(info, { id: info.id, sub: "u1", scope: [], createdAt: START });
  }
});

Deno.test("create() makes another key each time", async () => {
  const { apiKeys } = await withKeys();
  const made = await Promise.all(repeat(20, () => apiKeys.create("u1")));
  assertEquals(new Set(made.map(({ key }) => key)).size, 20);
  assertEquals((await apiKeys.list("u1")).length, 20);
});

Deno.test("create() keeps its own copy of the scope", async () => {
  const { apiKeys } = await withKeys();
  const scope = ["notes:read"];
  const { key, info } = await apiKeys.create("u1", { scope });
  scope.push("admin");
  assertEquals(info.scope, ["notes:read"]);
  assertEquals((await apiKeys.verify(key))?.apiKey.scope, ["notes:read"]);
});

Deno.test("verify() gives the key and its user, and nothing that is secret", async () => {
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

Deno.test("verify() notes the use at most once a minute: one write for 1,000 requests", async () => {
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
  ["an identifier that nobody has", () => madeUp()],
  ["another secret under an identifier that there is", (key) => madeUp(parseApiKey(key)?.id)],
  [
    "another identifier before a secret that there is",
    (key) => madeUp(undefined, parseApiKey(key)?.secret),
  ],
  ["another prefix", async () => (await generateApiKey("kez")).key],
];
for (const [why, make] of UNKNOWN) {
  Deno.test(`verify() refuses ${why}, and notes nothing`, async () => {
    const { apiKeys, key, calls, events } = await withKey();
    assertEquals(await apiKeys.verify(await make(key)), undefined);
    assertEquals(calls, why === "another prefix" ? [] : ["find"]);
    assertEquals(events, []);
    assert(await apiKeys.verify(key) !== undefined);
  });
}

Deno.test("verify() refuses all keys where the prefix was replaced", async () => {
  const { key, stores, apiKeys } = await withKey();
  assertEquals(await apiKeyService({ ...stores, prefix: "key2" }).verify(key), undefined);
  assert(await apiKeys.verify(key) !== undefined);
});

Deno.test("verify() knows no key from its end on, and list() shows it on", async () => {
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

Deno.test("verify() goes on for ever with a key that has no end", async () => {
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
  Deno.test(`verify() refuses the key of a user who is ${why}, and notes no use`, async () => {
    const made = await withKey();
    const { apiKeys, key, calls } = made;
    await close(made);
    assertEquals(await apiKeys.verify(key), undefined);
    assertEquals(calls, ["find"], "refused, and not ended: a copy of the store may lag");
    await open(made);
    assert(await apiKeys.verify(key) !== undefined);
  });

  Deno.test(`create() makes no key for a user who is ${why}`, async () => {
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
  ["the password is reset", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD)],
  ["all sessions end", ({ sessions }) => sessions.revokeAll("u1")],
  ["one session ends", ({ sessions, tokens }) => sessions.revokeToken(tokens[0] ?? "")],
  ["the identifier changes", ({ accounts }) => accounts.changeIdentifier("u1", "lovelace")],
];
for (const [why, change] of KEEPS) {
  Deno.test(`verify() goes on where ${why}, until revokeAll()`, async () => {
    const made = await withKey();
    const { apiKeys, key } = made;
    await change(made);
    assertEquals((await apiKeys.verify(key))?.user.sub, "u1");
    await apiKeys.revokeAll("u1");
    assertEquals(await apiKeys.verify(key), undefined);
  });
}

Deno.test("list() gives the newest first, without what is stored of the secret", async () => {
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

Deno.test("revoke() ends one of the user's keys, and tells of it once", async () => {
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

Deno.test("revoke() ends nobody else's key", async () => {
  const { apiKeys, key, id, events } = await withKey();
  for (const [sub, given] of [["u9", id], ["", id], ["u1", "u1"], ["u1", ""], ["u1", key]]) {
    assertEquals(await apiKeys.revoke(sub ?? "", given ?? ""), false);
  }
  assertEquals(events, []);
  assert(await apiKeys.verify(key) !== undefined);
});

Deno.test("revokeAll() ends all of a user's keys, and nobody else's", async () => {
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

Deno.test("apiKeyService() is frozen, and goes by the system's clock", async () => {
  const stores = inMemoryAuthStores();
  await stores.users.create({ sub: "u1", identifier: "a", securityStamp: "s", createdAt: 0 });
  const apiKeys: ApiKeyService = apiKeyService(stores);
  assert(Object.isFrozen(apiKeys));
  const before = Math.floor(Date.now() / 1_000);
  const { info } = await apiKeys.create("u1");
  assert(info.createdAt >= before && info.createdAt <= Date.now() / 1_000);
});

Deno.test("verify() throws what a store throws, and is never taken for a refusal", async () => {
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
