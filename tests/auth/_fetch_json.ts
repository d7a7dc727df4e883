/**
 * Helpers for tests that fetch documents.
 *
 * @module
 */

import { assertFalse, assertRejects } from "@std/assert";
import { fetchJson, type FetchJsonOptions } from "../../auth/_fetch_json.ts";

export const LIMIT = 65_536;
export const OPTIONS: FetchJsonOptions = {
  accept: "application/json",
  maxBytes: LIMIT,
  timeoutMs: 5_000,
};

/** The error of a rejected document. Documents that contain "s3cret" must not be quoted. */
export async function refusal(
  url: string,
  options: Partial<FetchJsonOptions> = {},
): Promise<string> {
  const error = await assertRejects(() => fetchJson(url, { ...OPTIONS, ...options }), Error);
  const [, state] = error.message.split("Cannot fetch JSON: ");
  assertFalse(`${error.message} ${error.cause}`.includes("s3cret"));
  return state ?? `another error: ${error.message}`;
}
