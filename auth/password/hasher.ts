/**
 * What hashes passwords, and how many at once.
 *
 * @module
 */

/**
 * Hashes passwords. The password service hands it texts in NFC, well-formed, without NUL, of at most 1,024 bytes; a
 * hasher that looks at less of them than all must refuse.
 */
export interface PasswordHasher {
  /** What its hashes begin with, between two `$`: `pbkdf2-sha256`, `scrypt`, `2b`. */
  readonly id: string;
  /**
   * Hashes a password under a fresh salt. The text records every parameter.
   *
   * @throws {TypeError} If the text cannot be a password.
   */
  hash(password: string): Promise<string>;
  /** Whether a password has this hash; `false` for a text that is not one of its hashes, after as much work. */
  verify(password: string, encoded: string): Promise<boolean>;
  /** Whether a hash was made at a lower cost than the current one. */
  needsRehash(encoded: string): boolean;
}

/** How many passwords are hashed at once, by the password service. */
export interface HasherLimitOptions {
  /** Hashes that run at once. @default {4} */
  readonly running?: number | undefined;
  /** Requests that wait for one. @default {64} */
  readonly waiting?: number | undefined;
}
