/** The table of algorithms: RFC 7518 §3.1, RFC 8037 §3.1 and RFC 9864. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  checkAlgorithms,
  isJwaAlgorithm,
  JWA,
  type JwaAlgorithm,
  verifySignature,
} from "../../../auth/jwt/jwa.ts";
import { importJwk } from "../../../auth/jwt/jwk.ts";
import { ALGORITHMS, KEYS, signature, verifying } from "./_jws.ts";

/** [algorithm, type, curve, hash, bytes of the hash, bytes of a signature, name in Web Crypto] As the RFCs have it. */
const ROWS: readonly (readonly unknown[])[] = [
  ["HS256", "oct", undefined, "SHA-256", 32, 32, "HMAC"],
  ["HS384", "oct", undefined, "SHA-384", 48, 48, "HMAC"],
  ["HS512", "oct", undefined, "SHA-512", 64, 64, "HMAC"],
  ["RS256", "RSA", undefined, "SHA-256", 32, undefined, "RSASSA-PKCS1-v1_5"],
  ["RS384", "RSA", undefined, "SHA-384", 48, undefined, "RSASSA-PKCS1-v1_5"],
  ["RS512", "RSA", undefined, "SHA-512", 64, undefined, "RSASSA-PKCS1-v1_5"],
  ["PS256", "RSA", undefined, "SHA-256", 32, undefined, "RSA-PSS"],
  ["PS384", "RSA", undefined, "SHA-384", 48, undefined, "RSA-PSS"],
  ["PS512", "RSA", undefined, "SHA-512", 64, undefined, "RSA-PSS"],
  ["ES256", "EC", "P-256", "SHA-256", 32, 64, "ECDSA"],
  ["ES384", "EC", "P-384", "SHA-384", 48, 96, "ECDSA"],
  ["ES512", "EC", "P-521", "SHA-512", 64, 132, "ECDSA"],
  ["EdDSA", "OKP", "Ed25519", undefined, 64, 64, "Ed25519"],
  ["Ed25519", "OKP", "Ed25519", undefined, 64, 64, "Ed25519"],
];

Deno.test("JWA has the rows of RFC 7518 §3.1 that sign, and those of Ed25519", () => {
  const rows = Object.entries(JWA).map(([alg, row]) => {
    const { kty, crv, hashBytes, signatureBytes, keyParams, signParams } = row;
    assertEquals(keyParams.name, signParams.name);
    assertEquals(keyParams.namedCurve, kty === "EC" ? crv : undefined);
    const hash = kty === "EC" ? signParams.hash : keyParams.hash;
    if (kty === "RSA") {
      assertEquals(signParams.saltLength, alg.startsWith("PS") ? hashBytes : undefined);
    }
    return [alg, kty, crv, hash, hashBytes, signatureBytes, keyParams.name];
  });
  assertEquals<unknown>(rows, ROWS);
  assertEquals(Object.keys(JWA), [...ALGORITHMS]);
});

Deno.test("JWA cannot be changed", () => {
  assert(Object.isFrozen(JWA));
});

const NONE: readonly unknown[] = [
  ...["none", "None", "NONE", "", "hs256", "HS256 ", " HS256", "HS25", "HS2560", "ES256K", "RS1"],
  ...["Ed448", "ED25519", "__proto__", "constructor", "toString", "hasOwnProperty", "ＨＳ256"],
  ...[undefined, null, 0, 256, {}, [], ["HS256"], { toString: () => "HS256" }],
];

Deno.test("isJwaAlgorithm() takes the names of the table and nothing else", () => {
  for (const alg of ALGORITHMS) assert(isJwaAlgorithm(alg), alg);
  for (const other of NONE) assertEquals(isJwaAlgorithm(other), false, String(other));
});

Deno.test("checkAlgorithms() refuses what is no list of names, and says what to do", () => {
  checkAlgorithms("Cannot test", ["ES256"]);
  const wrong: readonly unknown[] = [
    ...[undefined, null, "ES256", {}, { length: 1, 0: "ES256" }, [], new Array(1), ["ES256", "no"]],
    ...NONE.map((each) => [each]),
  ];
  for (const each of wrong) {
    const list = each as JwaAlgorithm[];
    assertThrows(() => checkAlgorithms("Cannot test", list), TypeError, "Cannot test: ");
  }
});

const DATA = new TextEncoder().encode("data");

for (const alg of ALGORITHMS) {
  Deno.test(`verifySignature() takes a signature of ${alg}, and none that is changed`, async () => {
    const key = await importJwk(verifying(KEYS[alg]), { alg, usage: "verify" });
    const right = await signature(DATA, alg, KEYS[alg]);
    const verify = (bytes: Uint8Array<ArrayBuffer>, data = DATA) =>
      verifySignature(alg, key, { signature: bytes, data });
    assertEquals(await verify(right), true);
    assertEquals(await verify(right, DATA.slice(1)), false);
    const changed = [
      new Uint8Array(),
      new Uint8Array(right.length),
      new Uint8Array(right.length).fill(0xff),
      right.slice(1),
      right.slice(0, -1),
      new Uint8Array([...right, 0]),
      new Uint8Array([0, ...right]),
      new Uint8Array([...right, ...right]),
      right.toReversed(),
      ...[0, 7, right.length * 4, right.length * 8 - 1].map((bit) => flipped(right, bit)),
    ];
    for (const [i, bytes] of changed.entries()) assertEquals(await verify(bytes), false, `${i}`);
  });
}

function flipped(bytes: Uint8Array<ArrayBuffer>, bit: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

Deno.test("verifySignature() answers false, and does not throw, for every key of another algorithm", async () => {
  for (const made of ALGORITHMS) {
    const key = await importJwk(verifying(KEYS[made]), { alg: made, usage: "verify" });
    for (const alg of ALGORITHMS) {
      if (JWA[alg].keyParams.name === JWA[made].keyParams.name) continue;
      const size = JWA[alg].signatureBytes ?? 256;
      const data = { signature: new Uint8Array(size), data: DATA };
      assertEquals(await verifySignature(alg, key, data), false, `${alg} with a key of ${made}`);
    }
  }
});

Deno.test("verifySignature() answers false for a key that may only sign", async () => {
  const key = await importJwk(KEYS.ES256, { alg: "ES256", usage: "sign" });
  const right = await signature(DATA, "ES256", KEYS.ES256);
  assertEquals(await verifySignature("ES256", key, { signature: right, data: DATA }), false);
});
