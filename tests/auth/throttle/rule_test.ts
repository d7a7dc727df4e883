/** How attempts are counted, and the bounds for every sequence of attempts. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { INPUTS } from "../../_effort.ts";
import {
  type BackoffRule,
  reserveStep,
  type ThrottleRecord,
  type ThrottleRule,
  throttleStep,
  type WindowRule,
} from "../../../auth/throttle/rule.ts";
import { randomNumbers } from "../../static/_random.ts";

const T = 1_700_000_000;

/** Account and address, DESIGN section 17: 5 free, then 30 s doubling to 1 h. */
const BACKOFF: BackoffRule = { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 };
/** 3 in a minute. */
const WINDOW: WindowRule = { kind: "window", limit: 3, seconds: 60 };

/** Attempts under one key. */
interface Attempt {
  /** Seconds after the start. */
  readonly at: number;
  /** The Retry-After of a rejected attempt; absent if it is allowed. */
  readonly refused?: number;
  /** Whether it succeeds, which deletes the record. */
  readonly succeeds?: true;
}

/** Makes the attempts, checks each result, and returns the last record. */
function play(rule: ThrottleRule, attempts: readonly Attempt[]): ThrottleRecord | null {
  let record: ThrottleRecord | null = null;
  for (const [i, { at, refused, succeeds }] of attempts.entries()) {
    const step = throttleStep(rule, record, T + at);
    const told = step.allowed ? undefined : step.retryAfter;
    assertEquals(told, refused, `attempt ${i + 1}, ${at} s after the start`);
    if (!step.allowed) continue;
    record = succeeds ? null : step.record;
  }
  return record;
}

/** Simultaneous attempts, all allowed. */
function times(count: number, at: number): Attempt[] {
  return Array.from({ length: count }, () => ({ at }));
}

const TABLE: readonly [why: string, rule: ThrottleRule, attempts: readonly Attempt[]][] = [
  ["5 free attempts at once, and no more", BACKOFF, [...times(5, 0), { at: 0, refused: 30 }]],
  ["a wait of exactly 30 s", BACKOFF, [
    ...times(5, 0),
    { at: 1, refused: 29 },
    { at: 29, refused: 1 },
    { at: 29.999, refused: 1 },
    { at: 30 },
  ]],
  ["one attempt after the wait, not five", BACKOFF, [
    ...times(5, 0),
    { at: 30 },
    { at: 30, refused: 60 },
    { at: 89, refused: 1 },
    { at: 90 },
  ]],
  ["waits that double up to an hour, and no longer", BACKOFF, [
    ...times(5, 0),
    { at: 30 }, // 60
    { at: 90 }, // 120
    { at: 210 }, // 240
    { at: 450 }, // 480
    { at: 930 }, // 960
    { at: 1_890 }, // 1,920
    { at: 3_809, refused: 1 },
    { at: 3_810 }, // 3,840 without the cap
    { at: 3_810, refused: 3_600 },
    { at: 7_409, refused: 1 },
    { at: 7_410 },
    { at: 7_410, refused: 3_600 },
  ]],
  ["rejected attempts that do not extend the wait", BACKOFF, [
    ...times(5, 0),
    ...Array.from({ length: 29 }, (_, i) => ({ at: i + 1, refused: 29 - i })),
    { at: 30 },
  ]],
  ["a wait that is counted from the last attempt", BACKOFF, [...times(4, 0), { at: 100 }, {
    at: 129,
    refused: 1,
  }, { at: 130 }]],
  ["a record one second before it is forgotten", BACKOFF, [...times(4, 0), { at: 86_399 }, {
    at: 86_399,
    refused: 30,
  }]],
  ["a record that is forgotten after a day without an attempt", BACKOFF, [
    ...times(4, 0),
    ...times(5, 86_400),
    { at: 86_400, refused: 30 },
  ]],
  ["a locked record, which is forgotten a day after its lock", BACKOFF, [
    ...times(5, 0),
    { at: 86_429 }, // 30 + 86,400 − 1: it still counts
    { at: 86_429, refused: 60 },
  ]],
  ["the same, forgotten", BACKOFF, [...times(5, 0), ...times(5, 86_430), {
    at: 86_430,
    refused: 30,
  }]],
  ["a day that restarts with each attempt", BACKOFF, [
    { at: 0 },
    { at: 86_399 },
    { at: 172_798 },
    { at: 259_197 },
    { at: 345_596 },
    { at: 345_596, refused: 30 },
  ]],
  ["a success, which resets the count", BACKOFF, [
    ...times(4, 0),
    { at: 0, succeeds: true },
    ...times(5, 0),
    { at: 0, refused: 30 },
  ]],
  ["a success after a wait", BACKOFF, [
    ...times(5, 0),
    { at: 30, succeeds: true },
    ...times(5, 30),
    { at: 30, refused: 30 },
  ]],
  ["a correct password while locked, which is rejected", BACKOFF, [...times(5, 0), {
    at: 10,
    refused: 20,
    succeeds: true,
  }, { at: 11, refused: 19 }]],
  ["one free attempt", { ...BACKOFF, free: 1 }, [{ at: 0 }, { at: 0, refused: 30 }, { at: 30 }, {
    at: 30,
    refused: 60,
  }]],
  ["a first wait that exceeds the maximum", { ...BACKOFF, free: 1, wait: 100, maxWait: 10 }, [
    { at: 0 },
    { at: 0, refused: 10 },
    { at: 10 },
    { at: 19, refused: 1 },
  ]],

  ["3 attempts in a window, and no fourth one", WINDOW, [...times(3, 0), { at: 0, refused: 60 }]],
  ["a window of exact length", WINDOW, [
    ...times(3, 0),
    { at: 59, refused: 1 },
    { at: 59.5, refused: 1 },
    ...times(3, 60),
    { at: 60, refused: 60 },
  ]],
  ["a window that starts at its first attempt", WINDOW, [{ at: 0 }, { at: 30 }, { at: 59 }, {
    at: 59,
    refused: 1,
  }, ...times(3, 60)]],
  ["a window that no later attempt extends", WINDOW, [{ at: 0 }, { at: 59 }, ...times(3, 60), {
    at: 60,
    refused: 60,
  }]],
  ["a new window that begins with the next attempt, not at the end of the old one", WINDOW, [
    { at: 0 },
    ...times(3, 100),
    { at: 159, refused: 1 },
    { at: 160 },
  ]],
  ["rejected attempts that do not count in the next window", WINDOW, [
    ...times(3, 0),
    ...Array.from({ length: 50 }, () => ({ at: 59, refused: 1 })),
    ...times(3, 60),
  ]],
  ["a success, which resets the count", WINDOW, [
    ...times(2, 0),
    { at: 0, succeeds: true },
    ...times(3, 1),
    { at: 1, refused: 60 },
  ]],
  ["a limit of one", { ...WINDOW, limit: 1 }, [{ at: 0 }, { at: 0, refused: 60 }, { at: 60 }, {
    at: 61,
    refused: 59,
  }]],
];

