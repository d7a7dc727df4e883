/**
 * Keys for one purpose each, derived from the application's secret by HKDF-SHA-256, RFC 5869: a signature or ciphertext of
 * one purpose is invalid for every other.
 *
 * @module
 */

import { type Bytes, concatBytes, utf8 } from "./_bytes.ts";
import { hkdf } from "./_kdf.ts";
import { randomBytes, randomToken } from "./_random.ts";

/** Purposes of keys for message authentication codes. */
export type KeyPurpose =
  | "accounts"
  | "csrf"
  | "device"
  | "dpop"
  | "second-factor"
  | "throttle"
  | "webauthn";

/** Purposes of encryption keys. */
export type EncryptionPurpose = "signing-keys" | "provider-tokens" | "totp-secrets";

/** Result of {@linkcode DerivedKeys.encrypt}, AES-256-GCM. */
export interface EncryptedBytes {
  /** Initialization vector: 12 random bytes. */
  readonly iv: Uint8Array<ArrayBuffer>;
  /** Ciphertext, as long as the plaintext. */
  readonly ciphertext: Uint8Array<ArrayBuffer>;
  /** Authentication tag: 16 bytes. */
  readonly tag: Uint8Array<ArrayBuffer>;
}

/** Result of {@linkcode DerivedKeys.decrypt}. */
export interface DecryptedBytes {
  /** Plaintext. */
  readonly plaintext: Uint8Array<ArrayBuffer>;
  /** Which secret decrypted it. Encrypt again what an older one decrypted, before that secret is removed. */
  readonly by: "first" | "older";
}

