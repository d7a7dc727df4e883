/** The catalogue "CBOR and COSE": keys of credentials; rows are only added. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { decodeBase64Url } from "../../auth/_base64url.ts";
import { type Bytes, decodeHex } from "../../auth/_bytes.ts";
import type { WebAuthnFailure } from "../../auth/events.ts";
import { parseAttestationObject } from "../../auth/webauthn/_attestation_object.ts";
import { parseAuthenticatorData } from "../../auth/webauthn/_authenticator_data.ts";
import { importCoseKey, parseCoseKey } from "../../auth/webauthn/_cose.ts";
import { CeremonyError } from "../../auth/webauthn/_failure.ts";
import { OKP, P256, P384, RSA } from "../auth/jwt/_jws.ts";
import { concat, type Encodable, encodeCbor, raw, unsorted } from "../auth/webauthn/_cbor.ts";
import { randomNumbers } from "../static/_random.ts";

/** Far above the 5 ms that it takes at most, since the machine may be busy. */
const MAX_MS = 250;

const bytes = (text = "") => decodeBase64Url(text);

const EC: readonly (readonly [Encodable, Encodable])[] = [
  [1, 2],
  [3, -7],
  [-1, 1],
  [-2, bytes(P256.x)],
  [-3, bytes(P256.y)],
];

/** The P-256 key with members replaced, added or removed, in canonical order. */
function ec(...changes: readonly (readonly [Encodable, Encodable | undefined])[]): Encodable {
  const key = new Map(EC);
  for (const [label, value] of changes) {
    if (value === undefined) key.delete(label);
    else key.set(label, value);
  }
  return key;
}

function rsa(n: Bytes, e: Bytes, alg = -257): Encodable {
  return new Map<Encodable, Encodable>([[1, 3], [3, alg], [-1, n], [-2, e]]);
}

function okp(x: Bytes, alg = -8): Encodable {
  return new Map<Encodable, Encodable>([[1, 1], [3, alg], [-1, 6], [-2, x]]);
}

const F4 = Uint8Array.of(1, 0, 1);
const N = bytes(RSA.n);
const PRIME = decodeHex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
/** No point of P-256 has this x: its twist has one. */
const TWIST_X = new Uint8Array(32).with(31, 1);
const SMALL_ORDER = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05";

