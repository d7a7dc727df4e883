/** A key service whose ring is encrypted: what is kept, and what it needs for that. */

import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { keyService, type KeyServiceOptions } from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { KeyRing, KeyStore, StoredKey } from "../../../auth/stores/types.ts";
import {
  headerOf,
  OLD,
  openByNode,
  readHeader,
  secretsOf,
  TODAY,
  withSecret,
} from "./_encrypted_keys.ts";
import {
  farAway,
  type KeyBench,
  keyBench,
  kidOf,
  LEAD,
  NUMBERS,
  signerOf,
  START,
} from "./_key_service.ts";

Deno.test("keyService() keeps each key as a JWE of its kid, and goes on by what it finds", async () => {
  const bench = keyBench();
  const algorithms = ["Ed25519", "ES256", "RS256"] as const;
  const token = await withSecret(bench, TODAY, { algorithms }).sign({}, { expiresIn: 600 });
  const ring = await bench.ring();
  assertEquals(ring.map(({ alg }) => alg), [...algorithms]);
  for (const stored of ring) {
    const { kid, alg, key } = stored;
    const jwk: Jwk = JSON.parse(openByNode(String(key)));
    assertEquals([jwk.alg, jwk.kid ?? kid, typeof jwk.d], [alg, kid, "string"]);
    assertEquals(readHeader(key), headerOf(stored));
  }
  const other = withSecret(bench, TODAY, { algorithms });
  await bench.verify(token, other.resolve);
  assertEquals(await signerOf(other), kidOf(token));
  assertEquals(bench.calls.save, 1);
});

Deno.test("keyService() changes keys that are encrypted as it changes others", async () => {
  const bench = keyBench();
  const services = [1, 3].map((turns) =>
    withSecret(bench, TODAY, { store: farAway(bench.store, turns) })
  );
  const tokens: string[] = [];
  for (const at of [0, NUMBERS.rotateAfter - LEAD, NUMBERS.rotateAfter]) {
    bench.clock.now = START + at;
    tokens.push(...await Promise.all(services.map((one) => one.sign({}, { expiresIn: 600 }))));
  }
  assertEquals(new Set(tokens.map(kidOf)).size, 2);
  assertEquals(new Set(tokens.slice(4).map(kidOf)).size, 1);
  assertEquals(await secretsOf(bench), [TODAY, TODAY]);
  assertEquals(bench.events.length, 2);
  const ring = await bench.ring();
  assertEquals(ring.map(({ retiredAt }) => typeof retiredAt), ["number", "undefined"]);
  assertEquals(ring.map(({ key }) => readHeader(key)), ring.map(headerOf), "with their new ends");
});

/** A bench whose store gives a time otherwise than it was saved. */
function benchGiving(time: (value: number | undefined) => unknown): KeyBench {
  return keyBench({
    wrap: (store) => ({
      async load() {
        const ring = await store.load();
        const give = (key: StoredKey) => ({ ...key, retiredAt: time(key.retiredAt) });
        return ring && { ...ring, keys: ring.keys.map(give) as unknown as StoredKey[] };
      },
    }),
  });
}

Deno.test("keyService() takes null of a store with columns for an end that an encrypted key does not have", async () => {
  const bench = benchGiving((value) => value ?? null);
  const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
  const service = withSecret(bench, [TODAY, OLD]);
  await bench.verify(token, service.resolve);
  assertEquals(await secretsOf(bench), [TODAY]);
  await service.rotate();
  const other = withSecret(bench, TODAY);
  await bench.verify(token, other.resolve);
  assertEquals(await signerOf(other), await signerOf(service));
  assertEquals([(await bench.ring()).length, bench.warnings], [2, []]);
});

