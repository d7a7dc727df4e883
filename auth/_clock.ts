/**
 * The only place of this folder that reads the time, and that checks an application's clock.
 *
 * @module
 */

/** The year 5138 in seconds; the current time in milliseconds is greater. */
const MAX_SECONDS = 1e11;

/** How far the clocks of two processes may differ, in seconds. */
export const SKEW_SECONDS = 300;

/** Clocks that {@linkcode createClock} returned; they are not wrapped again. */
const CHECKED: WeakSet<() => number> = /* @__PURE__ */ new WeakSet();

/** The time, in whole seconds since the Unix epoch. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * A clock of whole seconds. Every value of an application's clock is checked: with milliseconds all limits would be a
 * thousand times shorter or longer, and NaN is never after a limit.
 */
export function createClock(now: (() => number) | undefined): () => number {
  if (now === undefined || now === nowSeconds) return nowSeconds;
  if (CHECKED.has(now)) return now;
  const clock = () => Math.floor(readExact(now));
  CHECKED.add(clock);
  return clock;
}

/** The same with fractions of a second: for records that are kept until a time that the caller gave. */
export function exactClock(now: (() => number) | undefined): () => number {
  if (now === undefined) return nowSeconds;
  return CHECKED.has(now) ? now : () => readExact(now);
}

/** Reads a clock once, in whole seconds. @throws {RangeError} If it does not return seconds. */
export function readClock(now: (() => number) | undefined): number {
  return now === undefined ? nowSeconds() : Math.floor(readExact(now));
}

function readExact(now: () => number): number {
  const seconds = now();
  if (Number.isFinite(seconds) && Math.abs(seconds) < MAX_SECONDS) return seconds;
  throw new RangeError("Invalid clock: now() must return seconds since the epoch");
}
