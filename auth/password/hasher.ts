/**
 * Password hashers, and the limits of hashing.
 *
 * @module
 */

/**
 * Hashes passwords. The password service passes well-formed strings in NFC, without NUL, of at most 1,024 bytes; a hasher
 * that would truncate one must reject it.
 */
export interface PasswordHasher {
  /** The beginning of its hashes, between two `$`: `pbkdf2-sha256`, `scrypt`, `2b`. */
  readonly id: string;
  /**
   * Hashes a password with a new salt. The result records every parameter.
   *
   * @throws {TypeError} If the string is not a valid password.
   */
  hash(password: string): Promise<string>;
  /** Whether a password has this hash; `false`, after as much work, for a string that is not one of its hashes. */
  verify(password: string, encoded: string): Promise<boolean>;
  /** Whether a hash has a lower cost than the current parameters. */
  needsRehash(encoded: string): boolean;
}

/**
 * How many requests of the password service hash passwords concurrently. Clients share them; not limited on workerd, where a
 * request cannot wait for another one.
 */
export interface HasherLimitOptions {
  /** Requests that run. @default {4} */
  readonly running?: number | undefined;
  /** Requests that wait. @default {64} */
  readonly waiting?: number | undefined;
}
