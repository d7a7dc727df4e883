/** How many requests hash passwords concurrently, which ones wait, and which ones are rejected. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createRouter, json } from "../../../mod.ts";
import { AuthError } from "../../../auth/error.ts";
import { createSemaphore } from "../../../auth/password/_concurrency.ts";
import type { HasherLimitOptions } from "../../../auth/password/hasher.ts";
import { onWorkerd } from "../_workerd.ts";

/** A semaphore, and work that the test completes. */
interface Bench {
  /** Runs work under a name; it resolves to the name. */
  run(name: string): Promise<string>;
  /** Names of running work, in the order in which it began. */
  readonly running: string[];
  /** Names of all work that was started. */
  readonly begun: string[];
  /** The maximum that ran concurrently. */
  readonly peak: () => number;
  /** Completes the oldest running work, with an error if one is given. */
  end(error?: Error): Promise<void>;
}

function createBench(options?: HasherLimitOptions): Bench {
  const semaphore = createSemaphore(options);
  const running: string[] = [];
  const begun: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  let peak = 0;
  return {
    running,
    begun,
    peak: () => peak,
    run: (name) =>
      semaphore.run(async () => {
        running.push(name);
        begun.push(name);
        peak = Math.max(peak, running.length);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
        return name;
      }),
    async end(error) {
      running.shift();
      const end = ends.shift();
      if (error === undefined) end?.resolve();
      else end?.reject(error);
      await settle();
    },
  };
}

