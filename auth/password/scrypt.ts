/**
 * A scrypt hasher, RFC 7914, over a library's scrypt: for runtimes that limit PBKDF2's iterations, and for hashes that
 * cost memory.
 *
 * @module
 */

import { type KdfParameters, phcHasher } from "./_phc.ts";
import type { PasswordHasher } from "./hasher.ts";

/** Parameters of scrypt, RFC 7914 §2. */
export interface ScryptParameters {
  /** CPU and memory cost; a power of two. The memory is 128 · N · r bytes. */
  readonly N: number;
  /** Block size. */
  readonly r: number;
  /** Parallelization. */
  readonly p: number;
  /** Bytes to derive. */
  readonly dkLen: number;
}

/** A library's scrypt, for example `scryptAsync` of `@noble/hashes/scrypt`. */
export type ScryptFunction = (
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  parameters: ScryptParameters,
) => Promise<Uint8Array>;

/** Options of {@linkcode scryptHasher}. */
export interface ScryptHasherOptions {
  /** Derives the keys. */
  readonly scrypt: ScryptFunction;
  /** Binary logarithm of N, from 10 to 20. @default {14}, 16 MiB, which fits into a Worker */
  readonly ln?: number;
  /** Block size, from 1 to 32. @default {8} */
  readonly r?: number;
  /** Parallelization, from 1 to 16. OWASP: 5 where `ln` is 14, 1 where it is 17. @default {5} */
  readonly p?: number;
}

/** The most that a stored hash may require: 1 GiB of memory, and the time of two passes through it. */
const MAX_MEMORY = 2 ** 30;
const MAX_COST = 2 ** 24;

/** Parameters in PHC strings. */
interface ScryptCost {
  readonly [name: string]: number;
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * Creates a scrypt hasher. Hashes are PHC strings: `$scrypt$ln=14,r=8,p=5$<salt>$<key>`.
 *
 * @throws {TypeError} If `scrypt` is not a function.
 * @throws {RangeError} If a parameter is out of range.
 *
 * @example
 * ```ts
 * import { scryptHasher } from "@gatehouse/http/auth";
 * import { scryptAsync } from "@noble/hashes/scrypt.js";
 * import { assert } from "@std/assert";
 *
 * const hasher = scryptHasher({ scrypt: scryptAsync });
 * const encoded = await hasher.hash("correct horse battery staple");
 * assert(await hasher.verify("correct horse battery staple", encoded));
 * ```
 */
export function scryptHasher(options: ScryptHasherOptions): PasswordHasher {
  const { scrypt, ln = 14, r = 8, p = 5 } = options;
  const current = readCost({ ln, r, p });
  if (typeof scrypt !== "function") {
    throw new TypeError("Cannot create scrypt hasher: scrypt must be a function");
  }
  if (current === undefined) {
    throw new RangeError("Cannot create scrypt hasher: ln, r or p is out of range");
  }
  return phcHasher<ScryptCost>({
    id: "scrypt",
    current,
    read: readCost,
    // Less memory, or less total cost
    isBelow: (parameters, other) =>
      memoryOf(parameters) < memoryOf(other) || costOf(parameters) < costOf(other),
    cost: costOf,
    atCost(parameters, cost) {
      const p = Math.round(cost / (2 ** parameters.ln * parameters.r));
      return p < 1 ? undefined : { ...parameters, p };
    },
    async derive(password, salt, { ln, r, p }, dkLen) {
      return new Uint8Array(await scrypt(password, salt, { N: 2 ** ln, r, p, dkLen }));
    },
  });
}

function readCost({ ln = 0, r = 0, p = 0, ...others }: KdfParameters): ScryptCost | undefined {
  const known = isWithin(ln, 10, 20) && isWithin(r, 1, 32) && isWithin(p, 1, 16);
  if (!known || Object.keys(others).length > 0) return undefined;
  const cost = { ln, r, p };
  return memoryOf(cost) > MAX_MEMORY || costOf(cost) > MAX_COST ? undefined : cost;
}

function memoryOf({ ln, r }: ScryptCost): number {
  return 128 * 2 ** ln * r;
}

function costOf({ ln, r, p }: ScryptCost): number {
  return 2 ** ln * r * p;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
