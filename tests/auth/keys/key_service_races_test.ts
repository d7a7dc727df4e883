/** Concurrent calls over several processes, and stores that lose writes, lag or fail. */

import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
} from "@std/assert";
import { RACERS } from "../../_effort.ts";
import type { KeyRing, KeyStore } from "../../../auth/stores/types.ts";
import { randomNumbers } from "../../static/_random.ts";
import { refusal, repeat } from "../_services.ts";
import { onWorkerd } from "../_workerd.ts";
import {
  farAway,
  type KeyBench,
  keyBench,
  kidOf,
  kidsOf,
  LEAD,
  NUMBERS,
  signerOf,
  START,
} from "./_key_service.ts";

const END = START + NUMBERS.rotateAfter;

const RUNTIMES: readonly [where: string, run: (work: () => Promise<void>) => Promise<void>][] = [
  ["", (work) => work()],
  [" on workerd", onWorkerd],
];
for (const [where, run] of RUNTIMES) {
  Deno.test(`sign() ${RACERS} times concurrently, as the first call, in 3 processes${where} uses one key for each algorithm`, () =>
    run(async () => {
      const bench = keyBench();
      const algorithms = ["Ed25519", "ES256"] as const;
      const services = [1, 4, 2].map((turns) =>
        bench.service({ store: farAway(bench.store, turns), algorithms })
      );
      const tokens = await Promise.all(repeat(RACERS, async (i) => {
        const service = services[i % 3];
        assert(service !== undefined);
        return await service.sign({}, { alg: algorithms[i % 2], expiresIn: 600 });
      }));
      assertEquals(new Set(tokens.map(kidOf)).size, 2);
      assertEquals((await bench.ring()).map(({ alg }) => alg), [...algorithms]);
      assertEquals(bench.events.map(({ type }) => type), ["key.rotated", "key.rotated"]);
      for (const { resolve, jwks } of services) {
        for (const token of tokens.slice(0, 6)) {
          await bench.verify(token, resolve);
          await bench.verify(token, await jwks());
        }
      }
    }));

  Deno.test(`keyService() of 3 processes${where} generates one next key, and all start to use it at once`, () =>
    run(async () => {
      const bench = keyBench();
      const services = [3, 1, 2].map((turns) =>
        bench.service({ store: farAway(bench.store, turns) })
      );
      const sign = (i: number) => services[i % 3]?.sign({}, { expiresIn: 600 }) ?? "";
      const first = kidOf(await sign(0));
      bench.clock.now = END - LEAD;
      const old = await Promise.all(repeat(60, sign));
      assertEquals(new Set(old.map(kidOf)), new Set([first]));
      assertEquals((await bench.ring()).length, 2);
      bench.clock.now = END;
      const fresh = await Promise.all(repeat(60, sign));
      assertEquals(new Set(fresh.map(kidOf)).size, 1);
      assertNotEquals(kidOf(fresh[0] ?? ""), first);
      assertEquals(bench.events.length, 2);
    }));

  Deno.test(`jwks() and sign() of a process${where} that has just started agree`, () =>
    run(async () => {
      const bench = keyBench();
      const service = bench.service({ store: farAway(bench.store, 2) });
      const [set, kid] = await Promise.all([service.jwks(), signerOf(service)]);
      assertEquals(kidsOf(set), [kid]);
    }));
}

Deno.test("keyService() shares one read of the store among concurrent calls", async () => {
  const bench = keyBench();
  const service = bench.service({ store: farAway(bench.store, 3) });
  for (const loads of [1, 2, 3]) {
    await Promise.all(repeat(100, () => service.jwks()));
    assertEquals(bench.calls.load, loads);
    bench.clock.now += 60;
  }
});

Deno.test("keyService() on workerd does not wait for a promise of another request", () =>
  onWorkerd(async () => {
    let first = true;
    const bench = keyBench({
      wrap: (store) => ({
        async load() {
          if (!first) return await store.load();
          first = false;
          return await new Promise<never>(() => {}); // the request that started it was canceled
        },
      }),
    });
    const service = bench.service();
    service.jwks();
    await bench.verify(await service.sign({}, { expiresIn: 60 }), service.resolve);
  }));

Deno.test("rotate() 30 times concurrently over 3 processes replaces the old key, and leaves one that signs", async () => {
  for (const revoke of [false, true]) {
    const bench = keyBench();
    const services = [1, 4, 2].map((turns) =>
      bench.service({ store: farAway(bench.store, turns) })
    );
    const [one] = services;
    assert(one !== undefined);
    const old = await signerOf(one);
    await Promise.all(repeat(30, (i) => services[i % 3]?.rotate({ revoke })));
    const fresh = await Promise.all(services.map((service) => signerOf(service)));
    assertEquals(new Set(fresh).size, 1, `revoke: ${revoke}`);
    assertNotEquals(fresh[0], old);
    const kept = kidsOf({ keys: await bench.ring() });
    assertEquals(kept.includes(old), !revoke);
    assert(kept.length <= 4, `${kept.length} keys`);
  }
});

