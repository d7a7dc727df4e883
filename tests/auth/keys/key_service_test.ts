import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import type { AsymmetricAlgorithm } from "../../../auth/jwt/jwa.ts";
import { jwkThumbprint } from "../../../auth/jwt/jwk.ts";
import { verifyJwt } from "../../../auth/jwt/jwt.ts";
import type { JwtClaims } from "../../../auth/jwt/types.ts";
import {
  keyService,
  type KeyServiceOptions,
  type RotateKeysOptions,
} from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { decode } from "../_decode.ts";
import { keyBench, kidOf, kidsOf, NUMBERS, signerOf, START } from "./_key_service.ts";
import { repeat } from "../_services.ts";

const { keys: store } = inMemoryAuthStores();

/** Options that are refused; types are no help to who writes JavaScript, or reads a file. */
const WRONG: readonly [
  why: string,
  options: object,
  error: typeof TypeError | typeof RangeError,
  message: string,
][] = [
  ["without a store", {}, TypeError, "store must be a KeyStore"],
  [
    "with a store that only loads",
    { store: { load: store.load } },
    TypeError,
    "must be a KeyStore",
  ],
  ["with all stores", { store: inMemoryAuthStores() }, TypeError, "store must be a KeyStore"],
  ["with no algorithm", { store, algorithms: [] }, TypeError, "algorithms must be an array"],
  ["with one as a text", { store, algorithms: "ES256" }, TypeError, "algorithms must be an array"],
  ["with a secret's", { store, algorithms: ["HS256"] }, TypeError, "algorithms must be an array"],
  ["with none", { store, algorithms: ["none"] }, TypeError, "algorithms must be an array"],
  [
    "with __proto__",
    { store, algorithms: ["__proto__"] },
    TypeError,
    "algorithms must be an array",
  ],
  ["with one twice", { store, algorithms: ["ES256", "ES256"] }, TypeError, "duplicate algorithm"],
  ["with a clock that is a number", { store, now: START }, TypeError, "now must be a function"],
  ["with events as a list", { store, events: [] }, TypeError, "events must be a function"],
  ["with warn as a text", { store, warn: "no" }, TypeError, "warn must be a function"],
  ["with cacheAge below 0", { store, cacheAge: -1 }, RangeError, "cacheAge must be an integer"],
  ["with cacheAge in ms", { store, cacheAge: 600_000 }, RangeError, "cacheAge must be an integer"],
  ["with half a second", { store, cacheAge: 0.5 }, RangeError, "cacheAge must be an integer"],
  ["with a text", { store, cacheAge: "600" }, RangeError, "cacheAge must be an integer"],
  ["with tokens that end at once", { store, maxTokenAge: 0 }, RangeError, "maxTokenAge must be"],
  ["with maxTokenAge in ms", { store, maxTokenAge: 3_600_000 }, RangeError, "maxTokenAge must be"],
  ["with endless tokens", { store, maxTokenAge: Infinity }, RangeError, "maxTokenAge must be"],
  [
    "with rotateAfter in ms",
    { store, rotateAfter: 7_776_000_000 },
    RangeError,
    "rotateAfter must be",
  ],
  ["that rotates before a key may sign", { store, rotateAfter: 1_319 }, RangeError, "from 1320"],
];
for (const [why, options, error, message] of WRONG) {
  Deno.test(`keyService() refuses options ${why}`, () => {
    assertThrows(() => keyService(options as KeyServiceOptions), error, message);
  });
}

Deno.test("keyService() takes the limits of its numbers", () => {
  keyService({ store, rotateAfter: 1_320, maxTokenAge: 1 });
  keyService({ store, rotateAfter: 120, cacheAge: 0, maxTokenAge: 2_592_000 });
  keyService({ store, rotateAfter: 315_360_000, cacheAge: 86_400 });
});

Deno.test("keyService() signs by ES256, for tokens of an hour, unless told otherwise", async () => {
  const keys = keyService({ store: inMemoryAuthStores().keys });
  assertEquals([keys.algorithms, keys.cacheAge, keys.maxTokenAge], [["ES256"], 600, 3_600]);
  assert(Object.isFrozen(keys) && Object.isFrozen(keys.algorithms));
  await keys.sign({}, { expiresIn: 3_600 });
  await assertRejects(() => keys.sign({}, { expiresIn: 3_601 }), RangeError, "from 1 to 3600");
});

