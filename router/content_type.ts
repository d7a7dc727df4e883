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

/** `multipart/form-data`, RFC 7578 §4.1. */
const MULTIPART_TYPE_REGEXP = /^multipart\/form-data[ \t]*(?:;|$)/i;

/** Rejects a body of the wrong type with 415, RFC 9110 §15.5.16. */
export function checkContentType(
  { headers, method }: RequestContext,
  mode: "json" | "multipart",
): void {
  const type = headers.get("content-type") ?? "";
  const accept = mode === "json" ? "application/json" : "multipart/form-data";
  if (type === accept) return;
  if (!(mode === "json" ? JSON_TYPE_REGEXP : MULTIPART_TYPE_REGEXP).test(type)) {
    throw unsupported(`This resource takes ${accept}`, {
      Accept: accept,
      ...(method === "PATCH" ? { "Accept-Patch": accept } : {}), // RFC 5789 §2.2
    });
  }
}

/** Reads the body into `content`. */
export function readContent(ctx: RequestContext, mode: "json" | "multipart"): Promise<undefined> {
  const content: Promise<unknown> = mode === "json" ? ctx.json() : ctx.formData();
  return content.then((value) => ctx.write("body", value), (error) => {
    // Whether the body is still compressed is only looked at once reading has failed.
    const encoding = ctx.headers.get("content-encoding")?.toLowerCase() ?? "identity";
    throw encoding !== "identity" && error instanceof HttpError && error.status === 400
      ? unsupported("The body's content coding is not supported", { "Accept-Encoding": "identity" })
      : error;
  });
}

function unsupported(detail: string, headers: Record<string, string>): HttpError {
  return new HttpError(415, "unsupported_media_type", { detail, headers });
}
