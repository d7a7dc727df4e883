/**
 * Parameters of requests to the authorization server: from the query of a GET, or the form of a POST, within limits.
 *
 * @module
 */

import { FetchError, readText } from "../_fetch_json.ts";
import { refusePage, refuseToken } from "./_refusal.ts";

/** Longest query, and largest form. */
const MAX_LENGTH = 16_384;

/** One media type; a list would be read differently by others. */
const FORM_REGEXP = /^application\/x-www-form-urlencoded[ \t]*(?:;[^,]*)?$/i;

/** The parameters of a GET request. @throws {ServerRefusal} */
export function readQuery({ url }: Request): URLSearchParams {
  if (url.length > MAX_LENGTH) throw refusePage("request_malformed");
  return new URL(url).searchParams;
}

/** The fields of a form; `undefined` if it is none, or too large. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const { headers, body } = request;
  if (!FORM_REGEXP.test((headers.get("Content-Type") ?? "").trim())) return undefined;
  try {
    return new URLSearchParams(body === null ? "" : await readText(body.getReader(), MAX_LENGTH));
  } catch (error) {
    if (error instanceof FetchError) return undefined;
    throw error;
  }
}

/**
 * The fields of a form that a client sends: none twice, RFC 6749 §3.2, and those without a value omitted.
 *
 * @throws {ServerRefusal}
 */
export async function readClientForm(request: Request): Promise<ReadonlyMap<string, string>> {
  if (!FORM_REGEXP.test((request.headers.get("Content-Type") ?? "").trim())) {
    throw refuseToken("content_type_wrong");
  }
  const form = await readForm(request);
  if (form === undefined) throw refuseToken("body_malformed");
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (fields.has(name)) throw refuseToken("parameter_repeated");
    fields.set(name, value);
  }
  return new Map([...fields].filter(([, value]) => value !== ""));
}

/** The only value of a parameter; `undefined` if it is omitted or empty, RFC 6749 §3.1, `null` if it is repeated. */
export function soleValue(parameters: URLSearchParams, name: string): string | undefined | null {
  const values = parameters.getAll(name);
  if (values.length > 1) return null;
  return values[0] || undefined;
}
