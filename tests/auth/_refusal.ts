/**
 * Expected errors.
 *
 * @module
 */

import { assertInstanceOf, assertRejects } from "@std/assert";
import { AuthError } from "../../auth/error.ts";

/** The AuthError that something rejects with; fails for any other outcome. */
export async function refusal(attempt: () => Promise<unknown>): Promise<AuthError> {
  const error = await assertRejects(attempt);
  assertInstanceOf(error, AuthError, `${error}`);
  return error;
}
