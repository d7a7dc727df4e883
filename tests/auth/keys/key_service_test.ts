/** Key services: options, rotation over time, and explicit rotation. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import type { AuthEvent } from "../../../auth/events.ts";
import type { AsymmetricAlgorithm, JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { generateJwk, jwkThumbprint } from "../../../auth/jwt/jwk.ts";
import { verifyJwt } from "../../../auth/jwt/jwt.ts";
import type { Jwk, JwtClaims } from "../../../auth/jwt/types.ts";
import {
  keyService,
  type KeyServiceOptions,
  type RotateKeysOptions,
} from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { KeyRing, KeyStore, StoredKey } from "../../../auth/stores/types.ts";
import { decode } from "../_decode.ts";
import { refusal, repeat } from "../_services.ts";
import {
  farAway,
  KEEP,
  keyBench,
  kidOf,
  kidsOf,
  LEAD,
  NUMBERS,
  signerOf,
  START,
} from "./_key_service.ts";

const { keys: store } = inMemoryAuthStores();

/** Invalid options, as from JavaScript or a configuration file. */
const WRONG: readonly [
  why: string,
  options: object,
  error: typeof TypeError | typeof RangeError,
  message: string,
][] = [
  ["without a store", {}, TypeError, "store must be a KeyStore"],
  [
    "with a store that only has load()",
    { store: { load: store.load } },
    TypeError,
    "must be a KeyStore",
  ],
  ["with all stores", { store: inMemoryAuthStores() }, TypeError, "store must be a KeyStore"],
  [
    "with an empty array of algorithms",
    { store, algorithms: [] },
    TypeError,
    "algorithms must be an array",
  ],
  [
    "with an algorithm as a string",
    { store, algorithms: "ES256" },
    TypeError,
    "algorithms must be an array",
  ],
  [
    "with an algorithm for secrets",
    { store, algorithms: ["HS256"] },
    TypeError,
    "algorithms must be an array",
  ],
  [
    "with the algorithm none",
    { store, algorithms: ["none"] },
    TypeError,
    "algorithms must be an array",
  ],
  [
    "with __proto__",
    { store, algorithms: ["__proto__"] },
    TypeError,
    "algorithms must be an array",
  ],
  [
    "with a duplicate algorithm",
    { store, algorithms: ["ES256", "ES256"] },
    TypeError,
    "duplicate algorithm",
  ],
  ["with a clock that is a number", { store, now: START }, TypeError, "now must be a function"],
  ["with events as an array", { store, events: [] }, TypeError, "events must be a function"],
  ["with warn as a string", { store, warn: "no" }, TypeError, "warn must be a function"],
  ["with cacheAge below 0", { store, cacheAge: -1 }, RangeError, "cacheAge must be an integer"],
  ["with cacheAge in ms", { store, cacheAge: 600_000 }, RangeError, "cacheAge must be an integer"],
  [
    "with a fractional cacheAge",
    { store, cacheAge: 0.5 },
    RangeError,
    "cacheAge must be an integer",
  ],
  [
    "with cacheAge as a string",
    { store, cacheAge: "600" },
    RangeError,
    "cacheAge must be an integer",
  ],
  ["with maxTokenAge of 0", { store, maxTokenAge: 0 }, RangeError, "maxTokenAge must be"],
  ["with maxTokenAge in ms", { store, maxTokenAge: 3_600_000 }, RangeError, "maxTokenAge must be"],
  [
    "with an infinite maxTokenAge",
    { store, maxTokenAge: Infinity },
    RangeError,
    "maxTokenAge must be",
  ],
  [
    "with rotateAfter in ms",
    { store, rotateAfter: 7_776_000_000 },
    RangeError,
    "rotateAfter must be",
  ],
  [
    "with rotateAfter shorter than the time before a key may sign",
    { store, rotateAfter: 1_319 },
    RangeError,
    "from 1320",
  ],
];
for (const [why, options, error, message] of WRONG) {
  Deno.test(`keyService() rejects options ${why}`, () => {
    assertThrows(() => keyService(options as KeyServiceOptions), error, message);
  });
}

Deno.test("keyService() accepts the bounds of its numbers", () => {
  keyService({ store, rotateAfter: 1_320, maxTokenAge: 1 });
  keyService({ store, rotateAfter: 120, cacheAge: 0, maxTokenAge: 2_592_000 });
  keyService({ store, rotateAfter: 315_360_000, cacheAge: 86_400 });
});

