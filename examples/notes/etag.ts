/**
 * Conditional requests, RFC 9110 §13: nobody overwrites what they have not seen.
 *
 * @module
 */

import { HttpError } from "@gatehouse/http";

/** The entity tag of a version, RFC 9110 §8.8.3. */
export function etag(version: string): string {
  return `"${version}"`;
}

/**
 * Refuses a change of another version than the client names, RFC 9110 §13.1.1. Without `If-Match` every version does.
 *
 * @throws {HttpError} 412 `precondition_failed`
 */
export function checkIfMatch(headers: Headers, version: string): void {
  const field = headers.get("if-match");
  if (field === null || listsTag(field, etag(version))) return;
  throw new HttpError(412, "precondition_failed", {
    detail: "The note has changed since; get it again",
    headers: { ETag: etag(version) },
  });
}

/** Whether the client has this version already, RFC 9110 §13.1.2: its tags may be weak. */
export function isUnchanged(headers: Headers, version: string): boolean {
  const field = headers.get("if-none-match");
  return field !== null && listsTag(field.replace(/W\/(?=")/g, ""), etag(version));
}

/** Our tags have no comma inside, so that the field may be split at commas. */
function listsTag(field: string, tag: string): boolean {
  return field.trim() === "*" || field.split(",").some((member) => member.trim() === tag);
}
