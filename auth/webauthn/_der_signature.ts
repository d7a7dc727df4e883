/**
 * ECDSA signatures in DER, as authenticators make them (WebAuthn Level 3 §6.5.5, RFC 3279 §2.2.3), for Web Crypto.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { coordinateBytes, isScalar } from "../jwt/key_checks.ts";

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const LONG_FORM = 0x81;

/**
 * Converts a signature to r and s, each as long as a coordinate of the curve.
 *
 * @returns `undefined` if it is not strict DER, or r or s is 0, negative, or not less than the order of the group. A high s is
 * valid: ECDSA signatures are malleable, and authenticators do not normalize them.
 */
export function derToRaw(der: Bytes, crv: string): Bytes | undefined {
  const size = coordinateBytes(crv) ?? 0;
  const start = der[1] === LONG_FORM ? 3 : 2; // P-521 alone needs it
  const length = der.length - start;
  if (der[0] !== SEQUENCE || der[start - 1] !== length || length > 127 !== start > 2) {
    return undefined;
  }
  const raw = new Uint8Array(2 * size);
  let at = start;
  for (const end of [size, 2 * size]) {
    const contents = at + 2;
    const hasZero = der[contents] === 0; // before a first bit of 1, which would be the sign
    const after = contents + (der[at + 1] ?? 0); // if it is beyond the end, the last line refuses it
    const digits = der.subarray(hasZero ? contents + 1 : contents, after);
    const isMinimal = (digits[0] ?? 0) > 127 === hasZero;
    if (der[at] !== INTEGER || !isMinimal || !isScalar(crv, digits)) return undefined;
    raw.set(digits, end - digits.length); // less than the order in the shortest form: it fits
    at = after;
  }
  return at === der.length ? raw : undefined;
}