/** Signs, verifies, encrypts and decrypts for a purpose. Created by {@linkcode deriveKeys}. */
export interface DerivedKeys {
  /** HMAC-SHA-256 of a message, 32 bytes, by the first secret. */
  sign(purpose: KeyPurpose, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** Whether any of the secrets made a message authentication code, in constant time. */
  verify(
    purpose: KeyPurpose,
    message: Uint8Array<ArrayBuffer>,
    mac: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
  /**
   * Encrypts by AES-256-GCM and the first secret. A secret must not be used for more than 2³² calls of a purpose, NIST SP 800-38D §8.3.
   *
   * @param additionalData Authenticated, not encrypted; must be the same to decrypt.
   */
  encrypt(
    purpose: EncryptionPurpose,
    plaintext: Uint8Array<ArrayBuffer>,
    additionalData: Uint8Array<ArrayBuffer>,
  ): Promise<EncryptedBytes>;
  /** Decrypts by any of the secrets; `undefined` if none of them fits, or the data was changed. */
  decrypt(
    purpose: EncryptionPurpose,
    encrypted: EncryptedBytes,
    additionalData: Uint8Array<ArrayBuffer>,
  ): Promise<DecryptedBytes | undefined>;
}

type Purpose = KeyPurpose | EncryptionPurpose;

/** How a key is used. */
interface KeyUse {
  readonly algorithm: HmacImportParams | Algorithm;
  readonly usages: readonly KeyUsage[];
}

const MAC: KeyUse = {
  algorithm: { name: "HMAC", hash: "SHA-256" },
  usages: ["sign", "verify"],
};

const CIPHER: KeyUse = {
  algorithm: { name: "AES-GCM" },
  usages: ["encrypt", "decrypt"],
};

/** One row for each purpose. Its name is the HKDF info, so it must never change. */
const KEY_USES: { readonly [P in Purpose]: KeyUse } = {
  csrf: MAC,
  device: MAC,
  throttle: MAC,
  webauthn: MAC,
  accounts: MAC,
  dpop: MAC,
  "second-factor": MAC,
  "signing-keys": CIPHER,
  "provider-tokens": CIPHER,
  "totp-secrets": CIPHER,
};

const SECRET_BYTES = 32;

/** Random hexadecimal digits have about 16. */
const MIN_DIFFERENT_BYTES = 10;

/** Words of samples in documentation, which are no secrets: `a secret of at least 32 bytes`. */
const SAMPLE_REGEXP =
  /32.(?:bytes|characters)|256.bits|(?:change|replace).?(?:me|this)|your.{0,9}secret/i;

const KEY_BYTES = 32;

/** RFC 7518 §5.3: 96 bits, and a tag of 128. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Generates a secret for {@linkcode deriveKeys} and the option `secret` of `registerAuth()`: 32 random bytes, base64url.
 * Store it where the application finds it at each start; one that is generated at each start signs everybody out.
 *
 * @example
 * ```ts
 * import { generateSecret } from "@gatehouse/http/auth";
 * import { assertMatch } from "@std/assert";
 *
 * assertMatch(generateSecret(), /^[\w-]{43}$/);
 * ```
 */
export function generateSecret(): string {
  return randomToken();
}

/**
 * Derives an application's keys, each on first use.
 *
 * To rotate the secret, pass an array: the first one signs and encrypts, all verify and decrypt. A rolling deployment needs
 * two steps: `[old, new]` everywhere first, then `[new, old]`. The old secret may be removed when everything that it signed
 * has expired, and when the ring of signing keys is encrypted by the new one: each process with the new array does that when
 * it reads the ring, within a minute of the deployment if tokens are signed, verified or published, and warns if the store
 * fails. Secrets of authenticator apps are encrypted by the new one when they are used: a user who does not sign in meanwhile
 * needs a recovery code. A backup is decrypted by the secret of its time. Counts of the throttle restart at once.
 *
 * If the secret is lost, so is the encrypted data: see {@linkcode keyService}.
 *
 * @param secret At least 32 bytes in UTF-8, from {@linkcode generateSecret} or `openssl rand -base64 32`. Or several, the newest
 * first.
 * @throws {TypeError} If the secret is not a string, or the array is empty.
 * @throws {RangeError} If a secret is shorter than 32 bytes, has less than 10 different ones, or is a sample of documentation.
 *
 * @example
 * ```ts
 * import { deriveKeys, generateSecret } from "@gatehouse/http/auth";
 * import { assert, assertFalse } from "@std/assert";
 *
 * const old = generateSecret();
 * const message = new TextEncoder().encode("hello");
 * const mac = await deriveKeys(old).sign("csrf", message);
 *
 * const keys = deriveKeys([generateSecret(), old]);
 * assert(await keys.verify("csrf", message, mac));
 * assertFalse(await keys.verify("device", message, mac));
 * ```
 */
export function deriveKeys(secret: string | readonly string[]): DerivedKeys {
  if (typeof secret !== "string" && !Array.isArray(secret)) {
    throw new TypeError(
      "Cannot derive keys: the secret must be a string or an array of strings; is its environment variable set?",
    );
  }
  const [first, ...others] = Array.from(typeof secret === "string" ? [secret] : secret, keyRing);
  if (first === undefined) throw new TypeError("Cannot derive keys: the array of secrets is empty");
  return Object.freeze({
    async sign(purpose: KeyPurpose, message: Bytes) {
      const key = await first(purpose, MAC);
      return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
    },
    async verify(purpose: KeyPurpose, message: Bytes, mac: Bytes) {
      for (const keyOf of [first, ...others]) {
        const key = await keyOf(purpose, MAC);
        if (await crypto.subtle.verify("HMAC", key, mac, message)) return true;
      }
      return false;
    },
    async encrypt(purpose: EncryptionPurpose, plaintext: Bytes, additionalData: Bytes) {
      const key = await first(purpose, CIPHER);
      const iv = randomBytes(IV_BYTES);
      const params = gcmParams(iv, additionalData);
      const bytes = new Uint8Array(await crypto.subtle.encrypt(params, key, plaintext));
      return { iv, ciphertext: bytes.slice(0, -TAG_BYTES), tag: bytes.slice(-TAG_BYTES) };
    },
    async decrypt(
      purpose: EncryptionPurpose,
      { iv, ciphertext, tag }: EncryptedBytes,
      additionalData: Bytes,
    ): Promise<DecryptedBytes | undefined> {
      // A shorter tag is easier to forge, and bytes moved from one part to the next would be a second encoding
      if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return undefined;
      const bytes = concatBytes(ciphertext, tag);
      for (const keyOf of [first, ...others]) {
        const key = await keyOf(purpose, CIPHER);
        const plaintext = await decryptBytes(key, gcmParams(iv, additionalData), bytes);
        if (plaintext !== undefined) return { plaintext, by: keyOf === first ? "first" : "older" };
      }
      return undefined;
    },
  });
}

/** The keys of one secret. Keys are cached, not promises: in workerd no request may wait for another's promise. */
function keyRing(secret: unknown): (purpose: Purpose, use: KeyUse) => Promise<CryptoKey> {
  const bytes = readSecret(secret);
  const derived = new Map<Purpose, CryptoKey>();
  return async (purpose, use) => {
    if (KEY_USES[purpose] !== use) throw new TypeError("Cannot derive key: unknown purpose");
    const key = derived.get(purpose) ?? await deriveKey(bytes, purpose, use);
    derived.set(purpose, key);
    return key;
  };
}

async function deriveKey(
  secret: Bytes,
  purpose: Purpose,
  { algorithm, usages }: KeyUse,
): Promise<CryptoKey> {
  const info = utf8(`gatehouse/v1/${purpose}`);
  const bytes = await hkdf(secret, { salt: new Uint8Array(), info, length: KEY_BYTES });
  return await crypto.subtle.importKey("raw", bytes, algorithm, false, [...usages]);
}

function gcmParams(iv: Bytes, additionalData: Bytes): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData, tagLength: 8 * TAG_BYTES };
}

async function decryptBytes(
  key: CryptoKey,
  params: AesGcmParams,
  bytes: Bytes,
): Promise<Bytes | undefined> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(params, key, bytes));
  } catch {
    return undefined; // the runtime gives no reason either
  }
}

function readSecret(secret: unknown): Bytes {
  if (typeof secret !== "string") {
    throw new TypeError("Cannot derive keys: a secret must be a string");
  }
  const bytes = utf8(secret);
  const remedy = "generateSecret() or openssl rand -base64 32 makes one";
  if (bytes.length < SECRET_BYTES) {
    throw new RangeError(
      `Cannot derive keys: a secret has ${bytes.length} bytes, at least ${SECRET_BYTES} are required; ${remedy}`,
    );
  }
  if (new Set(bytes).size < MIN_DIFFERENT_BYTES || SAMPLE_REGEXP.test(secret)) {
    throw new RangeError(
      `Cannot derive keys: a secret was not made at random; ${remedy}`,
    );
  }
  return bytes;
}