Deno.test("keyService() signs by ES256, for tokens of at most an hour, by default", async () => {
  const keys = keyService({ store: inMemoryAuthStores().keys });
  assertEquals([keys.algorithms, keys.cacheAge, keys.maxTokenAge], [["ES256"], 600, 3_600]);
  assert(Object.isFrozen(keys) && Object.isFrozen(keys.algorithms));
  await keys.sign({}, { expiresIn: 3_600 });
  await assertRejects(() => keys.sign({}, { expiresIn: 3_601 }), RangeError, "from 1 to 3600");
});

Deno.test("keyService() does not access the store before its first use", () => {
  const bench = keyBench();
  bench.service();
  assertEquals(bench.calls, { load: 0, save: 0 });
});

const ALGORITHMS: readonly AsymmetricAlgorithm[] = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "PS384",
  "EdDSA",
  "Ed25519",
];
for (const alg of ALGORITHMS) {
  Deno.test(`sign() by ${alg} creates a token that the published set and resolve() verify`, async () => {
    const bench = keyBench();
    const service = bench.service({ algorithms: [alg] });
    const token = await service.sign({ sub: "u1" }, { expiresIn: 60 });
    const now = () => bench.clock.now;

    const [published] = (await service.jwks()).keys;
    assert(published !== undefined);
    for (const keys of [service.resolve, await service.jwks(), published]) {
      const { header, claims } = await verifyJwt(token, { algorithms: [alg], keys, now });
      assertEquals(header, { alg, typ: "JWT", kid: await jwkThumbprint(published) });
      assertEquals(claims, { sub: "u1", iat: START, exp: START + 60 });
    }
    assertEquals([published.kid, published.alg, published.use], [kidOf(token), alg, "sig"]);
  });
}

Deno.test("sign() uses typ and alg, and the first algorithm by default", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["Ed25519", "ES256"] });
  const access = await service.sign({}, { typ: "at+jwt", alg: "ES256", expiresIn: 60 });
  const other = await service.sign({}, { expiresIn: 60 });
  const headers = [access, other].map((token) => decode(token).header);
  assertEquals(headers.map(({ typ, alg }) => [typ, alg]), [["at+jwt", "ES256"], [
    "JWT",
    "Ed25519",
  ]]);
  assertNotEquals(kidOf(access), kidOf(other));
});

Deno.test("sign() sets iat and exp itself", async () => {
  const bench = keyBench();
  const service = bench.service();
  const claims = { iat: 1, exp: START * 2, nbf: START - 5, jti: "j" };
  const token = await service.sign(claims, { expiresIn: 700 });
  const verified = await bench.verify(token, service.resolve);
  assertEquals(verified.claims, { iat: START, exp: START + 700, nbf: START - 5, jti: "j" });
  assertEquals(claims.exp, START * 2, "the input is not modified");
});

const WRONG_LIFETIMES: readonly [why: string, expiresIn: unknown][] = [
  ["nothing", undefined],
  ["0", 0],
  ["a negative number", -60],
  ["a fraction of a second", 0.5],
  ["NaN", NaN],
  ["infinity", Infinity],
  ["a string", "60"],
  ["one second more than the maximum", NUMBERS.maxTokenAge + 1],
];
for (const [why, expiresIn] of WRONG_LIFETIMES) {
  Deno.test(`sign() rejects a lifetime of ${why}, and generates no key`, async () => {
    const bench = keyBench();
    const options = { expiresIn } as { expiresIn: number };
    await assertRejects(() => bench.service().sign({}, options), RangeError, "expiresIn must be");
    assertEquals(bench.calls, { load: 0, save: 0 });
  });
}

const WRONG_ROTATE_OPTIONS: readonly [why: string, options: unknown, message: string][] = [
  ["revoke as a string", { revoke: "false" }, "revoke must be a boolean"],
  ["revoke as a number", { revoke: 1 }, "revoke must be a boolean"],
  ["revoke as null", { revoke: null }, "revoke must be a boolean"],
  ["a misspelled revoke", { revok: true }, "unknown option revok"],
];
for (const [why, options, message] of WRONG_ROTATE_OPTIONS) {
  Deno.test(`rotate() rejects ${why} in the options, and changes no key`, async () => {
    const bench = keyBench();
    const rotate = () => bench.service().rotate(options as RotateKeysOptions);
    await assertRejects(rotate, TypeError, `Cannot rotate keys: ${message}`);
    assertEquals(bench.calls, { load: 0, save: 0 });
  });
}

const WRONG_ALGORITHMS: readonly [why: string, alg: string][] = [
  ["an algorithm of another service", "ES256"],
  ["an algorithm for secrets", "HS256"],
  ["none", "none"],
  ["a property name of every object", "__proto__"],
];
for (const [why, alg] of WRONG_ALGORITHMS) {
  Deno.test(`sign() rejects ${why} as its algorithm`, async () => {
    const options = { alg: alg as AsymmetricAlgorithm, expiresIn: 60 };
    await assertRejects(
      () => keyBench().service().sign({}, options),
      RangeError,
      "alg must be one",
    );
  });
}

