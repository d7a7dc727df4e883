/**
 * RSA moduli and exponents that runtimes import and should not.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { toInteger } from "./_key_checks.ts";

/** Bits of a modulus: fewer are too weak, RFC 7518 §3.3; more would take a verifier's time. */
const MIN_BITS = 2_048;
const MAX_BITS = 8_192;

/** Bytes of an exponent; a long one would take a verifier's time. */
const MAX_EXPONENT_BYTES = 8;

/** Primes that tell moduli of a certain faulty library, CVE-2017-15361. */
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

/** What is wrong with a public key, if anything. Both numbers have no zero in front, RFC 7518 §2. */
export function validateRsaModulus(n: Bytes, e: Bytes): string | undefined {
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
  if (bits < MIN_BITS) return `the modulus has ${bits} bits, at least ${MIN_BITS} are needed`;
  if (bits > MAX_BITS) return `the modulus has ${bits} bits, at most ${MAX_BITS} are taken`;
  const modulus = toInteger(n);
  if (modulus % 2n === 0n) return "the modulus is even";
  if (e.length > MAX_EXPONENT_BYTES) return "the exponent is too long";
  const exponent = toInteger(e);
  if (exponent < 3n || exponent % 2n === 0n) return "the exponent is not odd, or less than 3";
  if (ROCA_PRIMES.every((prime) => isPowerOfGenerator(modulus, prime))) {
    return "its primes can be guessed (CVE-2017-15361)";
  }
  return undefined;
}

/** Whether a modulus is a power of 65537 modulo a prime. Those of the faulty library are for all of the primes. */
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
