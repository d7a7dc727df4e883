/**
 * JSON Web Keys: RFC 7517, RFC 7518 §6, RFC 8037 §2, and thumbprints, RFC 7638.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { type Bytes, concatBytes, utf8 } from "../_bytes.ts";
import {
  cannotImport,
  checkMembers,
  checkValues,
  isKeyType,
  KEY_KINDS,
  type KeyBytes,
  validateKeyUse,
} from "./_key_types.ts";
import { randomId } from "../_random.ts";
import {
  type AsymmetricAlgorithm,
  createSignature,
  isJwaAlgorithm,
  JWA,
  type JwaAlgorithm,
  type JwaRow,
  verifySignature,
} from "./jwa.ts";
import type { Jwk } from "./types.ts";

export type { KeyBytes } from "./_key_types.ts";

/** Options of {@linkcode importJwk}. */
export interface ImportJwkOptions {
  /** Algorithm. @default the `alg` of the key, or the only algorithm of its curve */
  readonly alg?: JwaAlgorithm | undefined;
  /** Use of the key. With `verify`, the public half of a private key is imported. @default {"sign"} for private keys, else `verify` */
  readonly usage?: "sign" | "verify" | undefined;
  /** Whether the key can be exported. @default {false} */
  readonly extractable?: boolean | undefined;
}

/**
 * Imports a key after checks that runtimes omit: lengths, that points are on their curve and not of small order, RSA of
 * 2,048 to 8,192 bits with an odd exponent of at least 3 (and not CVE-2017-15361), secrets at least as long as the hash,
 * `use`, `key_ops` and `alg`, and that private and public half belong together. Secrets (`oct`) sign and verify.
 *
 * @throws {TypeError} If the key is malformed, weak, or not for this use; if an option is invalid.
 *
 * @example
 * ```ts
 * import { generateJwk, importJwk, publicJwk } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const jwk = await generateJwk("ES256");
 * const key = await importJwk(publicJwk(jwk));
 * assertEquals(key.usages, ["verify"]);
 * ```
 */
export async function importJwk(jwk: Jwk, options: ImportJwkOptions = {}): Promise<CryptoKey> {
  if (typeof jwk !== "object" || jwk === null) throw cannotImport("it must be an object");
  const { alg = algorithmOf(jwk), extractable = false } = options;
  const row = rowOf(alg);
  const { usage = isPrivate(jwk) ? "sign" : "verify" } = options;
  if (usage !== "sign" && usage !== "verify") {
    throw cannotImport("usage must be sign or verify");
  }
  if (typeof extractable !== "boolean") {
    throw cannotImport("extractable must be a boolean");
  }
  const problem = validateKeyUse(jwk, alg, usage);
  if (problem !== undefined) throw cannotImport(problem);
  const { members, privateMembers } = KEY_KINDS[row.kty];
  const taken = usage === "sign" ? [...members, ...privateMembers] : members;
  const checked = checkMembers(jwk, taken, row);
  if (row.kty === "oct") {
    const { k = new Uint8Array() } = checked;
    return await importMaterial(k, row, { usages: ["sign", "verify"], extractable });
  }
  if (usage === "verify") return await importPublic(checked, row, extractable);
  const imported = await importMaterial(pick(jwk, taken), row, { usages: [usage], extractable });
  await checkHalves(checked, alg, imported);
  return imported;
}

/**
 * Imports a public key from its decoded members: `x` and `y`, `x` alone, or `n` and `e`.
 *
 * @throws {TypeError} As {@linkcode importJwk} does.
 */
export async function importPublicKey(
  alg: AsymmetricAlgorithm,
  members: KeyBytes,
): Promise<CryptoKey> {
  checkValues(members, JWA[alg]);
  return await importPublic(members, JWA[alg], false);
}

