/**
 * Helpers of PBKDF2 tests: hashes of other implementations, and recorded derivations.
 *
 * @module
 */

import { pbkdf2Sync } from "node:crypto";
import type { Bytes } from "../../../auth/_bytes.ts";
import type { Pbkdf2HasherOptions } from "../../../auth/password/pbkdf2.ts";

/** The smallest allowed number: tests check results, not cost. */
export const FAST: Pbkdf2HasherOptions = { iterations: 1_000 };
export const SALT: Bytes = Uint8Array.from({ length: 16 }, (_, i) => i);

export function bare(bytes: Bytes): string {
  return bytes.toBase64({ omitPadding: true });
}

/** A PHC string of another implementation. */
export function phc(iterations: number | string, salt: Bytes, key: Bytes): string {
  return `$pbkdf2-sha256$i=${iterations}$${bare(salt)}$${bare(key)}`;
}

/** The derivation of node:crypto. */
export function nodePbkdf2(
  password: Bytes,
  iterations = 1_000,
  length = 32,
  salt: Bytes = SALT,
): Bytes {
  return Uint8Array.from(pbkdf2Sync(password, salt, iterations, length, "sha256"));
}

export type Derivation = (
  algorithm: Pbkdf2Params,
  key: CryptoKey,
  bits: number,
) => Promise<ArrayBuffer>;

/** Runs something with another `deriveBits()`, and returns the iterations of every call. */
export async function withDerivation(
  run: () => Promise<void>,
  derive?: Derivation,
): Promise<number[]> {
  const { subtle } = crypto;
  const { deriveBits } = subtle;
  const iterations: number[] = [];
  Object.defineProperty(subtle, "deriveBits", {
    configurable: true,
    value(...args: Parameters<Derivation>) {
      iterations.push(args[0].iterations);
      return derive === undefined ? Reflect.apply(deriveBits, subtle, args) : derive(...args);
    },
  });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(subtle, "deriveBits");
  }
  return iterations;
}

/** A derivation without cost, for iterations that would take seconds. */
export const NOTHING: Derivation = (_algorithm, _key, bits) =>
  Promise.resolve(new ArrayBuffer(bits / 8));

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

export const KEY32: Bytes = new Uint8Array(32); // the result of NOTHING
