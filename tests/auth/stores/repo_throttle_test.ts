/** repoLoginThrottle(): taking back attempts, the order of keys, and the queue of callers. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { repoLoginThrottle } from "../../../auth/stores/repo.ts";
import type { AtomicHook, StorageAdapter } from "../../../auth/stores/adapter.ts";
import type { ThrottleKey, ThrottleRule } from "../../../auth/throttle/rule.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { pausesOf } from "../_pauses.ts";
import { onWorkerd } from "../_workerd.ts";

const START = 1_700_000_000;
const now = () => START;

const WINDOW: ThrottleRule = { kind: "window", limit: 9, seconds: 60 };
const BACKOFF: ThrottleRule = { kind: "backoff", free: 9, wait: 30, maxWait: 60, forget: 600 };

function claim(key: string, rule: ThrottleRule = WINDOW): ThrottleKey {
  return { key, rule };
}

type Cas = AtomicHook["cas"];

/** An adapter with another compare-and-swap. */
function withCas(inner: StorageAdapter, change: (cas: Cas) => Cas): StorageAdapter {
  assert(inner.atomic !== undefined);
  return { ...inner, atomic: { cas: change(inner.atomic.cas) } };
}

async function failuresOf(adapter: StorageAdapter, key: string): Promise<unknown> {
  const found = await adapter.get("throttle", key);
  return found === null ? 0 : (found.value as { readonly failures: number }).failures;
}

/** Attempts counted under the first key, taken back after a conflict at the second, and counted again. */
const TAKEN_BACK: readonly {
  readonly why: string;
  readonly rule: ThrottleRule;
  /** Previous attempts under the first key. */
  readonly before: number;
  /** Other attempts under the first key, between counting and taking back. */
  readonly between: number;
  readonly left: number;
}[] = [
  { why: "a window's first", rule: WINDOW, before: 0, between: 0, left: 1 },
  { why: "a window's third", rule: WINDOW, before: 2, between: 0, left: 3 },
  { why: "a window's, before another", rule: WINDOW, before: 0, between: 1, left: 2 },
  { why: "a window's, between others", rule: WINDOW, before: 2, between: 2, left: 5 },
  { why: "a backoff's first", rule: BACKOFF, before: 0, between: 0, left: 1 },
  { why: "a backoff's third", rule: BACKOFF, before: 2, between: 0, left: 3 },
  // Taking it back would also forget the other attempt
  { why: "no backoff's before another", rule: BACKOFF, before: 0, between: 1, left: 3 },
];

for (const { why, rule, before, between, left } of TAKEN_BACK) {
  Deno.test(`repoLoginThrottle() takes back attempts if a later key has a conflict: ${why}`, async () => {
    const inner = memoryAdapter({ now });
    const others = repoLoginThrottle({ adapter: inner });
    for (let i = 0; i < before; i++) await others.reserve([claim("a", rule)], START);
    let isFirst = true;
    const adapter = withCas(inner, (cas) => async (...args) => {
      if (args[1] === "b" && isFirst) {
        isFirst = false;
        for (let i = 0; i < between; i++) await others.reserve([claim("a", rule)], START);
        await others.reserve([claim("b", rule)], START);
      }
      return await cas(...args);
    });
    const throttle = repoLoginThrottle({ adapter });
    const claims = [claim("a", rule), claim("b", rule)];
    assertEquals(await throttle.reserve(claims, START), { allowed: true });
    assertEquals([await failuresOf(inner, "a"), await failuresOf(inner, "b")], [left, 2]);
  });
}

for (const refused of [2, 3]) {
  Deno.test(`repoLoginThrottle() rejects if an attempt cannot be taken back, at call ${refused}`, async () => {
    const inner = memoryAdapter({ now });
    let calls = 0;
    const adapter = withCas(inner, (cas) => async (...args) => {
      if (args[1] === "b") return { status: "lost" };
      if (++calls < refused) return calls === 1 ? await cas(...args) : { status: "lost" };
      throw new Error("gone");
    });
    const throttle = repoLoginThrottle({ adapter });
    await assertRejects(() => throttle.reserve([claim("a"), claim("b")], START), Error, "gone");
  });
}

Deno.test("repoLoginThrottle() counts keys in one order, whatever the order of the claims", async () => {
  for (const order of ["abc", "acb", "bac", "bca", "cab", "cba"]) {
    const keys: string[] = [];
    const adapter = withCas(memoryAdapter({ now }), (cas) => (...args) => {
      keys.push(args[1]);
      return cas(...args);
    });
    const throttle = repoLoginThrottle({ adapter });
    await throttle.reserve([...order].map((key) => claim(key)), START);
    await throttle.succeed([...order].map((key) => claim(key)), START);
    assertEquals(keys.join(""), "abcabc", order);
  }
});

