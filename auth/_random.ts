/**
 * The one place of this folder that draws random bytes.
 *
 * @module
 */

import { encodeBase64Url } from "./_base64url.ts";
import type { Bytes } from "./_bytes.ts";

/** Random bytes of the platform's generator. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** A random identifier nobody guesses: 128 bits, 22 characters. */
export function randomId(): string {
  return encodeBase64Url(randomBytes(16));
}

/** A random secret to hand out: 256 bits, 43 characters. */
export function randomToken(): string {
  return encodeBase64Url(randomBytes(32));
}
