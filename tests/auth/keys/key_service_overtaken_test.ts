/** Answers of a store that come in another order than they were asked for. */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { KeyRing, KeyStore } from "../../../auth/stores/types.ts";
import { type KeyBench, keyBench, kidOf, kidsOf, signerOf } from "./_key_service.ts";
import { refusal } from "../_services.ts";
import { onWorkerd } from "../_workerd.ts";

interface SlowBench extends KeyBench {
  /** Holds back the next answer of a reading, which is of now, or the next write, until it is let go. */
  hold(method: keyof KeyStore): { readonly letGo: () => void };
  /** Has the next write be done, and say that it failed. */
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

/** Lets everything go on that waits for nobody. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
}

Deno.test("rotate() is not undone by a reading that had begun before, and ends after", async () => {
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
  assertEquals(bench.calls.load, load, "what is known is fresh");
});

Deno.test("rotate() is known though the ring of before was read between its reading and its writing", async () => {
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

Deno.test("rotate() whose answer is lost leaves nothing to a reading that had begun before", async () => {
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

Deno.test("keyService() on workerd keeps the later of two readings, whichever ends last", async () => {
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

Deno.test("keyService() reads a copy that lags once a minute, as it does the store itself", async () => {
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
