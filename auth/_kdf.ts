/**
 * The key derivation functions of Web Crypto, and SHA-256.
 *
 * @module
 */

import { encodeBase64Url } from "./_base64url.ts";
import { type Bytes, utf8 } from "./_bytes.ts";

/** The Web Crypto name of a hash function. */
export type HashName = "SHA-256" | "SHA-384" | "SHA-512";

/** Options of {@linkcode hkdf}. */
export interface HkdfOptions {
  readonly hash?: HashName;
  readonly salt: Bytes;
  readonly info: Bytes;
  /** Length in bytes; at most 255 digests. */
  readonly length: number;
}

/**
 * Derives a key from a secret, RFC 5869.
 *
 * @throws {DOMException} If `length` exceeds 255 digests.
 * @throws {TypeError} If the runtime cannot derive keys: hosts of WASI components.
 */
export async function hkdf(secret: Bytes, options: HkdfOptions): Promise<Bytes> {
  const { hash = "SHA-256", salt, info, length } = options;
  if (typeof crypto.subtle.deriveBits !== "function") { // its importKey() does not say what it lacks
    throw new TypeError("Cannot derive keys: this runtime's crypto.subtle has no deriveBits()");
  }
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash, salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}

/** Options of {@linkcode pbkdf2}. */
export interface Pbkdf2Options {
  readonly hash?: HashName;
  readonly salt: Bytes;
  readonly iterations: number;
  /** Length in bytes. */
  readonly length: number;
}

/** Derives a key from a password, RFC 8018 §5.2. @throws {DOMException} If the runtime limits the iterations to fewer. */
export async function pbkdf2(password: Bytes, options: Pbkdf2Options): Promise<Bytes> {
  const { hash = "SHA-256", salt, iterations, length } = options;
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash, salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}

/** SHA-256 of a string in base64url: the stored form of tokens. */
export async function digestText(text: string): Promise<string> {
  return encodeBase64Url(await sha256(utf8(text)));
}

/** SHA-256 of bytes. */
export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
