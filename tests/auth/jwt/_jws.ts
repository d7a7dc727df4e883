/**
 * Keys of the RFCs for every algorithm, and tokens that signJws() does not create.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { type Bytes, utf8 } from "../../../auth/_bytes.ts";
import { AuthError } from "../../../auth/error.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { importJwk, publicJwk } from "../../../auth/jwt/jwk.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";

/** RFC 7515 A.1. */
export const OCT: Jwk = {
  kty: "oct",
  k: "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
};

/** RFC 7515 A.2. */
export const RSA: Jwk = {
  kty: "RSA",
  n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0" +
    "Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS" +
    "5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH" +
    "7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
  e: "AQAB",
  d: "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2" +
    "NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0" +
    "M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_" +
    "x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
  p: "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_P" +
    "y5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
  q: "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeL" +
    "QeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
  dp: "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOK" +
    "nu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
  dq: "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U" +
    "0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
  qi: "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5" +
    "cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U",
};

/** RFC 7515 A.3. */
export const P256: Jwk = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
};

/** Generated for these tests; the RFCs have no signing key of this curve. */
export const P384: Jwk = {
  kty: "EC",
  crv: "P-384",
  x: "M417_InsIeSwAaUZ06-yE45mw52yvmi81KWtFA8VC5z6PwrAs6odcoVIzXBCVzb_",
  y: "DgH-8vHtv8giGIScJMPvraotK5aH4C3bVr7la1loJdlwPsNWctsnZKMZLuPOTnOz",
  d: "4BD-ijOumjeGeLU2DiZGV6pU9yGAAUk5fWQR9PFj5i6-VV2ohiqRXelfRN-RYOjj",
};

/** RFC 7515 A.4. */
export const P521: Jwk = {
  kty: "EC",
  crv: "P-521",
  x: "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
  y: "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
  d: "AY5pb7A0UFiB3RELSD64fTLOSV_jazdF7fLYyuTw8lOfRhWg6Y6rUrPAxerEzgdRhajnu0ferB0d53vM9mE15j2C",
};

/** RFC 8037 A.1. */
export const OKP: Jwk = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
};

/** A signing key for each algorithm. */
export const KEYS: Readonly<Record<JwaAlgorithm, Jwk>> = {
  HS256: OCT,
  HS384: OCT,
  HS512: OCT,
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA,
  PS384: RSA,
  PS512: RSA,
  ES256: P256,
  ES384: P384,
  ES512: P521,
  EdDSA: OKP,
  Ed25519: OKP,
};

/** Every algorithm. */
export const ALGORITHMS: readonly JwaAlgorithm[] = Object.keys(KEYS) as JwaAlgorithm[];

/** The verification key of a signing key. */
export function verifying(jwk: Jwk): Jwk {
  return jwk.kty === "oct" ? jwk : publicJwk(jwk);
}

/** The reason of a rejection; `accepted` if the token was accepted. */
export async function reasonOf(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    const { code, reason } = error;
    const isTime = reason === "expired" || reason === "max_age_exceeded";
    assertEquals(code, isTime ? "token_expired" : "invalid_token");
    return reason;
  }
  return "accepted";
}

/** Parts of a token: strings and bytes are encoded as they are, other values as JSON. */
export interface Forged {
  /** Algorithm to sign with. @default {"HS256"} */
  readonly alg?: JwaAlgorithm;
  /** Key to sign with. @default the algorithm's */
  readonly key?: Jwk;
  /** Header, as a string, bytes or value. @default {"alg": …} */
  readonly header?: unknown;
  /** Payload, as a string, bytes or value. */
  readonly payload?: unknown;
}

/** A token with a valid signature, whatever its header and payload contain. */
export async function forge({ alg = "HS256", key = KEYS[alg], ...parts }: Forged): Promise<string> {
  const { header = { alg }, payload = {} } = parts;
  return await sealed(`${encoded(header)}.${encoded(payload)}`, alg, key);
}

/** A signing input and its signature. */
export async function sealed(input: string, alg: JwaAlgorithm, jwk: Jwk): Promise<string> {
  return `${input}.${encodeBase64Url(await signature(utf8(input), alg, jwk))}`;
}

/** Parameters of Web Crypto, repeated here so that tests do not share a mistake in the table. */
const SIGN_PARAMS: Readonly<Record<string, Algorithm & { hash?: string; saltLength?: number }>> = {
  HS: { name: "HMAC" },
  RS: { name: "RSASSA-PKCS1-v1_5" },
  PS: { name: "RSA-PSS" },
  ES: { name: "ECDSA" },
  Ed: { name: "Ed25519" },
};

/** A signature over any bytes. */
export async function signature(data: Bytes, alg: JwaAlgorithm, jwk: Jwk): Promise<Bytes> {
  const bits = Number(alg.slice(2));
  const params = SIGN_PARAMS[alg.slice(0, 2)];
  if (params === undefined) throw new Error(`unknown algorithm ${alg}`);
  const key = await signingKey(alg, jwk);
  const how = { ...params, hash: `SHA-${bits}`, saltLength: bits / 8 };
  return new Uint8Array(await crypto.subtle.sign(how, key, data));
}

const IMPORTED = new Map<string, Promise<CryptoKey>>();

function signingKey(alg: JwaAlgorithm, jwk: Jwk): Promise<CryptoKey> {
  const id = `${alg} ${JSON.stringify(jwk)}`;
  const known = IMPORTED.get(id) ?? importJwk(jwk, { alg, usage: "sign" });
  IMPORTED.set(id, known);
  return known;
}

/** A part of a token. */
export function encoded(part: unknown): string {
  if (part instanceof Uint8Array) return encodeBase64Url(part as Bytes);
  return encodeBase64Url(utf8(typeof part === "string" ? part : JSON.stringify(part)));
}
