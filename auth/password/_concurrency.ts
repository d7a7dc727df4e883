/**
 * A limit on concurrent work that hashes passwords: hashing makes a login expensive, for the server too.
 *
 * @module
 */

import { isWorkerd } from "../_workerd.ts";
import { AuthError } from "../error.ts";
import type { HasherLimitOptions } from "./hasher.ts";

/** Runs work within the limits. */
export interface Semaphore {
  /**
   * Runs work when a slot is free, first come, first served. The slot is taken before the work begins, so that no
   * attempt is counted for a request that is rejected here.
   *
   * @throws {AuthError} `service_unavailable` with `Retry-After`, if the queue is full.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** `Retry-After` in seconds: enough for the default queue. */
const RETRY_AFTER = "5";

/**
 * Creates a semaphore with a bounded queue.
 *
 * @throws {RangeError} If `running` is not an integer from 1, or `waiting` not one from 0.
 */
export function createSemaphore(options: HasherLimitOptions = {}): Semaphore {
  const { running: slots = 4, waiting: maxWaiting = 64 } = options;
  if (!Number.isInteger(slots) || slots < 1 || !Number.isInteger(maxWaiting) || maxWaiting < 0) {
    throw new RangeError("Cannot limit hashing: running and waiting must be integers from 1 and 0");
  }
  let running = 0;
  const queue: (() => void)[] = [];

  /** Frees a slot, or passes it to the first in the queue. */
  function release(): void {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  }

  return Object.freeze({
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (isWorkerd()) return await work(); // no request may wait for another one there
      if (running < slots) running++;
      else if (queue.length < maxWaiting) await new Promise<void>((resolve) => queue.push(resolve));
      else throw busy();
      try {
        return await work();
      } finally {
        release();
      }
    },
  });
}

function busy(): AuthError {
  return new AuthError("service_unavailable", {
    reason: "too many passwords are being hashed",
    headers: { "Retry-After": RETRY_AFTER },
  });
}
