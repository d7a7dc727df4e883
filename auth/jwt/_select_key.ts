/**
 * Selection of the key that verifies a token, and of the algorithm that a key signs by.
 *
 * @module
 */

import { validateKeyUse } from "./_key_types.ts";
import {
  type FoundKeys,
  type Jwk,
  type JwkSet,
  type JwsHeader,
  tokenError,
  type VerificationKeys,
} from "./types.ts";
import { JWA, type JwaAlgorithm } from "./jwa.ts";
import { importJwk } from "./jwk.ts";

/** Finds the key of a token. */
export type KeyFinder = (header: JwsHeader) => CryptoKey | Promise<CryptoKey>;

type Key = CryptoKey | Jwk;

/** Reads the option `keys`. @throws {TypeError} If it is not a key: strings and bytes are rejected. */
export function keyFinder(keys: VerificationKeys): KeyFinder {
  if (typeof keys === "function") {
    return async (header) => await importFound(chooseOf(await keys(header), header), header);
  }
  if (isJwkSet(keys)) return (header) => importFound(chooseByKid(keys, header), header);
  if (isCryptoKey(keys) || isJwk(keys)) return (header) => importFound(keys, header);
  throw new TypeError(
    "Cannot verify token: keys must be a CryptoKey, a JWK, a JWK Set or a function",
  );
}

/** The first allowed algorithm that a key can sign by. @throws {TypeError} If there is none. */
export function signingAlgorithm(key: Key, algorithms: readonly JwaAlgorithm[]): JwaAlgorithm {
  const alg = algorithms.find((each) => validateKey(key, each, "sign") === undefined);
  if (alg !== undefined) return alg;
  throw new TypeError(`Cannot sign token: the key cannot sign by ${algorithms.join()}`);
}

/** Imports a key once, and again if it was modified since. */
export function importOnce(
  key: Key,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): CryptoKey | Promise<CryptoKey> {
  if (isCryptoKey(key)) return key;
  const known = IMPORTED.get(key)?.find((each) => each.alg === alg && each.usage === usage);
  if (known !== undefined && isUnchanged(key, known.members)) return known.key;
  return importAndKeep(key, alg, usage);
}

/** Whether a value is a Web Crypto key. */
function isCryptoKey(key: unknown): key is CryptoKey {
  return typeof CryptoKey !== "undefined" && key instanceof CryptoKey;
}

interface ImportedKey {
  readonly alg: JwaAlgorithm;
  readonly usage: "sign" | "verify";
  readonly members: readonly (readonly [name: string, value: unknown])[];
  readonly key: CryptoKey;
}

/** Keyed by the application's object, so that imported keys are collected with it. */
const IMPORTED: WeakMap<Jwk, readonly ImportedKey[]> = /* @__PURE__ */ new WeakMap();

async function importAndKeep(
  jwk: Jwk,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): Promise<CryptoKey> {
  const members = Object.entries(jwk);
  const key = await importJwk(jwk, { alg, usage });
  const others = IMPORTED.get(jwk)?.filter((each) => each.alg !== alg || each.usage !== usage);
  IMPORTED.set(jwk, [...others ?? [], { alg, usage, members, key }]);
  return key;
}

function isUnchanged(jwk: Jwk, members: ImportedKey["members"]): boolean {
  return members.every(([name, value]) => jwk[name] === value) &&
    Object.keys(jwk).length === members.length;
}

function importFound(key: Key, { alg }: JwsHeader): CryptoKey | Promise<CryptoKey> {
  if (validateKey(key, alg, "verify") !== undefined) throw tokenError("key_mismatch");
  const imported = importOnce(key, alg, "verify");
  if (!(imported instanceof Promise)) return imported;
  return imported.catch((cause) => {
    throw tokenError("key_mismatch", cause);
  });
}