/**
 * Exports a key, including its private members.
 *
 * @throws {TypeError} If the key is not extractable or not a signature key.
 *
 * @example
 * ```ts
 * import { exportJwk, generateJwk, importJwk } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const jwk = await generateJwk("ES256");
 * const key = await importJwk(jwk, { extractable: true });
 * assertEquals((await exportJwk(key)).d, jwk.d);
 * ```
 */
export async function exportJwk(key: CryptoKey): Promise<Jwk> {
  if (!key.extractable) throw new TypeError("Cannot export key: it is not extractable");
  const { name } = key.algorithm;
  const exported: Readonly<Record<string, unknown>> = {
    ...await crypto.subtle.exportKey("jwk", key),
  };
  const { kty, alg } = exported;
  const isOfTable = Object.values(JWA).some((row) => row.keyParams.name === name);
  if (!isOfTable || !isKeyType(kty)) {
    throw new TypeError("Cannot export key: it is not a signature key");
  }
  const { members, privateMembers } = KEY_KINDS[kty];
  const known = isJwaAlgorithm(alg) && kty !== "OKP" ? { alg } : {};
  return { ...pick(exported, [...members, ...privateMembers]), ...known } as Jwk;
}

/**
 * The public half of a key, for publication, without private members.
 *
 * @throws {TypeError} If it is a secret, which has no public half, or of an unknown type.
 *
 * @example
 * ```ts
 * import { generateJwk, publicJwk } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const jwk = await generateJwk("ES256");
 * assertEquals(Object.keys(publicJwk(jwk)), ["crv", "kty", "x", "y", "kid", "alg"]);
 * ```
 */
export function publicJwk(jwk: Jwk): Jwk {
  const kty = jwk?.kty;
  if (!isKeyType(kty) || kty === "oct") {
    throw new TypeError("Cannot publish key: only EC, RSA and OKP keys have a public half");
  }
  return pick(jwk, [...KEY_KINDS[kty].members, "kid", "alg", "use"]) as unknown as Jwk;
}

/**
 * The thumbprint of a key, RFC 7638 §3, in base64url: the same for the private and the public half.
 *
 * @param hash Hash function. @default {"SHA-256"}
 * @throws {TypeError} If the key is malformed.
 *
 * @example
 * ```ts
 * import { jwkThumbprint } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * // RFC 8037, appendix A.3
 * const x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
 * assertEquals(
 *   await jwkThumbprint({ kty: "OKP", crv: "Ed25519", x }),
 *   "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
 * );
 * ```
 */
export async function jwkThumbprint(
  jwk: Jwk,
  hash: "SHA-256" | "SHA-384" | "SHA-512" = "SHA-256",
): Promise<string> {
  if (!isKeyType(jwk?.kty)) throw new TypeError("Cannot compute thumbprint: unknown kty");
  const names = KEY_KINDS[jwk.kty].members;
  if (!names.every((name) => Object.hasOwn(jwk, name) && typeof jwk[name] === "string")) {
    throw new TypeError("Cannot compute thumbprint: a member of the key is missing");
  }
  const members = pick(jwk, names);
  const digest = await crypto.subtle.digest(hash, utf8(JSON.stringify(members)));
  return encodeBase64Url(new Uint8Array(digest));
}

/**
 * Generates a private key with `alg` and its thumbprint as `kid`; for `HS…` a secret, which must never be published and
 * whose `kid` is random, RFC 7638 §7. RSA keys have 2,048 bits.
 *
 * @throws {TypeError} If the algorithm is not supported.
 *
 * @example
 * ```ts
 * import { generateJwk, jwkThumbprint } from "@gatehouse/http/auth";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const jwk = await generateJwk("EdDSA");
 * assertEquals([jwk.kty, jwk.crv, jwk.alg], ["OKP", "Ed25519", "EdDSA"]);
 * assertEquals(jwk.kid, await jwkThumbprint(jwk));
 * assert("d" in jwk, "a private key: store it like a secret");
 * ```
 */
