/** Finding keys of one's own, by what a header says that nobody has verified yet. */

import { assert, assertEquals } from "@std/assert";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { keyBench, signerOf } from "./_key_service.ts";
import { refusal, repeat } from "../_services.ts";

const UNKNOWN: readonly [why: string, kid: unknown][] = [
  ["no kid", undefined],
  ["another kid", "A".repeat(43)],
  ["an empty kid", ""],
  ["a kid that is a number", 1],
  ["a kid that is a list", [["kid"]]],
  ["__proto__", "__proto__"],
  ["a path", "../../etc/passwd"],
  ["SQL", "' OR 1=1 --"],
  ["10 kB", "k".repeat(10_000)],
];
for (const [why, kid] of UNKNOWN) {
  Deno.test(`resolve() finds nothing for ${why}`, async () => {
    const service = keyBench().service();
    await service.jwks();
    assertEquals(await service.resolve({ alg: "Ed25519", kid: kid as string }), undefined);
  });
}

Deno.test("resolve() finds a key for its own algorithm alone", async () => {
  const service = keyBench().service({ algorithms: ["ES256", "Ed25519"] });
  const kid = await signerOf(service, "ES256");
  const found = async (alg: JwaAlgorithm) => await service.resolve({ alg, kid });
  assert(await found("ES256") instanceof CryptoKey);
  for (const alg of ["Ed25519", "EdDSA", "HS256", "ES384"] as const) {
    assertEquals(await found(alg), undefined, alg);
  }
});

Deno.test("resolve() of unknown keys asks the store once in five seconds", async () => {
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

Deno.test("resolve() finds the key that another process has just made, after the cooldown", async () => {
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

Deno.test("resolve() of tokens that name no key asks the store nothing", async () => {
  const bench = keyBench();
  const service = bench.service();
  const kids: readonly unknown[] = [undefined, 1, ["kid"], { kid: "kid" }];
  for (const kid of kids) {
    assertEquals(await service.resolve({ alg: "Ed25519", kid: kid as string }), undefined);
  }
  assertEquals(bench.calls.load, 0);
});
