/**
 * The default hasher: PBKDF2-HMAC-SHA-256 of Web Crypto, RFC 8018 §5.2.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { pbkdf2 } from "../_kdf.ts";
import { type KdfParameters, phcHasher } from "./_phc.ts";
import type { PasswordHasher } from "./hasher.ts";

/** Options of {@linkcode pbkdf2Hasher}. */
export interface Pbkdf2HasherOptions {
  /** Iterations, from 1,000 to 10,000,000; OWASP asks for 600,000. @default {600_000} */
  iterations?: number;
}

const ITERATIONS = 600_000;
const MIN_ITERATIONS = 1_000;
const MAX_ITERATIONS = 10_000_000;

/**
 * PBKDF2-HMAC-SHA-256, RFC 8018 §5.2, by Web Crypto: the default hasher. 600,000 iterations take some 100 ms. Hashes are
 * PHC strings, `$pbkdf2-sha256$i=600000$<salt>$<key>`.
 *
 * A hash with fewer iterations takes as long to verify as one with the current number, so that the time does not reveal old
 * accounts. One with more iterations takes longer: do not lower the number while such hashes are stored.
 *
 * Hashes of other implementations verify if they are such a string (`i=…,l=…` with the size of the key, too) with 8 to 64
 * bytes of salt and 16 to 32 bytes of key, made of the password's NFC form in UTF-8.
 *
 * If a runtime allows fewer iterations (Cloudflare: 100,000), hashing throws a `TypeError`; use {@linkcode scryptHasher}
 * there.
 *
 * @throws {RangeError} If `iterations` is not an integer from 1,000 to 10,000,000.
 *
 * @example
 * ```ts
 * import { pbkdf2Hasher } from "@gatehouse/http/auth";
 * import { assert, assertMatch } from "@std/assert";
 *
 * const hasher = pbkdf2Hasher();
 * const encoded = await hasher.hash("correct horse battery staple");
 * assertMatch(encoded, /^\$pbkdf2-sha256\$i=600000\$/);
 * assert(await hasher.verify("correct horse battery staple", encoded));
 * ```
 */
export function pbkdf2Hasher(options: Pbkdf2HasherOptions = {}): PasswordHasher {
  const { iterations = ITERATIONS } = options;
  if (!isInBounds(iterations)) {
    throw new RangeError(
      "Cannot create PBKDF2 hasher: iterations must be an integer from 1,000 to 10,000,000",
    );
  }
  return phcHasher({
    id: "pbkdf2-sha256",
    current: { i: iterations },
    // Other implementations write the size of the key, too
    read: ({ i = 0, l, ...others }: KdfParameters, keyBytes) =>
      isInBounds(i) && (l ?? keyBytes) === keyBytes && Object.keys(others).length === 0
        ? { i }
        : undefined,
    isBelow: (parameters, other) => parameters.i < other.i,
    cost: ({ i }) => i,
    atCost: (_parameters, i) => i > 0 ? { i } : undefined,
    derive,
  });
}

function isInBounds(iterations: number): boolean {
  return Number.isInteger(iterations) && iterations >= MIN_ITERATIONS &&
    iterations <= MAX_ITERATIONS;
}

async function derive(
  password: Bytes,
  salt: Bytes,
  { i: iterations }: { readonly i: number },
  length: number,
): Promise<Bytes> {
  try {
    return await pbkdf2(password, { salt, iterations, length });
  } catch (cause) { // Cloudflare allows 100,000 iterations, a self-hosted workerd any number
    throw new TypeError(
      `Cannot hash password: this runtime does not support ${iterations} iterations of PBKDF2; set the option "hasher"`,
      { cause },
    );
  }
}
