/** Sessions: creation, verification, limits, revocation and refresh families. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { PERSISTENT_SESSION, sessionService } from "../../../auth/session/session_service.ts";
import type {
  NewSession,
  SessionLimits,
  SessionServiceOptions,
} from "../../../auth/session/types.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import type { Session } from "../../../auth/stores/types.ts";
import {
  createServices,
  repeat,
  type Services,
  type ServicesOptions,
  setDisabled,
  START,
  types,
} from "../_services.ts";

const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START - 5, amr: ["pwd", "otp"] };

Deno.test("create() creates a token of 256 random bits, and stores only its digest", async () => {
  const kept: Session[] = [];
  const services = await withUser({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        create(session) {
          kept.push(session);
          return sessions.create(session);
        },
      },
    }),
  });
  const userAgent = "Mozilla/5.0";
  const { token, session } = await services.sessions.create(
    { ...STAMPED, acr: "urn:example:aal2" },
    { userAgent },
  );
  assertMatch(token, /^[\w-]{43}$/);
  assertMatch(session.id, /^[\w-]{22}$/);
  const info = {
    id: session.id,
    sub: "u1",
    createdAt: START,
    activeAt: START,
    expiresAt: START + 86_400,
    authTime: START - 5,
    amr: ["pwd", "otp"],
    acr: "urn:example:aal2",
    userAgent,
  };
  assertEquals(session, info);
  const tokenHash = await digestText(token);
  assertMatch(tokenHash, /^[\w-]{43}$/);
  assertEquals(kept, [{ ...info, tokenHash, securityStamp: "s1" }]);
  assert(!JSON.stringify(kept).includes(token));
  assertEquals(services.events, [
    { type: "session.created", at: START, sub: "u1", sessionId: session.id },
  ]);
});

Deno.test("create() creates a new token and a new identifier each time", async () => {
  const { sessions } = await withUser();
  const begun = await Promise.all(repeat(20, () => sessions.create(STAMPED)));
  assertEquals(new Set(begun.map(({ token }) => token)).size, 20);
  assertEquals(new Set(begun.map(({ session }) => session.id)).size, 20);
  for (const { token, session } of begun) assert(!token.includes(session.id.slice(0, 8)));
  for (const { token, session } of begun) {
    assertEquals((await sessions.verify(token))?.session.id, session.id);
  }
});

Deno.test("create() revokes the browser's previous session, and does not adopt its token", async () => {
  const { sessions, stores, events } = await withUser();
  const old = await sessions.create(STAMPED);
  const { token, session } = await sessions.create(STAMPED, { replaces: old.token });
  assertNotEquals(token, old.token);
  assertNotEquals(session.id, old.session.id);
  assertEquals(await sessions.verify(old.token), undefined);
  assertEquals((await sessions.verify(token))?.session.id, session.id);
  assertEquals((await stores.sessions.list("u1")).map(({ id }) => id), [session.id]);
  assertEquals(types(events), ["session.created", "session.revoked", "session.created"]);
});

Deno.test("create() revokes the browser's session of another user", async () => {
  const { sessions, stores } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: 0 });
  const eve = await sessions.create({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  const ada = await sessions.create(STAMPED, { replaces: eve.token });
  assertEquals(await sessions.verify(eve.token), undefined);
  assertEquals((await sessions.verify(ada.token))?.user.sub, "u1");
});

for (const replaces of ["x".repeat(43), "", "x", undefined]) {
  const what = replaces === undefined ? "none" : `${replaces.length} characters`;
  Deno.test(`create() accepts a replaced token without a session: ${what}`, async () => {
    const { sessions, events } = await withUser();
    const { token } = await sessions.create(STAMPED, { replaces });
    assertNotEquals(token, replaces);
    assertEquals(types(events), ["session.created"]);
    assertEquals(replaces === undefined ? undefined : await sessions.verify(replaces), undefined);
  });
}

const USER_AGENTS: readonly [why: string, given: string | null, kept: string | undefined][] = [
  ["short", "curl/8", "curl/8"],
  ["of 256 characters", "x".repeat(256), "x".repeat(256)],
  ["of 257 characters", "x".repeat(257), "x".repeat(256)],
  ["of 1 MB", "x".repeat(1_000_000), "x".repeat(256)],
  ["empty", "", undefined],
  ["absent, as returned by Headers.get()", null, undefined],
  ["truncated inside a surrogate pair", `${"x".repeat(255)}😀`, `${"x".repeat(255)}\ufffd`],
  ["with a lone surrogate", "a\ud800b", "a\ufffdb"],
];
for (const [why, userAgent, kept] of USER_AGENTS) {
  Deno.test(`create() stores a User-Agent well-formed and truncated: ${why}`, async () => {
    const { sessions } = await withUser();
    const { token, session } = await sessions.create(STAMPED, { userAgent });
    assertEquals(session.userAgent, kept);
    assertEquals((await sessions.verify(token))?.session.userAgent, kept);
  });
}

Deno.test("create() omits unknown members", async () => {
  const { sessions } = await withUser();
  const { session } = await sessions.create(STAMPED, { userAgent: undefined });
  assertEquals(["acr" in session, "userAgent" in session], [false, false]);
});

Deno.test("verify() returns the session and the user, without digest, stamp and hash", async () => {
  const { sessions, stores } = await withUser();
  const { token, session } = await sessions.create(STAMPED);
  const active = await sessions.verify(token);
  assertEquals(active?.session, session);
  assertEquals({ ...active?.user }, { sub: "u1", identifier: "ada", createdAt: START });
  const written = JSON.stringify([active, session, await sessions.list("u1")]);
  const [kept] = await stores.sessions.list("u1");
  const user = await stores.users.findBySub("u1");
  for (const secret of [token, kept?.tokenHash, "s1", user?.passwordHash, "version"]) {
    assert(!written.includes(secret ?? "?"), secret);
  }
});

const MALFORMED: readonly [why: string, token: unknown][] = [
  ["empty", ""],
  ["42 characters", "x".repeat(42)],
  ["44 characters", "x".repeat(44)],
  ["padding", `${"x".repeat(42)}=`],
  ["the plain alphabet", `${"x".repeat(42)}+`],
  ["a line feed at the end", `${"x".repeat(43)}\n`],
  ["white space around it", ` ${"x".repeat(43)}`],
  ["other letters", "é".repeat(43)],
  ["1 MB", "x".repeat(1_000_000)],
  ["a number", 1e42],
  ["null", null],
  ["absent", undefined],
  ["an array of a token", ["x".repeat(43)]],
  ["an object that converts to a token", { toString: () => "x".repeat(43) }],
];
Deno.test("verify(), revokeToken() and create() do not read the store for a malformed token", async () => {
  const asked: string[] = [];
  const { sessions, events } = await withUser({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        findByTokenHash(hash) {
          asked.push(hash);
          return stores.sessions.findByTokenHash(hash);
        },
      },
    }),
  });
  for (const [why, malformed] of MALFORMED) {
    const token = malformed as string;
    assertEquals(await sessions.verify(token), undefined, why);
    await sessions.revokeToken(token);
    await sessions.create(STAMPED, { replaces: token });
    assertEquals(asked, [], why);
  }
  assertEquals(types(events), repeat(MALFORMED.length, () => "session.created"));
  assertEquals(await sessions.verify("x".repeat(43)), undefined);
  assertEquals(asked, [await digestText("x".repeat(43))]);
});

Deno.test("verify() does not accept the digest as a token", async () => {
  const { sessions, stores } = await withUser();
  const { session } = await sessions.create(STAMPED);
  const [kept] = await stores.sessions.list("u1");
  assertEquals(await sessions.verify(kept?.tokenHash ?? ""), undefined);
  assertEquals(await sessions.verify(session.id), undefined);
});

Deno.test("revokeToken() revokes the session, and is idempotent", async () => {
  const { sessions, stores, events } = await withUser();
  const { token, session } = await sessions.create(STAMPED);
  const other = await sessions.create(STAMPED);
  events.length = 0;
  await sessions.revokeToken(token);
  await sessions.revokeToken(token);
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.findByTokenHash(await digestText(token)), null);
  assertEquals((await sessions.verify(other.token))?.session.id, other.session.id);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", sessionId: session.id },
  ]);
});

Deno.test("list() returns the valid sessions of a user, the most recently used first", async () => {
  const { sessions, clock, stores } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s1", createdAt: 0 });
  const unused = await sessions.create(STAMPED);
  clock.now += 1_000;
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  await sessions.create({ ...STAMPED, sub: "u2" });
  await sessions.create({ ...STAMPED, securityStamp: "an old one" });
  clock.now += 2_599;
  await sessions.verify(a.token);
  const inOrder = async () => (await sessions.list("u1")).map(({ id }) => id);
  assertEquals(await inOrder(), [a, b, unused].map(({ session }) => session.id));
  clock.now += 1;
  assertEquals(await inOrder(), [a, b].map(({ session }) => session.id)); // an hour without use
  clock.now += 1_000;
  assertEquals(await inOrder(), [a.session.id]);
  for (const session of await sessions.list("u1")) {
    assertEquals(["tokenHash" in session, "securityStamp" in session], [false, false]);
  }
  assertEquals(await sessions.list("nobody"), []);
});

Deno.test("list() returns no sessions of a disabled or deleted user", async () => {
  const { sessions, stores } = await withUser();
  await sessions.create(STAMPED);
  await setDisabled(stores);
  assertEquals(await sessions.list("u1"), []);
  await stores.users.delete("u1");
  assertEquals(await sessions.list("u1"), []);
});

Deno.test("revoke() revokes one of the user's sessions, and no other user's", async () => {
  const { sessions, events } = await withUser();
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  events.length = 0;
  for (
    const [sub, id] of [["u2", a.session.id], ["u1", "unknown"], ["u1", ""], ["", ""]] as const
  ) {
    assertEquals(await sessions.revoke(sub, id), false);
  }
  assertEquals(events, []);
  assert(await sessions.verify(a.token) !== undefined);
  assertEquals(await sessions.revoke("u1", a.session.id), true);
  assertEquals(await sessions.revoke("u1", a.session.id), false);
  assertEquals(await sessions.verify(a.token), undefined);
  assert(await sessions.verify(b.token) !== undefined);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", sessionId: a.session.id },
  ]);
});

Deno.test("revokeOthers() and revokeAll() revoke the user's sessions, and no other user's", async () => {
  const { sessions, stores, events } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: 0 });
  const eve = await sessions.create({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  const [kept, a, b] = await Promise.all(repeat(3, () => sessions.create(STAMPED)));
  const alive = async (session: NewSession | undefined) =>
    await sessions.verify(session?.token ?? "") !== undefined;
  events.length = 0;
  await sessions.revokeOthers("u1", kept?.session.id ?? "");
  assertEquals([await alive(kept), await alive(a), await alive(b)], [true, false, false]);
  await sessions.revokeAll("u1");
  assertEquals([await alive(kept), await alive(eve)], [false, true]);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", exceptSessionId: kept?.session.id ?? "" },
    { type: "session.revoked", at: START, sub: "u1" },
  ]);
});

Deno.test("revokeOthers() with another user's session revokes all of the user's", async () => {
  const { sessions } = await withUser();
  const a = await sessions.create(STAMPED);
  await sessions.revokeOthers("u1", "the id of somebody else");
  assertEquals(await sessions.verify(a.token), undefined);
});

async function withUser(options: ServicesOptions = {}): Promise<Services> {
  const services = createServices(options);
  const user = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };
  await services.stores.users.create({ ...user, passwordHash: "$pbkdf2-sha256$the hash" });
  return services;
}

const ARGUMENTS_STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };
const ADA_USER = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };

const UNSOUND: readonly [why: string, authentication: object][] = [
  ["an empty sub", { ...STAMPED, sub: "" }],
  ["a sub that is null", { ...STAMPED, sub: null }],
  ["a sub that is a number", { ...STAMPED, sub: 7 }],
  ["no sub", { securityStamp: "s1", authTime: START, amr: ["pwd"] }],
  ["an empty stamp", { ...STAMPED, securityStamp: "" }],
  ["a stamp that is null", { ...STAMPED, securityStamp: null }],
  ["no stamp", { sub: "u1", authTime: START, amr: ["pwd"] }],
  ["no authTime", { sub: "u1", securityStamp: "s1", amr: ["pwd"] }],
  ["an authTime that is a string", { ...STAMPED, authTime: `${START}` }],
  ["an authTime that is NaN", { ...STAMPED, authTime: NaN }],
  ["an authTime in milliseconds", { ...STAMPED, authTime: START * 1_000 }],
  ["an authTime in the future", { ...STAMPED, authTime: START + 301 }],
  ["no methods", { sub: "u1", securityStamp: "s1", authTime: START }],
  ["methods as one string", { ...STAMPED, amr: "pwd" }],
  ["a user of the store", { ...ADA_USER, version: "1" }],
  ["undefined", {}],
];
for (const [why, authentication] of UNSOUND) {
  Deno.test(`create() rejects an authentication with ${why}, and revokes nothing`, async () => {
    const { sessions, stores, events } = createServices();
    await stores.users.create(ADA_USER);
    const { token, session } = await sessions.create(ARGUMENTS_STAMPED);
    events.length = 0;
    const attempt = () =>
      sessions.create(authentication as typeof ARGUMENTS_STAMPED, { replaces: token });
    await assertRejects(attempt, TypeError, "Cannot create session");
    assertEquals((await stores.sessions.list("u1")).map(({ id }) => id), [session.id]);
    assertEquals(events, []);
  });
}

for (const authTime of [START + 300, START - 10 * 365 * 86_400, 0]) {
  Deno.test(`create() accepts an authentication of ${authTime - START} s from now`, async () => {
    const { sessions, stores } = createServices();
    await stores.users.create(ADA_USER);
    const { token } = await sessions.create({ ...STAMPED, authTime });
    assertEquals((await sessions.verify(token))?.session.authTime, authTime);
  });
}

const HOUR = 3_600;
const DAY = 86_400;
const LIMITS_STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

const IDLE: readonly [after: number, alive: boolean][] = [
  [HOUR - 1, true],
  [HOUR - 0.001, true],
  [HOUR, false],
  [HOUR + 1, false],
  [DAY * 365, false],
];
for (const [after, alive] of IDLE) {
  Deno.test(`verify() ${alive ? "accepts" : "expires"} a session that was not used for ${after} s`, async () => {
    const { sessions, clock, stores, events, token, id } = await begun();
    clock.now += after;
    assertEquals(await sessions.verify(token) !== undefined, alive);
    assertEquals((await stores.sessions.list("u1")).length, alive ? 1 : 0);
    const expired = { type: "session.expired", at: clock.now, sub: "u1", sessionId: id } as const;
    const reason = after < DAY ? "idle_limit" : "absolute_limit";
    assertEquals(events, alive ? [] : [{ ...expired, reason }]);
    assertEquals(await sessions.verify(token) !== undefined, alive);
    assertEquals(events.length, alive ? 0 : 1);
  });
}

const ABSOLUTE: readonly [after: number, alive: boolean][] = [
  [DAY - 1, true],
  [DAY, false],
  [DAY + 1, false],
];
for (const [after, alive] of ABSOLUTE) {
  Deno.test(`verify() ${alive ? "accepts" : "expires"} a session in steady use after ${after} s`, async () => {
    const { sessions, clock, events, token, id } = await begun();
    while (clock.now + 1_800 < START + Math.min(after, DAY)) {
      clock.now += 1_800;
      const active = await sessions.verify(token);
      assertEquals([active?.session.activeAt, active?.session.expiresAt], [clock.now, START + DAY]);
    }
    clock.now = START + after;
    assertEquals(await sessions.verify(token) !== undefined, alive);
    const expired = { type: "session.expired", at: clock.now, sub: "u1", sessionId: id } as const;
    assertEquals(events, alive ? [] : [{ ...expired, reason: "absolute_limit" }]);
  });
}

Deno.test("verify() measures the idle time from the last request", async () => {
  const { sessions, clock, token } = await begun();
  for (const [step, alive] of [[HOUR - 1, true], [HOUR - 1, true], [HOUR, false]] as const) {
    clock.now += step;
    assertEquals(await sessions.verify(token) !== undefined, alive);
  }
});

const LOWERED: readonly [why: string, limits: SessionLimits, after: number, alive: boolean][] = [
  ["before the lower idle limit", { idle: 60 }, 59, true],
  ["at the lower idle limit", { idle: 60 }, 60, false],
  ["before the lower absolute limit", { idle: 60, absolute: 60 }, 59, true],
  ["at the lower absolute limit", { idle: 600, absolute: 600 }, 600, false],
  ["at the absolute limit of its creation", { idle: DAY, absolute: 10 * DAY }, DAY, false],
  ["before the absolute limit of its creation", { idle: DAY, absolute: 10 * DAY }, DAY - 1, true],
  ["within an idle limit that was raised", { idle: 2 * HOUR }, 2 * HOUR - 1, true],
];
for (const [why, limits, after, alive] of LOWERED) {
  Deno.test(`verify() and list() apply the current limits to old sessions: ${why}`, async () => {
    const { stores, token } = await begun();
    const { sessions, clock } = createServices({ stores, limits });
    clock.now += after;
    assertEquals((await sessions.list("u1")).length, alive ? 1 : 0);
    assertEquals(await sessions.verify(token) !== undefined, alive);
  });
}

Deno.test("verify() applies a lowered absolute limit to an active session", async () => {
  const { stores, token } = await begun();
  const { sessions, clock, events } = createServices({ stores, limits: { absolute: HOUR } });
  for (const [step, alive] of [[HOUR / 2, true], [HOUR / 2 - 1, true], [1, false]] as const) {
    clock.now += step;
    assertEquals(await sessions.verify(token) !== undefined, alive);
  }
  assertEquals(events.map((event) => event.type === "session.expired" && event.reason), [
    "absolute_limit",
  ]);
});

Deno.test("verify() records the use of a session at most once a minute", async () => {
  const touched: [from: number, to: number][] = [];
  const { sessions, clock, token } = await begun({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        touch(id, from, to) {
          touched.push([from - START, to - START]);
          return stores.sessions.touch(id, from, to);
        },
      },
    }),
  });
  for (let second = 0; second <= 180; second++) {
    clock.now = START + second;
    const active = await sessions.verify(token);
    assertEquals(active?.session.activeAt, START + second - second % 60);
  }
  assertEquals(touched, [[0, 60], [60, 120], [120, 180]]);
});

Deno.test("verify() records the use of a session with a short idle limit more often", async () => {
  const { sessions, clock, token, stores } = await begun({ limits: { idle: 50, absolute: 500 } });
  const activeAt = async () => (await stores.sessions.list("u1"))[0]?.activeAt;
  clock.now += 4;
  await sessions.verify(token);
  assertEquals(await activeAt(), START);
  clock.now += 1;
  await sessions.verify(token);
  assertEquals(await activeAt(), START + 5);
});

Deno.test("verify() accepts concurrent requests of a session that expires after seconds", async () => {
  const { sessions, clock, token } = await begun({ limits: { idle: 5, absolute: 60 } });
  for (const seconds of [0, 1, 4]) {
    clock.now += seconds;
    const active = await Promise.all(Array.from({ length: 8 }, () => sessions.verify(token)));
    assertEquals(active.filter((one) => one === undefined), [], `after ${seconds} s more`);
  }
});

const SHORT: readonly SessionLimits[] = [{ idle: 1, absolute: 1 }, { idle: 9, absolute: 9 }];
for (const limits of SHORT) {
  Deno.test(`verify() accepts a session of ${limits.idle} s for that time`, async () => {
    const { sessions, clock, token } = await begun({ limits });
    clock.now += (limits.idle ?? 0) - 0.5;
    assert(await sessions.verify(token) !== undefined);
    clock.now += 0.5;
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("verify() accepts a session while the clock goes back slightly, and does not extend it", async () => {
  const { sessions, clock, token, stores } = await begun();
  clock.now = START - 300;
  assert(await sessions.verify(token) !== undefined);
  assertEquals((await stores.sessions.list("u1"))[0]?.activeAt, START);
  clock.now = START + HOUR - 1;
  assert(await sessions.verify(token) !== undefined);
  clock.now = START;
  assert(await sessions.verify(token) !== undefined);
  assertEquals((await stores.sessions.list("u1"))[0]?.activeAt, START + HOUR - 1);
});

for (const ahead of [301, DAY, 10 * 365 * DAY]) {
  Deno.test(`verify() and list() expire a session that was created while the clock was ${ahead} s ahead`, async () => {
    const { sessions, clock, token, events, id, stores } = await begun();
    clock.now = START - ahead;
    assertEquals(await sessions.list("u1"), []);
    assertEquals(await sessions.verify(token), undefined);
    const reason = "absolute_limit";
    assertEquals(events, [
      { type: "session.expired", at: clock.now, sub: "u1", sessionId: id, reason },
    ]);
    assertEquals(await stores.sessions.list("u1"), []);
  });
}

for (const now of [START * 1_000, NaN, Infinity, `${START}`]) {
  Deno.test(`create(), verify() and list() reject a clock that returns ${typeof now} ${now}`, async () => {
    const { sessions, clock, token, stores } = await begun();
    clock.now = now as number;
    for (
      const attempt of [
        () => sessions.create(LIMITS_STAMPED),
        () => sessions.verify(token),
        () => sessions.list("u1"),
      ]
    ) await assertRejects(attempt, RangeError, "Invalid clock");
    assertEquals((await stores.sessions.list("u1")).length, 1);
  });
}

const WRONG: readonly [why: string, limits: SessionLimits][] = [
  ["a limit of zero", { idle: 0 }],
  ["negative", { idle: -1 }],
  ["a fraction", { idle: 1.5 }],
  ["a fraction", { absolute: 86_400.5 }],
  ["NaN", { idle: NaN }],
  ["NaN", { absolute: NaN }],
  ["Infinity", { absolute: Infinity }],
  ["a string", { absolute: "86400" as unknown as number }],
  ["idle longer than absolute", { idle: 61, absolute: 60 }],
  ["idle longer than absolute by default", { idle: DAY + 1 }],
  ["longer than 400 days", { absolute: 400 * DAY + 1 }],
  ["a day in milliseconds", { absolute: DAY * 1_000 }],
  ["an hour in milliseconds without use", { absolute: 30 * DAY, idle: HOUR * 1_000 }],
];
for (const [why, limits] of WRONG) {
  Deno.test(`sessionService() rejects limits: ${why}`, () => {
    const { sessions, users } = inMemoryAuthStores();
    const options = { sessions, users };
    const wrong = [{ ...options, ...limits }, { ...options, persistent: limits }];
    for (const given of wrong) {
      assertThrows(() => sessionService(given), RangeError, "Cannot create session service");
    }
  });
}

Deno.test("sessionService() accepts idle equal to absolute, and the limits of persistent sessions", async () => {
  const { sessions, users } = inMemoryAuthStores();
  sessionService({ sessions, users, idle: 60, absolute: 60 });
  sessionService({ sessions, users, idle: 400 * DAY, absolute: 400 * DAY });
  assertEquals(PERSISTENT_SESSION, { absolute: 30 * DAY, idle: 7 * DAY });
  assert(Object.isFrozen(PERSISTENT_SESSION));
  const persistent = await begun({ limits: PERSISTENT_SESSION });
  persistent.clock.now += 7 * DAY - 1;
  assert(await persistent.sessions.verify(persistent.token) !== undefined);
  persistent.clock.now += 7 * DAY;
  assertEquals(await persistent.sessions.verify(persistent.token), undefined);
});

Deno.test("sessionService() requires sessions and users", () => {
  const { sessions, users } = inMemoryAuthStores();
  for (const options of [{}, { sessions }, { users }, { sessions: users, users: sessions }]) {
    const given = options as unknown as SessionServiceOptions;
    assertThrows(() => sessionService(given), TypeError, "Cannot create session service");
  }
});

Deno.test("verify() applies a short absolute limit without an idle limit", async () => {
  const { sessions, clock, token } = await begun({ limits: { absolute: 60 } });
  clock.now += 59;
  assert(await sessions.verify(token) !== undefined);
  clock.now += 1;
  assertEquals(await sessions.verify(token), undefined);
});

const KINDS: readonly [persistent: boolean, after: number, alive: boolean][] = [
  [false, HOUR - 1, true],
  [false, HOUR, false],
  [true, HOUR, true],
  [true, 2 * HOUR - 1, true],
  [true, 2 * HOUR, false],
];
for (const [persistent, after, alive] of KINDS) {
  Deno.test(`verify() applies the limits of ${persistent ? "persistent" : "transient"} sessions: ${after} s`, async () => {
    const { sessions, clock } = await begun({
      limits: { persistent: { absolute: 9 * HOUR, idle: 2 * HOUR } },
    });
    const { token, session } = await sessions.create(LIMITS_STAMPED, { persistent });
    assertEquals(session.persistent, persistent ? true : undefined);
    assertEquals(session.expiresAt, START + (persistent ? 9 * HOUR : DAY));
    clock.now += after;
    assertEquals((await sessions.verify(token))?.session.id, alive ? session.id : undefined);
  });
}

async function begun(
  options: ServicesOptions = {},
): Promise<Services & { readonly token: string; readonly id: string }> {
  const services = createServices(options);
  const user = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };
  await services.stores.users.create(user);
  const { token, session } = await services.sessions.create(LIMITS_STAMPED);
  services.events.length = 0;
  return { ...services, token, id: session.id };
}

const REFRESH_STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

/** Families: one for each of Ada's three sessions, one of a deleted session, one without a session, one of Eve's. */
type Name = "a" | "b" | "c" | "gone" | "none" | "eve";

