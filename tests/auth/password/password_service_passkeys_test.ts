/** Passwords of users with passkeys: removing the password, and resetting it after a compromise. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { credentialOf } from "../../contracts/_races.ts";
import {
  ADA,
  CLIENT,
  once,
  OTHER_PASSWORD,
  refusal,
  repeat,
  type ServicesOptions,
  START,
  types,
  type WithAda,
  withAda,
} from "../_services.ts";

/** Ada with passkeys, and another user with one. */
async function withPasskeys(
  passkeys: readonly string[],
  options: ServicesOptions = {},
): Promise<WithAda> {
  const services = await withAda(options);
  const { credentials } = services.stores;
  for (const id of passkeys) await credentials.create(credentialOf(id));
  await credentials.create({ ...credentialOf("eve's"), sub: "u9" });
  return services;
}

/** Ids of a user's passkeys. */
async function idsOf({ credentials }: AuthStores, sub = "u1"): Promise<string[]> {
  return (await credentials.list(sub)).map(({ id }) => id).sort();
}

Deno.test("remove() removes the password of a user with a passkey; sessions and tokens stay valid", async () => {
  const { passwords, sessions, stores, tokens, before, events } = await withPasskeys(["a"]);
  assertEquals(await passwords.remove("u1"), true);
  const { passwordHash: _, version: __, ...rest } = before;
  const { version, ...after } = await stores.users.findBySub("u1") ?? { version: "" };
  assertEquals(after, rest);
  assert(version !== before.version);
  assertEquals(await idsOf(stores), ["a"]);
  for (const token of tokens) assert(await sessions.verify(token) !== undefined);
  assertEquals((await stores.refreshTokens.list("u1")).length, 2);
  assertEquals(events, [{ type: "password.removed", at: START, sub: "u1" }]);
  const { code, reason } = await refusal(() => passwords.verify(ADA, CLIENT));
  assertEquals([code, reason], ["invalid_credentials", "password_unset"]);
});

Deno.test("remove() returns false for a user without a password, and for an unknown one", async () => {
  const { passwords, stores, events } = await withPasskeys(["a"]);
  await passwords.remove("u1");
  events.length = 0;
  for (const sub of ["u1", "u2", "", "__proto__"]) {
    assertEquals(await passwords.remove(sub), false, sub);
  }
  assertEquals(events, []);
  assertEquals(await idsOf(stores), ["a"]);
});

/** Users who could not sign in without the password. */
const LAST: readonly (readonly [why: string, passkeys: readonly string[], pending?: string])[] = [
  ["without a passkey", []],
  ["with a passkey whose removal has begun", ["a"], "a"],
];
for (const [why, passkeys, pendingRemoval] of LAST) {
  Deno.test(`remove() throws last_way_in for a user ${why}`, async () => {
    const { passwords, stores, events } = await withPasskeys(passkeys);
    const { version = "" } = await stores.users.findBySub("u1") ?? {};
    if (pendingRemoval !== undefined) await stores.users.update("u1", version, { pendingRemoval });
    const error = await refusal(() => passwords.remove("u1"));
    assertEquals([error.code, error.status], ["last_way_in", 409]);
    assertEquals(events, []);
    assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
  });
}

Deno.test("remove() removes a password for one of 200 concurrent calls", async () => {
  const { passwords, events } = await withPasskeys(["a"]);
  const removed = await Promise.all(repeat(200, () => passwords.remove("u1")));
  assertEquals(removed.filter(Boolean).length, 1);
  assertEquals(types(events), ["password.removed"]);
});

Deno.test("remove() concurrent with a rehash or a change of the password does not restore the old one", async () => {
  for (const _ of repeat(5, () => 0)) {
    const { passwords, stores } = await withPasskeys(["a"]);
    const change = { currentPassword: ADA.password, newPassword: OTHER_PASSWORD };
    const [removed] = await Promise.allSettled([
      passwords.remove("u1"),
      passwords.change("u1", change, CLIENT),
      passwords.verify(ADA, CLIENT),
    ]);
    assertEquals(removed, { status: "fulfilled", value: true });
    const { code } = await refusal(() => passwords.verify(ADA, CLIENT));
    assertEquals(code, "invalid_credentials");
    assertEquals(await idsOf(stores), ["a"]);
  }
});

