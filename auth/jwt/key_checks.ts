/**
 * Checks of curve points and RSA numbers that runtimes omit: they import points that are not on the curve and throw only
 * when they verify.
 *
 * @module
 */

import { type Bytes, encodeHex } from "../_bytes.ts";

/** A curve y² = x³ - 3x + b over the integers modulo p, SP 800-186 §3.2.1. */
interface Curve {
  readonly bytes: number;
  readonly p: bigint;
  readonly b: bigint;
  /** Order of the group. */
  readonly n: bigint;
}

/** One row for each curve of RFC 7518 §6.2.1.1. */
const CURVES: Readonly<Record<string, Curve>> = {
  "P-256": {
    bytes: 32,
    p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  "P-384": {
    bytes: 48,
    p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  "P-521": {
    bytes: 66,
    p: 0x01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffn,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    n: 0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
};

/** The field prime and the constant d of Ed25519, RFC 8032 §5.1. */
const ED25519_P = 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffedn;
const ED25519_D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** y of the points of order 1, 2, 4 and 8: under such a key, signatures of any message verify. */
const SMALL_ORDER_Y: readonly bigint[] = [
  0n,
  1n,
  0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffecn, // p - 1; computed, it would stay in every bundle
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
];

/** Length of a coordinate and of a private key, in bytes. */
export function coordinateBytes(crv: string): number | undefined {
  return Object.hasOwn(CURVES, crv) ? CURVES[crv]?.bytes : undefined;
}

/** Whether a point is on a curve. The point at infinity has no coordinates. */
export function isOnCurve(crv: string, x: Bytes, y: Bytes): boolean {
  const curve = CURVES[crv];
  if (curve === undefined) return false;
  const { p, b } = curve;
  const [a, c] = [toInteger(x), toInteger(y)];
  if (a >= p || c >= p) return false;
  return (c * c - (a * a * a - 3n * a + b)) % p === 0n;
}

/** Whether a number is greater than 0 and less than the order of the group: a private key, or r or s of a signature. */
export function isScalar(crv: string, bytes: Bytes): boolean {
  const scalar = toInteger(bytes);
  return scalar > 0n && scalar < (CURVES[crv]?.n ?? 0n);
}

/** Whether bytes are an Ed25519 public key, RFC 8032 §5.1.3, that does not have small order. */
export function isEd25519Point(bytes: Bytes): boolean {
  const reversed = bytes.slice().reverse();
  reversed[0] = (reversed[0] ?? 0) & 0x7f; // the sign of x
  const y = toInteger(reversed);
  if (y >= ED25519_P || SMALL_ORDER_Y.includes(y)) return false;
  const square = modulo(y * y, ED25519_P);
  const above = modulo(square - 1n, ED25519_P);
  const below = modulo(ED25519_D * square + 1n, ED25519_P);
  // x² = above / below has a root if above · below is a square, by Euler's criterion
  return power(modulo(above * below, ED25519_P), (ED25519_P - 1n) / 2n, ED25519_P) === 1n;
}

/** Bytes as a big-endian integer. */
export function toInteger(bytes: Bytes): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${encodeHex(bytes)}`);
}

function modulo(value: bigint, p: bigint): bigint {
  const rest = value % p;
  return rest < 0n ? rest + p : rest;
}

function power(base: bigint, exponent: bigint, p: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = result * square % p;
    square = square * square % p;
  }
  return result;
}

/** Length of a modulus in bits: fewer are too weak, RFC 7518 §3.3; more would exhaust a verifier. */
const MIN_BITS = 2_048;
const MAX_BITS = 8_192;

/** Maximum length of an exponent in bytes: a longer one would exhaust a verifier. */
const MAX_EXPONENT_BYTES = 8;

/** Primes that identify the moduli of the ROCA vulnerability, CVE-2017-15361. */
const ROCA_PRIMES: readonly number[] = [
  11,
  13,
  17,
  19,
  37,
  53,
  61,
  71,
  73,
  79,
  97,
  103,
  107,
  109,
  127,
  151,
  157,
];

/** Why an RSA public key is invalid; `undefined` if it is valid. Neither number has a leading zero, RFC 7518 §2. */
export function validateRsaModulus(n: Bytes, e: Bytes): string | undefined {
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
  if (bits < MIN_BITS) return `the modulus has ${bits} bits, at least ${MIN_BITS} are required`;
  if (bits > MAX_BITS) return `the modulus has ${bits} bits, at most ${MAX_BITS} are allowed`;
  const modulus = toInteger(n);
  if (modulus % 2n === 0n) return "the modulus is even";
  if (e.length > MAX_EXPONENT_BYTES) return "the exponent is too long";
  const exponent = toInteger(e);
  if (exponent < 3n || exponent % 2n === 0n) return "the exponent is even or less than 3";
  if (ROCA_PRIMES.every((prime) => isPowerOfGenerator(modulus, prime))) {
    return "its primes are predictable (CVE-2017-15361)";
  }
  return undefined;
}

/** Whether a modulus is a power of 65537 modulo a prime. ROCA moduli are, for all of the primes. */
function isPowerOfGenerator(modulus: bigint, prime: number): boolean {
  const rest = Number(modulus % BigInt(prime));
  const generator = 65_537 % prime;
  let power = 1;
  do {
    if (power === rest) return true;
    power = power * generator % prime;
  } while (power !== 1);
  return false;
}
