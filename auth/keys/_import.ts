/**
 * Validation and import of stored signing keys: a ring is checked completely before it signs or is published, and imported
 * once, so that a signature needs no import.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import type { RingKey } from "./_rotation.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../jwt/jwa.ts";
import { generateJwk, importJwk, jwkThumbprint, publicJwk } from "../jwt/jwk.ts";
import type { Jwk } from "../jwt/types.ts";
import type { KeyRing, StoredKey } from "../stores/types.ts";

/** A validated key. Its private half is not extractable. */
export interface SigningKey extends RingKey {
  readonly alg: AsymmetricAlgorithm;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The published key. */
  readonly jwk: Jwk;
  /** Digest of the imported key. */
  readonly digest: string;
}

/** A private key that is not in the ring yet. */
export interface GeneratedKey {
  readonly kid: string;
  readonly key: Jwk;
}

/** Replaces a stored key that no secret decrypts. */
export const UNDECRYPTABLE: unique symbol = /* @__PURE__ */ Symbol("undecryptable");

/** Whether a value names an algorithm with public keys. */
export function isAsymmetric(alg: unknown): alg is AsymmetricAlgorithm {
  return isJwaAlgorithm(alg) && JWA[alg].kty !== "oct";
}

/** Generates a private key. */
export async function generateKey(alg: AsymmetricAlgorithm): Promise<GeneratedKey> {
  const key = await generateJwk(alg);
  return { kid: key.kid ?? await jwkThumbprint(key), key };
}

/** The version of a ring, if there is one. @throws {TypeError} If it has no version. */
export function versionOf(ring: KeyRing | null): string | null {
  if (ring === null) return null;
  if (typeof ring?.version === "string") return ring.version;
  throw unusable("the store returned no version");
}

/** Keys without the `null` that a store with columns returns for an absent `retiredAt`. */
export function withoutNulls(keys: readonly StoredKey[]): readonly StoredKey[] {
  if (!Array.isArray(keys)) return keys; // importKeys() rejects it
  return keys.map((key) => {
    const { retiredAt, ...rest } = key ?? {};
    return retiredAt === null ? rest : key;
  });
}

/**
 * Checks and imports the keys of a ring.
 *
 * @param known Keys that were imported before; unchanged ones are reused.
 * @throws {TypeError} If a key is malformed, not of its algorithm, without private half, or does not match its `kid`. One
 * invalid key makes the ring unusable: its author may have written the others too.
 */
export async function importKeys(
  keys: readonly StoredKey[],
  known: readonly SigningKey[] = [],
): Promise<readonly SigningKey[]> {
  if (!Array.isArray(keys)) throw unusable("keys must be an array");
  const imported: SigningKey[] = [];
  for (const key of keys) imported.push(await importKey(key, known));
  if (new Set(imported.map(({ kid }) => kid)).size === imported.length) return imported;
  throw unusable("duplicate key");
}

async function importKey(
  stored: StoredKey,
  known: readonly SigningKey[],
): Promise<SigningKey> {
  const { kid, alg, createdAt, activeAt, retiredAt } = stored ?? {};
  if (!isAsymmetric(alg)) throw unusable("a key has an unsupported algorithm");
  const times = [createdAt, activeAt, ...(retiredAt === undefined ? [] : [retiredAt])];
  if (!times.every(Number.isFinite)) throw unusable("a time of a key is not a number of seconds");
  const ring = { kid, createdAt, activeAt, ...(retiredAt === undefined ? {} : { retiredAt }) };
  const key = readJwk(stored.key);
  const digest = await digestText(JSON.stringify([alg, key]));
  const same = known.find((one) => one.kid === kid && one.digest === digest);
  if (same !== undefined) {
    const { privateKey, publicKey, jwk } = same;
    return { ...ring, alg, privateKey, publicKey, jwk, digest };
  }
  if (await thumbprintOf(key) !== kid) throw unusable("a key does not match its kid");
  try {
    const privateKey = await importJwk(key, { alg, usage: "sign" });
    const publicKey = await importJwk(publicJwk(key), { alg, usage: "verify" });
    const jwk = Object.freeze({ ...publicJwk(key), kid, alg, use: "sig" });
    return { ...ring, alg, privateKey, publicKey, jwk, digest };
  } catch (cause) {
    throw unusable("a key cannot be imported", cause);
  }
}

function readJwk(key: unknown): Jwk {
  if (typeof key === "object" && key !== null && !Array.isArray(key)) return key as Jwk;
  throw unusable(
    key === UNDECRYPTABLE
      ? "a key cannot be decrypted by the given secret, or was changed; rotate({ revoke: true }) replaces the keys"
      : "a key is not a JWK",
  );
}

async function thumbprintOf(key: Jwk): Promise<string> {
  try {
    return await jwkThumbprint(key);
  } catch (cause) {
    throw unusable("a key is malformed", cause);
  }
}

function unusable(state: string, cause?: unknown): TypeError {
  return new TypeError(
    `Cannot use key ring: ${state}`,
    cause === undefined ? undefined : { cause },
  );
}