for (const [why, rule, attempts] of TABLE) {
  Deno.test(`throttleStep() with a ${rule.kind}: ${why}`, () => void play(rule, attempts));
}

Deno.test("throttleStep() returns the records for the store", () => {
  assertEquals(play(BACKOFF, times(1, 0)), { failures: 1, lockedUntil: 0, expiresAt: T + 86_400 });
  assertEquals(play(BACKOFF, times(5, 0)), {
    failures: 5,
    lockedUntil: T + 30,
    expiresAt: T + 86_430,
  });
  assertEquals(play(WINDOW, times(2, 0)), { failures: 2, lockedUntil: 0, expiresAt: T + 60 });
  assertEquals(play(WINDOW, times(3, 0)), { failures: 3, lockedUntil: T + 60, expiresAt: T + 60 });
});

Deno.test("reserveStep() counts under the first key if all keys allow it", () => {
  const full = { failures: 3, lockedUntil: T + 60, expiresAt: T + 60 };
  const [key, other] = [BACKOFF, WINDOW].map((rule, i) => ({ key: `${i}`, rule }));
  assert(key !== undefined && other !== undefined);
  const first = throttleStep(BACKOFF, null, T);
  assertEquals(reserveStep([key], [null], T), first);
  assertEquals(reserveStep([key, other], [null, { ...full, lockedUntil: 0 }], T), first);
  assertEquals(reserveStep([key, other], [null], T), first);
  const locked = { failures: 7, lockedUntil: T + 30, expiresAt: T + 99 };
  assertEquals(reserveStep([key, other], [null, full], T), { allowed: false, retryAfter: 60 });
  assertEquals(reserveStep([key, other], [locked, null], T), { allowed: false, retryAfter: 30 });
  assertEquals(reserveStep([key, other], [locked, full], T), { allowed: false, retryAfter: 60 });
  assertEquals(reserveStep([key, other], [locked, full], T + 59), {
    allowed: false,
    retryAfter: 1,
  });
});

