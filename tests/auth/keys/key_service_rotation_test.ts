/** What a key service does as time goes by, and when it is told to. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { AuthEvent } from "../../../auth/events.ts";
import { KEEP, keyBench, kidOf, kidsOf, LEAD, NUMBERS, signerOf, START } from "./_key_service.ts";
import { refusal } from "../_services.ts";

/** The end of the first key. */
const END = START + NUMBERS.rotateAfter;

Deno.test("keyService() publishes, changes, keeps and drops a key at the second", async () => {
  const bench = keyBench();
  /** A process that reads the store at that very second. */
  const at = async (now: number) => {
    bench.clock.now = now;
    const service = bench.service();
    return { kids: kidsOf(await service.jwks()), signer: await signerOf(service) };
  };
  const { signer: first } = await at(START);
  assertEquals(await at(END - LEAD - 1), { kids: [first], signer: first });
  const { kids: [, second = ""] } = await at(END - LEAD);
  assertNotEquals(second, first);
  assertEquals(await at(END - LEAD), { kids: [first, second], signer: first });
  assertEquals(await at(END - 1), { kids: [first, second], signer: first });
  assertEquals(await at(END), { kids: [first, second], signer: second });
  assertEquals(await at(END + KEEP - 1), { kids: [first, second], signer: second });
  assertEquals(await at(END + KEEP), { kids: [second], signer: second });
  assertEquals(kidsOf({ keys: await bench.ring() }), [first, second], "no write for its own sake");
  const third = await at(END + NUMBERS.rotateAfter - LEAD);
  assertEquals(third.kids.length, 2);
  assertEquals(kidsOf({ keys: await bench.ring() }), third.kids, "gone at the next write");
  assertEquals(bench.calls.save, 3);
});

Deno.test("keyService() that is idle for years signs by the old key until the new one is known", async () => {
  const bench = keyBench();
  const service = bench.service();
  const old = await signerOf(service);
  bench.clock.now += 10 * 365 * 86_400;
  const [first, next] = kidsOf(await service.jwks());
  assertEquals([first, await signerOf(service)], [old, old]);
  bench.clock.now += LEAD - 1;
  assertEquals(await signerOf(service), old);
  bench.clock.now += 1;
  assertEquals(await signerOf(service), next);
});

Deno.test("keyService() tells of each key when it is made, and of none of what is in it", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["Ed25519", "ES256"] });
  const kids = kidsOf(await service.jwks());
  const made = (at: number, alg: string, kid = ""): AuthEvent => ({
    type: "key.rotated",
    at,
    alg,
    kid,
  });
  assertEquals(bench.events, [made(START, "Ed25519", kids[0]), made(START, "ES256", kids[1])]);
  bench.clock.now = END - LEAD;
  const next = kidsOf(await service.jwks()).slice(2);
  assertEquals(bench.events.slice(2), [
    made(END - LEAD, "Ed25519", next[0]),
    made(END - LEAD, "ES256", next[1]),
  ]);
  bench.clock.now = END;
  await service.jwks();
  assertEquals(bench.events.length, 4);
});

Deno.test("rotate() makes a key that signs at once, and keeps the old one for what it signed", async () => {
  const bench = keyBench();
  const service = bench.service();
  const token = await service.sign({}, { expiresIn: NUMBERS.maxTokenAge });
  await service.rotate();
  const [old, fresh] = kidsOf(await service.jwks());
  assertEquals([old, fresh], [kidOf(token), await signerOf(service)]);
  assertNotEquals(old, fresh);
  bench.clock.now = START + NUMBERS.maxTokenAge + 29;
  await bench.verify(token, service.resolve);
  await bench.verify(token, await bench.service().jwks());
  bench.clock.now = START + KEEP - 1;
  assertEquals(kidsOf(await bench.service().jwks()), [old, fresh]);
  bench.clock.now = START + KEEP;
  assertEquals(kidsOf(await bench.service().jwks()), [fresh]);
});

Deno.test("rotate() keeps the old key for what a process signs that has not heard of it", async () => {
  const bench = keyBench();
  const [one, other] = [bench.service(), bench.service()];
  await other.jwks();
  await one.rotate();
  bench.clock.now += 59;
  const late = await other.sign({}, { expiresIn: NUMBERS.maxTokenAge });
  assertNotEquals(kidOf(late), await signerOf(one));
  bench.clock.now += NUMBERS.maxTokenAge + 29;
  for (const service of [one, other, bench.service()]) {
    await bench.verify(late, service.resolve);
    await bench.verify(late, await service.jwks());
  }
  bench.clock.now = START + 60;
  assertEquals(await signerOf(other), await signerOf(one));
});

