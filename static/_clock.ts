/**
 * The one place of this folder that asks for the time.
 *
 * @module
 */

/** The time, in milliseconds since the Unix epoch. */
export function nowMs(): number {
  return Date.now();
}
