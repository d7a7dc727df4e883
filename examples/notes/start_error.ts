/**
 * Why the service can't start.
 *
 * @module
 */

/** Says in one line why the service can't start. */
export class StartError extends Error {
  /** Name of the class. */
  override readonly name = "StartError";
}