const WRONG_CLAIMS: readonly [why: string, claims: unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["an array", [{ sub: "u1" }]],
  ["a string", "sub"],
  ["a sub that is a number", { sub: 1 }],
];
for (const [why, claims] of WRONG_CLAIMS) {
  Deno.test(`sign() rejects ${why} as claims`, async () => {
    const service = keyBench().service();
    await assertRejects(() => service.sign(claims as JwtClaims, { expiresIn: 60 }), TypeError);
  });
}

Deno.test("jwks() returns the same frozen set until it changes", async () => {
  const bench = keyBench();
  const service = bench.service();
  const set = await service.jwks();
  assert(Object.isFrozen(set) && Object.isFrozen(set.keys) && set.keys.every(Object.isFrozen));
  bench.clock.now += 61;
  assertStrictEquals(await service.jwks(), set);
  await service.rotate();
  assertNotEquals(await service.jwks(), set);
});

Deno.test("jwks() has public members only", async () => {
  const service = keyBench().service({ algorithms: ["ES256", "RS256", "Ed25519"] });
  const members = (await service.jwks()).keys.map((key) => Object.keys(key).sort().join());
  assertEquals(members, [
    "alg,crv,kid,kty,use,x,y",
    "alg,e,kid,kty,n,use",
    "alg,crv,kid,kty,use,x",
  ]);
});

Deno.test("jwks() before the first token publishes its key", async () => {
  const service = keyBench().service();
  const before = kidsOf(await service.jwks());
  assertEquals([await signerOf(service)], before);
});

Deno.test("sign() caches imported keys: no import and no read of the store for a minute", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.sign({}, { expiresIn: 60 });
  const imports = await countImports(async () => {
    for (const seconds of repeat(20, () => 3)) {
      bench.clock.now += seconds - 1;
      await bench.verify(await service.sign({}, { expiresIn: 60 }), service.resolve);
      await service.jwks();
    }
  });
  assertEquals([imports, bench.calls.load], [0, 1]);
});

Deno.test("sign() does not import an unchanged ring again after a minute", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.sign({}, { expiresIn: 60 });
  bench.clock.now += 60;
  const imports = await countImports(() => service.sign({}, { expiresIn: 60 }));
  assertEquals([imports, bench.calls], [0, { load: 2, save: 1 }]);
});

Deno.test("sign() uses non-extractable keys", async () => {
  const extractable: boolean[] = [];
  const native = crypto.subtle.importKey;
  const watched = function (this: SubtleCrypto, ...args: unknown[]) {
    extractable.push(Boolean(args[3]));
    return Reflect.apply(native, crypto.subtle, args);
  };
  const bench = keyBench();
  crypto.subtle.importKey = watched as typeof native;
  try {
    await bench.service().sign({}, { expiresIn: 60 });
  } finally {
    crypto.subtle.importKey = native;
  }
  assert(extractable.length > 0);
  assertFalse(extractable.includes(true));
});

async function countImports(work: () => Promise<unknown>): Promise<number> {
  const native = crypto.subtle.importKey;
  let count = 0;
  const counting = function (this: SubtleCrypto, ...args: unknown[]) {
    count++;
    return Reflect.apply(native, crypto.subtle, args);
  };
  crypto.subtle.importKey = counting as typeof native;
  try {
    await work();
  } finally {
    crypto.subtle.importKey = native;
  }
  return count;
}

/** When the first key retires. */
const END = START + NUMBERS.rotateAfter;

Deno.test("keyService() publishes, activates, retires and removes a key at the exact second", async () => {
  const bench = keyBench();
  /** State of a process that first reads the store at that second. */
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
  assertEquals(
    kidsOf({ keys: await bench.ring() }),
    [first, second],
    "no write only to remove a key",
  );
  const third = await at(END + NUMBERS.rotateAfter - LEAD);
  assertEquals(third.kids.length, 2);
  assertEquals(kidsOf({ keys: await bench.ring() }), third.kids, "removed by the next write");
  assertEquals(bench.calls.save, 3);
});

