/**
 * Two processes on one store, each with its own cache of the ring, and verifiers that cache the published keys, through
 * several rotations: every token verifies everywhere until it expires.
 */

import { assert } from "@std/assert";
import type { JwkSet } from "../../../auth/jwt/types.ts";
import type { KeyService } from "../../../auth/keys/key_service.ts";
import { EXHAUSTIVE, SEEDS } from "../../_effort.ts";
import { randomNumbers } from "../../static/_random.ts";
import { type KeyBench, keyBench, kidOf, LEAD, NUMBERS, START } from "./_key_service.ts";
import { repeat } from "../_services.ts";

/** A source of keys, cached for as long as allowed. */
type KeySource = () => Promise<JwkSet>;

/** A cache of keys for at most `cacheAge`: a verifier, or an HTTP cache in front of one. */
function keptFor(
  { clock }: KeyBench,
  read: KeySource,
  random: (below: number) => number = (below) => below - 1,
): KeySource {
  let kept: { readonly set: JwkSet; readonly endsAt: number } | undefined;
  return async () => {
    if (kept === undefined || clock.now >= kept.endsAt) {
      const age = random(2) === 0 ? NUMBERS.cacheAge : 1 + random(NUMBERS.cacheAge);
      kept = { set: await read(), endsAt: clock.now + age };
    }
    return kept.set;
  };
}

interface Signed {
  readonly token: string;
  readonly endsAt: number;
}

interface Walk {
  readonly bench: KeyBench;
  readonly services: readonly KeyService[];
  readonly verifiers: readonly KeySource[];
  /** A signed and valid token. */
  readonly signed: Signed[];
  readonly kids: Set<string>;
}

/** Verifiers that fetch from one process, the other, both in turn, and through an HTTP cache. */
function startWalk(random?: (below: number) => number): Walk {
  const bench = keyBench();
  const services = repeat(2, () => bench.service());
  let turn = 0;
  const either = () => services[turn++ % 2]?.jwks() ?? Promise.reject(new Error("no service"));
  const sources: KeySource[] = [...services.map(({ jwks }) => jwks), either];
  const cached = sources.map((read) => keptFor(bench, read, random));
  const verifiers = [...sources, ...cached].map((read) => keptFor(bench, read, random));
  return { bench, services, verifiers, signed: [], kids: new Set() };
}

async function sign({ bench, signed, kids }: Walk, service: KeyService, expiresIn: number) {
  const token = await service.sign({}, { expiresIn });
  kids.add(kidOf(token));
  signed.push({ token, endsAt: bench.clock.now + expiresIn + 30 });
}

/** Verifies valid tokens at a verifier. */
async function verifyAll({ bench, signed }: Walk, keys: JwkSet | KeyService["resolve"]) {
  const valid = signed.filter(({ endsAt }) => bench.clock.now < endsAt);
  signed.splice(0, signed.length, ...valid);
  await Promise.all(valid.map(({ token }) => bench.verify(token, keys)));
}

Deno.test("keyService() does not sign with a key that a verifier behind a cache and another process has not fetched", async () => {
  const bench = keyBench();
  const [one, other] = [bench.service(), bench.service()];
  const cache = keptFor(bench, other.jwks);
  const verifier = keptFor(bench, cache);
  const due = START + NUMBERS.rotateAfter - LEAD;
  await one.jwks();
  const steps: readonly (readonly [at: number, work: () => Promise<unknown>])[] = [
    [due - 1, other.jwks], // the other process has read just before the key is generated
    [due, one.jwks],
    [due + 58, cache], // the cache fetches just before it reads again
    [due + 58 + NUMBERS.cacheAge - 1, verifier], // the verifier fetches just before the cache does
  ];
  for (const [at, work] of steps) {
    bench.clock.now = at;
    await work();
  }
  const last = due + 58 + 2 * NUMBERS.cacheAge - 2;
  for (let at = last - 5; at <= last; at++) {
    bench.clock.now = at;
    await bench.verify(await one.sign({}, { expiresIn: 700 }), await verifier());
  }
  assert(last < START + NUMBERS.rotateAfter);
  bench.clock.now = START + NUMBERS.rotateAfter;
  const token = await one.sign({}, { expiresIn: 700 });
  assert(kidOf(token) !== (await bench.ring())[0]?.kid);
  await bench.verify(token, await verifier());
});