Deno.test("keyService() asks nothing of the store before it is used", () => {
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
  Deno.test(`sign() by ${alg} makes a token that the published set and resolve() verify`, async () => {
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

Deno.test("sign() takes typ and alg, and the first algorithm by itself", async () => {
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

Deno.test("sign() says itself when a token begins and ends", async () => {
  const bench = keyBench();
  const service = bench.service();
  const claims = { iat: 1, exp: START * 2, nbf: START - 5, jti: "j" };
  const token = await service.sign(claims, { expiresIn: 700 });
  const verified = await bench.verify(token, service.resolve);
  assertEquals(verified.claims, { iat: START, exp: START + 700, nbf: START - 5, jti: "j" });
  assertEquals(claims.exp, START * 2, "what was handed in is as it was");
});

const WRONG_LIFETIMES: readonly [why: string, expiresIn: unknown][] = [
  ["nothing", undefined],
  ["0", 0],
  ["less than 0", -60],
  ["half a second", 0.5],
  ["NaN", NaN],
  ["no end", Infinity],
  ["a text", "60"],
  ["a second more than the longest", NUMBERS.maxTokenAge + 1],
];
for (const [why, expiresIn] of WRONG_LIFETIMES) {
  Deno.test(`sign() refuses a lifetime of ${why}, and makes no key`, async () => {
    const bench = keyBench();
    const options = { expiresIn } as { expiresIn: number };
    await assertRejects(() => bench.service().sign({}, options), RangeError, "expiresIn must be");
    assertEquals(bench.calls, { load: 0, save: 0 });
  });
}

const WRONG_ROTATE_OPTIONS: readonly [why: string, options: unknown, message: string][] = [
  ["revoke as a text", { revoke: "false" }, "revoke must be a boolean"],
  ["revoke as a number", { revoke: 1 }, "revoke must be a boolean"],
  ["revoke as null", { revoke: null }, "revoke must be a boolean"],
];
for (const [why, options, message] of WRONG_ROTATE_OPTIONS) {
  Deno.test(`rotate() refuses ${why} for options, and changes no key`, async () => {
    const bench = keyBench();
    const rotate = () => bench.service().rotate(options as RotateKeysOptions);
    await assertRejects(rotate, TypeError, `Cannot rotate keys: ${message}`);
    assertEquals(bench.calls, { load: 0, save: 0 });
  });
}

const WRONG_ALGORITHMS: readonly [why: string, alg: string][] = [
  ["one of another service", "ES256"],
  ["a secret's", "HS256"],
  ["none", "none"],
  ["the prototype's", "__proto__"],
];
for (const [why, alg] of WRONG_ALGORITHMS) {
  Deno.test(`sign() refuses ${why} for its algorithm`, async () => {
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
  ["a list", [{ sub: "u1" }]],
  ["a text", "sub"],
  ["a sub that is a number", { sub: 1 }],
];
for (const [why, claims] of WRONG_CLAIMS) {
  Deno.test(`sign() refuses ${why} for claims`, async () => {
    const service = keyBench().service();
    await assertRejects(() => service.sign(claims as JwtClaims, { expiresIn: 60 }), TypeError);
  });
}

Deno.test("jwks() gives the same frozen set until it changes", async () => {
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

Deno.test("jwks() before the first token publishes the key that signs it", async () => {
  const service = keyBench().service();
  const before = kidsOf(await service.jwks());
  assertEquals([await signerOf(service)], before);
});

Deno.test("sign() keeps what it imported: no import and no question to the store for a minute", async () => {
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

Deno.test("sign() imports nothing again where the ring is the same after a minute", async () => {
  const bench = keyBench();
  const service = bench.service();
  await service.sign({}, { expiresIn: 60 });
  bench.clock.now += 60;
  const imports = await countImports(() => service.sign({}, { expiresIn: 60 }));
  assertEquals([imports, bench.calls], [0, { load: 2, save: 1 }]);
});

Deno.test("sign() uses keys that nobody takes out of the process", async () => {
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