Deno.test("keyService() idle for years signs with the old key until the new one was published long enough", async () => {
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

Deno.test("keyService() emits an event for each generated key, without key material", async () => {
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

Deno.test("rotate() generates a key that signs at once, and keeps the old one for existing tokens", async () => {
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

Deno.test("rotate() keeps the old key for tokens of a process that has not read the new ring", async () => {
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

Deno.test("rotate() retires a pending key, which never signs", async () => {
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

Deno.test("rotate() with revoke rejects tokens of the old keys: in this process at once, in others within a minute", async () => {
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

Deno.test("rotate() with revoke removes pending and retired keys, and those of other algorithms", async () => {
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

for (const when of ["before it", "during its write"]) {
  Deno.test(`rotate() with revoke is not undone by a read that began ${when}`, async () => {
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

Deno.test("keyService() generates a key that signs at once for an added algorithm", async () => {
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

Deno.test("keyService() publishes the keys of a removed algorithm until their tokens have expired", async () => {
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

Deno.test("keyService() with two arrays of algorithms at once generates few keys, and none signs unpublished", async () => {
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
    Deno.test(`keyService() whose clock jumps back ${why}, ${when} a change, continues`, async () => {
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
      assert((await bench.ring()).length <= 3, "not one key per call");
      bench.clock.now = now + 1;
      await bench.verify(token, service.resolve);
    });
  }
}

Deno.test("keyService() whose clock was briefly in 2100 still rotates its keys", async () => {
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

Deno.test("keyService() whose clock is behind signs by the first key, which another process generated", async () => {
  const bench = keyBench();
  const ahead = bench.service({ now: () => bench.clock.now + 45 });
  const token = await ahead.sign({}, { expiresIn: 600 });
  const behind = bench.service();
  assertEquals(await signerOf(behind), kidOf(token));
  assertEquals((await bench.ring()).length, 1);
});

const UNKNOWN: readonly [why: string, kid: unknown][] = [
  ["no kid", undefined],
  ["another kid", "A".repeat(43)],
  ["an empty kid", ""],
  ["a kid that is a number", 1],
  ["a kid that is an array", [["kid"]]],
  ["__proto__", "__proto__"],
  ["a path", "../../etc/passwd"],
  ["SQL", "' OR 1=1 --"],
  ["10 kB", "k".repeat(10_000)],
];
for (const [why, kid] of UNKNOWN) {
  Deno.test(`resolve() returns undefined for ${why}`, async () => {
    const service = keyBench().service();
    await service.jwks();
    assertEquals(await service.resolve({ alg: "Ed25519", kid: kid as string }), undefined);
  });
}

Deno.test("resolve() finds a key for its own algorithm only", async () => {
  const service = keyBench().service({ algorithms: ["ES256", "Ed25519"] });
  const kid = await signerOf(service, "ES256");
  const found = async (alg: JwaAlgorithm) => await service.resolve({ alg, kid });
  assert(await found("ES256") instanceof CryptoKey);
  for (const alg of ["Ed25519", "EdDSA", "HS256", "ES384"] as const) {
    assertEquals(await found(alg), undefined, alg);
  }
});

Deno.test("resolve() of unknown keys reads the store once in five seconds", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.jwks();
  for (const seconds of [0, 1, 3]) {
    bench.clock.now += seconds;
    await Promise.all(repeat(1_000, (i) => service.resolve({ alg: "Ed25519", kid: `k${i}` })));
  }
  assertEquals(bench.calls.load, 1);
  bench.clock.now += 1;
  await Promise.all(repeat(1_000, (i) => service.resolve({ alg: "Ed25519", kid: `k${i}` })));
  assertEquals(bench.calls.load, 2);
});

Deno.test("resolve() finds a new key of another process after the cooldown", async () => {
  const bench = keyBench();
  const [one, other] = [bench.service(), bench.service()];
  await one.jwks();
  await other.jwks();
  await one.rotate();
  const token = await one.sign({}, { expiresIn: 60 });
  assertEquals((await refusal(() => bench.verify(token, other.resolve))).reason, "key_unknown");
  bench.clock.now += 5;
  await bench.verify(token, other.resolve);
});

Deno.test("resolve() of tokens without a kid does not read the store", async () => {
  const bench = keyBench();
  const service = bench.service();
  const kids: readonly unknown[] = [undefined, 1, ["kid"], { kid: "kid" }];
  for (const kid of kids) {
    assertEquals(await service.resolve({ alg: "Ed25519", kid: kid as string }), undefined);
  }
  assertEquals(bench.calls.load, 0);
});

/** A key as stored by the service. */
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
  ["no members", () => ({}), "algorithm"],
  ["an unknown algorithm", (key) => ({ ...key, alg: "none" }), "algorithm"],
  ["an algorithm for secrets", (key) => ({ ...key, alg: "HS256" }), "algorithm"],
  ["__proto__ as its algorithm", (key) => ({ ...key, alg: "__proto__" }), "algorithm"],
  ["another algorithm than its JWK", (key) => ({ ...key, alg: "ES384" }), "imported"],
  ["another algorithm, also in its JWK", (key) => ({
    ...key,
    alg: "ES384",
    key: { ...jwkOf(key), alg: "ES384" },
  }), "imported"],
  ["another algorithm in its JWK", (key) => ({
    ...key,
    key: { ...jwkOf(key), alg: "ES384" },
  }), "imported"],
  ["the kid of another key", (key, other) => ({ ...key, kid: other.kid }), "kid"],
  ["a kid that is not a string", (key) => ({ ...key, kid: 1 }), "kid"],
  ["no kid", ({ kid: _, ...key }) => key, "kid"],
  ["a JWK that does not match its kid", (key, other) => ({ ...key, key: other.key }), "kid"],
  ["no private part", (key) => ({ ...key, key: without(jwkOf(key), "d") }), "imported"],
  ["the private part of another key", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), d: jwkOf(other).d },
  }), "imported"],
  ["a point that is not on its curve", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), y: jwkOf(other).y },
  }), "kid"],
  [
    "a coordinate that is not a string",
    (key) => ({ ...key, key: { ...jwkOf(key), x: 1 } }),
    "malformed",
  ],
  ["an encryption key", (key) => ({ ...key, key: { ...jwkOf(key), use: "enc" } }), "imported"],
  ["a key that is a string", (key) => ({ ...key, key: "encrypted.text" }), "not a JWK"],
  ["a key that is null", (key) => ({ ...key, key: null }), "not a JWK"],
  ["a key that is an array", (key) => ({ ...key, key: [key.key] }), "not a JWK"],
  ["a key that is a secret", (key) => ({ ...key, key: { kty: "oct", k: "c2VjcmV0" } }), "kid"],
  ["no activeAt", ({ activeAt: _, ...key }) => key, "time"],
  ["an activeAt that is a string", (key) => ({ ...key, activeAt: String(START) }), "time"],
  ["a retiredAt that is a string", (key) => ({ ...key, retiredAt: String(START + 1_000) }), "time"],
  ["a createdAt that is a Date", (key) => ({ ...key, createdAt: new Date(0) }), "time"],
];
Deno.test("keyService() reads a null retiredAt as absent", async () => {
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
  Deno.test(`keyService() rejects a whole ring with a key that has ${why}`, async () => {
    const [sound, key, other] = [await storedKey(), await storedKey(), await storedKey()];
    const ring = { version: "1", keys: [sound, change(key, other)] } as KeyRing;
    await assertRefused(ring, { message, secrets: [sound, key, other] });
  });
}

const GARBAGE: readonly [why: string, ring: unknown, message: string][] = [
  ["undefined", undefined, "version"],
  ["text", "ring", "version"],
  ["an array", [], "version"],
  ["one without a version", { keys: [] }, "version"],
  ["one whose version is a number", { version: 1, keys: [] }, "version"],
  ["one without keys", { version: "1" }, "array"],
  ["one whose keys are a string", { version: "1", keys: "[]" }, "array"],
  ["one whose keys are an object", { version: "1", keys: {} }, "array"],
  ["one with null for a key", { version: "1", keys: [null] }, "algorithm"],
];
for (const [why, ring, message] of GARBAGE) {
  Deno.test(`keyService() rejects a ring that is ${why}`, async () => {
    await assertRefused(ring as KeyRing, { message, secrets: [] });
  });
}

Deno.test("keyService() rejects a ring with a duplicate key", async () => {
  const key = await storedKey();
  await assertRefused({ version: "1", keys: [key, key] }, {
    message: "duplicate key",
    secrets: [key],
  });
});

const CHANGES: readonly [why: string, change: Change][] = [
  ["has another private part", (key, other) => ({
    ...key,
    key: { ...jwkOf(key), d: jwkOf(other).d },
  })],
  ["has another algorithm", (key) => ({ ...key, alg: "ES384" })],
];
for (const [why, change] of CHANGES) {
  Deno.test(`keyService() rejects a cached ring within a minute if a key of it ${why}`, async () => {
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

Deno.test("keyService() accepts foreign keys with unknown members", async () => {
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

Deno.test("rotate() replaces a malformed ring with revoke, and rejects it without", async () => {
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

/** Asserts that a service does not use or disclose a ring. */
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
      assertEquals(told.includes(d), false, "the error contains a private key");
    }
  }
  assertEquals([saved, bench.events, bench.warnings], [[], [], []]);
}

/** Everything that a log shows of an error. */
function tell(error: unknown): string {
  return Deno.inspect(error, { depth: 10, showHidden: true });
}
