/**
 * The usable keys of a published JWK Set, RFC 7517 §5.
 *
 * @module
 */

import { validateKeyUse } from "./_key_types.ts";
import { hasSecret } from "./has_secret.ts";
import { isJwaAlgorithm, JWA, type JwaAlgorithm } from "./jwa.ts";
import { importJwk, publicJwk } from "./jwk.ts";
import type { Jwk } from "./types.ts";

/** The keys of a JWK Set. */
export interface PublishedKeys {
  /** Usable public keys, reduced to their public members. */
  readonly keys: readonly Jwk[];
  /** Duplicate key ids. Their keys are not used. */
  readonly ambiguous: ReadonlySet<string>;
  /** Faults that the publisher should fix. */
  readonly warnings: readonly string[];
}

/** Each key is imported, which takes time. */
const MAX_KEYS = 100;

const PRIVATE_KEY =
  "A remote key set contains a private key or a secret, by which anyone can sign: it is not used";

const SAME_KID = "Two keys of a remote key set have the same kid: neither is used";

/**
 * Reads a JWK Set. Keys that are unknown, weak, malformed or for another use are ignored one by one; so are secrets and
 * private keys, because everyone who reads the set could sign with them.
 *
 * @param earlier The keys read before: a key that is still present keeps its object, which imported keys are cached by.
 * @throws {TypeError} If it is not a JWK Set or has more than 100 keys.
 */
export async function readPublishedKeys(
  set: unknown,
  earlier: readonly Jwk[],
): Promise<PublishedKeys> {
  const entries = entriesOf(set);
  const ambiguous = duplicateKids(entries);
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
    throw new TypeError("Cannot read key set: keys must be an array of objects");
  }
  if (keys.length > MAX_KEYS) {
    throw new TypeError(`Cannot read key set: it has more than ${MAX_KEYS} keys`);
  }
  return keys;
}

function isObject(value: unknown): value is Jwk {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Duplicate key ids, of unusable keys too: which key a token means must not be guessed. */
function duplicateKids(entries: readonly Jwk[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { kid } of entries) {
    if (typeof kid !== "string") continue;
    if (seen.has(kid)) duplicates.add(kid);
    seen.add(kid);
  }
  return duplicates;
}

function isAmbiguous({ kid }: Jwk, ambiguous: ReadonlySet<string>): boolean {
  return kid !== undefined && ambiguous.has(kid);
}

/** Imports a key to find out whether it is usable; for RSA keys, the algorithm makes no difference. */
async function isUsable(entry: Jwk): Promise<boolean> {
  const alg = algorithmOf(entry);
  if (alg === undefined || !isOptionalString(entry.kid)) return false;
  try {
    await importJwk(entry, { alg, usage: "verify" });
    return true;
  } catch {
    return false;
  }
}

function isOptionalString(kid: unknown): boolean {
  return kid === undefined || typeof kid === "string";
}

/** The first algorithm that fits a key. */
export function algorithmOf(entry: Jwk): JwaAlgorithm | undefined {
  const names = Object.keys(JWA).filter(isJwaAlgorithm);
  return names.find((alg) => validateKeyUse(entry, alg, "verify") === undefined);
}
