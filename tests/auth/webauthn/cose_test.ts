/** COSE keys of credentials: WebAuthn Level 3 §5.8.5 and §6.5.1.1, RFC 9053 §7, RFC 8230 §4. */

import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { decodeBase64Url } from "../../../auth/_base64url.ts";
import { type Bytes, decodeHex, utf8 } from "../../../auth/_bytes.ts";
import type { WebAuthnFailure } from "../../../auth/events.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import {
  COSE_ALGORITHMS,
  importCoseKey,
  parseCoseKey,
  verifyCoseSignature,
} from "../../../auth/webauthn/_cose.ts";
import { CeremonyError } from "../../../auth/webauthn/_failure.ts";
import type { CoseAlgorithm } from "../../../auth/webauthn/types.ts";
import { OKP, P256, P384, P521, RSA } from "../jwt/_jws.ts";
import { derSignature, generateAuthenticatorKey, splitSignature } from "./_authenticator_keys.ts";
import { concat, type Encodable, encodeCbor, raw, tagged, unsorted } from "./_cbor.ts";

const DATA = utf8("authenticator data and the hash of client data");

Deno.test("COSE_ALGORITHMS lists every algorithm once", () => {
  const expected: readonly CoseAlgorithm[] = [-7, -8, -35, -36, -37, -38, -39, -257, -258, -259];
  assertEquals(COSE_ALGORITHMS, expected);
});

for (const algorithm of COSE_ALGORITHMS) {
  Deno.test(`verifyCoseSignature() verifies signatures of ${algorithm} and refuses others`, async () => {
    const { cose, sign } = await generateAuthenticatorKey(algorithm);
    const parsed = parseCoseKey(encodeCbor(cose));
    assertEquals(parsed.algorithm, algorithm);
    const key = await importCoseKey(parsed);
    assertEquals([key.type, key.extractable, key.usages], ["public", false, ["verify"]]);

    const signature = await sign(DATA);
    const verify = (given: Bytes, data = DATA) =>
      verifyCoseSignature(key, algorithm, { signature: given, data });
    assertEquals(await verify(signature), true);
    assertEquals(await verify(signature, utf8("other data")), false);
    const last = signature.length - 1;
    const refused: Readonly<Record<string, Bytes>> = {
      "no bytes": new Uint8Array(),
      "one byte": new Uint8Array(1),
      "a byte less": signature.subarray(0, last),
      "a byte more": concat(signature, Uint8Array.of(0)),
      "a zero before it": concat(Uint8Array.of(0), signature),
      "zeros": new Uint8Array(signature.length),
      "a bit flipped": signature.with(last, (signature[last] ?? 0) ^ 1),
    };
    for (const [why, given] of Object.entries(refused)) {
      assertEquals(await verify(given), false, why);
    }
    const ec = await importCoseKey(parseCoseKey(encodeCbor(EC)));
    const wrongKey = algorithm === -7 ? await importCoseKey(parseCoseKey(encodeCbor(ED))) : ec;
    assertEquals(await verifyCoseSignature(wrongKey, algorithm, { signature, data: DATA }), false);
  });
}

Deno.test("verifyCoseSignature() takes ECDSA in DER, with a high s too, and not r and s alone", async () => {
  const { cose, sign } = await generateAuthenticatorKey(-7);
  const key = await importCoseKey(parseCoseKey(encodeCbor(cose)));
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const pair = await sign(DATA);
  const { r, s } = splitSignature(rawOf(pair));
  const negated = n - BigInt(`0x${s.toHex()}`);
  const other = decodeHex(negated.toString(16).padStart(64, "0"));
  for (
    const [signature, expected] of [
      [derSignature({ r, s }), true],
      [derSignature({ r, s: other }), true],
      [concat(r, s), false],
      [derSignature({ r: s, s: r }), false],
    ] as const
  ) assertEquals(await verifyCoseSignature(key, -7, { signature, data: DATA }), expected);
});

