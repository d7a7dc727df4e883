/**
 * Authentications that were begun and completed in one browser, which a cookie of it has shown.
 *
 * @module
 */

import type { Authentication } from "./principal.ts";

const BOUND: WeakSet<Authentication> = /* @__PURE__ */ new WeakSet();

/** Marks an authentication: a sign-in with it needs no check of the request's origin. */
export function markBrowserBound(authentication: Authentication): Authentication {
  BOUND.add(authentication);
  return authentication;
}

/** Whether an authentication was marked. */
export function isBrowserBound(authentication: Authentication): boolean {
  return BOUND.has(authentication);
}
