/** Rings that are not what they should be: nothing is signed, published or verified by any of their keys. */

import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { generateJwk } from "../../../auth/jwt/jwk.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import type { KeyRing, KeyStore, StoredKey } from "../../../auth/stores/types.ts";
import { farAway, keyBench, kidOf, kidsOf, signerOf, START } from "./_key_service.ts";

/** A key as the service itself would keep it. */
async function storedKey(alg: "Ed25519" | "ES256" | "ES384" = "ES256"): Promise<StoredKey> {
  const key = await generateJwk(alg);
  return { kid: key.kid ?? "", alg, key, createdAt: START - 10, activeAt: START - 10 };
}

function jwkOf({ key }: StoredKey): Jwk {
  return key as Jwk;
}

function without(jwk: Jwk, member: string): object {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => name !== member));
}

type Change = (key: StoredKey, other: StoredKey) => object;

const MALFORMED: readonly [why: string, change: Change, message: string][] = [
  ["nothing in it", () => ({}), "algorithm"],
  ["an algorithm that there is not", (key) => ({ ...key, alg: "none" }), "algorithm"],
  ["an algorithm of secrets", (key) => ({ ...key, alg: "HS256" }), "algorithm"],
  ["__proto__ for its algorithm", (key) => ({ ...key, alg: "__proto__" }), "algorithm"],
  ["another algorithm than its key's", (key) => ({ ...key, alg: "ES384" }), "imported"],
  ["another algorithm, which its key also names", (key) => ({
    ...key,
    alg: "ES384",
    key: { ...jwkOf(key), alg: "ES384" },
  }), "imported"],
  ["a key that names another algorithm", (key) => ({
    ...key,
    key: { ...jwkOf(key), alg: "ES384" },
  }), "imported"],
  ["the kid of another key", (key, other) => ({ ...key, kid: other.kid }), "kid"],
  ["a kid that is no text", (key) => ({ ...key, kid: 1 }), "kid"],
  ["no kid", ({ kid: _, ...key }) => key, "kid"],
  ["another key than its kid says", (key, other) => ({ ...key, key: other.key }), "kid"],
  ["no private part", (key) => ({ ...key, key: without(jwkOf(key), "d") }), "imported"],
  ["the private part of another", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), d: jwkOf(other).d },
  }), "imported"],
  ["a point that is on no curve", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), y: jwkOf(other).y },
  }), "kid"],
  [
    "a coordinate that is no text",
    (key) => ({ ...key, key: { ...jwkOf(key), x: 1 } }),
    "malformed",
  ],
  ["a key for encryption", (key) => ({ ...key, key: { ...jwkOf(key), use: "enc" } }), "imported"],
  ["a key that is text", (key) => ({ ...key, key: "encrypted.text" }), "not a JWK"],
  ["a key that is null", (key) => ({ ...key, key: null }), "not a JWK"],
  ["a key that is a list", (key) => ({ ...key, key: [key.key] }), "not a JWK"],
  ["a key that is a secret", (key) => ({ ...key, key: { kty: "oct", k: "c2VjcmV0" } }), "kid"],
  ["no time", ({ activeAt: _, ...key }) => key, "time"],
  ["a time that is text", (key) => ({ ...key, activeAt: String(START) }), "time"],
  ["an end that is text", (key) => ({ ...key, retiredAt: String(START + 1_000) }), "time"],
  ["a time that is a date", (key) => ({ ...key, createdAt: new Date(0) }), "time"],
];
Deno.test("keyService() reads an end that is null as none, as columns have it", async () => {
  const bench = keyBench({
    wrap: (store) => ({
      async load() {
        const ring = await store.load();
        const keys = ring?.keys.map((key) => ({ ...key, retiredAt: key.retiredAt ?? null }));
        return ring && { ...ring, keys: keys as unknown as StoredKey[] };
      },
    }),
  });
  const signer = await signerOf(bench.service());
  assertEquals(await signerOf(bench.service()), signer);
});

for (const [why, change, message] of MALFORMED) {
  Deno.test(`keyService() refuses a ring with a key that has ${why}, whole`, async () => {
    const [sound, key, other] = [await storedKey(), await storedKey(), await storedKey()];
    const ring = { version: "1", keys: [sound, change(key, other)] } as KeyRing;
    await assertRefused(ring, { message, secrets: [sound, key, other] });
  });
}

