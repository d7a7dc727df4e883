/**
 * COSE keys of credentials and their signatures: WebAuthn Level 3 §5.8.5, §6.5.1.1 and §6.5.5, RFC 9053 §7, RFC 8230 §4.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { type AsymmetricAlgorithm, JWA, type SignedData, verifySignature } from "../jwt/jwa.ts";
import { importPublicKey, type KeyBytes } from "../jwt/jwk.ts";
import { decodeCbor, isCborMap } from "./_cbor.ts";
import { derToRaw } from "./_der_signature.ts";
import { CeremonyError, check, decodeOr } from "./_failure.ts";
import type { CoseAlgorithm } from "./types.ts";

/** A parsed key. Its values are checked by {@linkcode importCoseKey}. */
export interface CoseKey {
  /** The algorithm that it is for. */
  readonly algorithm: CoseAlgorithm;
  /** Its byte strings, by their names in a JWK. */
  readonly members: KeyBytes;
}

/** The members of a key that an algorithm requires. There are no others, except `alg`. */
interface CoseRow {
  readonly alg: AsymmetricAlgorithm;
  /** Label and value: key type and curve. */
  readonly fixed: readonly (readonly [label: number, value: number])[];
  /** Label and name in a JWK: byte strings. */
  readonly binary: readonly (readonly [label: number, name: string])[];
}

const KTY = 1;
const ALG = 3;

/** One row for each algorithm. They are listed nowhere else. */
const ALGORITHMS: { readonly [A in CoseAlgorithm]: CoseRow } = /* @__PURE__ */ Object.freeze({
  [-7]: /* @__PURE__ */ ec2("ES256", 1),
  [-8]: /* @__PURE__ */ okp("EdDSA", 6),
  [-35]: /* @__PURE__ */ ec2("ES384", 2),
  [-36]: /* @__PURE__ */ ec2("ES512", 3),
  [-37]: /* @__PURE__ */ rsa("PS256"),
  [-38]: /* @__PURE__ */ rsa("PS384"),
  [-39]: /* @__PURE__ */ rsa("PS512"),
  [-257]: /* @__PURE__ */ rsa("RS256"),
  [-258]: /* @__PURE__ */ rsa("RS384"),
  [-259]: /* @__PURE__ */ rsa("RS512"),
});

/** The supported algorithms. */
export const COSE_ALGORITHMS: readonly CoseAlgorithm[] = /* @__PURE__ */ Object.keys(ALGORITHMS)
  .map((alg) => Number(alg) as CoseAlgorithm);

/** RFC 9053 §7.1.1. A compressed point has a boolean as y, which WebAuthn forbids. */
function ec2(alg: AsymmetricAlgorithm, crv: number): CoseRow {
  return { alg, fixed: [[KTY, 2], [-1, crv]], binary: [[-2, "x"], [-3, "y"]] };
}

/** RFC 9053 §7.2. */
function okp(alg: AsymmetricAlgorithm, crv: number): CoseRow {
  return { alg, fixed: [[KTY, 1], [-1, crv]], binary: [[-2, "x"]] };
}

/** RFC 8230 §4. */
function rsa(alg: AsymmetricAlgorithm): CoseRow {
  return { alg, fixed: [[KTY, 3]], binary: [[-1, "n"], [-2, "e"]] };
}

/** Maximum length of an RSA exponent: verifiers refuse longer ones, and such a passkey could never sign in. */
const MAX_EXPONENT_BYTES = 4;

/**
 * Parses a key in canonical CBOR with the members of its algorithm and no others.
 *
 * @throws {CeremonyError} `algorithm_unsupported`, or `key_invalid` if it is malformed or its members are not those of its `alg`.
 */
export function parseCoseKey(bytes: Bytes): CoseKey {
  const key = decodeOr("key_invalid", () => decodeCbor(bytes));
  check(isCborMap(key), "key_invalid");
  const algorithm = key.get(ALG);
  check(typeof algorithm === "number", "key_invalid");
  check(isCoseAlgorithm(algorithm), "algorithm_unsupported");
  const { fixed, binary } = ALGORITHMS[algorithm];
  check(key.size === 1 + fixed.length + binary.length, "key_invalid");
  check(fixed.every(([label, value]) => key.get(label) === value), "key_invalid");
  const members: Record<string, Bytes> = {};
  for (const [label, name] of binary) {
    const value = key.get(label);
    check(value instanceof Uint8Array, "key_invalid");
    check(name !== "e" || value.length <= MAX_EXPONENT_BYTES, "key_invalid");
    members[name] = value;
  }
  return { algorithm, members };
}

/**
 * Imports a key after the checks of {@linkcode importPublicKey}: that points are on their curve, that RSA keys are strong.
 *
 * @throws {CeremonyError} `key_invalid`, also if the runtime does not support the algorithm.
 */
export async function importCoseKey({ algorithm, members }: CoseKey): Promise<CryptoKey> {
  try {
    return await importPublicKey(ALGORITHMS[algorithm].alg, members);
  } catch (cause) {
    throw new CeremonyError("key_invalid", { cause });
  }
}

/** Verifies a signature in the format of WebAuthn Level 3 §6.5.5: DER for ECDSA. Whatever is malformed is `false`. */
export async function verifyCoseSignature(
  key: CryptoKey,
  algorithm: CoseAlgorithm,
  { signature, data }: SignedData,
): Promise<boolean> {
  const { alg } = ALGORITHMS[algorithm];
  const { kty, crv = "" } = JWA[alg];
  const raw = kty === "EC" ? derToRaw(signature, crv) : signature;
  return raw !== undefined && await verifySignature(alg, key, { signature: raw, data });
}

function isCoseAlgorithm(value: number): value is CoseAlgorithm {
  return Object.hasOwn(ALGORITHMS, value);
}
