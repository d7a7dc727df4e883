/**
 * Digests as packages write them.
 *
 * @module
 */

/** Bytes in hexadecimal digits, in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of bytes in hexadecimal digits. */
export async function sha256Hex(bytes: BufferSource): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** The strong entity tag of a file with this digest, RFC 9110 §8.8.3. */
export function etagOf(hash: string): string {
  return `"${hash}"`;
}
