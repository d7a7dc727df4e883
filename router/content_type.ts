/**
 * Request content: which methods have it, and which media types a route accepts. Documents state the same rules.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import { HttpError } from "./problem.ts";

/** Methods whose requests have content. */
export const CONTENT_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "POST",
  "PUT",
  "PATCH",
]);

/** `application/json` or `application/*+json`, RFC 6839 §3.1, with or without parameters. */
export const JSON_TYPE_REGEXP: RegExp =
  /^application\/(?:json|[!#$%&'*+.^_`|~\w-]+\+json)[ \t]*(?:;|$)/i;

/** Rejects a body of the wrong type with 415, RFC 9110 §15.5.16. */
export function checkContentType(ctx: RequestContext, mode: "json" | "multipart"): void {
  const type = ctx.headers.get("content-type");
  if (type === "application/json" && mode === "json") return;
  const regexp = mode === "json" ? JSON_TYPE_REGEXP : MULTIPART_TYPE_REGEXP;
  if (type === null || !regexp.test(type)) throw unsupported(ctx.method, mode);
}

/** Reads the body into `content`. */
export function readContent(ctx: RequestContext, mode: "json" | "multipart"): Promise<undefined> {
  const content: Promise<unknown> = mode === "json" ? ctx.json() : ctx.formData();
  return content.then((value) => ctx.write("body", value), (error) => {
    throw isEncoded(ctx) && error instanceof HttpError && error.status === 400 ? encoded() : error;
  });
}

/** `multipart/form-data`, RFC 7578 §4.1. */
const MULTIPART_TYPE_REGEXP = /^multipart\/form-data[ \t]*(?:;|$)/i;

function unsupported(method: string, mode: "json" | "multipart"): HttpError {
  const accept = mode === "json" ? "application/json" : "multipart/form-data";
  const headers: Record<string, string> = { Accept: accept };
  if (method === "PATCH") headers["Accept-Patch"] = accept; // RFC 5789 §2.2
  return new HttpError(415, "unsupported_media_type", {
    detail: `This resource takes ${accept}`,
    headers,
  });
}

/** Whether the body is still compressed. Only checked once reading has failed. */
function isEncoded(ctx: RequestContext): boolean {
  const encoding = ctx.headers.get("content-encoding");
  return encoding !== null && encoding.toLowerCase() !== "identity";
}

function encoded(): HttpError {
  return new HttpError(415, "unsupported_media_type", {
    detail: "The body's content coding is not supported",
    headers: { "Accept-Encoding": "identity" },
  });
}
