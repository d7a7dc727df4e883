/**
 * Keys in PEM, the textual encoding that `openssl` writes, RFC 7468 §10 and §13.
 *
 * @module
 */

import { decodeBase64Bare } from "../_base64url.ts";
import type { Bytes } from "../_bytes.ts";
import { cannotImport } from "./_key_types.ts";
import { isJwaAlgorithm, JWA, type JwaAlgorithm } from "./jwa.ts";
import { exportJwk, importJwk } from "./jwk.ts";
import type { Jwk } from "./types.ts";

/** Options of {@linkcode importPem}. */
export interface ImportPemOptions {
  /** Algorithm of the key, which PEM does not contain. */
  readonly alg: JwaAlgorithm;
  /** Whether the key can be exported. @default {false} */
  readonly extractable?: boolean | undefined;
}

/** Other labels, and how to convert them. */
const OTHERS: Readonly<Record<string, string>> = {
  "RSA PRIVATE KEY": "openssl pkcs8 -topk8 -nocrypt converts it to a PRIVATE KEY",
  "EC PRIVATE KEY": "openssl pkcs8 -topk8 -nocrypt converts it to a PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY": "openssl pkcs8 decrypts it",
  "RSA PUBLIC KEY": "openssl rsa -RSAPublicKey_in -pubout converts it to a PUBLIC KEY",
  "CERTIFICATE": "openssl x509 -pubkey -noout extracts its PUBLIC KEY",
};

/** Maximum length; an RSA key of 8,192 bits is shorter. */
const MAX_LENGTH = 16_384;

const PEM_REGEXP = /^\s*-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----\s*$/;

/**
 * Imports a `PUBLIC KEY` (SubjectPublicKeyInfo) for verifying, or a `PRIVATE KEY` (PKCS #8) for signing, with the checks of
 * {@linkcode importJwk}. The string must contain exactly one, and nothing else.
 *
 * @throws {TypeError} If the string is malformed or has another label (the message says how to convert it), or the key is
 * weak or of another algorithm; if `alg` is missing, or an option is invalid.
 *
 * @example
 * ```ts
 * import { importPem } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const key = await importPem(
 *   `-----BEGIN PUBLIC KEY-----
 * MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
 * -----END PUBLIC KEY-----`, // RFC 8410, section 10.1
 *   { alg: "Ed25519" },
 * );
 * assertEquals(key.usages, ["verify"]);
 * ```
 */
export async function importPem(pem: string, options: ImportPemOptions): Promise<CryptoKey> {
  const { alg, extractable = false } = options;
  if (!isJwaAlgorithm(alg)) throw cannotImport("the option alg must name its algorithm");
  const { label, der } = readPem(pem);
  switch (label) {
    case "PUBLIC KEY":
      return await importDer("spki", der, { alg, extractable });
    case "PRIVATE KEY":
      return await importDer("pkcs8", der, { alg, extractable });
  }
  const hint = Object.hasOwn(OTHERS, label) ? `; ${OTHERS[label]}` : "";
  throw cannotImport(`it must be a PUBLIC KEY or a PRIVATE KEY${hint}`);
}

function readPem(pem: string): { readonly label: string; readonly der: Bytes } {
  const [, label, body] = isShortString(pem) ? PEM_REGEXP.exec(pem) ?? [] : [];
  if (label === undefined || body === undefined) {
    const hint = `${pem}`.includes("\\n") ? "; its line breaks are escaped as \\n" : "";
    throw cannotImport(`the string is not PEM${hint}`);
  }
  const base64 = body.replace(/\s/g, "").replace(/={1,2}$/, "");
  try {
    return { label, der: decodeBase64Bare(base64) };
  } catch {
    throw cannotImport("the PEM is malformed");
  }
}

function isShortString(pem: unknown): pem is string {
  return typeof pem === "string" && pem.length <= MAX_LENGTH;
}

/** Converts to JWK first, so that the numbers of the key are checked. */
async function importDer(
  format: "spki" | "pkcs8",
  der: Bytes,
  { alg, extractable }: Required<ImportPemOptions>,
): Promise<CryptoKey> {
  const usage = format === "spki" ? "verify" : "sign";
  return await importJwk(await readDer(format, der, { alg, usage }), { alg, usage, extractable });
}

async function readDer(
  format: "spki" | "pkcs8",
  der: Bytes,
  { alg, usage }: { readonly alg: JwaAlgorithm; readonly usage: "sign" | "verify" },
): Promise<Jwk> {
  try {
    const { keyParams } = JWA[alg];
    return await exportJwk(await crypto.subtle.importKey(format, der, keyParams, true, [usage]));
  } catch (cause) {
    throw cannotImport(`the PEM is not a key for ${alg}`, cause);
  }
}