const ENDS: readonly [
  why: string,
  end: (begunRefresh: Begun) => Promise<unknown>,
  ended: readonly Name[],
][] = [
  [
    "revokeToken() revokes the family of the session",
    ({ sessions, tokens: [a = ""] }) => sessions.revokeToken(a),
    ["a"],
  ],
  [
    "revoke() revokes the family of the session",
    ({ sessions, ids: [a = ""] }) => sessions.revoke("u1", a),
    [
      "a",
    ],
  ],
  [
    "revoke() of another user's session revokes none",
    ({ sessions, ids: [a = ""] }) => sessions.revoke("u2", a),
    [],
  ],
  [
    "revoke() of an expired session revokes the family that was issued with it",
    ({ sessions }) => sessions.revoke("u1", "ended by itself"),
    ["gone"],
  ],
  [
    "revoke() of an expired session of another user revokes none",
    ({ sessions }) => sessions.revoke("u2", "ended by itself"),
    [],
  ],
  [
    "create() revokes the family of the session that it replaces",
    ({ sessions, tokens: [a] }) => sessions.create(REFRESH_STAMPED, { replaces: a }),
    ["a"],
  ],
  [
    "create() without a replaced session revokes none",
    ({ sessions }) => sessions.create(REFRESH_STAMPED),
    [],
  ],
  [
    "revokeOthers() revokes all families but the session's own, including those without a session",
    ({ sessions, ids: [a = ""] }) => sessions.revokeOthers("u1", a),
    ["b", "c", "gone", "none"],
  ],
  [
    "revokeOthers() with another user's session revokes all families of the user",
    ({ sessions }) => sessions.revokeOthers("u1", "of eve"),
    ["a", "b", "c", "gone", "none"],
  ],
  ["revokeAll() revokes all families of the user", ({ sessions }) => sessions.revokeAll("u1"), [
    "a",
    "b",
    "c",
    "gone",
    "none",
  ]],
  [
    "verify() of an active session revokes none",
    ({ sessions, tokens: [a = ""] }) => sessions.verify(a),
    [],
  ],
  [
    "verify() of an expired session revokes none",
    async ({ sessions, clock, tokens: [a = ""] }) => {
      clock.now += 3_600;
      assertEquals(await sessions.verify(a), undefined);
    },
    [],
  ],
  [
    "revokeToken() of an unknown session revokes none",
    ({ sessions }) => sessions.revokeToken("x".repeat(43)),
    [],
  ],
];
for (const [why, end, ended] of ENDS) {
  Deno.test(`${why}: refresh families`, async () => {
    const services = await begunRefresh();
    await end(services);
    assertEquals(await endedOf(services), ended);
  });
}

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["reject", () => Promise.reject(new Error("The store is out of order"))],
  ["throw synchronously", () => {
    throw new Error("The store is out of order");
  }],
];
const WAYS: readonly [name: string, end: (begunRefresh: Begun) => Promise<unknown>][] = [
  ["revokeToken()", ({ sessions, tokens: [a = ""] }) => sessions.revokeToken(a)],
  ["revoke()", ({ sessions, ids: [a = ""] }) => sessions.revoke("u1", a)],
  ["revokeOthers()", ({ sessions, ids: [, b = ""] }) => sessions.revokeOthers("u1", b)],
  ["revokeAll()", ({ sessions }) => sessions.revokeAll("u1")],
];
for (const [name, end] of WAYS) {
  for (const [why, fail] of DOWN) {
    Deno.test(`${name} revokes the session even if the refresh families ${why}, and rejects`, async () => {
      const services = await begunRefresh({
        wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
      });
      const { sessions, tokens: [a = ""], events } = services;
      await assertRejects(() => end(services), Error, "out of order");
      assertEquals(await sessions.verify(a), undefined);
      assertEquals(events, []);
    });

    Deno.test(`${name} revokes the refresh families even if the sessions ${why}, and rejects`, async () => {
      const services = await begunRefresh({
        wrap: ({ sessions }) => ({ sessions: { ...sessions, revoke: fail, revokeAll: fail } }),
      });
      await assertRejects(() => end(services), Error, "out of order");
      assert((await endedOf(services)).includes("a"));
      assertEquals(services.events, []);
    });
  }

  Deno.test(`${name} works without refresh families`, async () => {
    const services = await begunRefresh();
    const { stores, clock, tokens: [a = ""] } = services;
    const { sessions: store, users } = stores;
    const sessions = sessionService({ sessions: store, users, now: () => clock.now });
    await end({ ...services, sessions });
    assertEquals(await sessions.verify(a), undefined);
    assertEquals(await endedOf(services), []);
  });
}

