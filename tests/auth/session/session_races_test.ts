import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores, SessionStore, UserPatch, UserStore } from "../../../auth/stores/types.ts";
import {
  createServices,
  repeat,
  type Services,
  type ServicesOptions,
  setDisabled,
  START,
} from "../_services.ts";

const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

const DEATHS: readonly [why: string, kill: (users: UserStore) => Promise<unknown>][] = [
  ["deleted", (users) => users.delete("u1")],
  ["disabled", (users) => setDisabled({ users })],
  ["given other credentials", (users) => update(users, { securityStamp: "s2" })],
  ["created again with the same sub", async (users) => {
    await users.delete("u1");
    await users.create({ ...ADA_USER, securityStamp: "s9" });
  }],
];
for (const [why, kill] of DEATHS) {
  Deno.test(`verify() and list() reject the session of a user who was ${why}, without revoking it`, async () => {
    const { sessions, stores, events, token, id } = await begun();
    await kill(stores.users);
    assertEquals(await sessions.verify(token), undefined);
    assertEquals(await sessions.list("u1"), []);
    assertEquals(await sessions.verify(token), undefined);
    assertEquals((await stores.sessions.list("u1")).map((session) => session.id), [id]);
    assertEquals(events, []);
  });

  Deno.test(`verify() rejects the session of a user who was ${why} only while a replica lags`, async () => {
    const lagging = { yes: false };
    const { sessions, token, id } = await begun({
      wrap: ({ users }) => ({
        users: {
          ...users,
          async findBySub(sub) {
            if (!lagging.yes) return await users.findBySub(sub);
            const copy = inMemoryAuthStores().users;
            await copy.create(ADA_USER);
            await kill(copy);
            return await copy.findBySub(sub);
          },
        },
      }),
    });
    lagging.yes = true;
    assertEquals(await sessions.verify(token), undefined);
    lagging.yes = false;
    assertEquals((await sessions.verify(token))?.session.id, id);
  });

  Deno.test(`verify() rejects the session of a user who is ${why} while it is verified`, async () => {
    const { sessions, token } = await begun({
      wrap: (stores) => ({
        sessions: {
          ...stores.sessions,
          async findByTokenHash(hash) {
            const session = await stores.sessions.findByTokenHash(hash);
            await kill(stores.users);
            return session;
          },
        },
      }),
    });
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("verify() keeps the session of a user with other changes", async () => {
  const { sessions, stores, token } = await begun();
  await update(stores.users, { passwordHash: "$another", securityStamp: "s1", disabled: false });
  assertEquals((await sessions.verify(token))?.user.sub, "u1");
});

Deno.test("verify() does not undo a logout before it recorded the use", async () => {
  const { sessions, stores, clock, token, events } = await begun({
    wrap: (stores) => ({ sessions: touching(stores, (id) => stores.sessions.revoke(id)) }),
  });
  clock.now += 60;
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.list("u1"), []);
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(events, []);
});

Deno.test("verify() does not undo a logout after it recorded the use", async () => {
  const { sessions, stores, clock, token } = await begun({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        async touch(id, from, to) {
          const touched = await stores.sessions.touch(id, from, to);
          await stores.sessions.revoke(id);
          return touched;
        },
      },
    }),
  });
  clock.now += 60;
  await sessions.verify(token);
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.list("u1"), []);
});

Deno.test("verify() that loses a conflict of uses accepts the record of the other request", async () => {
  const { sessions, clock, token, id } = await begun({
    wrap: (stores) => ({
      sessions: touching(stores, (id, from, to) => stores.sessions.touch(id, from, to - 1)),
    }),
  });
  clock.now += 60;
  const active = await sessions.verify(token);
  assertEquals([active?.session.id, active?.session.activeAt], [id, START + 59]);
});

const STALE: readonly [why: string, activeAt: number][] = [
  ["the previous record", START],
  ["an older record", START - 1],
];
for (const [why, activeAt] of STALE) {
  Deno.test(`verify() that loses a conflict of uses does not accept a stale read: ${why}`, async () => {
    const { sessions, clock, token } = await begun({
      wrap: (stores) => {
        let reads = 0;
        return {
          sessions: {
            ...stores.sessions,
            touch: () => Promise.resolve("lost"),
            async findByTokenHash(hash) {
              const session = await stores.sessions.findByTokenHash(hash);
              return session === null || reads++ === 0 ? session : { ...session, activeAt };
            },
          },
        };
      },
    });
    clock.now += 60;
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("verify() of 50 concurrent requests accepts all, and records the use once", async () => {
  let updates = 0;
  const { sessions, clock, token } = await begun({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        async touch(...args) {
          const touched = await stores.sessions.touch(...args);
          if (touched === "updated") updates++;
          return touched;
        },
      },
    }),
  });
  clock.now += 60;
  const active = await Promise.all(repeat(50, () => sessions.verify(token)));
  assertEquals(active.filter((one) => one?.session.activeAt === clock.now).length, 50);
  assertEquals(updates, 1);
});

