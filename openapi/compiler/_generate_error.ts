/**
 * Errors of the steps of generating a document, as messages for the user.
 *
 * @module
 */

import { isOwnModule } from "./_locations.ts";

/** The reason why there is no document, in one line. */
export class GenerateError extends Error {
  override readonly name = "GenerateError";
}

/** Runs a step. @throws {GenerateError} If it fails, with the step's name and the message from `describe`. */
export async function attempt<T>(
  what: string,
  run: () => T | Promise<T>,
  describe: (cause: unknown) => string = messageOf,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new GenerateError(`Cannot ${what}: ${describe(cause)}`, { cause });
  }
}

/** The message of an application's error, with the file where it was thrown. */
export function locatedMessage(cause: unknown): string {
  const message = messageOf(cause);
  const place = cause instanceof Error ? placeOf(cause) : undefined;
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}

/** Where the application threw an error: the first file in its stack trace that is not part of this package. */
function placeOf({ stack = "" }: Error): string | undefined {
  return [...stack.matchAll(/\bfile:\/\/[^\s()]+:\d+:\d+/g)].map(([place]) => place)
    .find((place) => !isOwnModule(place));
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "object" ? "a non-Error value was thrown" : String(error);
}
