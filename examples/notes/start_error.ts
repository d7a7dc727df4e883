/**
 * Why the service can't start.
 *
 * @module
 */

/** The reason why the service cannot start, in one line. */
export class StartError extends Error {
  /** Name of the class. */
  override readonly name = "StartError";
}
