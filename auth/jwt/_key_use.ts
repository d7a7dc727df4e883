/**
 * What a key in JSON says it is for, RFC 7517 §4.
 *
 * @module
 */

import { JWA, type JwaAlgorithm } from "./jwa.ts";
import type { Jwk } from "./jwk.ts";

/** Why a key is not for an algorithm and a use, by what it says of itself; nothing if it is. */
export function validateKeyUse(
  jwk: Jwk,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): string | undefined {
  const { kty, crv } = JWA[alg];
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return `it is no key of ${alg}`;
  if (jwk.alg !== undefined && jwk.alg !== alg) return "it is for another algorithm";
  if (jwk.use !== undefined && jwk.use !== "sig") return "its use is not sig"; // RFC 7517 §4.2
  return operationsProblem(
    jwk,
    kty === "oct" ? [usage] : usage === "verify" ? ["verify", "sign"] : ["sign"],
  );
}

/** RFC 7517 §4.3. The public half of a private key is for verifying, though the key says `sign`. */
function operationsProblem(
  { key_ops: operations }: Jwk,
  wanted: readonly string[],
): string | undefined {
  if (operations === undefined) return undefined;
  const isValid = Array.isArray(operations) && new Set(operations).size === operations.length;
  return isValid && wanted.some((operation) => operations.includes(operation))
    ? undefined
    : "its key_ops are for something else";
}