Deno.test("rotate() with revoke that loses a conflict to one without it still removes the old key", async () => {
  const bench = keyBench();
  const other = bench.service();
  const old = await signerOf(other);
  let first = true;
  const store: KeyStore = {
    load: () => bench.store.load(),
    async save(keys, expected) {
      if (first) {
        first = false;
        await other.rotate();
      }
      return await bench.store.save(keys, expected);
    },
  };
  await bench.service({ store }).rotate({ revoke: true });
  assertEquals(kidsOf({ keys: await bench.ring() }).includes(old), false);
});

Deno.test(`keyService() generates one first key for ${RACERS} random orders of the store's responses`, async () => {
  for (const seed of repeat(RACERS, (i) => i)) {
    const random = randomNumbers(seed);
    const bench = keyBench();
    const services = repeat(4, () => {
      const store = farAway(bench.store, random(12));
      return bench.service({ store });
    });
    const kids = await Promise.all(services.map((service) => signerOf(service)));
    assertEquals(new Set(kids).size, 1, `seed ${seed}`);
  }
});

Deno.test("sign() uses the winner's key after a conflict, and discards its own", async () => {
  const bench = keyBench();
  const winner = bench.service();
  const store: KeyStore = {
    load: () => bench.store.load(),
    async save(keys, expected) {
      await winner.jwks();
      return await bench.store.save(keys, expected);
    },
  };
  const loser = bench.service({ store });
  assertEquals(await signerOf(loser), await signerOf(winner));
  assertEquals((await bench.ring()).length, 1);
  assertEquals(bench.events.length, 1);
});

Deno.test("sign() gives up on a store that never saves: 503 after a few attempts, with one generated key", async () => {
  const bench = keyBench({ wrap: () => ({ save: () => Promise.resolve("lost") }) });
  const service = bench.service();
  const native = crypto.subtle.generateKey;
  let made = 0;
  crypto.subtle.generateKey = function (this: SubtleCrypto, ...args: unknown[]) {
    made++;
    return Reflect.apply(native, crypto.subtle, args);
  } as typeof native;
  try {
    for (
      const attempt of [() => service.sign({}, { expiresIn: 60 }), service.jwks, service.rotate]
    ) {
      made = bench.calls.load = 0;
      const { code, status, reason } = await refusal(attempt);
      assertEquals([code, status, reason], ["service_unavailable", 503, "key_ring_contended"]);
      assert(bench.calls.load <= 8, `${bench.calls.load} attempts`);
      assertEquals(made, 1);
    }
  } finally {
    crypto.subtle.generateKey = native;
  }
  assertEquals([await bench.ring(), bench.events], [[], []]);
});

const FAILURES: readonly [why: string, save: () => Promise<"lost">][] = [
  ["fails", () => Promise.reject(new Error("read-only: d=SECRET"))],
  ["is always lost", () => Promise.resolve("lost")],
];
for (const [why, save] of FAILURES) {
  Deno.test(`sign() keeps using the current key if the write of the next one ${why}`, async () => {
    const down = { yes: false };
    const bench = keyBench({
      wrap: (store) => ({ save: (...args) => down.yes ? save() : store.save(...args) }),
    });
    const service = bench.service();
    const first = await signerOf(service);
    down.yes = true;
    bench.clock.now = END + 60;
    assertEquals(await signerOf(service), first);
    assertEquals(kidsOf(await service.jwks()), [first]);
    assertEquals(bench.warnings, [
      "Cannot write key ring: the store does not take it; the next keys have to wait",
    ]);
    down.yes = false;
    bench.clock.now += 60;
    assertEquals(await signerOf(service), first);
    assertEquals((await service.jwks()).keys.length, 2);
    bench.clock.now += LEAD;
    assertNotEquals(await signerOf(service), first);
  });
}

Deno.test("keyService() passes on errors of the store if there are no keys, and recovers", async () => {
  const error = new Error("the store is out of order");
  for (const method of ["load", "save"] as const) {
    const down = { yes: true };
    const bench = keyBench({
      wrap: (store) => ({
        [method]: (...args: Parameters<KeyStore["save"]>) =>
          down.yes ? Promise.reject(error) : store[method](...args),
      }),
    });
    const service = bench.service();
    const attempts = [
      () => service.sign({}, { expiresIn: 60 }),
      () => service.jwks(),
      () => Promise.resolve(service.resolve({ alg: "Ed25519", kid: "k" })),
      () => service.rotate(),
    ];
    for (const attempt of attempts) {
      assertStrictEquals(await assertRejects(attempt), error, method);
    }
    assertEquals(bench.events, []);
    down.yes = false;
    await bench.verify(await service.sign({}, { expiresIn: 60 }), service.resolve);
  }
});

