/**
 * Keys that only their owner may have.
 *
 * @module
 */

import type { Jwk } from "./types.ts";

/** Members that no published key may have, RFC 7518 §6.2.2, §6.3.2 and §6.4.1. */
const SECRET_MEMBERS: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Whether a key is private, or a secret. */
export function hasSecret(entry: Jwk): boolean {
  return entry.kty === "oct" || Object.keys(entry).some((name) => SECRET_MEMBERS.includes(name));
}