Deno.test("verify() of 50 concurrent requests with a logout leaves no session", async () => {
  const { sessions, stores, clock, token } = await begun();
  clock.now += 60;
  const requests = repeat(
    50,
    (i) => i === 25 ? sessions.revokeToken(token) : sessions.verify(token),
  );
  await Promise.all(requests);
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.list("u1"), []);
});

const STEPS: readonly [
  step: string,
  stores: (down: () => Promise<never>) => (stores: AuthStores) => Partial<AuthStores>,
][] = [
  ["sessions.findByTokenHash", (down) => ({ sessions }) => ({
    sessions: { ...sessions, findByTokenHash: down },
  })],
  ["users.findBySub", (down) => ({ users }) => ({ users: { ...users, findBySub: down } })],
  ["sessions.touch", (down) => ({ sessions }) => ({ sessions: { ...sessions, touch: down } })],
];
for (const [step, stores] of STEPS) {
  Deno.test(`verify() rejects if ${step} rejects`, async () => {
    const error = new Error(`${step} is out of order`);
    const { sessions, clock, token, events, stores: kept } = await begun({
      wrap: stores(() => Promise.reject(error)),
    });
    clock.now += 60;
    assertStrictEquals(await assertRejects(() => sessions.verify(token)), error);
    assertEquals([events, (await kept.sessions.list("u1")).length], [[], 1]);
  });
}

Deno.test("verify() rejects if an expired session cannot be deleted", async () => {
  const error = new Error("revoke is out of order");
  const { sessions, clock, token, events } = await begun({
    wrap: ({ sessions }) => ({ sessions: { ...sessions, revoke: () => Promise.reject(error) } }),
  });
  clock.now += 3_600;
  assertStrictEquals(await assertRejects(() => sessions.verify(token)), error);
  assertEquals(events, []);
});

Deno.test("create() creates no session if the old one cannot be revoked", async () => {
  const error = new Error("revoke is out of order");
  const { sessions, stores, token } = await begun({
    wrap: ({ sessions }) => ({ sessions: { ...sessions, revoke: () => Promise.reject(error) } }),
  });
  const attempt = () => sessions.create(STAMPED, { replaces: token });
  assertStrictEquals(await assertRejects(attempt), error);
  assertEquals((await stores.sessions.list("u1")).length, 1);
});

Deno.test("create() does not emit a session that could not be stored", async () => {
  const { sessions, events } = await begun({
    wrap: ({ sessions }) => {
      let kept = 0;
      return {
        sessions: {
          ...sessions,
          create: (session) =>
            kept++ === 0 ? sessions.create(session) : Promise.reject(new Error("full")),
        },
      };
    },
  });
  await assertRejects(() => sessions.create(STAMPED), Error, "full");
  assertEquals(events, []);
});

Deno.test("revokeToken() rejects if the store rejects", async () => {
  const error = new Error("revoke is out of order");
  const { sessions, token, events } = await begun({
    wrap: ({ sessions }) => ({ sessions: { ...sessions, revoke: () => Promise.reject(error) } }),
  });
  assertStrictEquals(await assertRejects(() => sessions.revokeToken(token)), error);
  assertEquals(events, []);
});

Deno.test("create() from a stale authentication creates an invalid session", async () => {
  const { sessions, stores } = await begun();
  await update(stores.users, { securityStamp: "s2" });
  const { token } = await sessions.create(STAMPED);
  assertEquals(await sessions.list("u1"), []);
  assertEquals(await sessions.verify(token), undefined);
});

const ADA_USER = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };

async function begun(
  options: ServicesOptions = {},
): Promise<Services & { readonly token: string; readonly id: string }> {
  const services = createServices(options);
  await services.stores.users.create(ADA_USER);
  const { token, session } = await services.sessions.create(STAMPED);
  services.events.length = 0;
  return { ...services, token, id: session.id };
}

async function update(users: UserStore, patch: UserPatch): Promise<void> {
  const { version } = await users.findBySub("u1") ?? { version: "" };
  await users.update("u1", version, patch);
}

/** A store that calls a hook before `touch`. */
function touching(
  { sessions }: AuthStores,
  meanwhile: (id: string, from: number, to: number) => Promise<unknown>,
): SessionStore {
  return {
    ...sessions,
    async touch(id, from, to) {
      await meanwhile(id, from, to);
      return await sessions.touch(id, from, to);
    },
  };
}