/** Selects from the result of a resolver, which has filtered by `kid` if there is one: two keys are ambiguous then. */
function chooseOf(found: FoundKeys, header: JwsHeader): Key {
  if (found === undefined) throw tokenError("key_unknown");
  if (!Array.isArray(found)) return checkKey(found as Key);
  const list: readonly Key[] = found.map(checkKey);
  return header.kid === undefined ? chooseFitting(list, header) : chooseOnly(list);
}

/** RFC 7515 §4.1.4: a duplicate `kid` identifies no key. */
function chooseByKid(set: JwkSet, header: JwsHeader): Key {
  const keys = set.keys.filter(isJwk); // RFC 7517 §5: unknown entries are ignored
  const secrets = keys.filter(({ kty }) => kty === "oct").length;
  if (secrets > 0 && secrets < keys.length) throw tokenError("key_ambiguous"); // a published secret is not a secret
  const { kid } = header;
  if (kid === undefined) return chooseFitting(keys, header);
  return chooseOnly(keys.filter((key) => key.kid === kid));
}

/** A token without a `kid`: exactly one key must fit its algorithm. */
function chooseFitting(keys: readonly Key[], { alg }: JwsHeader): Key {
  return chooseOnly(keys.filter((key) => validateKey(key, alg, "verify") === undefined));
}

function chooseOnly(keys: readonly Key[]): Key {
  const [key, ...others] = keys;
  if (key === undefined) throw tokenError("key_unknown");
  if (others.length > 0) throw tokenError("key_ambiguous");
  return key;
}

/** Why a key cannot be used with an algorithm; `undefined` if it can. */
function validateKey(key: Key, alg: JwaAlgorithm, usage: "sign" | "verify"): string | undefined {
  return isCryptoKey(key) ? validateCryptoKey(key, alg, usage) : validateKeyUse(key, alg, usage);
}

const MIN_RSA_BITS = 2_048;

/** The members of `CryptoKey.algorithm` of all key types. */
interface KeyAlgorithmMembers {
  readonly name: string;
  readonly hash?: { readonly name: string } | string;
  readonly namedCurve?: string;
  readonly modulusLength?: number;
  readonly publicExponent?: Uint8Array;
  readonly length?: number;
}

function validateCryptoKey(
  { algorithm, usages }: CryptoKey,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): string | undefined {
  const { name, hash, namedCurve, ...size } = algorithm as KeyAlgorithmMembers;
  const { keyParams, hashBytes, kty } = JWA[alg];
  const hashName = typeof hash === "object" ? hash.name : hash;
  if (name !== keyParams.name || namedCurve !== keyParams.namedCurve) return "another algorithm";
  if (hashName !== keyParams.hash) return "another hash function";
  if (!usages.includes(usage)) return `not for ${usage}`;
  if (kty === "RSA" && !isValidRsa(size)) return "too weak";
  if (kty === "oct" && (size.length ?? 0) < hashBytes * 8) return "too short"; // RFC 7518 §3.2
  return undefined;
}

/** A sufficient modulus, and an odd exponent of at least 3. */
function isValidRsa({ modulusLength = 0, publicExponent }: Partial<KeyAlgorithmMembers>): boolean {
  const digits = [...publicExponent ?? []];
  const last = digits.at(-1) ?? 0;
  const isSmall = last < 3 && digits.slice(0, -1).every((digit) => digit === 0);
  return modulusLength >= MIN_RSA_BITS && last % 2 === 1 && !isSmall;
}

function isJwk(key: unknown): key is Jwk {
  return typeof key === "object" && key !== null && typeof (key as Partial<Jwk>).kty === "string";
}

function isJwkSet(keys: unknown): keys is JwkSet {
  return typeof keys === "object" && keys !== null && Array.isArray((keys as Partial<JwkSet>).keys);
}

function checkKey(key: unknown): Key {
  if (isCryptoKey(key) || isJwk(key)) return key;
  throw new TypeError("Cannot verify token: the resolver must return keys");
}
