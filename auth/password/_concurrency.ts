/**
 * A limit on how many passwords are hashed at once: hashing is what makes a login expensive, for the server too.
 *
 * @module
 */

import { nowSeconds } from "../_clock.ts";
import { createSemaphore, type Lease } from "./_leases.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { AuthError } from "../error.ts";
import type { HasherLimitOptions, PasswordHasher } from "./hasher.ts";

/** Options of {@linkcode limitHasher}. */
export interface LimitHasherOptions extends HasherLimitOptions {
  /** The time, in seconds. */
  readonly now?: () => number;
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

/** For how many seconds a place and a turn are held: a store or a hasher may never answer. */
const HOLD_SECONDS = 60;

/**
 * Lets so many hashes run at once, and so many requests wait for one.
 *
 * @throws {RangeError} If a limit is not an integer from 1 on (`waiting`: 0).
 */
export function limitHasher(
  hasher: PasswordHasher,
  options: LimitHasherOptions = {},
): LimitedHasher {
  rejectUnknownOptions<LimitHasherOptions>("Cannot limit hasher", options, {
    running: true,
    waiting: true,
    now: true,
  });
  const { running: most = 4, waiting: mostWaiting = 64, now = nowSeconds } = options;
  if (!Number.isInteger(most) || most < 1 || !Number.isInteger(mostWaiting) || mostWaiting < 0) {
    throw new RangeError("Cannot limit hasher: running and waiting are not integers from 1 and 0");
  }
  const places = createSemaphore(most + mostWaiting, HOLD_SECONDS, now);
  const turns = createSemaphore(most, HOLD_SECONDS, now);
  const waiters: ((turn: Lease) => void)[] = [];

  /** Gives turns to those who wait, first come, first served. */
  function serveWaiters(): void {
    for (const waiter of [...waiters]) {
      const turn = turns.take();
      if (turn === undefined) return;
      waiters.shift();
      waiter(turn);
    }
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = await new Promise<Lease>((resolve) => {
      waiters.push(resolve);
      serveWaiters();
    });
    try {
      return await work();
    } finally {
      turns.give(turn);
      serveWaiters();
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
      const place = places.take();
      if (place === undefined) {
        throw new AuthError("service_unavailable", {
          reason: "too many passwords are being hashed",
          headers: { "Retry-After": RETRY_AFTER },
        });
      }
      try {
        return await work(inside);
      } finally {
        places.give(place);
      }
    },
  });
}
