/**
 * The one place of this folder that asks for the time.
 *
 * @module
 */

/** The time, in whole seconds since the Unix epoch. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