Deno.test("keyService() uses no ring for longer than a minute, even if the store is down", async () => {
  const error = new Error("the store is out of order");
  const down = { yes: false };
  const bench = keyBench({
    wrap: (store) => ({ load: () => down.yes ? Promise.reject(error) : store.load() }),
  });
  const service = bench.service();
  const token = await service.sign({}, { expiresIn: 600 });
  down.yes = true;
  bench.clock.now += 59;
  await bench.verify(token, service.resolve);
  bench.clock.now += 1;
  assertStrictEquals(await assertRejects(() => bench.verify(token, service.resolve)), error);
  assertStrictEquals(await assertRejects(() => service.sign({}, { expiresIn: 60 })), error);
});

interface SlowBench extends KeyBench {
  /** Delays the response of the next read, whose result is determined now, or the next write, until it is released. */
  hold(method: keyof KeyStore): { readonly letGo: () => void };
  /** Makes the next write succeed but report a failure. */
  loseAnswer(): void;
}

function slowBench(): SlowBench {
  const held: Partial<Record<keyof KeyStore, Promise<void>>> = {};
  let isLost = false;
  const wait = async (method: keyof KeyStore) => {
    const { [method]: hold } = held;
    delete held[method];
    await hold;
  };
  const bench = keyBench({
    wrap: (store) => ({
      async load() {
        const ring = structuredClone(await store.load());
        await wait("load");
        return ring;
      },
      async save(keys, expected) {
        await wait("save");
        const outcome = await store.save(keys, expected);
        if (!isLost) return outcome;
        isLost = false;
        throw new Error("the connection is gone");
      },
    }),
  });
  return {
    ...bench,
    loseAnswer: () => void (isLost = true),
    hold(method) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held[method] = promise;
      return { letGo: resolve };
    },
  };
}

