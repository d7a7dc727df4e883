/**
 * Base62: bytes as letters and digits alone, so that a double click selects the whole text and no shell or URL wants it
 * quoted. Bytes are one number, the first byte the highest; so many bytes always give so many digits, and as many
 * different texts as there are bytes.
 *
 * @module
 */

import { type Bytes, encodeHex } from "../_bytes.ts";

/** In the order of ASCII: texts of one length compare as their numbers do. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS_REGEXP = /^[0-9A-Za-z]*$/;

/** Encodes. */
export function encodeBase62(bytes: Bytes): string {
  let rest = BigInt(`0x0${encodeHex(bytes)}`);
  let text = "";
  for (let digits = base62Length(bytes.length); digits > 0; digits--) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/**
 * Whether a text is what {@linkcode encodeBase62} makes of so many bytes: not only its digits, but a number that they hold.
 */
export function isBase62(text: string, byteLength: number): boolean {
  const highest = encodeBase62(new Uint8Array(byteLength).fill(0xff));
  return text.length === highest.length && DIGITS_REGEXP.test(text) && text <= highest;
}

/** Digits that every number of so many bytes fits in: 6 for 4 bytes, 22 for 16, 43 for 32. */
function base62Length(byteLength: number): number {
  return Math.ceil(byteLength * 8 / Math.log2(62));
}

/** The generator, with the lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;

/** The checksum of bytes, as an unsigned number of 32 bits. Bit by bit, for texts of a hundred characters. */
export function crc32(bytes: Bytes): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : POLYNOMIAL);
  }
  return ~crc >>> 0;
}
