/**
 * The algorithms of JSON Web Signatures, RFC 7518 §3, RFC 8037 §3.1 and RFC 9864 §2.2: one row each.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";

/** A value of `alg`. */
export type JwaAlgorithm =
  | "HS256"
  | "HS384"
  | "HS512"
  | "RS256"
  | "RS384"
  | "RS512"
  | "PS256"
  | "PS384"
  | "PS512"
  | "ES256"
  | "ES384"
  | "ES512"
  | "EdDSA"
  | "Ed25519";

/** An algorithm with public keys, which verify and cannot sign. */
export type AsymmetricAlgorithm = Exclude<JwaAlgorithm, `HS${string}`>;

/** A key type, RFC 7518 §6.1 and RFC 8037 §2. */
export type KeyType = "oct" | "RSA" | "EC" | "OKP";

/** Web Crypto parameters of an algorithm, and the requirements for its keys and signatures. */
export interface JwaRow {
  /** Key type. */
  readonly kty: KeyType;
  /** Curve. */
  readonly crv?: "P-256" | "P-384" | "P-521" | "Ed25519";
  /** Length of a digest in bytes, which is the minimum length of a secret, RFC 7518 §3.2. */
  readonly hashBytes: number;
  /** Length of a signature in bytes; RSA signatures are as long as the modulus. */
  readonly signatureBytes?: number;
  /** For `importKey()` and `generateKey()`. */
  readonly keyParams: {
    readonly name: string;
    readonly hash?: string;
    readonly namedCurve?: string;
  };
  /** For `sign()` and `verify()`. */
  readonly signParams: {
    readonly name: string;
    readonly hash?: string;
    readonly saltLength?: number;
  };
}

/** One row for each algorithm. They are listed nowhere else. */
export const JWA: { readonly [A in JwaAlgorithm]: JwaRow } = /* @__PURE__ */ Object.freeze({
  HS256: /* @__PURE__ */ hmac(256),
  HS384: /* @__PURE__ */ hmac(384),
  HS512: /* @__PURE__ */ hmac(512),
  RS256: /* @__PURE__ */ pkcs1(256),
  RS384: /* @__PURE__ */ pkcs1(384),
  RS512: /* @__PURE__ */ pkcs1(512),
  PS256: /* @__PURE__ */ pss(256),
  PS384: /* @__PURE__ */ pss(384),
  PS512: /* @__PURE__ */ pss(512),
  ES256: /* @__PURE__ */ ecdsa(256, "P-256", 64),
  ES384: /* @__PURE__ */ ecdsa(384, "P-384", 96),
  ES512: /* @__PURE__ */ ecdsa(512, "P-521", 132),
  EdDSA: /* @__PURE__ */ ed25519(),
  Ed25519: /* @__PURE__ */ ed25519(),
});

/** RFC 7518 §3.2. */
function hmac(bits: number): JwaRow {
  const hash = `SHA-${bits}`;
  const bytes = bits / 8;
  const keyParams = { name: "HMAC", hash };
  return {
    kty: "oct",
    hashBytes: bytes,
    signatureBytes: bytes,
    keyParams,
    signParams: { name: "HMAC" },
  };
}

/** RFC 7518 §3.3. */
function pkcs1(bits: number): JwaRow {
  const name = "RSASSA-PKCS1-v1_5";
  const keyParams = { name, hash: `SHA-${bits}` };
  return { kty: "RSA", hashBytes: bits / 8, keyParams, signParams: { name } };
}

/** RFC 7518 §3.5: the salt is as long as the hash. */
function pss(bits: number): JwaRow {
  const name = "RSA-PSS";
  const keyParams = { name, hash: `SHA-${bits}` };
  const saltLength = bits / 8;
  return { kty: "RSA", hashBytes: saltLength, keyParams, signParams: { name, saltLength } };
}

/** RFC 7518 §3.4: R and S concatenated, each as long as the field of the curve. */
function ecdsa(bits: number, crv: "P-256" | "P-384" | "P-521", signatureBytes: number): JwaRow {
  return {
    kty: "EC",
    crv,
    hashBytes: bits / 8,
    signatureBytes,
    keyParams: { name: "ECDSA", namedCurve: crv },
    signParams: { name: "ECDSA", hash: `SHA-${bits}` },
  };
}

/** RFC 8037 §3.1. `EdDSA` leaves the curve to the key, `Ed25519` (RFC 9864) names it; Ed448 is not supported. */
function ed25519(): JwaRow {
  const name = "Ed25519";
  return {
    kty: "OKP",
    crv: name,
    hashBytes: 64,
    signatureBytes: 64,
    keyParams: { name },
    signParams: { name },
  };
}

/** Whether a value names an algorithm. */
export function isJwaAlgorithm(value: unknown): value is JwaAlgorithm {
  return typeof value === "string" && Object.hasOwn(JWA, value);
}

/**
 * Checks an allowlist of algorithms.
 *
 * @throws {TypeError} If it is not an array, is empty, or contains an unsupported algorithm.
 */
export function checkAlgorithms(cannot: string, list: readonly JwaAlgorithm[]): void {
  if (!Array.isArray(list) || list.length === 0) {
    throw new TypeError(
      `${cannot}: algorithms must list the allowed algorithms`,
    );
  }
  for (const alg of list as readonly unknown[]) {
    if (!isJwaAlgorithm(alg)) {
      throw new TypeError(`${cannot}: unsupported algorithm in algorithms`);
    }
  }
}

/** Signs bytes. */
export async function createSignature(
  alg: JwaAlgorithm,
  key: CryptoKey,
  data: Bytes,
): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign(JWA[alg].signParams, key, data));
}

/** A signature and the data that it signs. */
export interface SignedData {
  readonly signature: Bytes;
  readonly data: Bytes;
}

/**
 * Verifies a signature. Runtimes differ in what they throw for and what they reject (a point that is not on the curve, a
 * signature of the wrong length), so an error counts as an invalid signature.
 */
export async function verifySignature(
  alg: JwaAlgorithm,
  key: CryptoKey,
  { signature, data }: SignedData,
): Promise<boolean> {
  const { signParams, signatureBytes = signature.length } = JWA[alg];
  if (signature.length !== signatureBytes) return false;
  try {
    return await crypto.subtle.verify(signParams, key, signature, data);
  } catch {
    return false;
  }
}