/** Waits until all pending microtasks are settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function assertBusy(error: unknown): void {
  assert(error instanceof AuthError);
  assertEquals([error.code, error.status], ["service_unavailable", 503]);
  assertEquals(error.headers, { "Retry-After": "5" });
}

const LIMITS: readonly [
  why: string,
  options: HasherLimitOptions | undefined,
  running: number,
  waiting: number,
][] = [
  ["no options", undefined, 4, 64],
  ["the defaults", {}, 4, 64],
  ["one at a time without a queue", { running: 1, waiting: 0 }, 1, 0],
  ["a queue of one", { running: 1, waiting: 1 }, 1, 1],
  ["no queue", { waiting: 0 }, 4, 0],
  ["two, and the default queue", { running: 2 }, 2, 64],
  ["undefined instead of the defaults", { running: undefined, waiting: undefined }, 4, 64],
];

for (const [why, options, running, waiting] of LIMITS) {
  Deno.test(`run() lets ${running} run and ${waiting} wait, and rejects the others: ${why}`, async () => {
    const bench = createBench(options);
    const outcomes = Promise.allSettled(Array.from({ length: 500 }, (_, i) => bench.run(`p${i}`)));
    await settle();
    for (let i = 0; i < running + waiting; i++) {
      assertEquals(bench.running.length, Math.min(running, running + waiting - i));
      await bench.end();
    }
    for (const [i, outcome] of (await outcomes).entries()) {
      if (i < running + waiting) assertEquals(outcome, { status: "fulfilled", value: `p${i}` });
      else assertBusy(outcome.status === "rejected" && outcome.reason);
    }
    assertEquals(bench.peak(), running);
    assertEquals(bench.begun, Array.from({ length: running + waiting }, (_, i) => `p${i}`));
  });
}

Deno.test("run() rejects at once, and does not start the work", async () => {
  const bench = createBench({ running: 1, waiting: 0 });
  const first = bench.run("a");
  assertBusy(await assertRejects(() => bench.run("b")));
  assertEquals(bench.begun, ["a"]);
  await bench.end();
  assertEquals(await first, "a");
});

Deno.test("run() starts work at once if a slot is free", async () => {
  const bench = createBench();
  const work = bench.run("a");
  assertEquals(bench.running, ["a"]);
  await bench.end();
  await work;
});

Deno.test("run() is first-in, first-out", async () => {
  const bench = createBench({ running: 1 });
  const all = ["a", "b", "c", "d"].map((name) => bench.run(name));
  for (const expected of ["a", "b", "c", "d"]) {
    await settle();
    assertEquals(bench.running, [expected]);
    await bench.end();
  }
  assertEquals(await Promise.all(all), ["a", "b", "c", "d"]);
});

Deno.test("run() does not let a new request overtake the queue", async () => {
  const bench = createBench({ running: 1, waiting: 1 });
  const first = bench.run("a");
  const second = bench.run("b");
  const late = first.then(() => bench.run("late")); // arrives in the microtask in which the slot is released
  await settle();
  await bench.end();
  assertEquals(bench.running, ["b"]);
  await bench.end();
  assertEquals(bench.running, ["late"]);
  await bench.end();
  await Promise.all([second, late]);
  assertEquals(bench.peak(), 1);
});

const FAILING: readonly [why: string, fail: () => Promise<never>][] = [
  ["rejects", () => Promise.reject(new Error("no memory"))],
  ["throws synchronously", () => {
    throw new Error("no memory");
  }],
];

for (const [why, fail] of FAILING) {
  Deno.test(`run() releases the slot of work that ${why}`, async () => {
    for (const waiting of [0, 1]) {
      const { run } = createSemaphore({ running: 2, waiting });
      for (let i = 0; i < 20; i++) await assertRejects(() => run(fail), Error, "no memory");
      assertEquals(await run(() => Promise.resolve(7)), 7);
    }
  });
}

Deno.test("run() passes the slot of work that fails to the first in the queue", async () => {
  const bench = createBench({ running: 1 });
  const first = assertRejects(() => bench.run("a"), Error, "no memory");
  const second = bench.run("b");
  await settle();
  await bench.end(new Error("no memory"));
  await first;
  assertEquals(bench.running, ["b"]);
  await bench.end();
  assertEquals(await second, "b");
});

Deno.test("run() counts slots correctly for any order of completions, failures and arrivals", async () => {
  const bench = createBench({ running: 3, waiting: 5 });
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 200; i++) {
    all.push(bench.run(`p${i}`).catch((error) => error));
    if (i % 7 > 3) await bench.end(i % 3 === 0 ? new Error("no memory") : undefined);
    assert(bench.running.length <= 3);
  }
  while (bench.running.length > 0) await bench.end();
  await Promise.all(all);
  assertEquals(bench.peak(), 3);
  const again = Array.from({ length: 8 }, () => bench.run("again")); // all eight slots are free again
  await settle();
  while (bench.running.length > 0) await bench.end();
  assertEquals((await Promise.all(again)).length, 8);
});

Deno.test("run() is not limited on workerd, where canceled requests never release a slot", async () => {
  await onWorkerd(async () => {
    const { run } = createSemaphore({ running: 1, waiting: 0 });
    for (let i = 0; i < 3; i++) void run(() => new Promise(() => {}));
    assertEquals(await run(() => Promise.resolve(7)), 7);
  });
});

Deno.test("run() beyond its limits is a 503 with Retry-After and without the reason", async () => {
  const bench = createBench({ running: 1, waiting: 0 });
  const router = createRouter().get("/", async () => json({ name: await bench.run("a") }));
  const first = router.request("/");
  await settle();
  const response = await router.request("/");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "5");
  const body = await response.json();
  assertEquals(body.code, "service_unavailable");
  assertEquals(JSON.stringify(body).includes("hashed"), false);
  await bench.end();
  await (await first).body?.cancel();
});

for (const limit of [-1, 0.5, NaN, Infinity, "4", null, true, 4n]) {
  Deno.test(`createSemaphore() rejects ${String(limit)} (${typeof limit}) as a limit`, () => {
    for (const options of [{ running: limit }, { waiting: limit }]) {
      const given = options as HasherLimitOptions;
      assertThrows(() => createSemaphore(given), RangeError, "Cannot limit hashing");
    }
  });
}

Deno.test("createSemaphore() rejects running: 0", () => {
  assertThrows(() => createSemaphore({ running: 0 }), RangeError);
});
