/**
 * JWK Sets that others publish in metadata about themselves, RFC 7517 §5.
 *
 * @module
 */

import { isJsonObject } from "../_strict_json.ts";
import { checkMembers, KEY_KINDS } from "./_key_types.ts";
import { algorithmOf } from "./_remote_key_set.ts";
import { hasSecret } from "./has_secret.ts";
import { JWA } from "./jwa.ts";
import { publicJwk } from "./jwk.ts";
import type { Jwk, JwkSet } from "./types.ts";

/** Each key is looked at for each token. */
const MAX_KEYS = 16;

/**
 * Reads the public keys of a party for its signatures. Keys that are unknown, weak, malformed or for another use are left out; a
 * private key or a secret is refused, because anyone who has read it can sign.
 *
 * @param cannot Start of error messages.
 * @throws {TypeError | RangeError} If it is not a JWK Set, or one without a usable key.
 */
export function readPublicJwks(cannot: string, set: unknown): JwkSet {
  const entries = isJsonObject(set) ? set["keys"] : undefined;
  if (!isKeys(entries)) {
    throw new TypeError(`${cannot}: jwks must be an object with an array of keys`);
  }
  const problem = entries.length > MAX_KEYS
    ? `must not have more than ${MAX_KEYS} keys`
    : entries.some(hasSecret)
    ? "must not contain a private key or a secret"
    : hasDuplicateKid(entries)
    ? "has a duplicate kid"
    : undefined;
  if (problem !== undefined) throw new RangeError(`${cannot}: jwks ${problem}`);
  const keys = entries.filter(isUsable).map((key) => Object.freeze(publicJwk(key)));
  if (keys.length === 0) throw new RangeError(`${cannot}: jwks has no key for signatures`);
  return Object.freeze({ keys: Object.freeze(keys) });
}

function isKeys(entries: unknown): entries is readonly Jwk[] {
  return Array.isArray(entries) && entries.every(isJsonObject);
}

/** RFC 7517 §4.5: which key a token means must not be guessed. */
function hasDuplicateKid(entries: readonly Jwk[]): boolean {
  const kids = entries.flatMap(({ kid }) => kid ?? []);
  return new Set(kids).size < kids.length;
}

function isUsable(entry: Jwk): boolean {
  const alg = algorithmOf(entry);
  const isNamed = entry.kid === undefined || typeof entry.kid === "string";
  if (alg === undefined || !isNamed) return false;
  try {
    checkMembers(entry, KEY_KINDS[JWA[alg].kty].members, JWA[alg]);
    return true;
  } catch {
    return false;
  }
}