/** Steps in seconds, and the steps at which each verifier fetches: with small steps, each at a different one. */
const STEPS: readonly (readonly [step: number, every: number])[] = [
  [40, 6],
  [59, 12],
  [97, 1],
  [301, 1],
];
for (const [step, every] of EXHAUSTIVE ? STEPS : STEPS.slice(-1)) {
  Deno.test(`keyService() leaves no valid token unverified, in steps of ${step} seconds`, async () => {
    const walk = startWalk();
    const { bench, services, verifiers, kids } = walk;
    const steps = Math.ceil(4.5 * NUMBERS.rotateAfter / step);
    for (let i = 0; i < steps; i++) {
      for (const service of services) await sign(walk, service, NUMBERS.maxTokenAge);
      for (const [v, keys] of verifiers.entries()) {
        if ((i + v) % every === 0) await verifyAll(walk, await keys());
      }
      for (const { resolve } of services) {
        if (i % every === 0) await verifyAll(walk, resolve);
      }
      bench.clock.now += step;
    }
    assert(kids.size === 5, `${kids.size} keys have signed`);
  });
}

for (const seed of repeat(SEEDS, (i) => i + 1)) {
  Deno.test(`keyService() leaves no valid token unverified, on the random walk ${seed}`, async () => {
    const below = randomNumbers(seed);
    const walk = startWalk(below);
    const { bench, services, verifiers, kids } = walk;
    let latest = 0;
    while (bench.clock.now < START + 4.5 * NUMBERS.rotateAfter) {
      const service = services[below(2)];
      const keys = verifiers[below(verifiers.length)];
      assert(service !== undefined && keys !== undefined);
      const dice = below(10);
      if (dice < 5) await sign(walk, service, 1 + below(NUMBERS.maxTokenAge));
      else if (dice < 9) await verifyAll(walk, await keys());
      else await verifyAll(walk, service.resolve);
      // Mostly small steps, sometimes one over several deadlines, and one that sets the clock back by
      const size = below(100);
      latest = Math.max(latest, bench.clock.now);
      if (size < 90) bench.clock.now += below(70);
      else if (size < 98) bench.clock.now += below(900);
      else bench.clock.now = Math.max(latest - 20, bench.clock.now - below(20));
    }
    assert(kids.size >= 4, `${kids.size} keys have signed`);
  });
}

for (const seed of repeat(SEEDS, (i) => i + 101)) {
  Deno.test(`rotate() leaves no valid token unverified after a new fetch, on the random walk ${seed}`, async () => {
    const below = randomNumbers(seed);
    const walk = startWalk(below);
    const { bench, services, verifiers, signed } = walk;
    for (let i = 0; i < 120; i++) {
      const service = services[below(2)];
      assert(service !== undefined);
      const dice = below(10);
      if (dice < 1) await service.rotate();
      else await sign(walk, service, NUMBERS.maxTokenAge);
      // A verifier that finds an unknown kid fetches again, bypassing caches
      const fresh = await bench.service().jwks();
      for (const keys of [await verifiers[below(verifiers.length)]?.(), fresh]) {
        assert(keys !== undefined);
        const known = new Set(keys.keys.map(({ kid }) => kid));
        const late = signed.filter(({ token }) => !known.has(kidOf(token)));
        await verifyAll({ ...walk, signed: signed.filter((one) => !late.includes(one)) }, keys);
        await verifyAll({ ...walk, signed: late }, fresh);
      }
      bench.clock.now += below(60);
    }
  });
}