/** Waits until everything that is not blocked has run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
}

Deno.test("rotate() is not undone by a read that started before it and ends after it", async () => {
  const bench = slowBench();
  const service = bench.service();
  const old = await signerOf(service);
  bench.clock.now += 60;
  const { letGo } = bench.hold("load");
  const late = service.jwks();
  await settled();
  await service.rotate();
  letGo();
  await late;
  const { load } = bench.calls;
  const both = kidsOf({ keys: await bench.ring() });
  assertEquals([both.length, kidsOf(await service.jwks())], [2, both]);
  assertNotEquals(await signerOf(service), old);
  assertEquals(bench.calls.load, load, "the cache is fresh");
});

Deno.test("rotate() stays known even if the old ring was read between its read and its write", async () => {
  const bench = slowBench();
  const service = bench.service();
  const before = kidsOf(await service.jwks());
  bench.clock.now += 60;
  const { letGo } = bench.hold("save");
  const rotated = service.rotate();
  await settled();
  assertEquals(kidsOf(await service.jwks()), before);
  letGo();
  await rotated;
  const both = kidsOf({ keys: await bench.ring() });
  assertEquals([both.length, kidsOf(await service.jwks())], [2, both]);
});

Deno.test("rotate() whose response is lost is not undone by an earlier read", async () => {
  const bench = slowBench();
  const service = bench.service();
  const token = await service.sign({}, { expiresIn: 600 });
  bench.clock.now += 60;
  const { letGo } = bench.hold("load");
  const late = service.jwks();
  await settled();
  bench.loseAnswer();
  await assertRejects(() => service.rotate({ revoke: true }), Error, "connection");
  letGo();
  await late;
  assertEquals((await refusal(() => bench.verify(token, service.resolve))).reason, "key_unknown");
  assertNotEquals(await signerOf(service), kidOf(token));
});

Deno.test("keyService() on workerd caches a read that ends while another is in flight", async () => {
  await onWorkerd(async () => {
    const bench = slowBench();
    const service = bench.service();
    await service.jwks();
    await bench.service().rotate(); // another process
    const both = kidsOf({ keys: await bench.ring() });
    bench.clock.now += 3_600;
    const start = async () => {
      const { letGo } = bench.hold("load");
      const set = service.jwks();
      await settled();
      return { letGo, set };
    };
    const [first, second] = [await start(), await start()];
    first.letGo();
    assert(kidsOf(await first.set).includes(both[1] ?? ""));
    const { load } = bench.calls;
    await service.jwks();
    assertEquals(bench.calls.load, load);
    second.letGo();
    await second.set;
  });
});

Deno.test("keyService() on workerd keeps the later of two reads, whichever ends last", async () => {
  await onWorkerd(async () => {
    const bench = slowBench();
    const service = bench.service();
    await service.jwks();
    bench.clock.now += 60;
    const { letGo } = bench.hold("load");
    const late = service.jwks();
    await settled();
    await bench.service().rotate(); // another process
    const both = kidsOf({ keys: await bench.ring() });
    assertEquals([both.length, kidsOf(await service.jwks())], [2, both]);
    letGo();
    await late;
    assertEquals(kidsOf(await service.jwks()), both);
  });
});

Deno.test("keyService() reads a lagging replica once a minute", async () => {
  let copy: KeyRing | null = null;
  const bench = keyBench({
    wrap: (store) => ({
      async load() {
        const ring = await store.load();
        return copy ?? ring;
      },
    }),
  });
  const service = bench.service();
  await service.jwks();
  copy = await bench.store.load();
  await service.rotate({ revoke: true });
  for (const minute of [1, 2, 3]) {
    bench.clock.now += 60;
    await service.jwks();
    const { load, save } = bench.calls;
    for (const _ of [1, 2, 3]) await service.jwks();
    assertEquals([bench.calls.load, bench.calls.save], [load, save], `minute ${minute}`);
  }
});

Deno.test("keyService() finds its own key after a write whose response was lost", async () => {
  const bench = keyBench({
    wrap: (store) => ({
      async save(keys, expected) {
        await store.save(keys, expected);
        throw new Error("the connection is gone");
      },
    }),
  });
  const service = bench.service();
  await assertRejects(() => service.sign({}, { expiresIn: 60 }), Error, "connection");
  const token = await service.sign({}, { expiresIn: 60 });
  assertEquals([kidOf(token)], kidsOf({ keys: await bench.ring() }));
});

Deno.test("rotate() with revoke removes the old keys here even if the response of the write is lost", async () => {
  const lose = { yes: false };
  const bench = keyBench({
    wrap: (store) => ({
      async save(keys, expected) {
        const outcome = await store.save(keys, expected);
        if (lose.yes) throw new Error("the connection is gone");
        return outcome;
      },
    }),
  });
  const service = bench.service();
  const token = await service.sign({}, { expiresIn: 600 });
  lose.yes = true;
  await assertRejects(() => service.rotate({ revoke: true }), Error, "connection");
  assertEquals((await refusal(() => bench.verify(token, service.resolve))).reason, "key_unknown");
  assertNotEquals(await signerOf(service), kidOf(token));
});

Deno.test("rotate() rejects if only a lagging copy of the ring can be read", async () => {
  let copy: KeyRing | null = null;
  const bench = keyBench({
    wrap: (store) => ({ load: async () => copy ?? await store.load() }),
  });
  const service = bench.service();
  await service.sign({}, { expiresIn: 600 });
  copy = await bench.store.load();
  await service.rotate({ revoke: true }).catch(() => {}); // from the copy, which is current at first
  copy = { ...copy, version: "behind", keys: copy?.keys ?? [] };
  const error = await refusal(() => service.rotate({ revoke: true }));
  assertEquals([error.status, error.reason], [503, "key_ring_contended"]);
  assertEquals((await bench.ring()).length, 1);
});

Deno.test("rotate() with revoke is not undone by the late response of an earlier write", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  let isFirst = true;
  const bench = keyBench({
    wrap: (store) => ({
      async save(keys, expected) {
        const isHeld = isFirst;
        isFirst = false;
        const outcome = await store.save(keys, expected);
        write();
        if (isHeld) await released;
        return outcome;
      },
    }),
  });
  const service = bench.service();
  const late = service.sign({}, { expiresIn: 600 });
  await written;
  const [first] = kidsOf({ keys: await bench.ring() });
  await service.rotate({ revoke: true });
  release();
  await late;
  assertEquals(await service.resolve({ alg: "Ed25519", kid: first ?? "" }), undefined);
  assertEquals(kidsOf(await service.jwks()), kidsOf({ keys: await bench.ring() }));
});

Deno.test("keyService() does not write or publish an expired key that was restored", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.jwks();
  await service.rotate();
  const [dropped] = await bench.ring();
  assert(dropped !== undefined);
  bench.clock.now = START + NUMBERS.rotateAfter - LEAD;
  const kids = kidsOf(await service.jwks());
  const { version = null, keys = [] } = await bench.store.load() ?? {};
  assertEquals(kidsOf({ keys }), kids);
  await bench.store.save([dropped, ...keys], version);
  const { load } = bench.calls;
  for (const loads of [1, 2]) {
    bench.clock.now += 60;
    for (const _ of [1, 2, 3]) assertEquals(kidsOf(await service.jwks()), kids);
    assertEquals(bench.calls.load - load, loads);
  }
});
