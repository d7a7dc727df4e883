/**
 * Conditional requests, RFC 9110 §13: clients do not reload unchanged content, or overwrite changes they have not seen.
 *
 * @module
 */

import {
  checkPreconditions,
  type ConditionalRequest,
  empty,
  HttpError,
  type TypedResponse,
} from "@gatehouse/http";

/** The entity tag of a version, RFC 9110 §8.8.3. */
export function etag(version: string): string {
  return `"${version}"`;
}

/**
 * Compares the versions that a client names with the current one.
 *
 * @returns The answer for a client that has this version already, §13.1.2.
 * @throws {HttpError} 412 `precondition_failed` if the request is meant for another version, §13.1.1.
 */
export function checkVersion(
  req: ConditionalRequest,
  version: string,
): TypedResponse<never, 304> | undefined {
  const headers = { ETag: etag(version) };
  switch (checkPreconditions(req, etag(version))) {
    case undefined:
      return undefined;
    case 304:
      return empty(304, { headers });
    case 412:
      throw new HttpError(412, "precondition_failed", {
        detail: "The resource has changed; get it again",
        headers,
      });
  }
}

/** A text response whose version is its digest. */
export async function textResponse(
  req: ConditionalRequest,
  text: string,
  type: string,
): Promise<Response> {
  const bytes = new TextEncoder().encode(text);
  const version = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return checkVersion(req, version) ??
    new Response(bytes, { headers: { "Content-Type": type, ETag: etag(version) } });
}