/** r and s of a signature in DER, each in 32 bytes. */
function rawOf(der: Bytes): Bytes {
  const middle = 4 + (der[3] ?? 0);
  const half = (bytes: Bytes) => concat(new Uint8Array(32), bytes).slice(-32);
  return concat(half(der.subarray(4, middle)), half(der.subarray(middle + 2)));
}

const bytes = (text = "") => decodeBase64Url(text);

type Members = Map<Encodable, Encodable>;

const ec2 = (alg: number, crv: number, { x, y }: Pick<Jwk, "x" | "y">): Members =>
  new Map<Encodable, Encodable>([[1, 2], [3, alg], [-1, crv], [-2, bytes(x)], [-3, bytes(y)]]);

const EC = ec2(-7, 1, P256);
const ED: Members = new Map<Encodable, Encodable>([[1, 1], [3, -8], [-1, 6], [-2, bytes(OKP.x)]]);
const RS: Members = new Map<Encodable, Encodable>(
  [[1, 3], [3, -257], [-1, bytes(RSA.n)], [-2, bytes(RSA.e)]],
);

const PARSED:
  readonly (readonly [Members, CoseAlgorithm, members: Readonly<Record<string, Bytes>>])[] = [
    [EC, -7, { x: bytes(P256.x), y: bytes(P256.y) }],
    [ec2(-35, 2, P384), -35, { x: bytes(P384.x), y: bytes(P384.y) }],
    [ec2(-36, 3, P521), -36, { x: bytes(P521.x), y: bytes(P521.y) }],
    [ED, -8, { x: bytes(OKP.x) }],
    [RS, -257, { n: bytes(RSA.n), e: bytes(RSA.e) }],
    [new Map([...RS, [3, -37]]), -37, { n: bytes(RSA.n), e: bytes(RSA.e) }],
  ];

for (const [key, algorithm, members] of PARSED) {
  Deno.test(`parseCoseKey() returns a key of ${algorithm}`, () => {
    assertEquals(parseCoseKey(encodeCbor(key)), { algorithm, members });
  });
}

/** A key with members changed; `undefined` removes one. */
function change(
  key: Members,
  ...changes: readonly (readonly [Encodable, Encodable | undefined])[]
): Members {
  const changed = new Map(key);
  for (const [label, value] of changes) {
    if (value === undefined) changed.delete(label);
    else changed.set(label, value);
  }
  return changed;
}

