/**
 * Requirements of every throttle. The rules are tested separately.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { LoginThrottle } from "../../auth/stores/types.ts";
import type { BackoffRule, ThrottleKey, WindowRule } from "../../auth/throttle/rule.ts";
import type { ContractCase } from "./_contract.ts";
import { ODD_KEYS, race, RACERS } from "./_helpers.ts";

const START = 1_700_000_000;
const ALLOWED = { allowed: true } as const;

function refused(retryAfter: number): { allowed: false; retryAfter: number } {
  return { allowed: false, retryAfter };
}

function backoff(changes: Partial<BackoffRule> = {}): BackoffRule {
  return { kind: "backoff", free: 3, wait: 30, maxWait: 3_600, forget: 86_400, ...changes };
}

function window(limit: number, seconds = 900): WindowRule {
  return { kind: "window", limit, seconds };
}

/** A single claim. */
function one(key: string, rule: ThrottleKey["rule"]): readonly ThrottleKey[] {
  return [{ key, rule }];
}

/** Reserves a number of attempts, which are all allowed. */
async function use(
  store: LoginThrottle,
  claims: readonly ThrottleKey[],
  { times, now = START }: { times: number; now?: number },
): Promise<void> {
  for (let i = 0; i < times; i++) assertEquals(await store.reserve(claims, now), ALLOWED);
}

/** How many concurrent attempts are allowed. */
async function raceAllowed(
  subject: Parameters<typeof race<LoginThrottle, unknown>>[0],
  claims: readonly ThrottleKey[],
): Promise<number> {
  const decisions = await race(subject, (store) => store.reserve(claims, START));
  for (const decision of decisions) {
    if (!decision.allowed) assert(decision.retryAfter >= 1);
  }
  return decisions.filter(({ allowed }) => allowed).length;
}

