/**
 * Parameters of requests to the authorization server: from the query of a GET, or the form of a POST, within limits.
 *
 * @module
 */

import { readForm } from "../../_form.ts";
import { refusePage, refuseToken } from "./refusal.ts";

/** Longest query, and largest form. */
const MAX_LENGTH = 16_384;

/** Value of `state`, RFC 6749 Appendix A.5. */
export const STATE_REGEXP: RegExp = /^[\x20-\x7e]{1,2048}$/;

/** The parameters of a GET request. @throws {ServerRefusal} */
export function readQuery({ url }: Request): URLSearchParams {
  if (url.length > MAX_LENGTH) throw refusePage("request_malformed");
  return new URL(url).searchParams;
}

/** The fields of a form that a page posts. @throws {ServerRefusal} */
export async function readPageForm(request: Request): Promise<URLSearchParams> {
  const form = await readForm(request, MAX_LENGTH);
  if (typeof form === "string") throw refusePage("request_malformed");
  return form;
}

/**
 * The fields of a form that a client sends: none twice, RFC 6749 §3.2, and those without a value omitted. Only `resource` may be
 * repeated, RFC 8707 §2: its values are joined by spaces, which a URI does not contain.
 *
 * @throws {ServerRefusal}
 */
export async function readClientForm(request: Request): Promise<ReadonlyMap<string, string>> {
  const form = await readForm(request, MAX_LENGTH);
  if (typeof form === "string") throw refuseToken(form);
  const resources = form.getAll("resource").filter((value) => value !== "");
  form.delete("resource");
  const fields = new Map(form);
  if (fields.size < [...form].length) throw refuseToken("parameter_repeated");
  if (resources.length > 0) fields.set("resource", resources.join(" "));
  return new Map([...fields].filter(([, value]) => value !== ""));
}

/** The only value of a parameter; `undefined` if it is omitted or empty, RFC 6749 §3.1, `null` if it is repeated. */
export function soleValue(parameters: URLSearchParams, name: string): string | undefined | null {
  const values = parameters.getAll(name);
  if (values.length > 1) return null;
  return values[0] || undefined;
}