/** [why, key, reason] What is not a key at all, or not the key of its algorithm. */
const UNPARSED: readonly (readonly [why: string, key: Encodable, reason?: WebAuthnFailure])[] = [
  ["no bytes", raw("")],
  ["an empty map", new Map()],
  ["an array", [1, 2, 3, -7]],
  ["a byte string with a key in it", encodeCbor(EC)],
  ["a tagged key", tagged(55_799, EC)],
  ["a key and a byte", raw(concat(encodeCbor(EC), Uint8Array.of(0)))],
  ["members out of order", unsorted(new Map([...EC].reverse()))],
  ["a duplicate kty", unsorted([[1, 2], ...EC])],
  ["a duplicate x", unsorted([...[...EC].slice(0, 4), [-2, bytes(P256.x)], [-3, bytes(P256.y)]])],
  ["a long form of kty", raw(`a501${"1802"}${encodeCbor(EC).toHex().slice(6)}`)],

  ["no alg", change(EC, [3, undefined])],
  ["alg as a string", change(EC, [3, "ES256"])],
  ["alg as a float", change(EC, [3, raw("f9c700")])],
  ["alg as null", change(EC, [3, null])],
  ["alg as bytes", change(EC, [3, Uint8Array.of(0x26)])],
  ["alg under a string label", new Map([...change(EC, [3, undefined]), ["3", -7]])],
  ...[-65_535, -47, -9, -51, -52, -19, -53, -48, -49, -50, 0, 7, -6, -16, -65_536].map((alg) =>
    [`the algorithm ${alg}`, change(EC, [3, alg]), "algorithm_unsupported"] as const
  ),
  ["RS1 with an RSA key", change(RS, [3, -65_535]), "algorithm_unsupported"],

  ["no kty", change(EC, [1, undefined])],
  ["kty as a string", change(EC, [1, "EC2"])],
  ["a symmetric key", change(EC, [1, 4])],
  ["a key of HSS-LMS", change(EC, [1, 5])],
  ["kty 0", change(EC, [1, 0])],
  ["an EC key as OKP", change(EC, [1, 1])],
  ["an EC key for EdDSA", change(EC, [3, -8])],
  ["an EC key for RS256", change(EC, [3, -257])],
  ["an OKP key for ES256", change(ED, [3, -7])],
  ["an RSA key for ES256", change(RS, [3, -7])],
  ["an RSA key as EC", change(RS, [1, 2])],
  ["no crv", change(EC, [-1, undefined])],
  ["crv as a string", change(EC, [-1, "P-256"])],
  ["P-256 for ES384", change(EC, [3, -35])],
  ["P-256 for ES512", change(EC, [3, -36])],
  ["P-384 for ES256", ec2(-7, 2, P384)],
  ["P-521 for ES384", ec2(-35, 3, P521)],
  ["secp256k1", change(EC, [-1, 8])],
  ["Ed25519 as a curve of ES256", change(EC, [-1, 6])],
  ["Ed448 for EdDSA", change(ED, [-1, 7], [-2, new Uint8Array(57).fill(1)])],
  ["X25519", change(ED, [-1, 4])],

  ["no x", change(EC, [-2, undefined])],
  ["x as a string", change(EC, [-2, "x".repeat(32)])],
  ["x as an integer", change(EC, [-2, 5])],
  ["no y", change(EC, [-3, undefined])],
  ["y as true: compressed", change(EC, [-3, true])],
  ["y as false: compressed", change(EC, [-3, false])],
  ["y as null", change(EC, [-3, null])],
  ["y of an OKP key", change(ED, [-3, new Uint8Array(32)])],
  ["no n", change(RS, [-1, undefined])],
  ["no e", change(RS, [-2, undefined])],
  ["e as an integer", change(RS, [-2, 65_537])],
  ["e of more than 2^32", change(RS, [-2, Uint8Array.of(1, 0, 0, 0, 1)])],

  ["kid", change(EC, [2, new Uint8Array(4)])],
  ["key_ops", change(EC, [4, [2]])],
  ["Base IV", change(EC, [5, new Uint8Array(4)])],
  ["d of an EC key", change(EC, [-4, bytes(P256.d)])],
  ["d instead of y", change(EC, [-3, undefined], [-4, bytes(P256.d)])],
  ["kid instead of x", change(EC, [-2, undefined], [2, bytes(P256.x)])],
  ["d of an OKP key", change(ED, [-4, bytes(OKP.d)])],
  ["d of an RSA key", change(RS, [-3, bytes(RSA.d)])],
  ["another member", change(EC, [-70_001, 1])],
  ["a string label", change(EC, ["kid", 1])],
  ["__proto__", change(EC, ["__proto__", new Map()])],
];

for (const [why, key, reason = "key_invalid"] of UNPARSED) {
  Deno.test(`parseCoseKey() refuses ${why}`, () => {
    const error = assertThrows(() => parseCoseKey(encodeCbor(key)), CeremonyError);
    assertEquals(error.reason, reason);
  });
}

const zeroed = (text = "") => concat(Uint8Array.of(0), bytes(text));
const PRIME = decodeHex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");