/** The cases. */
export const LOGIN_THROTTLE_CASES: readonly ContractCase<LoginThrottle>[] = [
  {
    name: "reserve() under a backoff allows the free attempts, then waits twice as long each time",
    async run({ store, clock }) {
      const claims = one("k", backoff());
      await use(store, claims, { times: 3 });
      let now = START;
      for (const wait of [30, 60, 120]) {
        for (const [later, retryAfter] of [[0, wait], [wait - 1, 1]] as const) {
          clock.set(now + later);
          assertEquals(await store.reserve(claims, now + later), refused(retryAfter));
        }
        now += wait;
        clock.set(now);
        assertEquals(await store.reserve(claims, now), ALLOWED);
      }
    },
  },
  {
    name: "reserve() and succeed() of a duplicate key apply the first rule once",
    async run({ store }) {
      for (const [key, limit] of [["tight", 2], ["wide", 9]] as const) {
        const claims = [limit, 11 - limit].map((most) => ({ key, rule: window(most) }));
        await use(store, claims, { times: limit });
        assertEquals(await store.reserve(claims, START), refused(900), key);
        await store.succeed(claims, START);
        assertEquals(await store.reserve(claims, START), ALLOWED, key);
        assertEquals(await store.reserve(claims, START), refused(900), key);
      }
    },
  },
  {
    name: "reserve() under a window allows its attempts, and more after the window",
    async run({ store, clock }) {
      const claims = one("k", window(2));
      await use(store, claims, { times: 1 });
      clock.set(START + 100);
      await use(store, claims, { times: 1, now: START + 100 });
      assertEquals(await store.reserve(claims, START + 100), refused(800));
      clock.set(START + 899);
      assertEquals(await store.reserve(claims, START + 899), refused(1));
      clock.set(START + 900);
      await use(store, claims, { times: 2, now: START + 900 });
      assertEquals(await store.reserve(claims, START + 900), refused(900));
    },
  },
  {
    name: "reserve() ignores a record exactly from its expiry on",
    async run({ store, clock }) {
      for (const [key, later, allowed] of [["before", 99, 1], ["at", 100, 2]] as const) {
        const claims = one(key, backoff({ free: 2, forget: 100 }));
        clock.set(START);
        await use(store, claims, { times: 1 });
        clock.set(START + later);
        await use(store, claims, { times: allowed, now: START + later });
        assertEquals(await store.reserve(claims, START + later), refused(30), key);
      }
    },
  },
  {
    name: "reserve() without a claim is allowed",
    async run({ store }) {
      assertEquals(await store.reserve([], START), ALLOWED);
      await store.succeed([], START);
    },
  },
  {
    name: "reserve() counts under every claim",
    async run({ store }) {
      const [a, b] = [one("a", window(3)), one("b", window(3))];
      await use(store, [...a, ...b], { times: 2 });
      await use(store, a, { times: 1 });
      await use(store, b, { times: 1 });
      assertEquals(await store.reserve(a, START), refused(900));
      assertEquals(await store.reserve(b, START), refused(900));
    },
  },
  {
    name: "reserve() counts under no claim if one rejects, at any position",
    async run({ store }) {
      const [a, b] = [one("a", window(2)), one("b", window(2))];
      const full = one("full", window(1));
      await use(store, full, { times: 1 });
      for (let times = 0; times < 5; times++) {
        assertEquals(await store.reserve([...a, ...full, ...b], START), refused(900));
      }
      await use(store, a, { times: 2 });
      await use(store, b, { times: 2 });
    },
  },
  {
    name: "reserve() returns the longest wait, at any position",
    async run({ store }) {
      const claims = [60, 900, 30].flatMap((seconds) => one(`${seconds}`, window(1, seconds)));
      await use(store, claims, { times: 1 });
      assertEquals(await store.reserve(claims, START), refused(900));
      assertEquals(await store.reserve([...claims].reverse(), START), refused(900));
      assertEquals(await store.reserve(claims.slice(2), START), refused(30));
    },
  },
  {
    name: "reserve() counts a duplicate key once",
    async run({ store }) {
      const claims = one("k", window(2));
      await use(store, [...claims, ...one("other", window(9)), ...claims], { times: 2 });
      assertEquals(await store.reserve(claims, START), refused(900));
    },
  },
  {
    name: "reserve() of a rejected attempt does not prolong the wait",
    async run({ store, clock }) {
      const claims = one("k", backoff({ free: 1 }));
      await use(store, claims, { times: 1 });
      for (let later = 0; later < 30; later++) {
        clock.set(START + later);
        assertEquals(await store.reserve(claims, START + later), refused(30 - later));
      }
      clock.set(START + 30);
      assertEquals(await store.reserve(claims, START + 30), ALLOWED);
    },
  },
  {
    name: "reserve() accepts unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.reserve(one(key, window(1)), START), ALLOWED, why);
      }
      for (const [why, key] of ODD_KEYS) {
        const claims = one(key, window(1));
        assertEquals(await store.reserve(claims, START), refused(900), why);
        await store.succeed(claims, START);
        assertEquals(await store.reserve(claims, START), ALLOWED, why);
      }
    },
  },
  {
    name: "succeed() resets a backoff",
    async run({ store }) {
      const claims = one("k", backoff());
      await use(store, claims, { times: 3 });
      await store.succeed(claims, START);
      await use(store, claims, { times: 3 });
      assertEquals(await store.reserve(claims, START), refused(30));
    },
  },
  {
    name: "succeed() uncounts one attempt of a window, and does not extend it",
    async run({ store, clock }) {
      const claims = one("k", window(2));
      await use(store, claims, { times: 2 });
      clock.set(START + 100);
      await store.succeed(claims, START + 100);
      await use(store, claims, { times: 1, now: START + 100 });
      assertEquals(await store.reserve(claims, START + 100), refused(800));
    },
  },
  {
    name: "succeed() of an attempt of one window does not uncount one of the next",
    async run({ store, clock }) {
      const claims = one("k", window(2));
      await use(store, claims, { times: 1 });
      clock.set(START + 900);
      await use(store, claims, { times: 2, now: START + 900 });
      await store.succeed(claims, START);
      await store.succeed(claims, START + 899);
      assertEquals(await store.reserve(claims, START + 900), refused(900));
      await store.succeed(claims, START + 900);
      await use(store, claims, { times: 1, now: START + 900 });
    },
  },
  {
    name: "succeed() uncounts one attempt under a duplicate key",
    async run({ store }) {
      const claims = one("k", window(3));
      await use(store, claims, { times: 3 });
      await store.succeed([...claims, ...claims], START);
      await use(store, claims, { times: 1 });
      assertEquals(await store.reserve(claims, START), refused(900));
    },
  },
  {
    name: "succeed() changes no other claims",
    async run({ store }) {
      const [a, b] = [one("a", window(1)), one("b", window(1))];
      await use(store, [...a, ...b], { times: 1 });
      await store.succeed(a, START);
      await use(store, a, { times: 1 });
      assertEquals(await store.reserve(b, START), refused(900));
    },
  },
  {
    name: "succeed() of what was never reserved, or has expired, allows no further attempt",
    async run({ store, clock }) {
      const claims = one("k", window(2));
      await store.succeed(claims, START);
      await store.succeed(claims, START);
      await use(store, claims, { times: 2 });
      assertEquals(await store.reserve(claims, START), refused(900));
      clock.set(START + 900);
      await store.succeed(claims, START + 900);
      await use(store, claims, { times: 2, now: START + 900 });
      assertEquals(await store.reserve(claims, START + 900), refused(900));
    },
  },
  {
    name: "reserve() allows at most a backoff's free attempts of many concurrent ones",
    race: true,
    async run(subject) {
      const claims = one("k", backoff({ free: 5 }));
      assertEquals(await raceAllowed(subject, claims), 5);
      assertEquals(await subject.store.reserve(claims, START), refused(30));
    },
  },
  {
    name: "reserve() allows at most a window's limit of many concurrent attempts",
    race: true,
    async run(subject) {
      const limit = Math.ceil(RACERS / 4);
      const claims = one("k", window(limit));
      assertEquals(await raceAllowed(subject, claims), limit);
      assertEquals(await subject.store.reserve(claims, START), refused(900));
    },
  },
  {
    name: "reserve() counts each of many concurrent attempts",
    race: true,
    async run(subject) {
      const claims = one("k", window(RACERS + 1));
      assertEquals(await raceAllowed(subject, claims), RACERS);
      await use(subject.store, claims, { times: 1 });
      assertEquals(await subject.store.reserve(claims, START), refused(900));
    },
  },
  {
    name: "reserve() under two claims allows at most the smaller limit of many concurrent attempts",
    race: true,
    async run(subject) {
      const [wide, tight] = [Math.ceil(RACERS / 3), Math.ceil(RACERS / 8)];
      const claims = [...one("wide", window(wide)), ...one("tight", window(tight))];
      // A store that reverts the first claim when the second rejects may allow fewer attempts, never more
      const allowed = await raceAllowed(subject, claims);
      assert(allowed >= 1 && allowed <= tight, `${allowed} were allowed`);
    },
  },
  {
    name: "succeed() uncounts each of many concurrent attempts",
    race: true,
    async run(subject) {
      const claims = one("k", window(RACERS));
      await use(subject.store, claims, { times: RACERS });
      await race(subject, (store) => store.succeed(claims, START));
      await use(subject.store, claims, { times: RACERS });
      assertEquals(await subject.store.reserve(claims, START), refused(900));
    },
  },
];