Deno.test("throttleStep() does not change its record", () => {
  for (const rule of [BACKOFF, WINDOW]) {
    const record = Object.freeze({ failures: 2, lockedUntil: 0, expiresAt: T + 60 });
    throttleStep(rule, record, T);
  }
});

Deno.test("throttleStep() returns a wait of at least 1, at any fraction of a second", () => {
  for (const rule of [{ ...BACKOFF, free: 1 }, { ...WINDOW, limit: 1 }]) {
    const record = play(rule, [{ at: 0 }]);
    for (let at = 0; at < 80; at += 0.125) {
      const step = throttleStep(rule, record, T + at);
      if (step.allowed) continue;
      assert(Number.isInteger(step.retryAfter) && step.retryAfter >= 1);
      assert(
        throttleStep(rule, record, T + at + step.retryAfter).allowed,
        "The wait was too short",
      );
      assertFalse(
        throttleStep(rule, record, T + at + step.retryAfter - 1).allowed,
        "… or too long",
      );
    }
  }
});

/** The longest locks of a backoff and of a window. */
const LONGEST: readonly [rule: ThrottleRule, record: ThrottleRecord, seconds: number][] = [
  [BACKOFF, { failures: 14, lockedUntil: T + 3_600, expiresAt: T + 90_000 }, 3_600],
  [WINDOW, { failures: 3, lockedUntil: T + 60, expiresAt: T + 60 }, 60],
];

for (const [rule, record, seconds] of LONGEST) {
  Deno.test(`throttleStep() with a ${rule.kind} keeps the longest lock of a clock that was up to 5 minutes ahead`, () => {
    for (const ahead of [0, 1, 30, 299, 300]) {
      const step = throttleStep(rule, record, T - ahead);
      assertEquals(step, { allowed: false, retryAfter: seconds + ahead }, `${ahead} s ahead`);
    }
  });

  Deno.test(`throttleStep() with a ${rule.kind} resets a lock that is longer than the rule's longest`, () => {
    const fresh = throttleStep(rule, null, T);
    const ahead = [301, 3_600, 86_400, 10 * 365 * 86_400, Number.MAX_SAFE_INTEGER - 2 * T];
    for (const by of ahead) {
      const lockedUntil = record.lockedUntil + by;
      const expiresAt = record.expiresAt + by;
      assertEquals(throttleStep(rule, { ...record, lockedUntil, expiresAt }, T), fresh, `${by} s`);
    }
  });

  Deno.test(`throttleStep() with a ${rule.kind} never waits longer than its longest lock and 5 minutes, for every record`, () => {
    const random = randomNumbers(14);
    for (let i = 0; i < INPUTS; i++) {
      const now = T + random(100_000);
      const lockedUntil = T + random(200_000);
      const expiresAt = lockedUntil + random(100_000);
      const step = throttleStep(rule, { failures: random(20), lockedUntil, expiresAt }, now);
      assert(step.allowed || step.retryAfter <= seconds + 300);
    }
  });
}

Deno.test("throttleStep() keeps an unlocked count if the clock goes back", () => {
  for (const rule of [BACKOFF, WINDOW]) {
    const record = play(rule, times(2, 0));
    const step = throttleStep(rule, record, T - 1_000_000);
    assert(step.allowed);
    assertEquals(step.record.failures, 3);
  }
});

Deno.test("throttleStep() rejects a time that is not finite, for every record", () => {
  for (const rule of [BACKOFF, WINDOW]) {
    for (const record of [null, play(rule, times(1, 0)), play(rule, times(3, 0))]) {
      for (const now of [NaN, Infinity, -Infinity, undefined]) {
        assertThrows(() => throttleStep(rule, record, now as number), RangeError);
      }
    }
  }
});

Deno.test("throttleStep() replaces a record with a time that is not finite, and locks", () => {
  for (const broken of [{ expiresAt: NaN, lockedUntil: 0 }, { expiresAt: NaN, lockedUntil: NaN }]) {
    let record: ThrottleRecord = { failures: 1, ...broken };
    let allowed = 0;
    for (let i = 0; i < 20; i++) {
      const step = throttleStep(WINDOW, record, T + i);
      if (!step.allowed) continue;
      allowed++;
      record = step.record;
    }
    assert(allowed <= 3, `${allowed} were allowed`);
  }
});

