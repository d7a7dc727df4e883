/**
 * The only place that generates random bytes.
 *
 * @module
 */

import { encodeBase64Url } from "./_base64url.ts";
import type { Bytes } from "./_bytes.ts";

/** Random bytes of the platform. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** An unguessable random identifier: 128 bits, 22 characters. */
export function randomId(): string {
  return encodeBase64Url(randomBytes(16));
}

/** A random secret: 256 bits, 43 characters. */
export function randomToken(): string {
  return encodeBase64Url(randomBytes(32));
}
