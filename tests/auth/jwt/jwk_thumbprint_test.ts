/** JWK thumbprints: RFC 7638 §3.1, RFC 8037 A.3, and what must not make a difference. */

import { assertEquals, assertRejects } from "@std/assert";
import { jwkThumbprint, publicJwk } from "../../../auth/jwt/jwk.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { ALGORITHMS, KEYS, OCT, OKP, P256, RSA } from "./_jws.ts";

Deno.test("jwkThumbprint() matches RFC 7638 §3.1", async () => {
  const jwk = {
    kty: "RSA",
    n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJ" +
      "ECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FD" +
      "W2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4v" +
      "MQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    e: "AQAB",
    alg: "RS256",
    kid: "2011-04-29",
  };
  assertEquals(await jwkThumbprint(jwk), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
});

Deno.test("jwkThumbprint() matches RFC 8037 A.3", async () => {
  assertEquals(await jwkThumbprint(OKP), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});

for (const alg of ALGORITHMS) {
  const jwk = KEYS[alg];
  Deno.test(`jwkThumbprint() of a key for ${alg} does not depend on order, names and private members`, async () => {
    const plain = await jwkThumbprint(jwk);
    const turned = Object.fromEntries(Object.entries(jwk).reverse()) as unknown as Jwk;
    const named = { alg, kid: "k", use: "sig", key_ops: ["sign"], ...turned, x5t: "?" };
    assertEquals([await jwkThumbprint(turned), await jwkThumbprint(named)], [plain, plain]);
    if (jwk.kty !== "oct") assertEquals(await jwkThumbprint(publicJwk(named)), plain);
    assertEquals(/^[A-Za-z0-9_-]{43}$/.test(plain), true);
  });
}

Deno.test("jwkThumbprint() differs between keys and between hash functions", async () => {
  const jwks = [OCT, RSA, P256, OKP];
  const all = await Promise.all(
    jwks.flatMap((jwk) =>
      (["SHA-256", "SHA-384", "SHA-512"] as const).map((hash) => jwkThumbprint(jwk, hash))
    ),
  );
  assertEquals(new Set(all).size, jwks.length * 3);
  assertEquals(all.slice(0, 3).map((each) => each.length), [43, 64, 86]);
});

/** [why, key] */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "key"],
  ["no kty", { k: "AA" }],
  ["an unknown kty", { kty: "AKP", x: "AA" }],
  ["kty in lower case", { ...P256, kty: "ec" }],
  ["a name of every object as kty", { ...P256, kty: "constructor" }],
  ["a missing member", { kty: "EC", crv: "P-256", x: P256.x }],
  ["a member that is no text", { ...P256, y: 5 }],
  ["a secret without k", { kty: "oct" }],
  ["an empty object", {}],
];

for (const [why, jwk] of MALFORMED) {
  Deno.test(`jwkThumbprint() refuses ${why}`, async () => {
    await assertRejects(() => jwkThumbprint(jwk as Jwk), TypeError, "Cannot compute thumbprint: ");
  });
}
