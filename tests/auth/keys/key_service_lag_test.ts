/** Stores whose answers come late, are lost, or are of a copy that lags. */

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { KeyRing } from "../../../auth/stores/types.ts";
import { keyBench, kidOf, kidsOf, LEAD, NUMBERS, signerOf, START } from "./_key_service.ts";
import { refusal } from "../_services.ts";

Deno.test("keyService() whose write was done, and its answer lost, finds its own key", async () => {
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

Deno.test("rotate() with revoke whose write was done, and its answer lost, still ends the old keys here", async () => {
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

Deno.test("rotate() wants to know the ring as it is, and makes nothing of a copy that lags", async () => {
  let copy: KeyRing | null = null;
  const bench = keyBench({
    wrap: (store) => ({ load: async () => copy ?? await store.load() }),
  });
  const service = bench.service();
  await service.sign({}, { expiresIn: 600 });
  copy = await bench.store.load();
  await service.rotate({ revoke: true }).catch(() => {}); // by the copy, which is right at first
  copy = { ...copy, version: "behind", keys: copy?.keys ?? [] };
  const error = await refusal(() => service.rotate({ revoke: true }));
  assertEquals([error.status, error.reason], [503, "key_ring_contended"]);
  assertEquals((await bench.ring()).length, 1);
});

Deno.test("rotate() with revoke is not undone by the late answer of an earlier write", async () => {
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

Deno.test("keyService() goes on with a ring to which a key came back that it had dropped, without it", async () => {
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