for (const [why, fail] of DOWN) {
  Deno.test(`revoke() of an expired session rejects if the refresh families ${why}`, async () => {
    const { sessions, events } = await begunRefresh({
      wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
    });
    const attempt = async () => await sessions.revoke("u1", "ended by itself");
    await assertRejects(attempt, Error, "out of order");
    assertEquals(events, []);
  });
}

Deno.test("revoke() returns false for an expired session, and emits nothing", async () => {
  const { sessions, events } = await begunRefresh();
  assertEquals(await sessions.revoke("u1", "ended by itself"), false);
  assertEquals(events, []);
});

interface Begun extends Services {
  readonly tokens: readonly string[];
  readonly ids: readonly string[];
}

async function begunRefresh(options: ServicesOptions = {}): Promise<Begun> {
  const services = createServices(options);
  const { sessions, stores: { users, refreshTokens }, events } = services;
  await users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START });
  const begunRefresh = await Promise.all(repeat(3, () => sessions.create(REFRESH_STAMPED)));
  const ids = begunRefresh.map(({ session }) => session.id);
  const [a = "", b = "", c = ""] = ids;
  const from = { createdAt: START, authTime: START, amr: ["pwd"] };
  const times = { ...from, expiresAt: START + 86_400, familyExpiresAt: START + 864_000 };
  const fresh = { ...times, securityStamp: "s1", currentHash: "h", generation: 0, revoked: false };
  for (
    const [id, sessionId] of [["a", a], ["b", b], ["c", c], ["gone", "ended by itself"]] as const
  ) {
    await refreshTokens.create({ ...fresh, id, sub: "u1", sessionId });
  }
  await refreshTokens.create({ ...fresh, id: "none", sub: "u1" });
  await refreshTokens.create({ ...fresh, id: "eve", sub: "u2", sessionId: "of eve" });
  events.length = 0;
  return { ...services, tokens: begunRefresh.map(({ token }) => token), ids };
}

