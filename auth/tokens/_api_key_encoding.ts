/**
 * Base62 and CRC-32 of API keys. Base62 has letters and digits alone, so that a double click selects the whole key and
 * shells and URLs need no quoting. Bytes are one big-endian number; the same number of bytes always gives the same number
 * of digits, and each value has one encoding. CRC-32, IEEE 802.3 §3.2.9, detects typing errors; it is not a security check.
 *
 * @module
 */

import { type Bytes, encodeHex } from "../_bytes.ts";

/** In ASCII order: strings of one length compare like their numbers. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS_REGEXP = /^[0-9A-Za-z]*$/;

/** Encodes bytes. */
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
 * Whether a string is an encoding of so many bytes: its digits and length, and a number that fits in the bytes.
 */
export function isBase62(text: string, byteLength: number): boolean {
  const highest = encodeBase62(new Uint8Array(byteLength).fill(0xff));
  return text.length === highest.length && DIGITS_REGEXP.test(text) && text <= highest;
}

/** Number of digits for so many bytes: 6 for 4 bytes, 22 for 16, 43 for 32. */
function base62Length(byteLength: number): number {
  return Math.ceil(byteLength * 8 / Math.log2(62));
}

/** The reversed generator polynomial. */
const POLYNOMIAL = 0xedb88320;

/** The checksum of bytes, as an unsigned number of 32 bits. Bit by bit, since keys are short. */
export function crc32(bytes: Bytes): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : POLYNOMIAL);
  }
  return ~crc >>> 0;
}
