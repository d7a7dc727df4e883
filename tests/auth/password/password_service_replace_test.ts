import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import {
  ADA,
  CLIENT,
  NOBODY,
  once,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  type Services,
  START,
  types,
  withAda,
} from "../_services.ts";

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["cannot be asked", () => Promise.reject(new Error("The store is out of order"))],
  ["throw at once", () => {
    throw new Error("The store is out of order");
  }],
];

/** Both ways to set a password. */
const WAYS: readonly [
  name: string,
  set: (services: Services, newPassword?: string) => Promise<unknown>,
][] = [
  [
    "change()",
    ({ passwords }, newPassword = OTHER_PASSWORD) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword }, CLIENT),
  ],
  [
    "reset()",
    ({ passwords }, newPassword = OTHER_PASSWORD) => passwords.reset("u1", newPassword),
  ],
];

for (const [name, set] of WAYS) {
  Deno.test(`${name} ends the old password, every session and every refresh family`, async () => {
    const services = await withAda();
    const { passwords, sessions, stores, clock, tokens } = services;
    clock.now += 10;
    const made = await set(services);
    const { securityStamp = "" } = await stores.users.findBySub("u1") ?? {};
    const authentication = {
      sub: "u1",
      identifier: ADA.identifier,
      securityStamp,
      authTime: START + 10,
      amr: ["pwd"],
    };
    // Who resets a password has proved nothing of the user's, and gets nothing to begin a session with
    assertEquals(made, name === "reset()" ? undefined : authentication);
    assertNotEquals(securityStamp, services.before.securityStamp);
    assertEquals((await refusal(() => passwords.verify(ADA, NOBODY))).code, "invalid_credentials");
    const changed = { ...ADA, password: OTHER_PASSWORD };
    assertEquals(await passwords.verify(changed, NOBODY), authentication);
    for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
    assertEquals(await stores.sessions.list("u1"), []);
    assertEquals((await stores.refreshTokens.find("f1"))?.revoked, true);
    assertEquals((await stores.refreshTokens.find("f2"))?.revoked, true);
    assertEquals((await stores.refreshTokens.find("other"))?.revoked, false);
    const { token } = await sessions.create(authentication);
    assertEquals((await sessions.verify(token))?.user.sub, "u1");
  });

  Deno.test(`${name} tells of it, and of no secret`, async () => {
    const services = await withAda();
    await set(services);
    assertEquals(services.events, [{ type: "password.changed", at: START, sub: "u1" }]);
  });

  Deno.test(`${name} refuses a weak password, and changes nothing`, async () => {
    const services = await withAda();
    const { stores, sessions, tokens } = services;
    for (const weak of ["short", `${OTHER_PASSWORD}\0`, "x".repeat(2048), null, [OTHER_PASSWORD]]) {
      const error = await refusal(() => set(services, weak as string));
      assertEquals([error.code, error.status], ["weak_password", 422]);
      assertEquals(error.problem.violations?.map(({ pointer }) => pointer), ["/newPassword"]);
    }
    assertEquals(await stores.users.findBySub("u1"), services.before);
    for (const token of tokens) assert(await sessions.verify(token) !== undefined);
    assertEquals((await stores.refreshTokens.find("f1"))?.revoked, false);
    assertEquals(services.events, []);
  });

  Deno.test(`${name} measures a password by the user's identifier`, async () => {
    const services = await withAda();
    // 15 characters, and the first that anybody would try
    assertEquals((await refusal(() => set(services, ADA.identifier))).code, "weak_password");
    assertEquals(await services.stores.users.findBySub("u1"), services.before);
  });

  for (const [why, fail] of DOWN) {
    Deno.test(`${name} ends the refresh families even where the sessions ${why}`, async () => {
      const services = await withAda({
        wrap: ({ sessions }) => ({ sessions: { ...sessions, revokeAll: fail } }),
      });
      await assertRejects(() => set(services), Error, "out of order");
      assertEquals((await services.stores.refreshTokens.find("f1"))?.revoked, true);
      for (const token of services.tokens) {
        assertEquals(await services.sessions.verify(token), undefined);
      }
    });

    Deno.test(`${name} ends the sessions even where the refresh families ${why}`, async () => {
      const services = await withAda({
        wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
      });
      await assertRejects(() => set(services), Error, "out of order");
      assertEquals(await services.stores.sessions.list("u1"), []);
    });
  }

  Deno.test(`${name} starts over where somebody else changes the user in between`, async () => {
    const services = await withAda({
      wrap: ({ users }) => {
        const renamed = once(async () => {
          const { version } = await users.findBySub("u1") ?? { version: "" };
          await users.update("u1", version, {});
        });
        return {
          users: {
            ...users,
            async update(...args) {
              await renamed();
              return await users.update(...args);
            },
          },
        };
      },
    });
    await set(services);
    const changed = { ...ADA, password: OTHER_PASSWORD };
    assertEquals((await services.passwords.verify(changed, NOBODY)).sub, "u1");
  });

  Deno.test(`${name} gives up where the user changes all the time`, async () => {
    let updates = 0;
    const services = await withAda({
      wrap: ({ users }) => ({
        users: {
          ...users,
          update: () => (updates++, Promise.resolve("lost" as const)),
        },
      }),
    });
    const error = await refusal(() => set(services));
    assertEquals([error.code, error.status], ["service_unavailable", 503]);
    assert(updates > 1 && updates < 20, `${updates} updates`);
    assertEquals(types(services.events), []);
    for (const token of services.tokens) {
      assert(await services.sessions.verify(token) !== undefined);
    }
  });
}
