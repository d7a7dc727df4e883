/**
 * What tests of fetching documents have in common.
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

/** What is said of a document that is refused. Documents that say "s3cret" must not be quoted. */
export async function refusal(
  url: string,
  options: Partial<FetchJsonOptions> = {},
): Promise<string> {
  const error = await assertRejects(() => fetchJson(url, { ...OPTIONS, ...options }), Error);
  const [, state] = error.message.split("Cannot fetch JSON: ");
  assertFalse(`${error.message} ${error.cause}`.includes("s3cret"));
  return state ?? `another error: ${error.message}`;
}
