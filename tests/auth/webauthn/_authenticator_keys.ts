/**
 * Keys and signatures of the software authenticator: one row for each COSE algorithm, and DER for ECDSA.
 *
 * @module
 */

import { decodeBase64Url } from "../../../auth/_base64url.ts";
import type { Bytes } from "../../../auth/_bytes.ts";
import type { CoseAlgorithm } from "../../../auth/webauthn/types.ts";
import { concat, type Encodable } from "./_cbor.ts";

/** A key pair of a credential. */
export interface AuthenticatorKey {
  /** Algorithm. */
  readonly algorithm: CoseAlgorithm;
  /** Parameters of the COSE key, RFC 9052 §7. */
  readonly cose: Map<Encodable, Encodable>;
  /** SubjectPublicKeyInfo, as browsers return it by `getPublicKey()`. */
  readonly spki: Bytes;
  /** Signs as WebAuthn wants it: ECDSA in DER, §6.5.5. */
  sign(data: Bytes): Promise<Bytes>;
}

interface AlgorithmRow {
  readonly generate: RsaHashedKeyGenParams | EcKeyGenParams | { readonly name: "Ed25519" };
  readonly sign: RsaPssParams | EcdsaParams | { readonly name: string };
  /** COSE parameters of a public JWK, without `alg`. */
  readonly cose: (jwk: JsonWebKey) => readonly (readonly [number, number | Bytes])[];
  /** What is done to Web Crypto's signature. */
  readonly encode?: (signature: Bytes) => Bytes;
}

/** RFC 9053 §2, RFC 8230 §2 and RFC 8812 §2. */
const ROWS: Readonly<Record<CoseAlgorithm, AlgorithmRow>> = {
  [-7]: ecdsa("P-256", 256, 1),
  [-8]: {
    generate: { name: "Ed25519" },
    sign: { name: "Ed25519" },
    cose: ({ x }) => [[1, 1], [-1, 6], [-2, bytesOf(x)]],
  },
  [-35]: ecdsa("P-384", 384, 2),
  [-36]: ecdsa("P-521", 512, 3),
  [-37]: rsa("RSA-PSS", 256),
  [-38]: rsa("RSA-PSS", 384),
  [-39]: rsa("RSA-PSS", 512),
  [-257]: rsa("RSASSA-PKCS1-v1_5", 256),
  [-258]: rsa("RSASSA-PKCS1-v1_5", 384),
  [-259]: rsa("RSASSA-PKCS1-v1_5", 512),
};

/** Every algorithm that the authenticator has. */
export const ALGORITHMS: readonly CoseAlgorithm[] = Object.keys(ROWS).map(
  Number,
) as CoseAlgorithm[];

/** Generates a key. */
export async function generateAuthenticatorKey(
  algorithm: CoseAlgorithm,
): Promise<AuthenticatorKey> {
  const { generate, sign, cose, encode = (signature) => signature } = ROWS[algorithm];
  const pair = await crypto.subtle.generateKey(generate, true, ["sign", "verify"]) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return {
    algorithm,
    cose: new Map<Encodable, Encodable>([[3, algorithm], ...cose(jwk)]),
    spki: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
    sign: async (data) =>
      encode(new Uint8Array(await crypto.subtle.sign(sign, pair.privateKey, data))),
  };
}

/** ECDSA's `r` and `s`, big-endian: each half of a signature of Web Crypto. */
export function splitSignature(signature: Bytes): { readonly r: Bytes; readonly s: Bytes } {
  const half = signature.length / 2;
  return { r: signature.slice(0, half), s: signature.slice(half) };
}

/** `r` and `s` of a signature in DER; it reads only what {@linkcode derSignature} writes. */
export function readDerSignature(signature: Bytes): { readonly r: Bytes; readonly s: Bytes } {
  const begin = (signature[1] ?? 0) < 0x80 ? 2 : 3;
  const end = begin + 2 + (signature[begin + 1] ?? 0);
  return { r: signature.slice(begin + 2, end), s: signature.slice(end + 2) };
}

/** `ECDSA-Sig-Value` of RFC 3279 §2.2.3 in DER. */
export function derSignature({ r, s }: { readonly r: Bytes; readonly s: Bytes }): Bytes {
  return derItem(0x30, concat(derItem(2, minimal(r)), derItem(2, minimal(s))));
}

/** One item of DER with its tag: contents of up to 255 bytes. */
export function derItem(tag: number, content: Bytes): Bytes {
  const { length } = content;
  return concat(
    length < 0x80 ? Uint8Array.of(tag, length) : Uint8Array.of(tag, 0x81, length),
    content,
  );
}

/** A positive integer in its shortest form, with a zero in front where the first bit is set. */
function minimal(integer: Bytes): Bytes {
  const at = integer.findIndex((byte) => byte !== 0);
  const significant = at === -1 ? Uint8Array.of(0) : integer.slice(at);
  return (significant[0] ?? 0) < 0x80 ? significant : concat(Uint8Array.of(0), significant);
}

function ecdsa(namedCurve: string, hashBits: number, crv: number): AlgorithmRow {
  return {
    generate: { name: "ECDSA", namedCurve },
    sign: { name: "ECDSA", hash: `SHA-${hashBits}` },
    cose: ({ x, y }) => [[1, 2], [-1, crv], [-2, bytesOf(x)], [-3, bytesOf(y)]],
    encode: (signature) => derSignature(splitSignature(signature)),
  };
}

function rsa(name: "RSA-PSS" | "RSASSA-PKCS1-v1_5", bits: number): AlgorithmRow {
  const publicExponent = Uint8Array.of(1, 0, 1);
  return {
    generate: { name, hash: `SHA-${bits}`, modulusLength: 2_048, publicExponent },
    sign: { name, saltLength: bits / 8 },
    cose: ({ n, e }) => [[1, 3], [-1, bytesOf(n)], [-2, bytesOf(e)]],
  };
}

function bytesOf(text: string | undefined): Bytes {
  return decodeBase64Url(text ?? "");
}
