/**
 * Base32 without padding, RFC 4648 §6: the form in which authenticator apps take a secret.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE32_REGEXP = /^[A-Z2-7]*$/i;

/** Encodes bytes. */
export function encodeBase32(bytes: Bytes): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = (value << 8 | byte) & 0xfff; // at most 4 bits are left of the byte before
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt(value >> (bits - 5) & 31);
  }
  return bits === 0 ? text : text + ALPHABET.charAt(value << (5 - bits) & 31);
}

/**
 * Decodes a string of upper or lower case.
 *
 * @throws {SyntaxError} If it contains padding, another character, unused bits that are not 0, or a number of characters that
 * no bytes have.
 */
export function decodeBase32(text: string): Bytes {
  const bytes = new Uint8Array(Math.floor(text.length * 5 / 8));
  let [at, bits, value] = [0, 0, 0];
  if (BASE32_REGEXP.test(text)) {
    for (const character of text.toUpperCase()) {
      value = (value << 5 | ALPHABET.indexOf(character)) & 0xfff;
      bits += 5;
      if (bits < 8) continue;
      bits -= 8;
      bytes[at++] = value >> bits & 0xff;
    }
    if (bits < 5 && (value & (1 << bits) - 1) === 0) return bytes;
  }
  if (text === "") return bytes;
  throw new SyntaxError("Cannot decode base32: malformed input");
}