/** [why, key] Keys whose numbers are wrong. */
const UNIMPORTED: readonly (readonly [why: string, key: Members])[] = [
  ["x of 31 bytes", change(EC, [-2, bytes(P256.x).slice(1)])],
  ["x of 33 bytes", change(EC, [-2, zeroed(P256.x)])],
  ["y of 31 bytes", change(EC, [-3, bytes(P256.y).slice(1)])],
  ["y of 33 bytes", change(EC, [-3, zeroed(P256.y)])],
  ["an empty x", change(EC, [-2, new Uint8Array()])],
  ["an empty y", change(EC, [-3, new Uint8Array()])],
  ["the point 0, 0", change(EC, [-2, new Uint8Array(32)], [-3, new Uint8Array(32)])],
  ["a point off the curve", change(EC, [-3, bytes(P256.x)])],
  ["a bit of y flipped", change(EC, [-3, bytes(P256.y).with(31, (bytes(P256.y)[31] ?? 0) ^ 1)])],
  ["x of the field's prime", change(EC, [-2, PRIME])],
  ["x greater than the field's prime", change(EC, [-2, new Uint8Array(32).fill(255)])],
  ["a point of P-256 as P-384", change(EC, [3, -35], [-1, 2])],
  ["a point off P-384", ec2(-35, 2, { ...P384, y: P384.x ?? "" })],
  ["a point off P-521", ec2(-36, 3, { ...P521, x: P521.y ?? "" })],
  ["P-521 without its leading zero", change(ec2(-36, 3, P521), [-2, bytes(P521.x).slice(1)])],
  ["an Ed25519 key of 31 bytes", change(ED, [-2, bytes(OKP.x).slice(1)])],
  ["an Ed25519 key of 33 bytes", change(ED, [-2, zeroed(OKP.x)])],
  ["an empty Ed25519 key", change(ED, [-2, new Uint8Array()])],
  ["an Ed25519 key of small order", change(ED, [-2, new Uint8Array(32)])],
  ["the Ed25519 identity", change(ED, [-2, new Uint8Array(32).with(0, 1)])],
  ["an Ed25519 key that is not a point", change(ED, [-2, new Uint8Array(32).with(0, 2)])],
  ["an even modulus", change(RS, [-1, bytes(RSA.n).with(-1, 0xa0)])],
  ["a modulus of 1,024 bits", change(RS, [-1, new Uint8Array(128).fill(255)])],
  ["a modulus of 2,047 bits", change(RS, [-1, bytes(RSA.n).with(0, 0x7f)])],
  ["a modulus of 8,200 bits", change(RS, [-1, new Uint8Array(1_025).fill(255)])],
  ["a modulus with a leading zero", change(RS, [-1, zeroed(RSA.n)])],
  ["an empty modulus", change(RS, [-1, new Uint8Array()])],
  ["an exponent of 1", change(RS, [-2, Uint8Array.of(1)])],
  ["an exponent of 2", change(RS, [-2, Uint8Array.of(2)])],
  ["an even exponent", change(RS, [-2, Uint8Array.of(1, 0, 0)])],
  ["an exponent with a leading zero", change(RS, [-2, Uint8Array.of(0, 1, 0, 1)])],
  ["an empty exponent", change(RS, [-2, new Uint8Array()])],
];

for (const [why, key] of UNIMPORTED) {
  Deno.test(`importCoseKey() refuses ${why}`, async () => {
    const parsed = parseCoseKey(encodeCbor(key));
    const error = await assertRejects(() => importCoseKey(parsed), CeremonyError);
    assertEquals(error.reason, "key_invalid");
    assertInstanceOf(error.cause, TypeError);
  });
}

Deno.test("importCoseKey() refuses keys that the runtime does not support", async () => {
  const native = crypto.subtle.importKey;
  const parsed = parseCoseKey(encodeCbor(ED));
  crypto.subtle.importKey = () =>
    Promise.reject(new DOMException("Unrecognized name", "NotSupportedError"));
  try {
    const error = await assertRejects(() => importCoseKey(parsed), CeremonyError);
    assertEquals(error.reason, "key_invalid");
  } finally {
    crypto.subtle.importKey = native;
  }
});