async function endedOf({ stores }: Services): Promise<Name[]> {
  const names: readonly Name[] = ["a", "b", "c", "gone", "none", "eve"];
  const families = await Promise.all(names.map((name) => stores.refreshTokens.find(name)));
  return names.filter((_, i) => families[i]?.revoked);
}

Deno.test("create() keeps at most 100 sessions of a user, and revokes the oldest with its refresh tokens", async () => {
  const services = await withUser();
  const { sessions, stores, clock, events } = services;
  const eve = { sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: START };
  await stores.users.create(eve);
  const eves = await sessions.create({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  const tokens: string[] = [];
  for (const _ of repeat(100, () => 0)) {
    clock.now++;
    tokens.push((await sessions.create(STAMPED)).token);
  }
  const [oldest = "", second = ""] = tokens;
  const { session } = await sessions.verify(oldest) ?? {};
  assert(session !== undefined);
  assertEquals((await sessions.list("u1")).length, 100);
  const refresh = refreshService({ ...stores, now: () => clock.now });
  const { familyId } = await refresh.issue(STAMPED, { sessionId: session.id });

  events.length = 0;
  clock.now++;
  const newest = await sessions.create(STAMPED);
  assertEquals(types(events), ["session.revoked", "session.created"]);
  assertEquals(await sessions.verify(oldest), undefined);
  assertEquals((await stores.refreshTokens.find(familyId))?.revoked, true);
  for (const token of [second, newest.token, eves.token]) {
    assert(await sessions.verify(token) !== undefined);
  }
  assertEquals((await sessions.list("u1")).length, 100);
});

Deno.test("create() revokes what concurrent sign-ins have created beyond the limit", async () => {
  const { sessions, stores } = await withUser();
  await Promise.all(repeat(150, () => sessions.create(STAMPED)));
  await sessions.create(STAMPED);
  assertEquals((await stores.sessions.list("u1")).length, 100);
});

Deno.test("create() works beside an invalid record of another session", async () => {
  const { sessions } = await withUser({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        list: async (sub) =>
          (await sessions.list(sub)).map((session) => ({ ...session, createdAt: "x" as never })),
      },
    }),
  });
  for (const _ of repeat(3, () => 0)) await sessions.create(STAMPED);
});
