/**
 * Marks results that a client has verified.
 *
 * @module
 */

import type { OAuthResult } from "./client_types.ts";

const VERIFIED: WeakSet<OAuthResult> = /* @__PURE__ */ new WeakSet();

/** Freezes and marks a result. */
export function brandResult(result: OAuthResult): OAuthResult {
  VERIFIED.add(Object.freeze(result));
  return result;
}

/** @throws {TypeError} If a client did not create the result. */
export function requireResult(result: OAuthResult): OAuthResult {
  if (VERIFIED.has(result)) return result;
  throw new TypeError("Cannot use result: only the callback of an OAuth client returns one");
}
