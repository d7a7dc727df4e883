/**
 * Waits of a random length: those who met do not meet again.
 *
 * @module
 */

import { randomBytes } from "./_random.ts";

/** Waits for a random time between two, in milliseconds. */
export async function sleepWithJitter(leastMs: number, mostMs: number): Promise<void> {
  const [byte = 0] = randomBytes(1);
  const ms = leastMs + (mostMs - leastMs) * byte / 256;
  await new Promise((resolve) => setTimeout(resolve, ms));
}
