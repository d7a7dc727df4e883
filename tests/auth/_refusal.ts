/**
 * What something is refused with.
 *
 * @module
 */

import { assertInstanceOf, assertRejects } from "@std/assert";
import { AuthError } from "../../auth/error.ts";

/** The refusal of what is expected to be refused; anything else that is thrown fails. */
export async function refusal(attempt: () => Promise<unknown>): Promise<AuthError> {
  const error = await assertRejects(attempt);
  assertInstanceOf(error, AuthError, `${error}`);
  return error;
}
