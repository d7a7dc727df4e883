/**
 * `OverloadError`: a file cannot be opened now, which says nothing about the file.
 *
 * @module
 */

/** Thrown when the process or the system has too many open files. A mount answers 503. */
export class OverloadError extends Error {
  /** Name of the class. */
  override readonly name = "OverloadError";

  /** Creates the error. @param cause The error of the system. */
  constructor(cause: unknown) {
    super("Cannot open the file: too many files are open", { cause });
  }
}