Deno.test("throttleStep() waits no longer than the longest wait after 10,000 failures", () => {
  const record = { failures: 10_000, lockedUntil: T, expiresAt: T + 99 };
  const step = throttleStep(BACKOFF, record, T);
  assert(step.allowed);
  assertEquals(step.record.lockedUntil, T + 3_600);
});

/** Makes attempts at random times, mostly as soon as they are allowed; returns the times of the allowed ones. */
function allowedTimes(rule: ThrottleRule, seed: number): number[] {
  const random = randomNumbers(seed);
  const allowed: number[] = [];
  let record: ThrottleRecord | null = null;
  let now = T;
  for (let i = 0; i < 300; i++) {
    const step = throttleStep(rule, record, now);
    let wait = 0;
    if (step.allowed) {
      record = step.record;
      allowed.push(now);
    } else wait = step.retryAfter;
    now += [0, 0, 0, 1, wait, wait, Math.max(0, wait - 1), random(90)][random(8)] ?? 0;
  }
  return allowed;
}

/**
 * Invariant: with windows of `seconds` that begin with an attempt, any `seconds` in a row (the end not included)
 * overlap at most two windows, and at most one of their first attempts. So at most `2 · limit − 1` failures are allowed in them,
 * and at most `limit` from the first attempt of a window on.
 */
Deno.test("throttleStep() with a window allows exactly up to 2 · limit − 1 failures in any interval of its length", () => {
  let most = 0;
  for (let seed = 0; seed < 400; seed++) {
    const rule: WindowRule = { kind: "window", limit: 1 + seed % 7, seconds: 20 + seed % 50 };
    const failures = allowedTimes(rule, seed);
    for (const [i, from] of failures.entries()) {
      const count = failures.slice(i).filter((at) => at < from + rule.seconds).length;
      assert(count <= 2 * rule.limit - 1, `${count} under a limit of ${rule.limit}, seed ${seed}`);
      most = Math.max(most, count / rule.limit);
    }
  }
  assert(most > 1.5, "The sequences are too short to prove anything");
});

Deno.test("throttleStep() with a window allows at most limit attempts in each window", () => {
  for (let seed = 0; seed < 400; seed++) {
    const rule: WindowRule = { kind: "window", limit: 1 + seed % 7, seconds: 20 + seed % 50 };
    const allowed = allowedTimes(rule, seed);
    for (let i = 0; i < allowed.length;) {
      const from = allowed[i] ?? 0;
      const count = allowed.slice(i).filter((at) => at < from + rule.seconds).length;
      assert(count <= rule.limit, `${count} under a limit of ${rule.limit}, seed ${seed}`);
      i += count;
    }
  }
});

/**
 * Invariant: between an attempt that is the n-th since the last reset (n ≥ free) and the next one there are at least
 * `min(maxWait, wait · 2^(n − free))` seconds, so that in a time of `maxWait · k` no more than `free + log2(maxWait /
 * wait) + 1 + k` guesses are made.
 */
Deno.test("throttleStep() with a backoff never shortens its waits", () => {
  let longest = 0;
  for (let seed = 0; seed < 400; seed++) {
    const rule: BackoffRule = {
      kind: "backoff",
      free: 1 + seed % 5,
      wait: 4,
      maxWait: 500,
      forget: 1_000,
    };
    const allowed = allowedTimes(rule, seed);
    let since = 1;
    for (const [i, at] of allowed.entries()) {
      const next = allowed[i + 1];
      if (next === undefined) break;
      const distance = since < rule.free ? 0 : Math.min(500, 4 * 2 ** (since - rule.free));
      assert(
        next - at >= distance,
        `attempt ${since}: ${next - at} s instead of ${distance}, seed ${seed}`,
      );
      longest = Math.max(longest, distance);
      since = next - at >= distance + rule.forget ? 1 : since + 1;
    }
  }
  assertEquals(longest, 500, "The sequences never reach the longest wait");
});

Deno.test("throttleStep() with a backoff allows 34 guesses on the first day, and 24 on each following day", () => {
  const allowed: number[] = [];
  let record: ThrottleRecord | null = null;
  for (let now = T; now < T + 3 * 86_400; now++) {
    const step = throttleStep(BACKOFF, record, now);
    if (!step.allowed) continue;
    allowed.push(now - T);
    record = step.record;
  }
  const days = [0, 1, 2].map((day) =>
    allowed.filter((at) => Math.floor(at / 86_400) === day).length
  );
  // 5 at once, then after 30 s, 90 s, … 3,810 s, then every hour
  assertEquals(days, [5 + 6 + 1 + 22, 24, 24]);
});
