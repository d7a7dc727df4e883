/** Records with the types of other engines, through the services: none may grant access to a user without it. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { AuthStores, Session, User } from "../../../auth/stores/types.ts";
import {
  ADA,
  canonical,
  CLIENT,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  START,
  type WithAda,
  withAda,
} from "../_services.ts";

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

const DISABLED: readonly [why: string, disabled: unknown, closed: boolean][] = [
  ["SQLite and MySQL: a number", 1, true],
  ["a 64-bit number", 1n, true],
  ["a string column", "true", true],
  ["a string column of numbers", "1", true],
  ["PostgreSQL's letter", "t", true],
  ["a string that means no, which is not interpreted", "false", true],
  ["MySQL: BIT(1)", new Uint8Array([1]), true],
  ["the time of disabling", new Date(START * 1_000), true],
  ["SQLite and MySQL: zero", 0, false],
  ["a 64-bit zero", 0n, false],
  ["a column that was never set", null, false],
  ["a record without the member", undefined, false],
  ["a boolean", false, false],
];
for (const [why, disabled, closed] of DISABLED) {
  Deno.test(`a user whose disabled is ${closed ? "set" : "not set"} ${closed ? "is rejected" : "is accepted"}: ${why}`, async () => {
    const { services, user } = await withOdd();
    user.patch = { disabled };
    const { passwords, sessions, throttle, tokens: [token = ""], events } = services;
    assertEquals(await sessions.verify(token) === undefined, closed);
    assertEquals((await sessions.list("u1")).length, closed ? 0 : 2);
    await (await throttle.login(canonical(ADA.identifier), CLIENT)).reserve(null); // is still counted
    if (!closed) {
      assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
      assertEquals((await passwords.change("u1", CHANGE, CLIENT)).sub, "u1");
      return;
    }
    const attempts = [
      ["invalid_credentials", () => passwords.verify(ADA, CLIENT)],
      ["wrong_password", () => passwords.change("u1", CHANGE, CLIENT)],
    ] as const;
    for (const [expected, attempt] of attempts) {
      const { code, reason } = await refusal(attempt);
      assertEquals([code, reason], [expected, "user_disabled"]);
    }
    assertEquals(events.map((event) => event.type), ["login.failed", "login.failed"]);
  });
}

const NOT_STRINGS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
for (const member of ["sub", "identifier", "securityStamp", "version"] as const) {
  for (const value of NOT_STRINGS) {
    Deno.test(`a user whose ${member} is ${shown(value)} is rejected with a TypeError`, async () => {
      const { services, user } = await withOdd();
      user.patch = { [member]: value };
      const { passwords, sessions, accounts, tokens: [token = ""], events, stores } = services;
      for (
        const attempt of [
          () => passwords.verify(ADA, CLIENT),
          () => passwords.change("u1", CHANGE, CLIENT),
          () => passwords.reset("u1", OTHER_PASSWORD),
          () => sessions.verify(token),
          () => sessions.list("u1"),
          () => accounts.disable("u1"),
          () => accounts.enable("u1"),
        ]
      ) await assertRejects(attempt, TypeError, `Cannot use user: the stored ${member}`);
      user.patch = {};
      assertEquals(await stores.users.findBySub("u1"), services.before);
      assertEquals(events, []);
    });
  }
}

Deno.test("a session without a stamp does not match a user without a stamp", async () => {
  for (const securityStamp of [null, undefined, ""]) {
    const { services, user, session } = await withOdd();
    [user.patch, session.patch] = [{ securityStamp }, { securityStamp }];
    const { sessions, tokens: [token = ""] } = services;
    await assertRejects(() => sessions.verify(token), TypeError, "the stored securityStamp");
    await assertRejects(() => sessions.list("u1"), TypeError, "the stored securityStamp");
  }
});

for (const passwordHash of [null, undefined, 0, new Uint8Array([36])]) {
  Deno.test(`a user whose passwordHash is ${shown(passwordHash)} has no password, which takes one hash`, async () => {
    const { services, user } = await withOdd();
    user.patch = { passwordHash };
    const { passwords, hasher } = services;
    const attempts = [
      ["invalid_credentials", () => passwords.verify(ADA, CLIENT)],
      ["wrong_password", () => passwords.change("u1", CHANGE, CLIENT)],
    ] as const;
    for (const [expected, attempt] of attempts) {
      hasher.calls.length = 0;
      const { code, reason } = await refusal(attempt);
      assertEquals([code, reason], [expected, "password_unset"]);
      assertEquals(hasher.calls, ["hash"]);
    }
    await passwords.reset("u1", OTHER_PASSWORD);
  });
}

const NOT_TIMES: readonly [why: string, of: (time: number) => unknown][] = [
  ["PostgreSQL's 64-bit integer as a string", (time) => `${time}`],
  ["a bigint", (time) => BigInt(time)],
  ["a date", (time) => new Date(time * 1_000)],
  ["a date as a string", (time) => new Date(time * 1_000).toISOString()],
  ["null", () => null],
  ["absent", () => undefined],
  ["NaN", () => NaN],
  ["infinite", () => Infinity],
];
for (const member of ["createdAt", "activeAt", "expiresAt", "authTime"] as const) {
  for (const [why, of] of NOT_TIMES) {
    Deno.test(`a session whose ${member} is ${why} is rejected with a TypeError`, async () => {
      const { services, session } = await withOdd();
      session.patch = { [member]: of(START) };
      await requireUnusable(services, member);
    });
  }
}

for (const member of ["id", "sub", "tokenHash", "securityStamp"] as const) {
  for (const value of NOT_STRINGS) {
    Deno.test(`a session whose ${member} is ${shown(value)} is rejected with a TypeError`, async () => {
      const { services, session } = await withOdd();
      session.patch = { [member]: value };
      await requireUnusable(services, member);
    });
  }
}

Deno.test("a session is checked again after another caller recorded its use", async () => {
  let reads = 0;
  const { sessions, tokens: [token = ""], clock } = await withAda({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        touch: () => Promise.resolve("lost"),
        async findByTokenHash(hash) {
          const found = await stores.sessions.findByTokenHash(hash);
          if (reads++ === 0 || found === null) return found;
          return { ...found, activeAt: `${START + 60}` as unknown as number };
        },
      },
    }),
  });
  clock.now += 60;
  await assertRejects(() => sessions.verify(token), TypeError, "the stored activeAt");
});

Deno.test("a session is returned without members that a store adds, and without null", async () => {
  const { services, user, session } = await withOdd();
  session.patch = { acr: null, userAgent: null, persistent: 0, ip: "192.0.2.1", version: 3 };
  user.patch = { disabled: 0, email: "ada@example.org", totpSecret: "SECRET", passwordHash: null };
  const { sessions, tokens: [token = ""] } = services;
  const active = await sessions.verify(token);
  const shown = {
    id: active?.session.id ?? "",
    sub: "u1",
    createdAt: START,
    activeAt: START,
    expiresAt: START + 86_400,
    authTime: START,
    amr: ["pwd"],
  };
  assertEquals(active?.session, shown);
  assertEquals(active?.user, { sub: "u1", identifier: ADA.identifier, createdAt: START });
  assert((await sessions.list("u1")).some((listed) => listed.id === shown.id));
  for (const listed of await sessions.list("u1")) {
    assertEquals(Object.keys(listed), Object.keys(shown));
  }
});

Deno.test("a session can be revoked beside one whose record is invalid", async () => {
  const { services, session } = await withOdd();
  const { sessions, stores } = services;
  const [first] = await stores.sessions.list("u1");
  session.patch = { expiresAt: null };
  assertEquals(await sessions.revoke("u1", first?.id ?? ""), true);
  assertEquals((await stores.sessions.list("u1")).length, 1);
});

for (const persistent of [1, true, "t"]) {
  Deno.test(`a session whose persistent is ${shown(persistent)} has the limits of persistent sessions`, async () => {
    const { services, session } = await withOdd();
    session.patch = { persistent, expiresAt: START + 2_592_000 };
    const { sessions, tokens: [token = ""], clock } = services;
    clock.now += 86_400;
    assert((await sessions.verify(token))?.session.persistent);
  });
}

async function requireUnusable({ sessions, tokens, events }: WithAda, member: string) {
  const message = `Cannot use session: the stored ${member} must be `;
  const [token = ""] = tokens;
  const attempts = [
    () => sessions.verify(token),
    () => sessions.list("u1"),
    () => sessions.revokeToken(token),
  ];
  for (const attempt of attempts) {
    const error = await assertRejects(attempt, TypeError, message);
    assert(!error.message.includes(String(START).slice(0, 6)));
  }
  assertEquals(events, []);
}

/** Ada, and patches that are applied to her records when they are read. */
async function withOdd(): Promise<{
  readonly services: WithAda;
  readonly user: { patch: object };
  readonly session: { patch: object };
}> {
  const [user, session] = [{ patch: {} }, { patch: {} }];
  const userOf = (read: User | null) => read === null ? null : { ...read, ...user.patch };
  const sessionOf = (read: Session) => ({ ...read, ...session.patch });
  const services = await withAda({
    wrap: ({ users, sessions }: AuthStores) => ({
      users: {
        ...users,
        findBySub: async (sub) => userOf(await users.findBySub(sub)),
        findByIdentifier: async (text) => userOf(await users.findByIdentifier(text)),
        update(sub, version, patch) {
          if (patch.passwordHash !== undefined) user.patch = {}; // the column is written
          return users.update(sub, version, patch);
        },
      },
      sessions: {
        ...sessions,
        async findByTokenHash(hash) {
          const read = await sessions.findByTokenHash(hash);
          return read === null ? null : sessionOf(read);
        },
        list: async (sub) => (await sessions.list(sub)).map(sessionOf),
      },
    }),
  });
  return { services, user, session };
}

function shown(value: unknown): string {
  return value === "" ? "empty" : `${typeof value} ${value}`;
}
