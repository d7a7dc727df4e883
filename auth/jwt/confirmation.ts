/**
 * The claim `cnf` of tokens that are bound to a key, RFC 7800 and RFC 9449 §6.1.
 *
 * @module
 */

import type { JwtClaims } from "./types.ts";

/** Thumbprint of the key that a token is bound to; `undefined` for a bearer token. One that is no string fits no key. */
export function boundKeyOf({ cnf }: JwtClaims): string | undefined {
  const { jkt } = (cnf ?? {}) as { readonly jkt?: unknown };
  return jkt === undefined || typeof jkt === "string" ? jkt : "";
}