Deno.test("reset() deletes the user's passkeys, and no others", async () => {
  const { passwords, stores, events } = await withPasskeys(["a", "b"]);
  await passwords.reset("u1", OTHER_PASSWORD);
  assertEquals(await idsOf(stores), []);
  assertEquals(await idsOf(stores, "u9"), ["eve's"]);
  assertEquals(types(events), ["password.changed"]);
  assertEquals((await passwords.verify({ ...ADA, password: OTHER_PASSWORD }, CLIENT)).sub, "u1");
});

/** What is kept: each option keeps its own. */
const KEPT: readonly (readonly [options: object, passkeys: number, apiKeys: number])[] = [
  [{}, 0, 0],
  [{ keepPasskeys: false, keepApiKeys: false }, 0, 0],
  [{ keepPasskeys: true }, 1, 0],
  [{ keepApiKeys: true }, 0, 1],
  [{ keepPasskeys: true, keepApiKeys: true }, 1, 1],
];
for (const [options, passkeys, apiKeys] of KEPT) {
  Deno.test(`reset() with ${JSON.stringify(options)} keeps ${passkeys} passkeys and ${apiKeys} API keys`, async () => {
    const { passwords, sessions, stores, tokens } = await withPasskeys(["a"]);
    const key = { id: "k1", sub: "u1", keyHash: "hash", scope: [], createdAt: START };
    await stores.apiKeys.create(key);
    await passwords.reset("u1", OTHER_PASSWORD, options);
    assertEquals((await idsOf(stores)).length, passkeys);
    assertEquals((await stores.apiKeys.list("u1")).length, apiKeys);
    for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
    assertEquals(await stores.refreshTokens.list("u1"), []);
  });
}

Deno.test("reset() deletes a passkey that was added while the password was hashed", async () => {
  const services = await withPasskeys([], {
    wrap: ({ users, credentials }) => ({
      users: {
        ...users,
        async update(...args) {
          await add();
          return await users.update(...args);
        },
      },
      credentials,
    }),
  });
  const add = once(() => services.stores.credentials.create(credentialOf("attacker's")));
  await services.passwords.reset("u1", OTHER_PASSWORD);
  assertEquals(await idsOf(services.stores), []);
});

Deno.test("reset() deletes passkeys even if sessions and API keys cannot be asked", async () => {
  const fail = () => Promise.reject(new Error("The store is out of order"));
  const { passwords, stores } = await withPasskeys(["a"], {
    wrap: ({ sessions, apiKeys }) => ({
      sessions: { ...sessions, revokeAll: fail },
      apiKeys: { ...apiKeys, revokeAll: fail },
    }),
  });
  await assertRejects(() => passwords.reset("u1", OTHER_PASSWORD), Error, "out of order");
  assertEquals(await idsOf(stores), []);
});

Deno.test("reset() rejects if a concurrent remove() counted a passkey that was then deleted, and succeeds when repeated", async () => {
  const services = await withPasskeys(["a"], {
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        async delete(id) {
          await remove();
          await credentials.delete(id);
        },
      },
    }),
  });
  const remove = once(() => services.passwords.remove("u1"));
  const { code } = await refusal(() => services.passwords.reset("u1", OTHER_PASSWORD));
  assertEquals(code, "service_unavailable");
  await services.passwords.reset("u1", OTHER_PASSWORD);
  const given = { ...ADA, password: OTHER_PASSWORD };
  assertEquals((await services.passwords.verify(given, CLIENT)).sub, "u1");
});

Deno.test("change(), disable() and enable() keep passkeys", async () => {
  const { passwords, accounts, stores } = await withPasskeys(["a"]);
  const change = { currentPassword: ADA.password, newPassword: OTHER_PASSWORD };
  await passwords.change("u1", change, CLIENT);
  await accounts.disable("u1");
  await accounts.enable("u1");
  assertEquals(await idsOf(stores), ["a"]);
});