const GARBAGE: readonly [why: string, ring: unknown, message: string][] = [
  ["undefined", undefined, "version"],
  ["text", "ring", "version"],
  ["a list", [], "version"],
  ["one without a version", { keys: [] }, "version"],
  ["one whose version is a number", { version: 1, keys: [] }, "version"],
  ["one without keys", { version: "1" }, "array"],
  ["one whose keys are text", { version: "1", keys: "[]" }, "array"],
  ["one whose keys are an object", { version: "1", keys: {} }, "array"],
  ["one with null for a key", { version: "1", keys: [null] }, "algorithm"],
];
for (const [why, ring, message] of GARBAGE) {
  Deno.test(`keyService() refuses a ring that is ${why}`, async () => {
    await assertRefused(ring as KeyRing, { message, secrets: [] });
  });
}

Deno.test("keyService() refuses a ring that has a key twice", async () => {
  const key = await storedKey();
  await assertRefused({ version: "1", keys: [key, key] }, {
    message: "duplicate key",
    secrets: [key],
  });
});

const CHANGES: readonly [why: string, change: Change][] = [
  ["got another private part", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), d: jwkOf(other).d },
  })],
  ["changed its algorithm", (key) => ({ ...key, alg: "ES384" })],
];
for (const [why, change] of CHANGES) {
  Deno.test(`keyService() refuses within a minute a ring that it knew, and of which a key ${why}`, async () => {
    const made = await storedKey();
    const key = { ...made, key: without(jwkOf(made), "alg") };
    let keys: object[] = [key];
    const ring = () => Promise.resolve({ version: "1", keys } as KeyRing);
    const bench = keyBench({ wrap: () => ({ load: ring }) });
    const service = bench.service({ algorithms: ["ES256"] });
    assertEquals(await signerOf(service), key.kid);
    keys = [change(key, await storedKey())];
    bench.clock.now += 60;
    await assertRejects(
      () => service.sign({}, { expiresIn: 60 }),
      TypeError,
      "Cannot use key ring",
    );
  });
}

Deno.test("keyService() takes keys that others have made, with members that it does not know", async () => {
  const { key, ...stored } = await storedKey();
  const own = { ...stored, key: { ...key as Jwk, key_ops: ["sign"], ext: true }, note: "by hand" };
  const bench = keyBench();
  assertEquals(await bench.store.save([own], null), "saved");
  const service = bench.service({ algorithms: ["ES256", "Ed25519"] });
  assertEquals(await signerOf(service), stored.kid);
  const [published] = (await service.jwks()).keys;
  assertEquals(Object.keys(published ?? {}).sort().join(), "alg,crv,kid,kty,use,x,y");
  assertEquals((await bench.ring())[0], own, "and keeps them");
});

Deno.test("rotate() with revoke replaces a ring that is malformed, and without it does not", async () => {
  for (const keys of [[{ garbage: true }], "text", [await storedKey(), null]]) {
    const bench = keyBench();
    await bench.store.save(keys as never, null);
    const services = [1, 3].map((turns) => bench.service({ store: farAway(bench.store, turns) }));
    const [service] = services;
    assert(service !== undefined);
    await assertRejects(() => service.rotate(), TypeError, "Cannot use key ring");
    await Promise.all(services.map((one) => one.rotate({ revoke: true })));
    const token = await service.sign({}, { expiresIn: 60 });
    await bench.verify(token, service.resolve);
    assertEquals(kidsOf({ keys: await bench.ring() }), [kidOf(token)]);
  }
});

/** What a service must not do with a ring, and what it must not tell. */
async function assertRefused(
  ring: KeyRing,
  { message, secrets }: { readonly message: string; readonly secrets: readonly StoredKey[] },
): Promise<void> {
  const saved: unknown[] = [];
  const store: KeyStore = {
    load: () => Promise.resolve(ring),
    save: (keys) => Promise.resolve(saved.push(keys) > 0 ? "saved" : "lost"),
  };
  const bench = keyBench();
  const service = bench.service({ store, algorithms: ["ES256"] });
  const attempts = [
    () => service.sign({}, { expiresIn: 60 }),
    () => service.jwks(),
    () => Promise.resolve(service.resolve({ alg: "ES256", kid: secrets[0]?.kid ?? "k" })),
    () => service.rotate(),
  ];
  for (const attempt of attempts) {
    const error = await assertRejects(attempt);
    assertInstanceOf(error, TypeError);
    assertStringIncludes(error.message, "Cannot use key ring: ");
    assertStringIncludes(error.message, message);
    const told = tell(error);
    for (const { key } of secrets) {
      const { d = "" } = key as Jwk;
      assertNotEquals(d, "");
      assertEquals(told.includes(d), false, "the error tells a private key");
    }
  }
  assertEquals([saved, bench.events, bench.warnings], [[], [], []]);
}

/** All that a log has of an error. */
function tell(error: unknown): string {
  return Deno.inspect(error, { depth: 10, showHidden: true });
}