const GIVEN: readonly [how: string, time: (value: number) => unknown][] = [
  ["text", (value) => `${value}`],
  ["a bigint", BigInt],
  ["a Date", (value) => new Date(value * 1000)],
  ["milliseconds", (value) => value * 1000],
  ["nothing", () => undefined],
];
for (const [how, time] of GIVEN) {
  Deno.test(`keyService() refuses a ring of encrypted keys whose times are given as ${how}`, async () => {
    const bench = benchGiving((value) => value === undefined ? value : time(value));
    const service = withSecret(bench, TODAY);
    const kid = await signerOf(service);
    await service.rotate();
    const { save } = bench.calls;
    const other = withSecret(bench, TODAY);
    for (
      const attempt of [
        () => other.sign({}, { expiresIn: 60 }),
        () => other.jwks(),
        async () => await other.resolve({ alg: "Ed25519", kid }),
      ]
    ) {
      await assertRejects(attempt, TypeError, "Cannot use key ring: ");
    }
    assertEquals(bench.calls.save, save);
  });
}

Deno.test("keyService() asks the store for encrypted keys no more often than for others", async () => {
  const bench = keyBench();
  const service = withSecret(bench, [TODAY, OLD]);
  for (let i = 0; i < 50; i++) await service.sign({}, { expiresIn: 60 });
  assertEquals(bench.calls, { load: 1, save: 1 });
  bench.clock.now += 60;
  for (let i = 0; i < 50; i++) await service.sign({}, { expiresIn: 60 });
  assertEquals(bench.calls, { load: 2, save: 1 });
});

const KEYS = deriveKeys(TODAY);
const PERSISTENT: KeyStore = { ...inMemoryAuthStores().keys, persistent: true };

const WRONG: readonly [why: string, options: object, message: string][] = [
  [
    "no keys for a store that is persistent",
    { store: PERSISTENT },
    "keys are required for a persistent store",
  ],
  ["a word for the keys that there is not", { keys: "skip" }, "keys must be"],
  ["a secret for the keys", { keys: TODAY }, "keys must be"],
  ["false for the keys", { keys: false }, "keys must be"],
  ["null for the keys", { keys: null, store: PERSISTENT }, "keys must be"],
  ["keys that only sign", { keys: { sign: KEYS.sign, verify: KEYS.verify } }, "keys must be"],
  ["keys that only encrypt", { keys: { ...KEYS, decrypt: undefined } }, "keys must be"],
];
for (const [why, options, message] of WRONG) {
  Deno.test(`keyService() refuses ${why}`, () => {
    const whole = { store: inMemoryAuthStores().keys, ...options } as KeyServiceOptions;
    const error = assertThrows(() => keyService(whole), TypeError, message);
    assertStringIncludes(error.message, "Cannot create key service: ");
    for (const word of ["deriveKeys(", '"insecureSkip"']) assertStringIncludes(error.message, word);
    assertEquals(error.message.includes(TODAY), false);
  });
}

Deno.test("keyService() keeps plain keys where it is told to, or the store outlives nothing", async () => {
  for (const [persistent, keys] of [[true, "insecureSkip"], [false, undefined]] as const) {
    const store: KeyStore = { ...inMemoryAuthStores().keys, persistent };
    const service = keyService({ store, keys, algorithms: ["Ed25519"] });
    const kid = await signerOf(service);
    const [stored] = (await store.load())?.keys ?? [];
    assertEquals([stored?.kid, typeof (stored?.key as Jwk).d], [kid, "string"]);
  }
});

const GARBAGE: readonly [why: string, ring: unknown, message: string][] = [
  ["undefined", undefined, "version"],
  ["text", "ring", "version"],
  ["a list", [], "version"],
  ["one without a version", { keys: [] }, "version"],
  ["one whose keys are text", { version: "1", keys: "[]" }, "array"],
  ["one with null for a key", { version: "1", keys: [null] }, "algorithm"],
  ["one with text for a key", { version: "1", keys: ["key"] }, "algorithm"],
];
for (const [why, ring, message] of GARBAGE) {
  Deno.test(`keyService() that decrypts refuses a ring that is ${why}`, async () => {
    const bench = keyBench({ wrap: () => ({ load: () => Promise.resolve(ring as KeyRing) }) });
    const service = withSecret(bench, TODAY);
    const error = await assertRejects(() => service.jwks(), TypeError, "Cannot use key ring: ");
    assertStringIncludes(error.message, message);
    assertEquals(bench.calls.save, 0);
  });
}
