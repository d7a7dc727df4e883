/** Administration of accounts: identifiers, disabling, enabling and deleting. */

import type { LoginClient } from "../../../auth/throttle/throttle_types.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { sessionService } from "../../../auth/session/session_service.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { credentialOf } from "../../contracts/_races.ts";
import {
  type AccountInfo,
  type UserService,
  userService,
} from "../../../auth/users/user_service.ts";
import {
  ADA,
  canonical,
  CLIENT,
  once,
  OTHER_PASSWORD,
  refusal,
  type ServicesOptions,
  setDisabled,
  START,
  types,
  type WithAda,
  withAda,
} from "../_services.ts";

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["cannot be asked", () => Promise.reject(new Error("The store is out of order"))],
  ["throw at once", () => {
    throw new Error("The store is out of order");
  }],
];

/** Operations that revoke a user's access. */
const ENDS: readonly ("disable" | "remove")[] = ["disable", "remove"];
for (const name of ENDS) {
  Deno.test(`${name}() revokes sessions and refresh families, and prevents sign-ins`, async () => {
    const services = await withAda();
    const { accounts, passwords, sessions, stores, tokens, events, clock } = services;
    await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u9" });
    events.length = 0;
    clock.now += 10;
    assertEquals(await accounts[name]("u1"), name === "disable" ? true : undefined);
    const type = name === "disable" ? "user.disabled" : "user.removed";
    assertEquals(events, [{ type, at: START + 10, sub: "u1" }]);
    for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
    assertEquals(await stores.sessions.list("u1"), []);
    assertEquals(await revoked(services), [true, true, false]);
    const { code } = await refusal(() => passwords.verify(ADA, CLIENT));
    assertEquals(code, "invalid_credentials");
    await passwords.verify({ ...ADA, identifier: "eve" }, CLIENT);
  });

  for (const [why, fail] of DOWN) {
    Deno.test(`${name}() revokes the refresh families even if the sessions ${why}`, async () => {
      const services = await withAda({
        wrap: ({ sessions }) => ({ sessions: { ...sessions, revokeAll: fail } }),
      });
      await assertRejects(() => end(services.accounts, name), Error, "out of order");
      assertEquals(await revoked(services), [true, true, false]);
      for (const token of services.tokens) {
        assertEquals(await services.sessions.verify(token), undefined);
      }
    });

    Deno.test(`${name}() revokes the sessions even if the refresh families ${why}`, async () => {
      const services = await withAda({
        wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
      });
      await assertRejects(() => end(services.accounts, name), Error, "out of order");
      assertEquals(await services.stores.sessions.list("u1"), []);
    });
  }

  Deno.test(`${name}() requires only users`, async () => {
    const { stores: { users } } = await withAda();
    await end(userService({ users }), name);
    const user = await users.findBySub("u1");
    assertEquals(user === null || user.disabled, true);
  });

  Deno.test(`${name}() invalidates a concurrent login, even if the account is enabled again`, async () => {
    const { accounts, passwords, sessions } = await withAda();
    const stale = await passwords.verify(ADA, CLIENT);
    await end(accounts, name);
    const { token } = await sessions.create(stale);
    if (name === "disable") await accounts.enable("u1");
    else await passwords.createUser(ADA, { sub: "u1" });
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("disable() changes the stamp in the same write, and nothing else of the user", async () => {
  const patches: unknown[] = [];
  const { accounts, stores, before } = await withAda({
    wrap: ({ users }) => ({
      users: {
        ...users,
        update(sub, version, patch) {
          patches.push(patch);
          return users.update(sub, version, patch);
        },
      },
    }),
  });
  await accounts.disable("u1");
  const after = await stores.users.findBySub("u1");
  assertNotEquals(after?.securityStamp, before.securityStamp);
  const { securityStamp = "", version = "" } = after ?? {};
  assertEquals(after, { ...before, disabled: true, securityStamp, version });
  assertEquals(patches, [{ disabled: true, securityStamp }]);
});

Deno.test("enable() lets the user sign in again, and restores nothing", async () => {
  const services = await withAda({
    wrap: (stores) => ({ // a store that failed to revoke anything
      sessions: { ...stores.sessions, revokeAll: () => Promise.resolve() },
    }),
  });
  const { accounts, passwords, sessions, tokens, events, stores } = services;
  await accounts.disable("u1");
  const disabled = await stores.users.findBySub("u1");
  events.length = 0;
  assertEquals(await accounts.enable("u1"), true);
  assertEquals(events, [{ type: "user.enabled", at: START, sub: "u1" }]);
  const enabled = await stores.users.findBySub("u1");
  assertEquals(enabled?.disabled, false);
  assertNotEquals(enabled?.securityStamp, disabled?.securityStamp);
  for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
  assertEquals(await sessions.list("u1"), []);
  const { token } = await sessions.create(await passwords.verify(ADA, CLIENT));
  assertEquals((await sessions.verify(token))?.user.sub, "u1");
});

Deno.test("disable() and enable() return whether the user exists, and emit nothing for an unknown one", async () => {
  const { accounts, events, stores } = await withAda();
  assertEquals(await accounts.disable("nobody"), false);
  assertEquals(await accounts.enable("nobody"), false);
  assertEquals(events, []);
  assertEquals((await stores.sessions.list("u1")).length, 2);
});

for (const name of ["disable", "enable"] as const) {
  Deno.test(`${name}() retries on conflict`, async () => {
    const { accounts, stores, events } = await withAda({
      wrap: ({ users }) => {
        const meanwhile = once(async () => {
          const { version } = await users.findBySub("u1") ?? { version: "" };
          await users.update("u1", version, { passwordHash: "$another" });
        });
        return {
          users: {
            ...users,
            async update(...args) {
              await meanwhile();
              return await users.update(...args);
            },
          },
        };
      },
    });
    assertEquals(await accounts[name]("u1"), true);
    const user = await stores.users.findBySub("u1");
    assertEquals([user?.disabled, user?.passwordHash], [name === "disable", "$another"]);
    assertEquals(events.length, 1);
  });

  Deno.test(`${name}() rejects after repeated conflicts`, async () => {
    let updates = 0;
    const { accounts, events, stores } = await withAda({
      wrap: ({ users }) => ({
        users: { ...users, update: () => (updates++, Promise.resolve("lost")) },
      }),
    });
    const { code, status } = await refusal(() => accounts[name]("u1"));
    assertEquals([code, status], ["service_unavailable", 503]);
    assertEquals(updates, 5);
    assertEquals([types(events), (await stores.sessions.list("u1")).length], [[], 2]);
  });

  Deno.test(`${name}() of a user who is deleted meanwhile returns false`, async () => {
    const { accounts, events } = await withAda({
      wrap: ({ users }) => ({
        users: {
          ...users,
          async update(...args) {
            await users.delete("u1");
            return await users.update(...args);
          },
        },
      }),
    });
    assertEquals([await accounts[name]("u1"), events], [false, []]);
  });
}

Deno.test("disable() and enable() set a new stamp each time", async () => {
  const { accounts, stores, before } = await withAda();
  const stamps = [before.securityStamp];
  for (const name of ["disable", "enable", "disable", "disable", "enable", "enable"] as const) {
    await accounts[name]("u1");
    const { securityStamp = "" } = await stores.users.findBySub("u1") ?? {};
    assertMatch(securityStamp, /^[\w-]{22}$/);
    stamps.push(securityStamp);
  }
  assertEquals(new Set(stamps).size, 7);
});

Deno.test("remove() frees the identifier", async () => {
  const { accounts, passwords, stores } = await withAda();
  await accounts.remove("u1");
  assertEquals(await stores.users.findBySub("u1"), null);
  const { sub } = await passwords.createUser(ADA);
  assertNotEquals(sub, "u1");
});

for (const events of [undefined, () => Promise.reject(new Error("down"))]) {
  Deno.test(`disable() continues ${events ? "if a listener rejects" : "without a listener"}`, async () => {
    const { stores, sessions, tokens } = await withAda();
    const warnings: string[] = [];
    const accounts = userService({ ...stores, events, warn: (text) => void warnings.push(text) });
    assertEquals(await accounts.disable("u1"), true);
    for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
    await Promise.resolve();
    assertEquals(warnings.length, events ? 1 : 0);
    assert(Object.isFrozen(accounts));
  });
}

async function end(accounts: UserService, name: "disable" | "remove"): Promise<void> {
  await accounts[name]("u1");
}

/** Which refresh families are revoked: Ada's two, and another user's. */
async function revoked({ stores }: WithAda): Promise<(boolean | undefined)[]> {
  const families = ["f1", "f2", "other"].map((id) => stores.refreshTokens.find(id));
  return (await Promise.all(families)).map((family) => family?.revoked);
}

Deno.test("changeIdentifier() stores the canonical identifier", async () => {
  const { accounts, passwords, sessions, tokens, events } = await withAda();
  events.length = 0;
  assertEquals(await accounts.changeIdentifier("u1", " Lovelace＠Example.ORG"), true);
  assertEquals(events, [{ type: "user.identifier_changed", at: START, sub: "u1" }]);
  const renamed = { ...ADA, identifier: "lovelace@example.org" };
  assertEquals((await passwords.verify(renamed, CLIENT)).sub, "u1");
  assertEquals((await refusal(() => passwords.verify(ADA, CLIENT))).code, "invalid_credentials");
  for (const token of tokens) {
    assertEquals((await sessions.verify(token))?.user.identifier, "lovelace@example.org");
  }
});

Deno.test("changeIdentifier() rejects a taken or invalid identifier", async () => {
  const { accounts, passwords, events } = await withAda();
  await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u9" });
  events.length = 0;
  for (
    const [identifier, code] of [
      ["EVE", "identifier_unavailable"],
      ["a@x,b@y", "invalid_identifier"],
    ] as const
  ) {
    const error = await refusal(() => accounts.changeIdentifier("u1", identifier));
    assertEquals(error.code, code);
  }
  assertEquals(await accounts.changeIdentifier("nobody", "somebody"), false);
  assertEquals(events, []);
  await passwords.verify(ADA, CLIENT);
});

Deno.test("changeIdentifier() invalidates known devices", async () => {
  const { accounts, passwords, throttle, stores, clock } = await withAda();
  const device = await throttle.issueDevice(await passwords.verify(ADA, CLIENT));
  await accounts.changeIdentifier("u1", "lovelace");
  const user = await stores.users.findBySub("u1");
  const client = { ...CLIENT, device };
  const attempt = async (by: LoginClient) =>
    await (await throttle.login(canonical("lovelace"), by)).reserve(user);
  for (let i = 0; i < 5; i++) await attempt(client);
  const { code } = await refusal(() => attempt(CLIENT));
  assertEquals([code, user?.identifier], ["throttled", "lovelace"]);
  clock.now += 31;
  await attempt(CLIENT);
});

Deno.test("disable(), and sessionService().revokeAll(), which have all stores, leave passkeys as they are", async () => {
  const { stores } = await withAda();
  await stores.credentials.create({ ...credentialOf("a"), sub: "u1" });
  await stores.apiKeys.create({ id: "k1", sub: "u1", keyHash: "h", scope: [], createdAt: START });
  await sessionService(stores).revokeAll("u1");
  assertEquals((await stores.apiKeys.list("u1")).length, 1);
  await userService(stores).disable("u1");
  assertEquals((await stores.apiKeys.list("u1")).length, 0);
  assertEquals((await stores.credentials.list("u1")).length, 1);
});

Deno.test("remove() deletes the user's passkeys, and no others", async () => {
  const { stores } = await withAda();
  for (const [id, sub] of [["a", "u1"], ["b", "u1"], ["c", "u9"]] as const) {
    await stores.credentials.create({ ...credentialOf(id), sub });
  }
  await userService(stores).remove("u1");
  assertEquals(await stores.credentials.list("u1"), []);
  assertEquals((await stores.credentials.list("u9")).map(({ id }) => id), ["c"]);
});

/** Ada with sessions, refresh families and an API key, whose account was disabled in the store only. */
async function closedByHalf(options: ServicesOptions = {}): Promise<WithAda> {
  const services = await withAda(options);
  const { stores } = services;
  for (const [id, sub] of [["k1", "u1"], ["k9", "u9"]] as const) {
    const key = { id, sub, keyHash: "hash", scope: [], createdAt: START };
    await stores.apiKeys.create(key);
  }
  await setDisabled(stores);
  return services;
}

/** The stored sessions, valid families and API keys. */
async function leftOf({ sessions, refreshTokens, apiKeys }: AuthStores): Promise<object> {
  const families = ["f1", "f2", "other"].map(async (id) => await refreshTokens.find(id));
  const living = (await Promise.all(families)).filter((family) => family?.revoked === false);
  const keys = [...await apiKeys.list("u1"), ...await apiKeys.list("u9")];
  return {
    sessions: (await sessions.list("u1")).length,
    families: living.map((family) => family?.id),
    keys: keys.map(({ id }) => id),
  };
}

const ALL = { sessions: 2, families: ["f1", "f2", "other"], keys: ["k1", "k9"] };

Deno.test("enable() revokes what an interrupted disable() left, of that user only", async () => {
  const { accounts, stores, events } = await closedByHalf();
  assertEquals(await leftOf(stores), ALL);
  assertEquals(await accounts.enable("u1"), true);
  assertEquals(await leftOf(stores), { sessions: 0, families: ["other"], keys: ["k9"] });
  assertEquals(types(events), ["user.enabled"]);
});

Deno.test("enable() of an enabled account revokes nothing", async () => {
  const { accounts, stores } = await closedByHalf();
  await setDisabled(stores, "u1", false);
  assertEquals(await accounts.enable("u1"), true);
  assertEquals(await leftOf(stores), ALL);
});

const down = () => Promise.reject(new Error("The store is out of order"));

const ENABLE_DOWN:
  readonly (readonly [what: string, wrap: NonNullable<ServicesOptions["wrap"]>])[] = [
    ["sessions", ({ sessions }) => ({ sessions: { ...sessions, revokeAll: down } })],
    [
      "refresh families",
      ({ refreshTokens: kept }) => ({ refreshTokens: { ...kept, revoke: down } }),
    ],
    ["API keys", ({ apiKeys }) => ({ apiKeys: { ...apiKeys, revokeAll: down } })],
  ];

for (const [what, wrap] of ENABLE_DOWN) {
  Deno.test(`enable() leaves the account disabled if its ${what} cannot be revoked`, async () => {
    const { accounts, stores, events } = await closedByHalf({ wrap });
    const before = await stores.users.findBySub("u1");
    await assertRejects(() => accounts.enable("u1"), Error, "out of order");
    assertEquals(await stores.users.findBySub("u1"), before);
    assertEquals([before?.disabled, events], [true, []]);
  });
}

Deno.test("remove() revokes all access even if the account cannot be deleted", async () => {
  const { accounts, stores, events } = await withAda({
    wrap: ({ users }) => ({ users: { ...users, delete: down } }),
  });
  await assertRejects(() => accounts.remove("u1"), Error, "out of order");
  assertEquals(await stores.sessions.list("u1"), []);
  for (const [id, revoked] of [["f1", true], ["f2", true], ["other", false]] as const) {
    assertEquals((await stores.refreshTokens.find(id))?.revoked, revoked, id);
  }
  assertEquals(events, []);
});

Deno.test("remove() deletes the account if nothing can be revoked, emits that, and rejects", async () => {
  let isDown = true;
  const { accounts, stores, events } = await withAda({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        revokeAll: (sub, except) => isDown ? down() : sessions.revokeAll(sub, except),
      },
    }),
  });
  await assertRejects(() => accounts.remove("u1"), Error, "out of order");
  assertEquals(await stores.users.findBySub("u1"), null);
  assertEquals(types(events), ["user.removed"]);
  isDown = false;
  await accounts.remove("u1");
  assertEquals(await stores.sessions.list("u1"), []);
});