Deno.test("rotate() takes a pending key back: it never signs", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.jwks();
  bench.clock.now = END - LEAD;
  const [, pending] = kidsOf(await service.jwks());
  await service.rotate();
  const [, , fresh] = kidsOf(await service.jwks());
  for (const now of [END - LEAD, END - 1, END, END + LEAD]) {
    bench.clock.now = now;
    assertEquals([await signerOf(service), fresh === pending], [fresh, false]);
  }
});

Deno.test("rotate() on an empty store makes one key for each algorithm", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["Ed25519", "ES256"] });
  await service.rotate();
  assertEquals((await service.jwks()).keys.map(({ alg }) => alg), ["Ed25519", "ES256"]);
});

Deno.test("rotate() with revoke refuses what the old keys signed: here at once, elsewhere within a minute", async () => {
  const bench = keyBench();
  const [one, other] = [bench.service(), bench.service()];
  const token = await one.sign({}, { expiresIn: 600 });
  await bench.verify(token, other.resolve);
  await one.rotate({ revoke: true });
  assertEquals((await refusal(() => bench.verify(token, one.resolve))).reason, "key_unknown");
  assertEquals(kidsOf(await one.jwks()), [await signerOf(one)]);
  assertEquals(kidsOf({ keys: await bench.ring() }), [await signerOf(one)]);
  bench.clock.now += 59;
  await bench.verify(token, other.resolve);
  bench.clock.now += 1;
  assertEquals((await refusal(() => bench.verify(token, other.resolve))).reason, "key_unknown");
  assertEquals(await signerOf(other), await signerOf(one));
});

Deno.test("rotate() with revoke takes pending and retired keys, and those of other algorithms, too", async () => {
  const bench = keyBench();
  await bench.service({ algorithms: ["ES256"] }).jwks();
  const service = bench.service();
  await service.rotate();
  await service.rotate();
  bench.clock.now = END - LEAD;
  assert((await service.jwks()).keys.length >= 2);
  await service.rotate({ revoke: true });
  assertEquals(kidsOf(await service.jwks()), [await signerOf(service)]);
  assertEquals((await bench.ring()).length, 1);
});

for (const when of ["before it", "while it writes"]) {
  Deno.test(`rotate() with revoke is not undone by a reading that began ${when}`, async () => {
    let isHeld = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => release = resolve);
    let beforeWrite = () => {};
    const bench = keyBench({
      wrap: (store) => ({
        async load() {
          const isSlow = isHeld;
          const ring = await store.load();
          if (isSlow) await held;
          return ring;
        },
        save(...args) {
          beforeWrite();
          return store.save(...args);
        },
      }),
    });
    const service = bench.service();
    const token = await service.sign({}, { expiresIn: 600 });
    bench.clock.now += 60;
    let slow: Promise<unknown> | undefined;
    const read = () => {
      isHeld = true;
      slow = service.jwks();
      isHeld = false;
    };
    if (when === "before it") read();
    else beforeWrite = read;
    await service.rotate({ revoke: true });
    release();
    await slow;
    assertEquals((await refusal(() => bench.verify(token, service.resolve))).reason, "key_unknown");
    assertEquals(kidsOf(await service.jwks()), [await signerOf(service)]);
  });
}

Deno.test("keyService() gives an algorithm that is added a key that signs at once", async () => {
  const bench = keyBench();
  const before = bench.service();
  const old = await before.sign({}, { expiresIn: 600 });
  const after = bench.service({ algorithms: ["Ed25519", "ES256"] });
  const token = await after.sign({}, { alg: "ES256", expiresIn: 600 });
  assertEquals(kidsOf(await after.jwks()), [kidOf(old), kidOf(token)]);
  assertEquals(await signerOf(after), kidOf(old));
  bench.clock.now += 5;
  await bench.verify(token, before.resolve);
});

