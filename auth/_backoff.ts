/**
 * Retries after a conflict between writers.
 *
 * @module
 */

import { randomBytes } from "./_random.ts";

/**
 * How many conflicts one operation survives. Each one is a commit of another writer, so contention ends; a limit in
 * milliseconds would fail operations on a slow machine. It ends an operation on a database that conflicts without a reason.
 */
export const MAX_CONFLICTS = 1_000;

/** Sleeps for a random time, so that writers that met do not meet again. Both limits are in milliseconds. */
export async function sleepWithJitter(minMs: number, maxMs: number): Promise<void> {
  const [byte = 0] = randomBytes(1);
  const ms = minMs + (maxMs - minMs) * byte / 256;
  await new Promise((resolve) => setTimeout(resolve, ms));
}
