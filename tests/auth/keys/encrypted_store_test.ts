/** A key service whose ring is encrypted: storage and required options. */

import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { keyService, type KeyServiceOptions } from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { KeyRing, KeyStore, StoredKey } from "../../../auth/stores/types.ts";
import { ask, createTokenApp, refresh, signInForTokens } from "../http/_token_routes.ts";
import {
  assertRefused,
  headerOf,
  OLD,
  openByNode,
  OTHER,
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
  kidsOf,
  LEAD,
  NUMBERS,
  signerOf,
  START,
} from "./_key_service.ts";

Deno.test("keyService() stores each key as a JWE with its kid, and reads it back", async () => {
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

Deno.test("keyService() rotates encrypted keys like plain ones", async () => {
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
  assertEquals(
    ring.map(({ key }) => readHeader(key)),
    ring.map(headerOf),
    "with their new retiredAt",
  );
});

/** A bench whose store returns a time in another type than it was saved. */
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

Deno.test("keyService() accepts null for the absent retiredAt of an encrypted key", async () => {
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
  Deno.test(`keyService() rejects a ring of encrypted keys whose times are returned as ${how}`, async () => {
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

Deno.test("keyService() reads the store no more often for encrypted keys", async () => {
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
    "no keys for a persistent store",
    { store: PERSISTENT },
    "keys are required for a persistent store",
  ],
  ["an arbitrary string as keys", { keys: "skip" }, "keys must be"],
  ["a secret as keys", { keys: TODAY }, "keys must be"],
  ["false as keys", { keys: false }, "keys must be"],
  ["null as keys", { keys: null, store: PERSISTENT }, "keys must be"],
  ["keys without encryption", { keys: { sign: KEYS.sign, verify: KEYS.verify } }, "keys must be"],
  ["keys without signing", { keys: { ...KEYS, decrypt: undefined } }, "keys must be"],
];
for (const [why, options, message] of WRONG) {
  Deno.test(`keyService() rejects ${why}`, () => {
    const whole = { store: inMemoryAuthStores().keys, ...options } as KeyServiceOptions;
    const error = assertThrows(() => keyService(whole), TypeError, message);
    assertStringIncludes(error.message, "Cannot create key service: ");
    for (const word of ["deriveKeys(", '"insecureSkip"']) assertStringIncludes(error.message, word);
    assertEquals(error.message.includes(TODAY), false);
  });
}

Deno.test("keyService() stores plain keys with insecureSkip or in a store that is not persistent", async () => {
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
  ["an array", [], "version"],
  ["one without a version", { keys: [] }, "version"],
  ["one whose keys are a string", { version: "1", keys: "[]" }, "array"],
  ["one with null as a key", { version: "1", keys: [null] }, "algorithm"],
  ["one with a string as a key", { version: "1", keys: ["key"] }, "algorithm"],
];
for (const [why, ring, message] of GARBAGE) {
  Deno.test(`keyService() that decrypts rejects a ring that is ${why}`, async () => {
    const bench = keyBench({ wrap: () => ({ load: () => Promise.resolve(ring as KeyRing) }) });
    const service = withSecret(bench, TODAY);
    const error = await assertRejects(() => service.jwks(), TypeError, "Cannot use key ring: ");
    assertStringIncludes(error.message, message);
    assertEquals(bench.calls.save, 0);
  });
}

Deno.test("keyService() with a new first secret accepts old tokens, and re-encrypts the ring", async () => {
  const bench = keyBench();
  const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
  await withSecret(bench, OLD).rotate();
  const [before, stored] = [await secretsOf(bench), await bench.ring()];
  assertEquals(before, [OLD, OLD]);

  const both = withSecret(bench, [TODAY, OLD]);
  await bench.verify(token, both.resolve);
  assertEquals(await secretsOf(bench), [TODAY, TODAY]);
  const times = (keys: readonly StoredKey[]) => keys.map(({ key: _, ...rest }) => rest);
  assertEquals(times(await bench.ring()), times(stored), "and changes nothing else");

  const only = withSecret(bench, TODAY);
  await bench.verify(token, only.resolve);
  assertEquals(await signerOf(only), await signerOf(both));
  await assertRefused(withSecret(bench, OLD), kidOf(token));
  assertEquals(bench.warnings, []);
});

Deno.test("keyService() re-encrypts a ring once", async () => {
  const bench = keyBench();
  await signerOf(withSecret(bench, OLD));
  const { save } = bench.calls;
  const service = withSecret(bench, [TODAY, OLD]);
  for (let minute = 0; minute < 5; minute++) {
    await signerOf(service);
    bench.clock.now += 60;
  }
  assertEquals(bench.calls.save - save, 1);
});

Deno.test("keyService() with a new secret last, then first, invalidates no token in any process", async () => {
  const bench = keyBench();
  const lists = [[OLD], [OLD, TODAY], [TODAY, OLD], [TODAY]];
  const tokens: string[] = [];
  for (const [i, list] of lists.entries()) {
    const next = lists[i + 1] ?? list; // both are present during a deployment
    const services = [list, next, list, next].map((secret) => withSecret(bench, secret));
    for (let minute = 0; minute < 3; minute++) {
      for (const service of services) {
        tokens.push(await service.sign({}, { expiresIn: 600 }));
        for (const token of tokens) await bench.verify(token, service.resolve);
      }
      await Promise.all(services.map((service) => service.jwks()));
      bench.clock.now += 60;
    }
    await signerOf(withSecret(bench, next)); // after the deployment
    assertEquals(await secretsOf(bench), [next[0] ?? ""]);
    tokens.splice(0, tokens.length - 4);
  }
  assertEquals([bench.warnings, new Set(tokens.map(kidOf)).size], [[], 1]);
});

Deno.test("keyService() keeps using an old secret if the ring cannot be written, and warns", async () => {
  for (const outcome of ["lost", "fails"]) {
    const down = { yes: false, saves: 0 };
    const bench = keyBench({
      wrap: (store) => ({
        save(keys, expected) {
          if (!down.yes) return store.save(keys, expected);
          down.saves++;
          return outcome === "lost" ? Promise.resolve("lost") : Promise.reject(new Error("down"));
        },
      }),
    });
    const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
    down.yes = true;
    const service = withSecret(bench, [TODAY, OLD]);
    await bench.verify(token, service.resolve);
    assertEquals(await signerOf(service), kidOf(token));
    assertEquals([await secretsOf(bench), down.saves], [[OLD], 1], "one attempt per read");
    const [warning = "", ...others] = bench.warnings;
    assertEquals(others, []);
    if (outcome === "fails") assertStringIncludes(warning, "keep the old secret");
    else assertEquals(warning, "");

    down.yes = false;
    bench.clock.now += 60;
    await service.jwks();
    assertEquals(await secretsOf(bench), [TODAY]);
  }
});

Deno.test("keyService() re-encrypts a ring if any key is encrypted by an old secret", async () => {
  const algorithms = ["Ed25519", "ES256"] as const; // one key each is enough
  for (const secrets of [[OLD, TODAY], [TODAY, OLD]]) {
    const keys: StoredKey[] = [];
    for (const [i, secret] of secrets.entries()) {
      const bench = keyBench();
      await withSecret(bench, secret, { algorithms: algorithms.slice(i, i + 1) }).jwks();
      keys.push(...await bench.ring());
    }
    const bench = keyBench();
    await bench.store.save(keys, null);
    assertEquals(await secretsOf(bench), secrets);
    await withSecret(bench, [TODAY, OLD], { algorithms }).jwks();
    assertEquals([await secretsOf(bench), bench.calls.save], [[TODAY, TODAY], 2]);
  }
});

Deno.test("keyService() does not re-encrypt a ring if one key cannot be decrypted", async () => {
  const bench = keyBench();
  const service = withSecret(bench, OLD);
  await service.jwks();
  await service.rotate();
  const ring = await bench.store.load();
  const [one, two] = ring?.keys ?? [];
  assert(one !== undefined && two !== undefined);
  await bench.store.save([one, { ...two, key: one.key }], ring?.version ?? null);
  const { save } = bench.calls;
  await assertRefused(withSecret(bench, [TODAY, OLD]), one.kid);
  assertEquals([bench.calls.save, bench.warnings], [save, []]);
});

Deno.test("keyService() re-encrypts a ring and rotates it in one read", async () => {
  const bench = keyBench();
  const old = await signerOf(withSecret(bench, OLD));
  const service = withSecret(bench, [TODAY, OLD]);
  await service.rotate();
  assertNotEquals(await signerOf(service), old);
  assertEquals(await secretsOf(bench), [TODAY, TODAY]);
});

Deno.test("keyService() re-encrypts a ring at most twice in a read", async () => {
  const down = { yes: false, loads: 0, saves: 0 };
  let first: readonly StoredKey[] = [];
  const bench = keyBench({
    wrap: (store) => ({
      async load() {
        const ring = await store.load();
        if (!down.yes || ring === null) return ring;
        return { keys: first, version: `${++down.loads}` };
      },
      save(keys, expected) {
        if (!down.yes) return store.save(keys, expected);
        down.saves++;
        return Promise.resolve("saved");
      },
    }),
  });
  const old = await signerOf(withSecret(bench, OLD));
  first = await bench.ring();
  down.yes = true;
  assertEquals(await signerOf(withSecret(bench, [TODAY, OLD])), old);
  assertEquals(down, { yes: true, loads: 3, saves: 2 });
});

Deno.test("keyService() without the secret signs, publishes and verifies nothing, and recovers when it is restored", async () => {
  const bench = keyBench();
  const before = withSecret(bench, OLD);
  const token = await before.sign({}, { expiresIn: 600 });
  const ring = await bench.ring();
  await assertRefused(withSecret(bench, TODAY), kidOf(token));
  await assertRefused(withSecret(bench, [TODAY, OTHER]), kidOf(token));
  await assertRejects(() => bench.service().jwks(), TypeError, "a key is not a JWK");
  assertEquals(await bench.ring(), ring, "and writes nothing");
  await bench.verify(token, withSecret(bench, OLD).resolve);
  assertEquals(await signerOf(before), kidOf(token));
});

Deno.test("rotate() with revoke replaces a ring whose secret is lost, and rejects its tokens", async () => {
  const bench = keyBench();
  const token = await withSecret(bench, OLD).sign({}, { expiresIn: 600 });
  const services = [1, 3].map((turns) =>
    withSecret(bench, TODAY, { store: farAway(bench.store, turns) })
  );
  const [service] = services;
  assert(service !== undefined);
  await assertRefused(service, kidOf(token));
  await Promise.all(services.map((one) => one.rotate({ revoke: true })));
  assertEquals(await secretsOf(bench), [TODAY]);
  for (const one of services) {
    await bench.verify(await one.sign({}, { expiresIn: 60 }), service.resolve);
    assertEquals(await one.resolve({ alg: "Ed25519", kid: kidOf(token) }), undefined);
  }
  assertEquals(kidsOf(await service.jwks()), kidsOf({ keys: await bench.ring() }));
});

Deno.test("rotate() with revoke removes the keys of a restored backup when called again", async () => {
  const bench = keyBench();
  const first = withSecret(bench, TODAY);
  const token = await first.sign({}, { expiresIn: 600 });
  const backup = await bench.ring();
  await first.rotate({ revoke: true });
  const ring = await bench.store.load();
  await bench.store.save(backup, ring?.version ?? null);

  const service = withSecret(bench, TODAY); // the list of revoked keys is lost
  await bench.verify(token, service.resolve);
  await service.rotate({ revoke: true });
  for (const one of [service, withSecret(bench, TODAY)]) {
    assertEquals(await one.resolve({ alg: "Ed25519", kid: kidOf(token) }), undefined);
    assertNotEquals(await signerOf(one), kidOf(token));
  }
});

Deno.test("registerAuth({ jwt }) with a new secret accepts tokens of the old one, and works without it later", async () => {
  const first = createTokenApp({ secret: OLD });
  const { accessToken, refreshToken } = await signInForTokens(first);
  const { stores } = first;
  const statuses: number[] = [];
  for (const secret of [[OLD, TODAY], [TODAY, OLD], TODAY, OLD]) {
    const app = createTokenApp({ stores, secret });
    statuses.push((await ask(app, accessToken)).status);
  }
  assertEquals(statuses, [200, 200, 200, 500], "the old one alone is a wrong secret");
  const { status } = await refresh(createTokenApp({ stores, secret: TODAY }), refreshToken);
  assertEquals(status, 200);
});
