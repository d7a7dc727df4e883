import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import type { RefreshServiceOptions } from "../../../auth/tokens/refresh_types.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import {
  type Begun,
  begun,
  DAY,
  failure,
  familyOf,
  type RefreshOptions,
  STAMPED,
  withRefresh,
} from "./_refresh.ts";
import { START } from "../_services.ts";

type Limits = NonNullable<RefreshOptions["refresh"]>;

const UNUSED: readonly [limits: Limits, after: number, alive: boolean][] = [
  [{}, 14 * DAY - 1, true],
  [{}, 14 * DAY - 0.001, true],
  [{}, 14 * DAY, false],
  [{}, 14 * DAY + 1, false],
  [{}, 30 * DAY, false],
  [{ lifetime: 60 }, 59, true],
  [{ lifetime: 60 }, 60, false],
  [{ lifetime: 1, familyLifetime: 1 }, 0, true],
  [{ lifetime: 1, familyLifetime: 1 }, 1, false],
  [{ familyLifetime: 600 }, 599, true],
  [{ familyLifetime: 600 }, 600, false],
  [{ lifetime: 400 * DAY, familyLifetime: 400 * DAY }, 400 * DAY - 1, true],
  [{ lifetime: 400 * DAY, familyLifetime: 400 * DAY }, 400 * DAY, false],
];
for (const [limits, after, alive] of UNUSED) {
  Deno.test(`rotate() ${alive ? "takes" : "refuses"} a token after ${after} s, with ${JSON.stringify(limits)}`, async () => {
    const services = await begun({ refresh: limits });
    services.clock.now += after;
    await requireAlive(services, alive);
  });
}

const STEADY: readonly [after: number, alive: boolean][] = [
  [30 * DAY - 1, true],
  [30 * DAY, false],
  [30 * DAY + 1, false],
];
for (const [after, alive] of STEADY) {
  Deno.test(`rotate() ${alive ? "takes" : "refuses"} a token of a family in steady use after ${after} s`, async () => {
    const services = await begun();
    const { refresh, clock } = services;
    let { issued } = services;
    for (let day = 1; day < 30; day++) {
      clock.now = START + day * DAY;
      issued = await refresh.rotate(issued.refreshToken);
      assertEquals(issued.expiresAt, START + Math.min(day + 14, 30) * DAY);
      assertEquals((await familyOf(services, issued)).expiresAt, issued.expiresAt);
    }
    clock.now = START + after;
    await requireAlive({ ...services, issued }, alive);
  });
}

Deno.test("rotate() counts a token's time from its own making", async () => {
  const services = await begun({ refresh: { lifetime: 60 } });
  const { refresh, clock } = services;
  let { issued } = services;
  for (const _ of [1, 2, 3]) {
    clock.now += 59;
    issued = await refresh.rotate(issued.refreshToken);
    assertEquals(issued.expiresAt, clock.now + 60);
  }
  clock.now += 60;
  await requireAlive({ ...services, issued }, false);
});

const CHANGED: readonly [
  why: string,
  limits: Limits,
  after: number,
  expected: { readonly fresh: boolean; readonly rotated: boolean },
][] = [
  ["before the lower family limit", { familyLifetime: 600 }, 599, { fresh: true, rotated: true }],
  ["at the lower family limit", { familyLifetime: 600 }, 600, { fresh: false, rotated: false }],
  ["before the lower lifetime", { lifetime: 600 }, 599, { fresh: true, rotated: true }],
  ["at the lower lifetime, which is not known of what was rotated", { lifetime: 600 }, 600, {
    fresh: false,
    rotated: true,
  }],
  ["before the end it began with", { lifetime: 30 * DAY }, 14 * DAY - 1, {
    fresh: true,
    rotated: true,
  }],
  ["at the end it began with", { lifetime: 30 * DAY }, 14 * DAY, {
    fresh: false,
    rotated: true,
  }],
  ["at the end of what was rotated", { lifetime: 30 * DAY }, 14 * DAY + 300, {
    fresh: false,
    rotated: false,
  }],
];
for (const [why, limits, after, expected] of CHANGED) {
  for (const kind of ["fresh", "rotated"] as const) {
    Deno.test(`rotate() holds an old family to the limits of today: ${kind}, ${why}`, async () => {
      const { stores, refresh, clock, issued: first } = await begun();
      clock.now = START + 300;
      const issued = kind === "fresh" ? first : await refresh.rotate(first.refreshToken);
      const today = await withRefresh({ stores, refresh: limits });
      today.clock.now = START + after;
      await requireAlive({ ...today, issued }, expected[kind]);
    });
  }
}

Deno.test("rotate() under lower limits makes tokens that end by these", async () => {
  const { stores, refresh, issued } = await begun();
  const second = await refresh.rotate(issued.refreshToken);
  const limits = { lifetime: 600, familyLifetime: 1_000 };
  const today = await withRefresh({ stores, refresh: limits });
  const third = await today.refresh.rotate(second.refreshToken);
  assertEquals(third.expiresAt, START + 600);
  today.clock.now = START + 599;
  const fourth = await today.refresh.rotate(third.refreshToken);
  assertEquals(fourth.expiresAt, START + 1_000);
  today.clock.now = START + 1_000;
  await requireAlive({ ...today, issued: fourth }, false);
});

