/**
 * `at_hash` of ID tokens, OpenID Connect Core §3.1.3.6.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { utf8 } from "../_bytes.ts";
import { isJwaAlgorithm, JWA } from "./jwa.ts";

/**
 * The left half of the digest of a token, by the hash of the ID token's algorithm; Ed25519 uses SHA-512.
 *
 * @returns `undefined` for an unknown algorithm.
 */
export async function tokenHash(alg: string, token: string): Promise<string | undefined> {
  if (!isJwaAlgorithm(alg)) return undefined;
  const { hashBytes } = JWA[alg];
  const digest = await crypto.subtle.digest(`SHA-${8 * hashBytes}`, utf8(token));
  return encodeBase64Url(new Uint8Array(digest, 0, hashBytes / 2));
}