/** [source, attack, key, reason] */
const KEYS: readonly (readonly [string, string, Encodable, WebAuthnFailure?])[] = [
  ["webauthn.md §3", "kty as a string", ec([1, "EC2"])],
  ["webauthn.md §3", "no alg", ec([3, undefined])],
  ["webauthn.md §3", "alg as a string", ec([3, "ES256"])],
  ["webauthn.md §3", "alg as a float", ec([3, raw("f9c700")])],
  ["webauthn.md §3", "crv as a string", ec([-1, "P-256"])],
  ["webauthn.md §3", "x of 31 bytes", ec([-2, bytes(P256.x).slice(1)])],
  [
    "webauthn.md §3",
    "x of 33 bytes, a leading zero",
    ec([-2, concat(Uint8Array.of(0), bytes(P256.x))]),
  ],
  ["webauthn.md §3", "y as a boolean", ec([-3, true])],
  ["webauthn.md §3", "no y", ec([-3, undefined])],
  ["webauthn.md §3", "an empty y", ec([-3, new Uint8Array()])],
  ["webauthn.md §3", "the point 0, 0", ec([-2, new Uint8Array(32)], [-3, new Uint8Array(32)])],
  ["webauthn.md §3", "x of the prime", ec([-2, PRIME])],
  ["webauthn.md §3", "x above the prime", ec([-2, new Uint8Array(32).fill(0xff)])],
  ["webauthn.md §3", "a point whose x is on the twist", ec([-2, TWIST_X], [-3, new Uint8Array(32).with(31, 1)])],
  ["neighbour", "a point whose y is that of another x", ec([-3, bytes(P256.x)])],
  ["webauthn.md §3", "a P-256 key for ES384", ec([3, -35])],
  ["ATTACKS", "a P-384 point for ES256", ec([-2, bytes(P384.x)], [-3, bytes(P384.y)])],
  ["webauthn.md §3", "an OKP key for ES256", okp(bytes(OKP.x), -7)],
  ["webauthn.md §3", "an even modulus", rsa(N.with(-1, 0xa0), F4)],
  ["webauthn.md §3", "a modulus of 1,024 bits", rsa(new Uint8Array(128).fill(0xff), F4)],
  ["webauthn.md §3", "a modulus with a leading zero", rsa(concat(Uint8Array.of(0), N), F4)],
  ["neighbour", "a modulus of 40,000 bytes", rsa(new Uint8Array(40_000).fill(0xff), F4)],
  ["webauthn.md §3", "an exponent of 1, which verifies everything", rsa(N, Uint8Array.of(1))],
  ["webauthn.md §3", "an exponent of 2", rsa(N, Uint8Array.of(2))],
  ["webauthn.md §3", "an even exponent", rsa(N, Uint8Array.of(1, 0, 0))],
  ["webauthn.md §3", "an empty exponent", rsa(N, new Uint8Array())],
  ["neighbour", "an exponent as long as the modulus", rsa(N, N)],
  ["webauthn.md §3", "a private key", ec([-4, bytes(P256.d)])],
  ["webauthn.md §3", "a symmetric key", ec([1, 4])],
  ["webauthn.md §3", "a key of HSS-LMS", ec([1, 5])],
  ["webauthn.md §3", "keys out of order", unsorted([...EC].reverse())],
  ["webauthn.md §3", "an empty map", new Map()],
  ["ATTACKS", "an Ed25519 key of order 8", okp(decodeHex(SMALL_ORDER))],
  ["ATTACKS", "the Ed25519 identity", okp(new Uint8Array(32).with(0, 1))],
  ["ATTACKS", "RS1", rsa(N, F4, -65_535), "algorithm_unsupported"],
  ["webauthn.md §3 38", "ES256K", ec([3, -47]), "algorithm_unsupported"],
  ["webauthn.md §3 38", "ESP256", ec([3, -9]), "algorithm_unsupported"],
];

for (const [source, attack, key, reason = "key_invalid"] of KEYS) {
  Deno.test(`parseCoseKey() or importCoseKey() refuses ${attack} [${source}]`, async () => {
    const start = performance.now();
    const error = await assertRejects(
      async () => await importCoseKey(parseCoseKey(encodeCbor(key))),
      CeremonyError,
    );
    assertEquals(error.reason, reason);
    assert(performance.now() - start < MAX_MS, "refused slowly");
  });
}

Deno.test("parseAttestationObject(), parseAuthenticatorData() and parseCoseKey() survive mutations [ATTACKS]", () => {
  const authData = concat(
    new Uint8Array(56).with(32, 0xc1).with(54, 1),
    encodeCbor(new Map(EC)),
    encodeCbor(unsorted([["a", true]])),
  );
  const object = encodeCbor(
    unsorted([["fmt", "none"], ["attStmt", new Map()], ["authData", authData]]),
  );
  const random = randomNumbers(2_026);
  const reasons = new Set<WebAuthnFailure>();
  for (let i = 0; i < 50_000; i++) {
    const mutated = Uint8Array.from(object);
    for (let changes = 1 + random(3); changes > 0; changes--) {
      mutated[random(mutated.length)] = random(256);
    }
    try {
      const { authData } = parseAttestationObject(
        mutated.subarray(0, mutated.length - (random(8) ? 0 : random(9))),
      );
      parseCoseKey(parseAuthenticatorData(authData).attested?.publicKey ?? new Uint8Array());
    } catch (error) {
      assert(error instanceof CeremonyError, String(error));
      reasons.add(error.reason);
    }
  }
  const expected: WebAuthnFailure[] = [
    "algorithm_unsupported",
    "attestation_malformed",
    "authenticator_data_malformed",
    "key_invalid",
  ];
  assertEquals([...reasons].sort(), expected);
});
