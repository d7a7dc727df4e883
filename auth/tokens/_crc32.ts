/**
 * CRC-32, IEEE 802.3 §3.2.9: tells what was mistyped or cut off. It is no protection against anybody.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";

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
