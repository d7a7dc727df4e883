/** How clients share the hashing of passwords, and which ones are rejected. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createRouter, json } from "../../../mod.ts";
import { AuthError } from "../../../auth/error.ts";
import { createHashingQueue, type HashingClient } from "../../../auth/password/_hashing_queue.ts";
import type { HasherLimitOptions } from "../../../auth/password/hasher.ts";
import { canonical } from "../_services.ts";
import { onWorkerd } from "../_workerd.ts";

/** Each request is of another client and account, unless they are given. */
let count = 0;
function client({ account = `user-${++count}`, address, device, site }: {
  readonly account?: string;
  readonly address?: string;
  readonly device?: string;
  readonly site?: string;
} = {}): HashingClient {
  const bucket = address ?? `address ${++count}`;
  const buckets = site === undefined ? [bucket] : [bucket, site];
  return { account: canonical(account), buckets, device };
}

/** A queue, and work that the test completes. */
function createBench(options?: HasherLimitOptions) {
  const queue = createHashingQueue(options);
  const ends: PromiseWithResolvers<void>[] = [];
  return {
    queue,
    /** How many run. */
    running: () => ends.length,
    /** Computes a hash; it resolves to whether there was a place. */
    async hash(client?: HashingClient): Promise<boolean> {
      try {
        await queue.hold(client, (run) =>
          run(async () => {
            const end = Promise.withResolvers<void>();
            ends.push(end);
            await end.promise;
          }));
        return true;
      } catch (error) {
        assertBusy(error);
        return false;
      }
    },
    async endAll(): Promise<void> {
      for (await settle(); ends.length > 0; await settle()) ends.shift()?.resolve();
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

/** How many run and get a place, of 100 requests at once. */
const SHARES: readonly [
  why: string,
  request: (i: number) => HashingClient | undefined,
  running: number,
  places: number,
  options?: HasherLimitOptions,
][] = [
  ["unknown devices together: a quarter is kept for known ones", () => client(), 4, 51],
  ["known devices together", (i) => client({ device: `d${i}` }), 4, 68],
  ["one address", () => client({ address: "a" }), 2, 6],
  ["one account from everywhere", () => client({ account: "ada" }), 1, 17],
  ["one account from one address", () => client({ account: "ada", address: "a" }), 1, 6],
  ["one device", () => client({ device: "d" }), 4, 57], // 6 of the device; then as its addresses
  ["one device at one address", () => client({ device: "d", address: "a" }), 3, 10],
  [
    "devices of one account, which are 3 and strangers",
    (i) => client({ account: "ada", device: `d${i}` }),
    2,
    20,
  ],
  [
    "devices of one address, 4 and the address",
    (i) => client({ device: `d${i}`, address: "a" }),
    3,
    10,
  ],
  ["an IPv6 /48, with 5 times the share of a /64", () => client({ site: "s" }), 4, 30],
  ["a /64 of it", () => client({ site: "s", address: "a" }), 2, 6],
  ["devices of a /48", (i) => client({ device: `d${i}`, site: "s" }), 4, 34],
  ["clients without an address", () => ({ account: canonical(`u${++count}`), buckets: [] }), 4, 51],
  ["one account without an address", () => ({ account: canonical("ada"), buckets: [] }), 1, 6],
  ["calls of the application, which have no limit", () => undefined, 4, 100],
  ["one at a time without a queue", () => client(), 1, 1, { running: 1, waiting: 0 }],
  ["a small queue", () => client(), 2, 5, { running: 2, waiting: 4 }],
  ["a small queue, one address", () => client({ address: "a" }), 1, 2, { running: 2, waiting: 4 }],
  ["defaults beside undefined", () => client(), 4, 51, { running: undefined, waiting: undefined }],
];
for (const [why, request, running, places, options] of SHARES) {
  Deno.test(`hold() lets ${running} run and ${places} in: ${why}`, async () => {
    const bench = createBench(options);
    for (let round = 0; round < 2; round++) { // the second one shows that everything was freed
      const outcomes = Promise.all(Array.from({ length: 100 }, (_, i) => bench.hash(request(i))));
      await settle();
      assertEquals(bench.running(), running);
      await bench.endAll();
      assertEquals((await outcomes).filter((done) => done).length, places);
    }
  });
}

/** What still gets a place after 100 requests of attackers. */
const LEFT: readonly [
  why: string,
  attackers: (i: number) => HashingClient | undefined,
  victim: HashingClient,
][] = [
  ["another address beside one", () => client({ address: "a" }), client({ address: "v" })],
  [
    "another address beside one that mints devices",
    (i) => client({ address: "a", device: `d${i}` }),
    client({ address: "v" }),
  ],
  ["another address beside a /48", () => client({ site: "s" }), client({ address: "v" })],
  ["a known device beside a distributed attack", () => client(), client({ device: "v" })],
  [
    "a known device of an account that strangers fill",
    () => client({ account: "ada" }),
    client({ account: "ada", device: "v" }),
  ],
  [
    "an unknown device of an account that one address asks for",
    () => client({ account: "ada", address: "a" }),
    client({ account: "ada", address: "v" }),
  ],
  [
    "the same with two addresses",
    (i) => client({ account: "ada", address: `a${i % 2}` }),
    client({ account: "ada", address: "v" }),
  ],
  [
    "a known device behind the address of the attacker",
    () => client({ address: "a" }),
    client({ address: "a", device: "v" }),
  ],
  ["a client beside calls of the application", () => undefined, client({ address: "v" })],
];
for (const [why, attackers, victim] of LEFT) {
  Deno.test(`hold() has a place for ${why}`, async () => {
    const bench = createBench();
    const attack = Promise.all(Array.from({ length: 100 }, (_, i) => bench.hash(attackers(i))));
    const outcome = bench.hash(victim);
    await bench.endAll();
    assertEquals(await outcome, true);
    await attack;
  });
}

Deno.test("hold() has no place for a stranger during a distributed attack, and does not begin", async () => {
  const bench = createBench();
  const attack = Array.from({ length: 51 }, () => bench.hash(client()));
  let begun = 0;
  const stranger = bench.queue.hold(client(), () => Promise.resolve(begun++));
  assertBusy(await assertRejects(() => stranger));
  assertEquals(begun, 0);
  await bench.endAll();
  await Promise.all(attack);
});

Deno.test("hold() takes a place synchronously, and a slot only while it hashes", async () => {
  const bench = createBench({ running: 1, waiting: 9 });
  const reading = Promise.withResolvers<void>();
  const place = client({ address: "a" });
  const first = bench.queue.hold(place, async (run) => {
    await reading.promise;
    return await run(() => Promise.resolve("done"));
  });
  const second = bench.hash(client({ address: "b" }));
  await settle();
  assertEquals(bench.running(), 1, "a slow store does not block the slot");
  await bench.endAll();
  assertEquals(await second, true);
  reading.resolve();
  assertEquals(await first, "done");
});

Deno.test("hold() frees its place if the work fails", async () => {
  const { queue } = createBench({ running: 1, waiting: 0 });
  for (let i = 0; i < 5; i++) {
    await assertRejects(
      () => queue.hold(client(), () => Promise.reject(new Error("no memory"))),
      Error,
      "no memory",
    );
    await assertRejects(
      () => queue.hold(client(), (run) => run(() => Promise.reject(new Error("no memory")))),
      Error,
      "no memory",
    );
  }
});

Deno.test("hold() is not limited on workerd, where canceled requests never free a place", async () => {
  await onWorkerd(async () => {
    const { hold } = createHashingQueue({ running: 1, waiting: 0 });
    for (let i = 0; i < 3; i++) void hold(client(), () => new Promise(() => {}));
    assertEquals(await hold(client(), (run) => run(() => Promise.resolve(7))), 7);
  });
});

Deno.test("hold() beyond its limits is a 503 with Retry-After and without the reason", async () => {
  const bench = createBench({ running: 1, waiting: 0 });
  const router = createRouter().get("/", async () => {
    await bench.queue.hold(client(), () => Promise.resolve());
    return json(1);
  });
  const first = bench.hash(client());
  const response = await router.request("/");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "5");
  const body = await response.json();
  assertEquals(body.code, "service_unavailable");
  assertEquals(JSON.stringify(body).includes("hashed"), false);
  await bench.endAll();
  await first;
});

for (const limit of [-1, 0.5, NaN, Infinity, "4", null, true, 4n]) {
  Deno.test(`createHashingQueue() rejects ${String(limit)} (${typeof limit}) as a limit`, () => {
    for (const options of [{ running: limit }, { waiting: limit }]) {
      const given = options as HasherLimitOptions;
      assertThrows(() => createHashingQueue(given), RangeError, "Cannot limit hashing");
    }
  });
}

Deno.test("createHashingQueue() rejects running: 0", () => {
  assertThrows(() => createHashingQueue({ running: 0 }), RangeError);
});
