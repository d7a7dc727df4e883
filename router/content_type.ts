/**
 * Which requests have content here, and of what type. The router refuses by these rules, and documents state them.
 *
 * @module
 */

/** Methods whose requests have content. */
export const CONTENT_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "POST",
  "PUT",
  "PATCH",
]);

/** `application/json` or `application/*+json`, RFC 6839 §3.1, with parameters or without. */
export const JSON_TYPE_REGEXP: RegExp =
  /^application\/(?:json|[!#$%&'*+.^_`|~\w-]+\+json)[ \t]*(?:;|$)/i;