for (const name of ["disable", "remove"] as const) {
  Deno.test(`${name}() revokes the user's API keys, and no other user's`, async () => {
    const { accounts, stores } = await withApiKeys();
    await accounts[name]("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
    assertEquals((await stores.apiKeys.list("u9")).map(({ id }) => id), ["k9"]);
    if (name === "disable") await accounts.enable("u1");
    assertEquals(await stores.apiKeys.list("u1"), []);
  });

  for (const [why, fail] of DOWN) {
    Deno.test(`${name}() revokes the API keys even if sessions and refresh families ${why}`, async () => {
      const { accounts, stores } = await withApiKeys({
        wrap: ({ sessions, refreshTokens }) => ({
          sessions: { ...sessions, revokeAll: fail },
          refreshTokens: { ...refreshTokens, revoke: fail },
        }),
      });
      await assertRejects(async () => await accounts[name]("u1"), Error, "out of order");
      assertEquals(await stores.apiKeys.list("u1"), []);
    });

    Deno.test(`${name}() revokes sessions and refresh families even if the API keys ${why}`, async () => {
      const { accounts, stores } = await withApiKeys({
        wrap: ({ apiKeys }) => ({ apiKeys: { ...apiKeys, revokeAll: fail } }),
      });
      await assertRejects(async () => await accounts[name]("u1"), Error, "out of order");
      assertEquals(await stores.sessions.list("u1"), []);
      for (const [id, revoked] of [["f1", true], ["f2", true], ["other", false]] as const) {
        assertEquals((await stores.refreshTokens.find(id))?.revoked, revoked, id);
      }
    });
  }
}

Deno.test("userService() revokes API keys; other changes and the revocation of all sessions do not", async () => {
  const { passwords, sessions, accounts, stores } = await withApiKeys();
  await passwords.reset("u1", OTHER_PASSWORD, { keepApiKeys: true });
  await sessions.revokeAll("u1");
  await accounts.changeIdentifier("u1", "lovelace");
  await accounts.enable("u1");
  assertEquals((await stores.apiKeys.list("u1")).length, 2);
});

/** Ada with two API keys, and another user with one. */
async function withApiKeys(options: ServicesOptions = {}): Promise<WithAda> {
  const services = await withAda(options);
  for (const [id, sub] of [["k1", "u1"], ["k2", "u1"], ["k9", "u9"]] as const) {
    const key = { id, sub, keyHash: "hash", scope: [], createdAt: START };
    await services.stores.apiKeys.create(key);
  }
  return services;
}

const SPELLINGS = ["ada@example.org", "Ada@Example.org", "  ADA＠example.ORG "] as const;
for (const identifier of SPELLINGS) {
  Deno.test(`findByIdentifier() finds the account of ${JSON.stringify(identifier)}`, async () => {
    const { accounts } = await withAda();
    const info = { sub: "u1", identifier: ADA.identifier, createdAt: START, disabled: false };
    assertEquals(await accounts.findByIdentifier(identifier), info);
    assertEquals(await accounts.find("u1"), info);
  });
}

Deno.test("find() and findByIdentifier() return undefined for what is no account, and no credentials", async () => {
  const { accounts } = await withAda();
  for (const identifier of ["eve", "", "a@b@c", "u1", "a".repeat(300), null, undefined, 7]) {
    assertEquals(await accounts.findByIdentifier(identifier as string), undefined);
  }
  for (const sub of ["u2", "", ADA.identifier, "__proto__"]) {
    assertEquals(await accounts.find(sub), undefined);
  }
  await accounts.disable("u1");
  assertEquals((await accounts.find("u1"))?.disabled, true);
});

Deno.test("list() returns accounts in pages, without credentials", async () => {
  const { accounts, stores } = await withAda();
  for (let i = 100; i < 350; i++) {
    const user = { sub: `s${i}`, identifier: `name${i}`, securityStamp: "s", createdAt: START };
    await stores.users.create(user);
  }
  const listed: AccountInfo[] = [];
  const sizes: number[] = [];
  for (;;) {
    const page = await accounts.list({ after: listed.at(-1)?.sub });
    sizes.push(page.length);
    if (page.length === 0) break;
    listed.push(...page);
  }
  assertEquals(sizes, [100, 100, 51, 0]);
  assertEquals(listed.map(({ sub }) => sub).sort(), listed.map(({ sub }) => sub));
  for (const info of listed) {
    assertEquals(Object.keys(info).sort(), ["createdAt", "disabled", "identifier", "sub"]);
  }
  assertEquals((await accounts.list({ limit: 1_000 })).length, 251);
  for (const limit of [0, -1, 1.5, 1_001, NaN, Infinity]) {
    await assertRejects(() => accounts.list({ limit }), RangeError, "limit must be");
  }
});

Deno.test("update() replaces attributes, which find() and list() return; sessions stay valid", async () => {
  const { accounts, sessions, tokens } = await withAda();
  assertEquals("attributes" in (await accounts.find("u1") ?? {}), false);
  for (const attributes of [{ plan: "free", seats: 3 }, { plan: "paid" }, {}]) {
    assertEquals(await accounts.update("u1", { attributes }), true);
    assertEquals((await accounts.find("u1"))?.attributes, attributes);
    assertEquals((await accounts.list())[0]?.attributes, attributes);
  }
  assertEquals(await accounts.update("u1", { attributes: null }), true);
  assertEquals("attributes" in (await accounts.find("u1") ?? {}), false);
  assertEquals(await accounts.update("u2", { attributes: {} }), false);
  for (const token of tokens) assert(await sessions.verify(token) !== undefined);
});

for (
  const [why, attributes, error] of [
    ["no object", "free", TypeError],
    ["an array", ["free"], TypeError],
    ["a date, which JSON writes as a string", new Date(0), TypeError],
    ["absent", undefined, TypeError],
    ["one byte too long", { a: "x".repeat(4_096 - '{"a":""}'.length + 1) }, RangeError],
    ["too long as UTF-8", { a: "é".repeat(2_048) }, RangeError],
  ] as const
) {
  Deno.test(`update() rejects attributes that are ${why}`, async () => {
    const { accounts } = await withAda();
    const wrong = attributes as unknown as Record<string, unknown>;
    await assertRejects(() => accounts.update("u1", { attributes: wrong }), error);
    assertEquals((await accounts.find("u1"))?.attributes, undefined);
  });
}

Deno.test("update() accepts attributes of 4,096 bytes", async () => {
  const { accounts } = await withAda();
  const attributes = { a: "x".repeat(4_096 - '{"a":""}'.length) };
  assertEquals(await accounts.update("u1", { attributes }), true);
  assertEquals((await accounts.find("u1"))?.attributes, attributes);
});
