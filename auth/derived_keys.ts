/**
 * Keys for one purpose each, derived from the application's secret by HKDF-SHA-256, RFC 5869: what was made for one
 * purpose verifies for no other.
 *
 * @module
 */

import { type Bytes, utf8 } from "./_bytes.ts";
import { hkdf } from "./_kdf.ts";

/** What a derived key is for. */
export type KeyPurpose = "csrf" | "device" | "throttle";

/** Signs and verifies for a purpose. Made by {@linkcode deriveKeys}. */
export interface DerivedKeys {
  /** HMAC-SHA-256 of a message, 32 bytes, by the first secret. */
  sign(purpose: KeyPurpose, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** Whether a message authentication code was made by any of the secrets, in constant time. */
  verify(
    purpose: KeyPurpose,
    message: Uint8Array<ArrayBuffer>,
    mac: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
}

/** One row for each purpose; its `info` must never change. */
const KEY_TABLE: { readonly [P in KeyPurpose]: { readonly info: string } } = {
  csrf: { info: "gatehouse/v1/csrf" },
  device: { info: "gatehouse/v1/device" },
  throttle: { info: "gatehouse/v1/throttle" },
};

const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

/**
 * Derives an application's keys, each when it is first used.
 *
 * @param secret At least 32 bytes in UTF-8: `openssl rand -base64 32` makes one. To rotate it, give a list: the first
 * signs, all verify; drop the old one when everything it signed has ended. Counts of the throttle begin anew.
 * @throws {TypeError} If the secret is no text, or the list is empty.
 * @throws {RangeError} If a secret is shorter than 32 bytes.
 *
 * @example
 * ```ts
 * import { deriveKeys } from "@gatehouse/http/auth";
 * import { assert, assertFalse } from "@std/assert";
 *
 * const old = "an old secret of at least 32 bytes";
 * const message = new TextEncoder().encode("hello");
 * const mac = await deriveKeys(old).sign("csrf", message);
 *
 * const keys = deriveKeys(["the secret of today, 32 bytes too", old]);
 * assert(await keys.verify("csrf", message, mac));
 * assertFalse(await keys.verify("device", message, mac));
 * ```
 */
export function deriveKeys(secret: string | readonly string[]): DerivedKeys {
  if (typeof secret !== "string" && !Array.isArray(secret)) {
    throw new TypeError(
      "Cannot derive keys: the secret is no text and no list of texts; is its environment variable set?",
    );
  }
  const [first, ...others] = Array.from(typeof secret === "string" ? [secret] : secret, keyRing);
  if (first === undefined) throw new TypeError("Cannot derive keys: the list of secrets is empty");
  return Object.freeze({
    async sign(purpose: KeyPurpose, message: Bytes) {
      const key = await first(purpose);
      return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
    },
    async verify(purpose: KeyPurpose, message: Bytes, mac: Bytes) {
      for (const keyOf of [first, ...others]) {
        if (await crypto.subtle.verify("HMAC", await keyOf(purpose), mac, message)) return true;
      }
      return false;
    },
  });
}

/** The keys of one secret. Keys are kept, never the promise of one: in workerd no request waits for another's. */
function keyRing(secret: unknown): (purpose: KeyPurpose) => Promise<CryptoKey> {
  const bytes = readSecret(secret);
  const derived = new Map<KeyPurpose, CryptoKey>();
  return async (purpose) => {
    const key = derived.get(purpose) ?? await deriveKey(bytes, purpose);
    derived.set(purpose, key);
    return key;
  };
}

async function deriveKey(secret: Bytes, purpose: KeyPurpose): Promise<CryptoKey> {
  const info = utf8(KEY_TABLE[purpose].info);
  const bytes = await hkdf(secret, { salt: new Uint8Array(), info, length: KEY_BYTES });
  return await crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);
}

function readSecret(secret: unknown): Bytes {
  if (typeof secret !== "string") throw new TypeError("Cannot derive keys: a secret is no text");
  const bytes = utf8(secret);
  if (bytes.length < SECRET_BYTES) {
    throw new RangeError(
      `Cannot derive keys: a secret has ${bytes.length} bytes, at least ${SECRET_BYTES} are needed; make one by openssl rand -base64 32`,
    );
  }
  return bytes;
}