Deno.test("repoLoginThrottle() writes nothing if there is nothing to take back", async () => {
  const inner = memoryAdapter({ now });
  await repoLoginThrottle({ adapter: inner }).reserve([claim("k")], START);
  const adapter = withCas(inner, () => () => Promise.reject(new Error("it writes")));
  const throttle = repoLoginThrottle({ adapter });
  await throttle.succeed([claim("k")], START - 1); // of the previous window
  await throttle.succeed([claim("other")], START);
  assertEquals(await failuresOf(inner, "k"), 1);
});

/** An adapter whose first reads hang until each is released, and the numbers of reads and writes. */
function gated(gates: number) {
  const inner = memoryAdapter({ now });
  const hanging = Array.from({ length: gates }, () => Promise.withResolvers<void>());
  const calls = { get: 0, cas: 0 };
  const adapter: StorageAdapter = {
    ...withCas(inner, (cas) => (...args) => {
      calls.cas++;
      return cas(...args);
    }),
    async get(...args) {
      await hanging[calls.get++]?.promise;
      return await inner.get(...args);
    },
  };
  const letGo = (gate: number) => hanging[gate]?.resolve();
  return { throttle: repoLoginThrottle({ adapter }), calls, letGo };
}

const ALLOWED = { allowed: true } as const;

/** Long enough for callers that do not wait, and much shorter than the maximum wait. */
async function aMoment(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

Deno.test("repoLoginThrottle() counts attempts of one process sequentially", async () => {
  const { throttle, calls, letGo } = gated(1);
  const attempts = Array.from({ length: 5 }, () => throttle.reserve([claim("k")], START));
  await aMoment();
  assertEquals(calls, { get: 1, cas: 0 });
  letGo(0);
  assertEquals(await Promise.all(attempts), Array(5).fill(ALLOWED));
  assertEquals(calls, { get: 5, cas: 5 }, "no conflicts");
});

Deno.test("repoLoginThrottle() counts no attempt concurrently with the last one in the queue", async () => {
  const { throttle, calls, letGo } = gated(2);
  const [first, second] = [1, 2].map(() => throttle.reserve([claim("k")], START));
  letGo(0);
  assertEquals(await first, ALLOWED);
  const third = throttle.reserve([claim("k")], START);
  await aMoment();
  assertEquals(calls, { get: 2, cas: 1 });
  letGo(1);
  assertEquals(await Promise.all([second, third]), [ALLOWED, ALLOWED]);
  assertEquals(calls, { get: 3, cas: 3 });
});

Deno.test("repoLoginThrottle() does not queue attempts under other keys", async () => {
  const { throttle, letGo } = gated(1);
  const first = throttle.reserve([claim("k")], START);
  assertEquals(await throttle.reserve([claim("other")], START), ALLOWED);
  letGo(0);
  assertEquals(await first, ALLOWED);
});

Deno.test("repoLoginThrottle() continues after a failed attempt", async () => {
  const inner = memoryAdapter({ now });
  let calls = 0;
  const throttle = repoLoginThrottle({
    adapter: {
      ...inner,
      get: (...args) => calls++ === 0 ? Promise.reject(new Error("gone")) : inner.get(...args),
    },
  });
  const first = assertRejects(() => throttle.reserve([claim("k")], START), Error, "gone");
  assertEquals(await throttle.reserve([claim("k")], START), ALLOWED);
  await first;
});

Deno.test("repoLoginThrottle() does not wait forever for an attempt that hangs", async () => {
  const inner = memoryAdapter({ now });
  const hanging = Promise.withResolvers<null>();
  let asked = 0;
  const throttle = repoLoginThrottle({
    adapter: {
      ...inner,
      get: (...args) => asked++ === 0 ? hanging.promise : inner.get(...args),
    },
  });
  const first = throttle.reserve([claim("k")], START);
  assertEquals(await throttle.reserve([claim("k")], START), ALLOWED);
  hanging.resolve(null);
  assertEquals(await first, ALLOWED);
});

Deno.test("repoLoginThrottle() does not wait if the queue is empty, and leaves no timer", async () => {
  const waits = await pausesOf(async () => {
    const throttle = repoLoginThrottle({ adapter: memoryAdapter({ now }) });
    for (let i = 0; i < 3; i++) {
      await throttle.reserve([claim("k")], START);
      for (let turn = 0; turn < 9; turn++) await Promise.resolve(); // until the queue is cleaned up
    }
  });
  assertEquals(waits, []);
});

Deno.test("repoLoginThrottle() does not wait for another request on workerd", async () => {
  await onWorkerd(async () => {
    const { throttle, calls, letGo } = gated(1);
    const waits = await pausesOf(async () => {
      const first = throttle.reserve([claim("k")], START);
      assertEquals(await throttle.reserve([claim("k")], START), ALLOWED);
      assertEquals(calls.cas, 1);
      letGo(0);
      assertEquals(await first, ALLOWED);
    });
    assertEquals(waits, []);
  });
});
