/** What the stores over an adapter say where something is taken, was changed meanwhile, or is not written. */

import { assertEquals, assertRejects } from "@std/assert";
import {
  repoApiKeyStore,
  repoRefreshTokenStore,
  repoSessionStore,
  repoStateStore,
  repoUserStore,
} from "../../../auth/stores/repo.ts";
import type { StorageAdapter } from "../../../auth/stores/adapter.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { API_KEY, FAMILY, SESSION, START, USER } from "./_store_records.ts";

const now = () => START;

Deno.test("repoUserStore() without the hook is lost where the user was changed between two readings", async () => {
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

/** What writes, and when it is done. */
const WRITES: readonly (readonly [name: string, (adapter: StorageAdapter) => Promise<unknown>])[] =
  [
    ["repoUserStore", (adapter) => repoUserStore({ adapter }).create(USER)],
    ["repoSessionStore", (adapter) => repoSessionStore({ adapter }).create(SESSION)],
    ["repoApiKeyStore", (adapter) => repoApiKeyStore({ adapter }).create(API_KEY)],
  ];

for (const [name, write] of WRITES) {
  Deno.test(`${name}() without the hook rejects where the adapter does not write`, async () => {
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

Deno.test("repoRefreshTokenStore() writes nothing to a family that is revoked", async () => {
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

Deno.test("repoUserStore() says that the identifier was taken, though who had it is gone since", async () => {
  const users = repoUserStore({
    adapter: {
      ...memoryAdapter({ now }),
      atomic: { cas: () => Promise.resolve({ status: "taken" }) },
    },
  });
  assertEquals(await users.create(USER), "identifier_taken");
});

Deno.test("repoStateStore() takes in one step where the hook has take()", async () => {
  const unused = () => Promise.reject(new Error("it takes more steps"));
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
