/**
 * Authentications by two factors, which this package has verified: the methods of an authentication may also be what a provider
 * or an application says.
 *
 * @module
 */

import type { Authentication } from "./principal.ts";

const MULTI_FACTOR: WeakSet<Authentication> = /* @__PURE__ */ new WeakSet();

/** Marks an authentication: a sign-in with it needs no second factor. */
export function markMultiFactor<A extends Authentication>(authentication: A): A {
  MULTI_FACTOR.add(authentication);
  return authentication;
}

/** Whether an authentication was marked. */
export function isMultiFactor(authentication: Authentication): boolean {
  return MULTI_FACTOR.has(authentication);
}
