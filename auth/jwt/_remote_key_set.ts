/**
 * Which keys of a set that somebody publishes are used, RFC 7517 §5.
 *
 * @module
 */

import { validateKeyUse } from "./_key_types.ts";
import { isJwaAlgorithm, JWA, type JwaAlgorithm } from "./jwa.ts";
import { importJwk, publicJwk } from "./jwk.ts";
import type { Jwk } from "./types.ts";

/** The keys of a set. */
export interface PublishedKeys {
  /** Public keys that can verify, their public members alone. */
  readonly keys: readonly Jwk[];
  /** Names of which there are two keys. Neither is used. */
  readonly ambiguous: ReadonlySet<string>;
  /** What whoever publishes the set should be told. */
  readonly warnings: readonly string[];
}

/** Each is imported, which takes time; nobody has so many. */
const MAX_KEYS = 100;

/** Members that no published key may have, RFC 7518 §6.2.2, §6.3.2 and §6.4.1. */
const SECRET_MEMBERS: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const PRIVATE_KEY = "A private key or a secret stands in a remote key set: it is not used, and " +
  "should be replaced, as everybody can sign with it";

const SAME_KID = "Two keys of a remote key set have the same kid: neither is used";

/**
 * Reads a set. Keys that are of no known kind, weak, broken or for something else are left out one by one; so are secrets
 * and private keys, as whoever reads the set could sign with them.
 *
 * @param earlier Keys of the set as it was before: one that is still there stays the same object, by which others keep
 * what they have imported.
 * @throws {TypeError} If it is no set, or has more than 100 keys.
 */
export async function readPublishedKeys(
  set: unknown,
  earlier: readonly Jwk[],
): Promise<PublishedKeys> {
  const entries = entriesOf(set);
  const ambiguous = sameKids(entries);
  const known = new Map(earlier.map((key) => [JSON.stringify(key), key]));
  const keys: Jwk[] = [];
  for (const entry of entries) {
    if (isAmbiguous(entry, ambiguous) || hasSecret(entry) || !await isUsable(entry)) continue;
    const key = publicJwk(entry);
    keys.push(known.get(JSON.stringify(key)) ?? Object.freeze(key));
  }
  const warnings = [
    ...(entries.some(hasSecret) ? [PRIVATE_KEY] : []),
    ...(ambiguous.size > 0 ? [SAME_KID] : []),
  ];
  return { keys, ambiguous, warnings };
}

function entriesOf(set: unknown): readonly Jwk[] {
  const { keys } = (set ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || !keys.every(isObject)) {
    throw new TypeError("Cannot read key set: it has no list of keys");
  }
  if (keys.length > MAX_KEYS) {
    throw new TypeError(`Cannot read key set: it has more than ${MAX_KEYS} keys`);
  }
  return keys;
}

function isObject(value: unknown): value is Jwk {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names that stand twice, be it at a key that could not be used: which of them a token means, nobody should have to guess. */
function sameKids(entries: readonly Jwk[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { kid } of entries) {
    if (typeof kid !== "string") continue;
    if (seen.has(kid)) twice.add(kid);
    seen.add(kid);
  }
  return twice;
}

function isAmbiguous({ kid }: Jwk, ambiguous: ReadonlySet<string>): boolean {
  return kid !== undefined && ambiguous.has(kid);
}

function hasSecret(entry: Jwk): boolean {
  return entry.kty === "oct" || Object.keys(entry).some((name) => SECRET_MEMBERS.includes(name));
}

/** Imports a key to see whether that can be done; of an RSA key, the algorithm makes no difference. */
async function isUsable(entry: Jwk): Promise<boolean> {
  const alg = algorithmOf(entry);
  if (alg === undefined || !isText(entry.kid)) return false;
  try {
    await importJwk(entry, { alg, usage: "verify" });
    return true;
  } catch {
    return false;
  }
}

function isText(kid: unknown): boolean {
  return kid === undefined || typeof kid === "string";
}

/** The first algorithm that a key is for. */
function algorithmOf(entry: Jwk): JwaAlgorithm | undefined {
  const names = Object.keys(JWA).filter(isJwaAlgorithm);
  return names.find((alg) => validateKeyUse(entry, alg, "verify") === undefined);
}
