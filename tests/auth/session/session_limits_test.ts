import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PERSISTENT_SESSION, sessionService } from "../../../auth/session/session_service.ts";
import type { SessionLimits, SessionServiceOptions } from "../../../auth/session/types.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { createServices, type Services, type ServicesOptions, START } from "../_services.ts";

const HOUR = 3_600;
const DAY = 86_400;
const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START, amr: ["pwd"] };

const IDLE: readonly [after: number, alive: boolean][] = [
  [HOUR - 1, true],
  [HOUR - 0.001, true],
  [HOUR, false],
  [HOUR + 1, false],
  [DAY * 365, false],
];
for (const [after, alive] of IDLE) {
  Deno.test(`verify() ${alive ? "takes" : "ends"} a session that was not used for ${after} s`, async () => {
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
  Deno.test(`verify() ${alive ? "takes" : "ends"} a session in steady use after ${after} s`, async () => {
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

Deno.test("verify() counts the time without a request from the last one", async () => {
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
  ["at the absolute limit it began with", { idle: DAY, absolute: 10 * DAY }, DAY, false],
  ["before the absolute limit it began with", { idle: DAY, absolute: 10 * DAY }, DAY - 1, true],
  ["within an idle limit that was raised", { idle: 2 * HOUR }, 2 * HOUR - 1, true],
];
for (const [why, limits, after, alive] of LOWERED) {
  Deno.test(`verify() and list() hold old sessions to the limits of today: ${why}`, async () => {
    const { stores, token } = await begun();
    const { sessions, clock } = createServices({ stores, limits });
    clock.now += after;
    assertEquals((await sessions.list("u1")).length, alive ? 1 : 0);
    assertEquals(await sessions.verify(token) !== undefined, alive);
  });
}

Deno.test("verify() holds a session in use to a lower absolute limit too", async () => {
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

Deno.test("verify() notes that a session was used at most once a minute", async () => {
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

Deno.test("verify() notes the use of a short session more often", async () => {
  const { sessions, clock, token, stores } = await begun({ limits: { idle: 50, absolute: 500 } });
  const activeAt = async () => (await stores.sessions.list("u1"))[0]?.activeAt;
  clock.now += 4;
  await sessions.verify(token);
  assertEquals(await activeAt(), START);
  clock.now += 1;
  await sessions.verify(token);
  assertEquals(await activeAt(), START + 5);
});

const SHORT: readonly SessionLimits[] = [{ idle: 1, absolute: 1 }, { idle: 9, absolute: 9 }];
for (const limits of SHORT) {
  Deno.test(`verify() takes a session of ${limits.idle} s for so long`, async () => {
    const { sessions, clock, token } = await begun({ limits });
    clock.now += (limits.idle ?? 0) - 0.5;
    assert(await sessions.verify(token) !== undefined);
    clock.now += 0.5;
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("verify() takes a session while the clock goes back a little, and does not make it last longer", async () => {
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
  Deno.test(`verify() and list() end a session that was made while the clock was ${ahead} s ahead`, async () => {
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
  Deno.test(`create(), verify() and list() refuse a clock that gives ${typeof now} ${now}`, async () => {
    const { sessions, clock, token, stores } = await begun();
    clock.now = now as number;
    for (
      const attempt of [
        () => sessions.create(STAMPED),
        () => sessions.verify(token),
        () => sessions.list("u1"),
      ]
    ) await assertRejects(attempt, RangeError, "Invalid clock");
    assertEquals((await stores.sessions.list("u1")).length, 1);
  });
}

const WRONG: readonly [why: string, limits: SessionLimits][] = [
  ["no seconds at all", { idle: 0 }],
  ["negative", { idle: -1 }],
  ["a fraction", { idle: 1.5 }],
  ["a fraction of the other", { absolute: 86_400.5 }],
  ["no number", { idle: NaN }],
  ["no number for the other", { absolute: NaN }],
  ["no end", { absolute: Infinity }],
  ["a text", { absolute: "86400" as unknown as number }],
  ["idle longer than absolute", { idle: 61, absolute: 60 }],
  ["idle longer than absolute by default", { idle: DAY + 1 }],
  ["longer than 400 days", { absolute: 400 * DAY + 1 }],
  ["a day in milliseconds", { absolute: DAY * 1_000 }],
  ["an hour in milliseconds without use", { absolute: 30 * DAY, idle: HOUR * 1_000 }],
];
for (const [why, limits] of WRONG) {
  Deno.test(`sessionService() refuses limits: ${why}`, () => {
    const { sessions, users } = inMemoryAuthStores();
    const options = { sessions, users };
    const wrong = [{ ...options, ...limits }, { ...options, persistent: limits }];
    for (const given of wrong) {
      assertThrows(() => sessionService(given), RangeError, "Cannot create session service");
    }
  });
}

Deno.test("sessionService() takes idle as long as absolute, and the limits of sessions that last", async () => {
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

Deno.test("sessionService() needs sessions and users", () => {
  const { sessions, users } = inMemoryAuthStores();
  for (const options of [{}, { sessions }, { users }, { sessions: users, users: sessions }]) {
    const given = options as unknown as SessionServiceOptions;
    assertThrows(() => sessionService(given), TypeError, "Cannot create session service");
  }
});

Deno.test("verify() ends a session of a short absolute limit by that, where nothing is said of idle", async () => {
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
  Deno.test(`verify() holds a session that ${persistent ? "lasts" : "does not last"} to its own limits: ${after} s`, async () => {
    const { sessions, clock } = await begun({
      limits: { persistent: { absolute: 9 * HOUR, idle: 2 * HOUR } },
    });
    const { token, session } = await sessions.create(STAMPED, { persistent });
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
  const { token, session } = await services.sessions.create(STAMPED);
  services.events.length = 0;
  return { ...services, token, id: session.id };
}
