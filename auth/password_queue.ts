/**
 * A limit on how many passwords are hashed at once: hashing is what makes a login expensive, for the server too.
 *
 * @module
 */

import { AuthError } from "./error.ts";
import type { PasswordHasher } from "./password_hasher.ts";

/** Options of {@linkcode limitHasher}. */
export interface HasherLimitOptions {
  /** Hashes that run at once. @default {4} */
  readonly running?: number;
  /** Requests that wait for one. @default {64} */
  readonly waiting?: number;
}

/** A hasher for those who are let in. */
export interface LimitedHasher {
  /**
   * Lets work in that hashes. A place is taken before the work begins, so that what it does first, counting an attempt
   * for one, is not done in vain; inside, hashes take turns.
   *
   * @throws {AuthError} `service_unavailable` with `Retry-After`, if there is no place.
   */
  admit<T>(work: (hasher: PasswordHasher) => Promise<T>): Promise<T>;
}

/** What a client is told to wait, in seconds: by then, those who wait have had their turn. */
const RETRY_AFTER = "5";

/**
 * Lets so many hashes run at once, and so many requests wait for one.
 *
 * @throws {RangeError} If a limit is not an integer from 1 on (`waiting`: 0).
 */
export function limitHasher(
  hasher: PasswordHasher,
  options: HasherLimitOptions = {},
): LimitedHasher {
  const { running: most = 4, waiting: mostWaiting = 64 } = options;
  if (!Number.isInteger(most) || most < 1 || !Number.isInteger(mostWaiting) || mostWaiting < 0) {
    throw new RangeError("Cannot limit hasher: running and waiting are not integers from 1 and 0");
  }
  const turns: (() => void)[] = [];
  let running = 0;
  let admitted = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < most) running++;
    else await new Promise<void>((resolve) => turns.push(resolve)); // who ends hands over its turn
    try {
      return await work();
    } finally {
      const next = turns.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  const inside: PasswordHasher = Object.freeze({
    id: hasher.id,
    hash: (password: string) => inTurn(() => hasher.hash(password)),
    verify: (password: string, encoded: string) => inTurn(() => hasher.verify(password, encoded)),
    needsRehash: (encoded: string) => hasher.needsRehash(encoded),
  });

  return Object.freeze({
    async admit<T>(work: (hasher: PasswordHasher) => Promise<T>): Promise<T> {
      if (admitted >= most + mostWaiting) {
        throw new AuthError("service_unavailable", {
          reason: "too many passwords are being hashed",
          headers: { "Retry-After": RETRY_AFTER },
        });
      }
      admitted++;
      try {
        return await work(inside);
      } finally {
        admitted--;
      }
    },
  });
}
