/** repoLoginThrottle(): its calls of the adapter, conflicts, and the queue of callers. */

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

const FULL = claim("full", { kind: "window", limit: 1, seconds: 60 });
const ALLOWED = { allowed: true, recorded: [] } as const;

type Cas = AtomicHook["cas"];

/** An adapter with another compare-and-swap. */
function withCas(inner: StorageAdapter, change: (cas: Cas) => Cas): StorageAdapter {
  assert(inner.atomic !== undefined);
  return { ...inner, atomic: { cas: change(inner.atomic.cas) } };
}

Deno.test("repoLoginThrottle() reserves by one read and one swap", async () => {
  const calls: string[] = [];
  const inner = withCas(memoryAdapter({ now }), (cas) => (...args) => {
    calls.push(`cas ${args[1]}`);
    return cas(...args);
  });
  const { get } = inner;
  const adapter: StorageAdapter = {
    ...inner,
    async getMany(collection, keys) {
      calls.push(`getMany ${keys}`);
      return await Promise.all(keys.map((key) => get(collection, key)));
    },
    get: () => Promise.reject(new Error("it reads one by one")),
  };
  const throttle = repoLoginThrottle({ adapter });
  const others = [claim("b"), claim("c", BACKOFF)];
  assertEquals(await throttle.reserve(claim("a"), others, START), ALLOWED);
  assertEquals(calls, ["getMany a,b,c", "cas a"]);
});

Deno.test("repoLoginThrottle() reads each key of an adapter without getMany()", async () => {
  const { getMany: _, ...adapter } = memoryAdapter({ now });
  const throttle = repoLoginThrottle({ adapter });
  assertEquals(await throttle.reserve(claim("a"), [], START), ALLOWED);
  const recorded = { allowed: true, recorded: ["a"] } as const;
  assertEquals(await throttle.reserve(claim("b"), [claim("a"), claim("c")], START), recorded);
});

Deno.test("repoLoginThrottle() decides again after a conflict", async () => {
  const inner = memoryAdapter({ now });
  const others = repoLoginThrottle({ adapter: inner });
  const [two, one] = [2, 1].map((limit): ThrottleRule => ({ kind: "window", limit, seconds: 60 }));
  for (
    const [why, meanwhile, expected] of [
      ["counted by another", () => others.reserve(claim("k", two), [], START), true],
      ["now locked", () => others.reserve(claim("k", one), [], START), false],
      ["another key now locked", () => others.reserve(claim("other", one), [], START), false],
    ] as const
  ) {
    for (const key of ["k", "other"]) await others.reset(key);
    let isFirst = true;
    const adapter = withCas(inner, (cas) => async (...args) => {
      if (!isFirst) return await cas(...args);
      isFirst = false;
      await meanwhile();
      return { status: "lost" };
    });
    const throttle = repoLoginThrottle({ adapter });
    const decision = await throttle.reserve(claim("k", two), [claim("other")], START);
    assertEquals(decision.allowed, expected, why);
  }
});

Deno.test("repoLoginThrottle() writes nothing for a rejected attempt", async () => {
  const inner = memoryAdapter({ now });
  await repoLoginThrottle({ adapter: inner }).reserve(FULL, [], START);
  const adapter = withCas(inner, () => () => Promise.reject(new Error("it writes")));
  const throttle = repoLoginThrottle({ adapter });
  const refused = { allowed: false, retryAfter: 60 } as const;
  assertEquals(await throttle.reserve(FULL, [], START), refused);
  assertEquals(await throttle.reserve(claim("k"), [FULL], START), refused);
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

/** Long enough for callers that do not wait, and much shorter than the maximum wait. */
async function aMoment(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

Deno.test("repoLoginThrottle() counts attempts of one process sequentially", async () => {
  const { throttle, calls, letGo } = gated(1);
  const attempts = Array.from({ length: 5 }, () => throttle.reserve(claim("k"), [], START));
  await aMoment();
  assertEquals(calls, { get: 1, cas: 0 });
  letGo(0);
  assertEquals(await Promise.all(attempts), Array(5).fill(ALLOWED));
  assertEquals(calls, { get: 5, cas: 5 }, "no conflicts");
});

Deno.test("repoLoginThrottle() counts no attempt concurrently with the last one in the queue", async () => {
  const { throttle, calls, letGo } = gated(2);
  const [first, second] = [1, 2].map(() => throttle.reserve(claim("k"), [], START));
  letGo(0);
  assertEquals(await first, ALLOWED);
  const third = throttle.reserve(claim("k"), [], START);
  await aMoment();
  assertEquals(calls, { get: 2, cas: 1 });
  letGo(1);
  assertEquals(await Promise.all([second, third]), [ALLOWED, ALLOWED]);
  assertEquals(calls, { get: 3, cas: 3 });
});

Deno.test("repoLoginThrottle() does not queue attempts under other keys", async () => {
  const { throttle, letGo } = gated(1);
  const first = throttle.reserve(claim("k"), [], START);
  assertEquals(await throttle.reserve(claim("other"), [], START), ALLOWED);
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
  const first = assertRejects(() => throttle.reserve(claim("k"), [], START), Error, "gone");
  assertEquals(await throttle.reserve(claim("k"), [], START), ALLOWED);
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
  const first = throttle.reserve(claim("k"), [], START);
  assertEquals(await throttle.reserve(claim("k"), [], START), ALLOWED);
  hanging.resolve(null);
  assertEquals(await first, ALLOWED);
});

Deno.test("repoLoginThrottle() does not wait if the queue is empty, and leaves no timer", async () => {
  const waits = await pausesOf(async () => {
    const throttle = repoLoginThrottle({ adapter: memoryAdapter({ now }) });
    for (let i = 0; i < 3; i++) {
      await throttle.reserve(claim("k"), [], START);
      for (let turn = 0; turn < 9; turn++) await Promise.resolve(); // until the queue is cleaned up
    }
  });
  assertEquals(waits, []);
});

Deno.test("repoLoginThrottle() does not wait for another request on workerd", async () => {
  await onWorkerd(async () => {
    const { throttle, calls, letGo } = gated(1);
    const waits = await pausesOf(async () => {
      const first = throttle.reserve(claim("k"), [], START);
      assertEquals(await throttle.reserve(claim("k"), [], START), ALLOWED);
      assertEquals(calls.cas, 1);
      letGo(0);
      assertEquals(await first, ALLOWED);
    });
    assertEquals(waits, []);
  });
});
