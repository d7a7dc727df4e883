/**
 * Bodies of HTML forms, within a limit.
 *
 * @module
 */

import { FetchError, readText } from "./_fetch_json.ts";

/** One media type; a list would be read differently by others. */
const TYPE_REGEXP = /^application\/x-www-form-urlencoded[ \t]*(?:;[^,]*)?$/i;

/** Why a body is not read: it is not a form, or it is too large, incomplete or not UTF-8. */
export type FormFailure = "content_type_wrong" | "body_malformed";

/** Reads the fields of a form that a page or a client has posted. */
export async function readForm(
  { headers, body }: Request,
  maxBytes: number,
): Promise<URLSearchParams | FormFailure> {
  if (!TYPE_REGEXP.test((headers.get("Content-Type") ?? "").trim())) return "content_type_wrong";
  try {
    return new URLSearchParams(body === null ? "" : await readText(body.getReader(), maxBytes));
  } catch (error) {
    if (error instanceof FetchError) return "body_malformed";
    throw error;
  }
}
