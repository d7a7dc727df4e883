/**
 * The one place of this folder that asks for the time, and that looks at what others say it is.
 *
 * @module
 */

/** The year 5138 in seconds; a time of today in milliseconds is later. */
const MAX_SECONDS = 1e11;

/** How far the clocks of two processes may be apart, in seconds. */
export const SKEW_SECONDS = 300;

/** The time, in whole seconds since the Unix epoch. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Whole seconds of an application's clock, which is asked each time whether it gives seconds. In milliseconds all limits would be a
 * thousand times shorter or longer; a time that is no number is never past anything.
 */
export function createClock(now: (() => number) | undefined): () => number {
  if (now === undefined) return nowSeconds;
  const exact = exactClock(now);
  return () => Math.floor(exact());
}

/** The same with parts of a second: for what is kept until a time that somebody else said. */
export function exactClock(now: (() => number) | undefined): () => number {
  if (now === undefined) return nowSeconds;
  return () => {
    const seconds = now();
    if (Number.isFinite(seconds) && Math.abs(seconds) < MAX_SECONDS) return seconds;
    throw new RangeError("Cannot tell the time: now does not give seconds since the epoch");
  };
}