Deno.test("rotate() does not bring back by a second attempt what a lower limit has ended", async () => {
  const { stores, issued } = await begun();
  const today = await withRefresh({ stores, refresh: { lifetime: 600 } });
  today.clock.now = START + 600;
  for (const _ of [1, 2, 3]) await requireAlive({ ...today, issued }, false);
});

Deno.test("rotate() under higher limits makes tokens that end with the family as it began", async () => {
  const { stores, issued } = await begun();
  const limits = { lifetime: 60 * DAY, familyLifetime: 60 * DAY };
  const today = await withRefresh({ stores, refresh: limits });
  assertEquals((await today.refresh.rotate(issued.refreshToken)).expiresAt, START + 30 * DAY);
});

const AHEAD: readonly [ahead: number, alive: boolean][] = [
  [1, true],
  [300, true],
  [301, false],
  [DAY, false],
  [10 * 365 * DAY, false],
];
for (const [ahead, alive] of AHEAD) {
  Deno.test(`rotate() ${alive ? "takes" : "refuses"} a token of a family that was made while the clock was ${ahead} s ahead`, async () => {
    const services = await begun();
    services.clock.now = START - ahead;
    await requireAlive(services, alive);
  });
}

Deno.test("rotate() of an old secret revokes the family even past a limit of today", async () => {
  const { stores, refresh, issued } = await begun();
  await refresh.rotate(issued.refreshToken);
  const today = await withRefresh({ stores, refresh: { familyLifetime: 600 } });
  today.clock.now = START + 600;
  const { refresh: { rotate } } = today;
  assertEquals(await failure(() => rotate(issued.refreshToken)), "reused");
  assertEquals((await familyOf(today, issued)).revoked, true);
  assertEquals(await failure(() => rotate(issued.refreshToken)), "revoked");
});

Deno.test("rotate() asks for no user where the token has ended", async () => {
  const services = await begun({
    wrap: ({ users }) => ({
      users: { ...users, findBySub: () => Promise.reject(new Error("The users were asked")) },
    }),
  });
  services.clock.now += 14 * DAY;
  await requireAlive(services, false);
});

for (const now of [START * 1_000, NaN, Infinity, `${START}`]) {
  Deno.test(`issue() and rotate() refuse a clock that gives ${typeof now} ${now}`, async () => {
    const services = await begun();
    const { refresh, clock, issued } = services;
    clock.now = now as number;
    for (
      const attempt of [
        () => refresh.issue(STAMPED),
        () => refresh.rotate(issued.refreshToken),
      ]
    ) await assertRejects(attempt, RangeError, "Invalid clock");
    clock.now = START;
    await requireAlive(services, true);
  });
}

const WRONG: readonly [why: string, limits: Limits][] = [
  ["no seconds at all", { lifetime: 0 }],
  ["negative", { lifetime: -1 }],
  ["a fraction", { lifetime: 1.5 }],
  ["a fraction for the family", { familyLifetime: DAY + 0.5 }],
  ["no number", { lifetime: NaN }],
  ["no number for the family", { familyLifetime: NaN }],
  ["no end", { familyLifetime: Infinity }],
  ["a text", { lifetime: "600" as unknown as number }],
  ["null", { lifetime: null as unknown as number }],
  ["longer than the family's", { lifetime: 601, familyLifetime: 600 }],
  ["longer than the family's by default", { lifetime: 30 * DAY + 1 }],
  ["longer than 400 days", { familyLifetime: 400 * DAY + 1 }],
  ["a day in milliseconds", { familyLifetime: DAY * 1_000 }],
];
for (const [why, limits] of WRONG) {
  Deno.test(`refreshService() refuses limits: ${why}`, () => {
    const given = { ...inMemoryAuthStores(), ...limits };
    assertThrows(() => refreshService(given), RangeError, "Cannot create refresh service: ");
  });
}

Deno.test("refreshService() needs refresh tokens and users", () => {
  const { refreshTokens, users } = inMemoryAuthStores();
  const swapped = { refreshTokens: users, users: refreshTokens };
  for (const options of [undefined, null, {}, { refreshTokens }, { users }, swapped]) {
    const given = options as unknown as RefreshServiceOptions;
    const message = "Cannot create refresh service: refreshTokens or users are missing";
    assertThrows(() => refreshService(given), TypeError, message);
  }
});

/** That the token of a family is good, or is refused without being revoked, and tells nobody. */
async function requireAlive(services: Begun, alive: boolean): Promise<void> {
  const { refresh, issued, events } = services;
  events.length = 0;
  if (alive) {
    assertEquals((await refresh.rotate(issued.refreshToken)).familyId, issued.familyId);
    return;
  }
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "expired");
  assertEquals((await familyOf(services, issued)).revoked, false);
  assertEquals(events, []);
}
