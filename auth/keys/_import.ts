/**
 * The ring of signing keys as a store gives it: checked through and through before anything is signed or published by it,
 * and imported, so that a signature costs no import.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import type { RingKey } from "./_rotation.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../jwt/jwa.ts";
import { generateJwk, importJwk, jwkThumbprint, publicJwk } from "../jwt/jwk.ts";
import type { Jwk } from "../jwt/types.ts";
import type { KeyRing, StoredKey } from "../stores/types.ts";

/** A key that was checked. The private one cannot be taken out of it. */
export interface SigningKey extends RingKey {
  readonly alg: AsymmetricAlgorithm;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** What is published. */
  readonly jwk: Jwk;
  /** Digest of what was imported. */
  readonly digest: string;
}

/** A private key that is in no ring yet. */
export interface GeneratedKey {
  readonly kid: string;
  readonly key: Jwk;
}

/** In the place of a stored key that the secret does not open. */
export const UNDECRYPTABLE: unique symbol = /* @__PURE__ */ Symbol("unopened");

/** Whether a value names an algorithm whose public key verifies, and cannot sign. */
export function isAsymmetric(alg: unknown): alg is AsymmetricAlgorithm {
  return isJwaAlgorithm(alg) && JWA[alg].kty !== "oct";
}

/** Makes a private key. */
export async function generateKey(alg: AsymmetricAlgorithm): Promise<GeneratedKey> {
  const key = await generateJwk(alg);
  return { kid: key.kid ?? await jwkThumbprint(key), key };
}

/** Says which ring it is, if there is one. @throws {TypeError} If it has no version. */
export function versionOf(ring: KeyRing | null): string | null {
  if (ring === null) return null;
  if (typeof ring?.version === "string") return ring.version;
  throw unusable("the store gave no version");
}

/** Keys as a store with columns gives them, which have null for an end that is not there. */
export function withoutNulls(keys: readonly StoredKey[]): readonly StoredKey[] {
  if (!Array.isArray(keys)) return keys; // for importKeys() to refuse
  return keys.map((key) => {
    const { retiredAt, ...rest } = key ?? {};
    return retiredAt === null ? rest : key;
  });
}

/**
 * Checks and imports the keys of a ring.
 *
 * @param known Keys that were imported before; those that are still the same are taken.
 * @throws {TypeError} If a key is malformed, not of the algorithm that it names, without its private half, or not the one
 * that its `kid` says. One wrong key is as bad as all: whoever wrote it may have written the others.
 */
export async function importKeys(
  keys: readonly StoredKey[],
  known: readonly SigningKey[] = [],
): Promise<readonly SigningKey[]> {
  if (!Array.isArray(keys)) throw unusable("the store gave no list of keys");
  const imported: SigningKey[] = [];
  for (const key of keys) imported.push(await importKey(key, known));
  if (new Set(imported.map(({ kid }) => kid)).size === imported.length) return imported;
  throw unusable("a key is there twice");
}

async function importKey(
  stored: StoredKey,
  known: readonly SigningKey[],
): Promise<SigningKey> {
  const { kid, alg, createdAt, activeAt, retiredAt } = stored ?? {};
  if (!isAsymmetric(alg)) throw unusable("the algorithm of a key is unknown");
  const times = [createdAt, activeAt, ...(retiredAt === undefined ? [] : [retiredAt])];
  if (!times.every(Number.isFinite)) throw unusable("a time of a key is no number of seconds");
  const ring = { kid, createdAt, activeAt, ...(retiredAt === undefined ? {} : { retiredAt }) };
  const key = readJwk(stored.key);
  const digest = await digestText(JSON.stringify([alg, key]));
  const same = known.find((one) => one.kid === kid && one.digest === digest);
  if (same !== undefined) {
    const { privateKey, publicKey, jwk } = same;
    return { ...ring, alg, privateKey, publicKey, jwk, digest };
  }
  if (await thumbprintOf(key) !== kid) throw unusable("a key is not the one that its kid says");
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
      ? "a key is not encrypted by the secret that is given, or was changed; rotate({ revoke: true }) replaces the keys"
      : "a key is no JWK",
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
