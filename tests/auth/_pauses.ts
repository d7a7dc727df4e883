/**
 * Recorded delays, without waiting.
 *
 * @module
 */

/**
 * Runs something with timers that fire at once.
 *
 * @returns The delays, in milliseconds.
 */
export async function pausesOf(run: () => Promise<unknown>): Promise<readonly number[]> {
  const pauses: number[] = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = Object.assign((then: () => void, ms = 0) => {
    pauses.push(ms);
    return setTimeout(then, 0);
  }, setTimeout);
  try {
    await run();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return pauses;
}