export async function generateJwk(alg: JwaAlgorithm): Promise<Jwk> {
  const { kty, keyParams, hashBytes } = rowOf(alg);
  const size = kty === "RSA"
    ? { modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) }
    : kty === "oct"
    ? { length: hashBytes * 8 }
    : {};
  const generated = await crypto.subtle.generateKey({ ...keyParams, ...size }, true, [
    "sign",
    "verify",
  ]);
  const exported = await exportJwk("privateKey" in generated ? generated.privateKey : generated);
  return { ...exported, alg, kid: kty === "oct" ? randomId() : await jwkThumbprint(exported) };
}

/** The algorithm that a key names or that its curve determines. */
function algorithmOf(jwk: Jwk): JwaAlgorithm {
  const { alg, crv } = jwk;
  if (isJwaAlgorithm(alg)) return alg;
  if (alg !== undefined) throw cannotImport("its alg is not supported");
  const ofCurve = Object.entries(JWA).find(([, row]) => crv !== undefined && row.crv === crv)?.[0];
  if (isJwaAlgorithm(ofCurve)) return ofCurve;
  throw cannotImport("it has no alg; pass the option alg");
}

function rowOf(alg: JwaAlgorithm): JwaRow {
  if (!isJwaAlgorithm(alg)) throw cannotImport("unsupported algorithm");
  return JWA[alg];
}

function isPrivate({ d, kty }: Jwk): boolean {
  return d !== undefined && kty !== "oct";
}

/**
 * Points are imported in the format `raw`, in half the time of a JWK. It does not exist for RSA, and StarlingMonkey does not
 * have it at all.
 */
async function importPublic(
  { x, y, n, e }: KeyBytes,
  row: JwaRow,
  extractable: boolean,
): Promise<CryptoKey> {
  const options: MaterialOptions = { usages: ["verify"], extractable };
  const text = (bytes?: Bytes) => bytes && encodeBase64Url(bytes);
  const jwk = { kty: row.kty, crv: row.crv, x: text(x), y: text(y), n: text(n), e: text(e) };
  if (x === undefined) return await importMaterial(jwk, row, options);
  const point = y === undefined ? x : concatBytes(Uint8Array.of(4), x, y); // 4: uncompressed, SEC 1 §2.3.3
  return await importMaterial(point, row, options).catch(() => importMaterial(jwk, row, options));
}

/** Options of {@linkcode importMaterial}. */
interface MaterialOptions {
  readonly usages: ("sign" | "verify")[];
  readonly extractable: boolean;
}

/** Imports bytes as they are, and an object as a JWK. */
async function importMaterial(
  material: Bytes | Readonly<Record<string, unknown>>,
  { keyParams }: JwaRow,
  { usages, extractable }: MaterialOptions,
): Promise<CryptoKey> {
  const format = material instanceof Uint8Array ? "raw" : "jwk";
  try {
    return await crypto.subtle.importKey(
      format as "raw",
      material as Bytes,
      keyParams,
      extractable,
      usages,
    );
  } catch (cause) {
    throw cannotImport("the runtime rejects it", cause);
  }
}

/** Signs and verifies once: signatures of a foreign private half would not verify. */
async function checkHalves(
  members: KeyBytes,
  alg: JwaAlgorithm,
  privateKey: CryptoKey,
): Promise<void> {
  const publicKey = await importPublic(members, JWA[alg], false);
  const data = utf8("gatehouse");
  // Some runtimes detect the mismatch when they sign, and throw
  const signature = await createSignature(alg, privateKey, data).catch(() => new Uint8Array());
  if (await verifySignature(alg, publicKey, { signature, data })) return;
  throw cannotImport("its private and public half do not match");
}

/** The members with some names, in the order of the names; absent ones are omitted. */
function pick(
  jwk: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const known = names.filter((name) => Object.hasOwn(jwk, name) && jwk[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, jwk[name]]));
}