Deno.test("keyService() keeps the keys of an algorithm that is left out until they may go", async () => {
  const bench = keyBench();
  const before = bench.service({ algorithms: ["ES256", "Ed25519"] });
  const token = await before.sign({}, { expiresIn: 700 });
  const at = async (now: number) => {
    bench.clock.now = now;
    return (await bench.service().jwks()).keys.map(({ alg }) => alg);
  };
  assertEquals(await at(START + 10), ["ES256", "Ed25519"]);
  await bench.verify(token, bench.service().resolve);
  const end = START + 10 + LEAD + KEEP;
  assertEquals(await at(end - 1), ["ES256", "Ed25519"]);
  assertEquals(await at(end), ["Ed25519"]);
  assertEquals(await at(END - LEAD), ["Ed25519", "Ed25519"]);
  assertEquals((await bench.ring()).map(({ alg }) => alg), ["Ed25519", "Ed25519"]);
});

Deno.test("keyService() of two lists of algorithms at a time makes few keys, and none that signs unknown", async () => {
  const bench = keyBench();
  const old = bench.service({ algorithms: ["ES256", "Ed25519"] });
  const added = bench.service({ algorithms: ["Ed25519", "EdDSA"] });
  const seen = new Map<string, number>();
  for (const end = START + 3_600; bench.clock.now < end; bench.clock.now += 30) {
    for (const service of [old, added]) {
      for (const kid of kidsOf(await service.jwks())) {
        if (!seen.has(kid)) seen.set(kid, bench.clock.now);
      }
      for (const alg of service.algorithms) {
        const since = seen.get(await signerOf(service, alg)) ?? NaN;
        assert(since === START || bench.clock.now - since >= LEAD - 60, `${alg} at ${since}`);
      }
    }
  }
  assert(seen.size <= 3 + 2 * Math.ceil(3_600 / LEAD), `${seen.size} keys`);
});

const JUMPS: readonly [why: string, jump: (now: number) => number][] = [
  ["a second", (now) => now - 1],
  ["an hour", (now) => now - 3_600],
  ["to before the first key", () => START - 86_400],
  ["to 1970", () => 0],
];
for (const [why, jump] of JUMPS) {
  for (const [when, now] of [["before", END - LEAD], ["after", END + 1]] as const) {
    Deno.test(`keyService() whose clock jumps back ${why}, ${when} a change, goes on`, async () => {
      const bench = keyBench();
      const service = bench.service();
      await service.jwks();
      for (const step of [END - LEAD, now]) {
        bench.clock.now = step;
        await service.jwks();
      }
      const token = await service.sign({}, { expiresIn: 600 });
      const pending = (await bench.ring()).filter(({ activeAt, createdAt }) =>
        activeAt > createdAt
      );
      bench.clock.now = jump(bench.clock.now);
      for (const process of [service, bench.service()]) {
        const made = await process.sign({}, { expiresIn: 600 });
        const early = pending.filter(({ activeAt }) => bench.clock.now < activeAt);
        assertEquals(early.map(({ kid }) => kid).includes(kidOf(made)), false);
        for (const other of [service, bench.service()]) await bench.verify(made, other.resolve);
        assert(kidsOf(await process.jwks()).includes(kidOf(token)));
      }
      assert((await bench.ring()).length <= 3, "no key for every question");
      bench.clock.now = now + 1;
      await bench.verify(token, service.resolve);
    });
  }
}

Deno.test("keyService() whose clock was in 2100 for a moment still changes its keys", async () => {
  const bench = keyBench();
  const service = bench.service();
  const first = await signerOf(service);
  bench.clock.now = 4_102_444_800;
  await service.jwks();
  bench.clock.now = START + 60;
  assertEquals(await signerOf(service), first);
  bench.clock.now = END - LEAD;
  await service.jwks();
  bench.clock.now = END;
  assertNotEquals(await signerOf(service), first);
});

Deno.test("keyService() whose clock is behind signs by its own key until the first one is active", async () => {
  const bench = keyBench();
  const ahead = bench.service({ now: () => bench.clock.now + 45 });
  const token = await ahead.sign({}, { expiresIn: 600 });
  const behind = bench.service();
  const own = await behind.sign({}, { expiresIn: 600 });
  assertNotEquals(kidOf(own), kidOf(token));
  assertEquals((await bench.ring()).map(({ retiredAt }) => retiredAt), [undefined, START + 45]);
  bench.clock.now += 45;
  assertEquals(await signerOf(behind), kidOf(token));
  await bench.verify(own, behind.resolve);
  assertEquals((await bench.ring()).length, 2);
});
