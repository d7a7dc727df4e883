/**
 * Conditional requests by entity tag and by time of modification, RFC 9110 §13.
 *
 * @module
 */

import { checkPreconditions, type ConditionalRequest } from "./conditional.ts";
import { parseHttpDate } from "./http_date.ts";

/** What identifies the state of a representation. */
export interface Validators {
  /** Entity tag. */
  readonly etag: string;
  /** Time that `Last-Modified` has, in seconds since the Unix epoch, if it is sent. */
  readonly modified: number | undefined;
  /** Current time in milliseconds. */
  readonly nowMs: number;
}

/**
 * Time of a file's last change, as `Last-Modified` has it. A file that was changed within this second has none: it may
 * change again, and two versions would have one date. So the date is a strong validator, RFC 9110 §8.8.2.2.
 *
 * @returns Seconds since the Unix epoch.
 */
export function lastModifiedOf(modifiedMs: number, nowMs: number): number | undefined {
  const seconds = Math.floor(modifiedMs / 1000);
  return Math.floor(nowMs / 1000) > seconds ? seconds : undefined;
}

/** Evaluates the preconditions in the order of RFC 9110 §13.2.2, steps 1 to 4. */
export function checkValidators(
  request: ConditionalRequest,
  { etag, modified, nowMs }: Validators,
): 304 | 412 | undefined {
  const { method, headers } = request;
  const since = (name: string): number | undefined =>
    modified === undefined ? undefined : parseHttpDate(headers.get(name) ?? "", nowMs);
  if (!headers.has("if-match") && isAfter(modified, since("if-unmodified-since"))) return 412;
  const status = checkPreconditions(request, etag);
  if (status !== undefined || headers.has("if-none-match")) return status;
  const isRead = method === "GET" || method === "HEAD";
  return isRead && isAfter(modified, since("if-modified-since")) === false ? 304 : undefined;
}

/** `undefined` if a date is absent or invalid, so that the field is ignored. */
function isAfter(modified: number | undefined, date: number | undefined): boolean | undefined {
  return modified === undefined || date === undefined ? undefined : modified > date;
}

/** Evaluates `If-Range`, step 5: a strong entity tag or the exact date. Without the field it is true. */
export function checkIfRange(
  field: string | null,
  { etag, modified, nowMs }: Validators,
): boolean {
  if (field === null) return true;
  if (field.startsWith('"')) return field === etag;
  const date = modified === undefined ? undefined : parseHttpDate(field, nowMs);
  return date !== undefined && date === modified;
}
