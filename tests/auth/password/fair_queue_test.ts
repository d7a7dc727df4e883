/** Which job of a queue runs next, and which ones get a place. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createFairQueue, type QueueGroup } from "../../../auth/password/_fair_queue.ts";
import { randomNumbers } from "../../static/_random.ts";

const FREE = { running: Infinity, places: Infinity };

/** A queue, and jobs that the test completes. */
function createBench(slots: number) {
  const queue = createFairQueue(slots);
  const running: string[] = [];
  const begun: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  return {
    queue,
    running,
    begun,
    /** Enters and runs a job; `false` if there is no place. */
    add(client: string, groups: readonly QueueGroup[] = [], name = client): boolean {
      const place = queue.enter(client, groups);
      void place?.run(async () => {
        running.push(name);
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
      }).catch(() => {}).finally(place.leave);
      return place !== undefined;
    },
    /** Completes a running job, the oldest by default. */
    async end({ at = 0, error }: { at?: number; error?: Error | undefined } = {}): Promise<void> {
      running.splice(at, 1);
      const [end] = ends.splice(at, 1);
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

const TURNS: readonly [why: string, slots: number, entered: string, begun: string][] = [
  ["one client, in the order of its jobs", 1, "a1 a2 a3", "a1 a2 a3"],
  ["two clients", 1, "a1 a2 a3 b1 b2 b3", "a1 a2 b1 a3 b2 b3"],
  ["a client that comes late", 1, "a1 a2 a3 a4 a5 b1", "a1 a2 b1 a3 a4 a5"],
  ["three clients", 1, "a1 a2 a3 b1 b2 c1", "a1 a2 b1 c1 a3 b2"],
  ["several slots", 2, "a1 a2 a3 a4 b1 c1", "a1 a2 a3 b1 c1 a4"],
];
for (const [why, slots, entered, begun] of TURNS) {
  Deno.test(`run() serves clients in turn: ${why}`, async () => {
    const bench = createBench(slots);
    for (const name of entered.split(" ")) bench.add(name.slice(0, 1), [], name);
    await settle();
    while (bench.running.length > 0) {
      assert(bench.running.length <= slots);
      await bench.end();
    }
    assertEquals(bench.begun.join(" "), begun);
  });
}

Deno.test("run() gives a waiting client the next slot but for the other clients, however many jobs one has", async () => {
  const bench = createBench(1);
  for (let i = 0; i < 50; i++) bench.add("flood");
  await settle();
  bench.add("victim");
  await bench.end();
  await bench.end();
  assertEquals(bench.running, ["victim"]);
});

Deno.test("run() skips a job whose group is at its limit, and serves the next one of the same client", async () => {
  const bench = createBench(4);
  const one = { name: "one", running: 1, places: 9 };
  bench.add("a", [one], "a1");
  bench.add("a", [one], "a2");
  bench.add("b", [one], "b1");
  bench.add("a", [{ name: "other", running: 1, places: 9 }], "a3");
  await settle();
  assertEquals(bench.running, ["a1", "a3"]);
  await bench.end();
  assertEquals(bench.running, ["a3", "b1"], "a has had its turn");
  await bench.end({ at: 1 });
  assertEquals(bench.running, ["a3", "a2"]);
});

Deno.test("run() needs room in every group of a job", async () => {
  const bench = createBench(4);
  const groups = (...names: string[]) => names.map((name) => ({ name, running: 1, places: 9 }));
  bench.add("a", groups("x"));
  bench.add("b", groups("y"));
  bench.add("c", groups("x", "y"));
  bench.add("d", groups("z", "x"));
  await settle();
  assertEquals(bench.running, ["a", "b"]);
  await bench.end();
  assertEquals(bench.running, ["b", "d"]);
  await bench.end();
  assertEquals(bench.running, ["d"], "c waits for x");
  await bench.end();
  assertEquals(bench.running, ["c"]);
});

Deno.test("enter() has no place if one group is full, and takes none in the others", async () => {
  const bench = createBench(1);
  const full = { name: "full", running: 9, places: 2 };
  const wide = { name: "wide", running: 9, places: 5 };
  const entered = [1, 2, 3, 4].map(() => bench.add("a", [wide, full]));
  assertEquals(entered, [true, true, false, false]);
  assertEquals([1, 2, 3, 4].map(() => bench.add("b", [wide])), [true, true, true, false]);
  await settle();
  await bench.end();
  assertEquals([bench.add("c", [wide, full]), bench.add("c", [wide, full])], [true, false]);
});

Deno.test("run() runs several jobs in one place, which is kept between them", async () => {
  const queue = createFairQueue(1);
  const group = { name: "g", running: 1, places: 1 };
  const place = queue.enter("a", [group]);
  assert(place !== undefined);
  assertEquals(await place.run(() => Promise.resolve(1)), 1);
  assertEquals(queue.enter("b", [group]), undefined);
  assertEquals(await place.run(() => Promise.resolve(2)), 2);
  place.leave();
  place.leave(); // frees one place only
  assert(queue.enter("b", [group]) !== undefined);
  assertEquals(queue.enter("b", [group]), undefined);
});

const FAILING: readonly [why: string, fail: () => Promise<never>][] = [
  ["rejects", () => Promise.reject(new Error("no memory"))],
  ["throws synchronously", () => {
    throw new Error("no memory");
  }],
];
for (const [why, fail] of FAILING) {
  Deno.test(`run() frees the slot of work that ${why}`, async () => {
    const queue = createFairQueue(1);
    const group = { name: "g", running: 1, places: 1 };
    for (let i = 0; i < 20; i++) {
      const place = queue.enter("a", [group]);
      assert(place !== undefined);
      await assertRejects(() => place.run(fail), Error, "no memory");
      place.leave();
    }
  });
}

Deno.test("run() and leave() count correctly for any order of completions, failures and arrivals", async () => {
  const bench = createBench(3);
  const random = randomNumbers(20);
  const group = (name: string) => ({ name, running: 2, places: 5 });
  const all = { name: "all", running: 3, places: 12 };
  let refused = 0;
  for (let i = 0; i < 800; i++) {
    const client = "abcdefgh"[random(8)] ?? "";
    if (!bench.add(client, [all, group(client), group(`x${random(4)}`)])) refused++;
    assert(bench.running.length <= 3);
    for (const name of "abcdefgh") {
      assert(bench.running.filter((one) => one === name).length <= 2);
    }
    const error = random(3) === 0 ? new Error("no memory") : undefined;
    if (random(2) === 0) await bench.end({ at: random(bench.running.length || 1), error });
  }
  assert(refused > 40);
  while (bench.running.length > 0) await bench.end();
  const again = Array.from({ length: 13 }, (_, i) => bench.add(`c${i}`, [all]));
  assertEquals(again, [...Array(12).fill(true), false], "every place is free again");
  await settle();
  while (bench.running.length > 0) await bench.end();
  assertEquals(bench.add("a", [{ ...FREE, name: "all", places: 1 }]), true);
});
