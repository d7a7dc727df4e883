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
const ALLOWED = { allowed: true, recorded: [] } as const;

function refused(retryAfter: number): { allowed: false; retryAfter: number } {
  return { allowed: false, retryAfter };
}

function backoff(key: string, changes: Partial<BackoffRule> = {}): ThrottleKey {
  const rule = { kind: "backoff", free: 3, wait: 30, maxWait: 3_600, forget: 86_400 } as const;
  return { key, rule: { ...rule, ...changes } };
}

function window(key: string, limit: WindowRule["limit"], seconds = 900): ThrottleKey {
  return { key, rule: { kind: "window", limit, seconds } };
}

/** Reserves a number of attempts, which are all allowed. */
async function use(
  store: LoginThrottle,
  key: ThrottleKey,
  { times, now = START }: { times: number; now?: number },
): Promise<void> {
  for (let i = 0; i < times; i++) assertEquals(await store.reserve(key, [], now), ALLOWED);
}

/** How many concurrent attempts are allowed. */
async function raceAllowed(
  subject: Parameters<typeof race<LoginThrottle, unknown>>[0],
  key: ThrottleKey,
  others: readonly ThrottleKey[] = [],
): Promise<number> {
  const decisions = await race(subject, (store) => store.reserve(key, others, START));
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
      const key = backoff("k");
      await use(store, key, { times: 3 });
      let now = START;
      for (const wait of [30, 60, 120]) {
        for (const [later, retryAfter] of [[0, wait], [wait - 1, 1]] as const) {
          clock.set(now + later);
          assertEquals(await store.reserve(key, [], now + later), refused(retryAfter));
        }
        now += wait;
        clock.set(now);
        assertEquals(await store.reserve(key, [], now), ALLOWED);
      }
    },
  },
  {
    name: "reserve() under a window allows its attempts, and more after the window",
    async run({ store, clock }) {
      const key = window("k", 2);
      await use(store, key, { times: 1 });
      clock.set(START + 100);
      await use(store, key, { times: 1, now: START + 100 });
      assertEquals(await store.reserve(key, [], START + 100), refused(800));
      clock.set(START + 899);
      assertEquals(await store.reserve(key, [], START + 899), refused(1));
      clock.set(START + 900);
      await use(store, key, { times: 2, now: START + 900 });
      assertEquals(await store.reserve(key, [], START + 900), refused(900));
    },
  },
  {
    name: "reserve() ignores a record exactly from its expiry on",
    async run({ store, clock }) {
      for (const [key, later, allowed] of [["before", 99, 1], ["at", 100, 2]] as const) {
        const counted = backoff(key, { free: 2, forget: 100 });
        clock.set(START);
        await use(store, counted, { times: 1 });
        clock.set(START + later);
        await use(store, counted, { times: allowed, now: START + later });
        assertEquals(await store.reserve(counted, [], START + later), refused(30), key);
      }
    },
  },
  {
    name: "reserve() reads the other keys, and does not count under them",
    async run({ store }) {
      const [key, other] = [window("k", 9), window("other", 2)];
      for (let i = 0; i < 5; i++) assertEquals(await store.reserve(key, [other], START), ALLOWED);
      await use(store, other, { times: 2 });
    },
  },
  {
    name: "reserve() returns which of the other keys have a record",
    async run({ store, clock }) {
      const [key, other, brief] = [window("k", 9), window("other", 9), window("brief", 9, 60)];
      const others = [window("none", 9), other, brief];
      await use(store, other, { times: 1 });
      await use(store, brief, { times: 1 });
      const both = { allowed: true, recorded: ["other", "brief"] } as const;
      assertEquals(await store.reserve(key, others, START), both);
      clock.set(START + 60);
      const left = { allowed: true, recorded: ["other"] } as const;
      assertEquals(await store.reserve(key, others, START + 60), left);
    },
  },
  {
    name: "reserve() counts nothing if another key rejects, at any position",
    async run({ store }) {
      const [key, other, full] = [window("k", 2), window("other", 2), window("full", 1)];
      await use(store, full, { times: 1 });
      for (const others of [[full], [full, other], [other, full]]) {
        assertEquals(await store.reserve(key, others, START), refused(900));
      }
      await use(store, key, { times: 2 });
    },
  },
  {
    name: "reserve() returns the longest wait, at any position",
    async run({ store }) {
      const [minute, long, half] = [60, 900, 30].map((seconds) => window(`${seconds}`, 1, seconds));
      assert(minute !== undefined && long !== undefined && half !== undefined);
      for (const key of [minute, long, half]) await use(store, key, { times: 1 });
      assertEquals(await store.reserve(minute, [long, half], START), refused(900));
      assertEquals(await store.reserve(long, [half, minute], START), refused(900));
      assertEquals(await store.reserve(half, [minute], START), refused(60));
      assertEquals(await store.reserve(half, [], START), refused(30));
    },
  },
  {
    name: "reserve() of a rejected attempt does not prolong the wait",
    async run({ store, clock }) {
      const key = backoff("k", { free: 1 });
      await use(store, key, { times: 1 });
      for (let later = 0; later < 30; later++) {
        clock.set(START + later);
        assertEquals(await store.reserve(key, [], START + later), refused(30 - later));
      }
      clock.set(START + 30);
      assertEquals(await store.reserve(key, [], START + 30), ALLOWED);
    },
  },
  {
    name: "reserve() accepts unusual keys",
    async run({ store }) {
      const others = ODD_KEYS.map(([, key]) => window(`the other ${key}`, 1));
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.reserve(window(key, 1), others, START), ALLOWED, why);
      }
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.reserve(window(key, 1), others, START), refused(900), why);
        await store.reset(key);
        assertEquals(await store.reserve(window(key, 1), others, START), ALLOWED, why);
      }
    },
  },
  {
    name: "wait() returns when an attempt is allowed, and counts nothing",
    async run({ store, clock }) {
      const key = backoff("k", { free: 2 });
      await use(store, key, { times: 1 });
      for (let i = 0; i < 3; i++) assertEquals(await store.wait(key, START), 0);
      await use(store, key, { times: 1 });
      for (let i = 0; i < 3; i++) assertEquals(await store.wait(key, START), 30);
      clock.set(START + 30);
      assertEquals(await store.wait(key, START + 30), 0);
      assertEquals(await store.wait(window("none", 1), START), 0);
      assertEquals(await store.reserve(key, [], START + 30), ALLOWED);
    },
  },
  {
    name: "reset() deletes a record, locked or not",
    async run({ store }) {
      for (const key of [backoff("b"), window("w", 3)]) {
        for (const times of [1, 3]) {
          await use(store, key, { times });
          await store.reset(key.key);
          await use(store, key, { times: 3 });
          assertEquals((await store.reserve(key, [], START)).allowed, false);
          await store.reset(key.key);
        }
      }
    },
  },
  {
    name: "reset() changes no other key, and nothing without a record",
    async run({ store }) {
      const [a, b] = [window("a", 1), window("b", 1)];
      await store.reset("a");
      await use(store, a, { times: 1 });
      await use(store, b, { times: 1 });
      await store.reset("a");
      await use(store, a, { times: 1 });
      assertEquals(await store.reserve(b, [], START), refused(900));
    },
  },
  {
    name: "reserve() allows exactly a backoff's free attempts of many concurrent ones",
    race: true,
    async run(subject) {
      const key = backoff("k", { free: 5 });
      assertEquals(await raceAllowed(subject, key), 5);
      assertEquals(await subject.store.reserve(key, [], START), refused(30));
    },
  },
  {
    name: "reserve() allows exactly a window's limit of many concurrent attempts",
    race: true,
    async run(subject) {
      const limit = Math.ceil(RACERS / 4);
      const key = window("k", limit);
      assertEquals(await raceAllowed(subject, key), limit);
      assertEquals(await subject.store.reserve(key, [], START), refused(900));
    },
  },
  {
    name: "reserve() counts each of many concurrent attempts",
    race: true,
    async run(subject) {
      const key = window("k", RACERS + 1);
      assertEquals(await raceAllowed(subject, key), RACERS);
      await use(subject.store, key, { times: 1 });
      assertEquals(await subject.store.reserve(key, [], START), refused(900));
    },
  },
  {
    name: "reserve() that reads other keys allows exactly the limit of many concurrent attempts",
    race: true,
    async run(subject) {
      const limit = Math.ceil(RACERS / 8);
      const others = [window("other", 1), window("third", 1)];
      assertEquals(await raceAllowed(subject, window("k", limit), others), limit);
    },
  },
];
