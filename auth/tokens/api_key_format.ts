/**
 * The format of API keys: a prefix that names their issuer, an identifier, a secret and a checksum.
 *
 * ```text
 * key_<id>_<secret><checksum>
 *
 * id        22 digits of base62: 128 random bits, public
 * secret    43 digits of base62: 256 random bits
 * checksum   6 digits of base62: CRC-32 of everything before it
 * ```
 *
 * A scanner recognizes one in a log or a repository without asking a server.
 *
 * @module
 */

import { crc32, encodeBase62, isBase62 } from "./_api_key_encoding.ts";
import { utf8 } from "../_bytes.ts";
import { digestText } from "../_kdf.ts";
import { randomBytes } from "../_random.ts";

/** A generated API key. */
export interface GeneratedApiKey {
  /** The complete key, for its owner. It cannot be recovered from the stored digest. */
  readonly key: string;
  /** Its public identifier. */
  readonly id: string;
  /** SHA-256 of all but the checksum, base64url: the stored digest. The same secret with another prefix is another key. */
  readonly keyHash: string;
}

/** The parts of an API key. */
export interface ParsedApiKey {
  /** Its prefix. */
  readonly prefix: string;
  /** Its public identifier. */
  readonly id: string;
  /** Its secret. */
  readonly secret: string;
}

/** Default prefix. */
export const DEFAULT_API_KEY_PREFIX = "key";

const PREFIX_REGEXP = /^[a-z][a-z0-9]{0,19}$/;
const MAX_PREFIX_LENGTH = 20;

const ID_BYTES = 16;
const SECRET_BYTES = 32;
/** Digits of identifier, secret and checksum, and the two underscores between the parts. */
const FIXED_LENGTH = 22 + 43 + 6 + 2;

const KEY_REGEXP = /^([a-z][a-z0-9]{0,19})_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * Generates an API key with 128 random bits for its identifier and 256 for its secret. {@linkcode ApiKeyService} also
 * stores it.
 *
 * @param prefix Names the issuer and perhaps the environment: `acme`, `acmetest`. A lowercase letter, then up to 19
 * lowercase letters and digits.
 * @throws {TypeError} If the prefix is not a string.
 * @throws {RangeError} If it has other characters or is too long.
 *
 * @example
 * ```ts
 * import { generateApiKey, parseApiKey } from "@gatehouse/http/auth";
 * import { assertEquals, assertMatch } from "@std/assert";
 *
 * const { key, id } = await generateApiKey("acme");
 * assertMatch(key, /^acme_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
 * assertEquals(parseApiKey(key)?.id, id);
 * ```
 */
export async function generateApiKey(
  prefix: string = DEFAULT_API_KEY_PREFIX,
): Promise<GeneratedApiKey> {
  checkApiKeyPrefix("Cannot generate API key", prefix);
  const id = encodeBase62(randomBytes(ID_BYTES));
  const secret = encodeBase62(randomBytes(SECRET_BYTES));
  const unchecked = `${prefix}_${id}_${secret}`;
  const key = unchecked + checksum(unchecked);
  return { key, id, keyHash: await digestApiKey({ prefix, id, secret }) };
}

/**
 * Parses an API key without a lookup: rejects mistyped and truncated keys before the store is asked. Whether the key exists
 * is not known.
 *
 * @returns `undefined` if the format or the checksum is wrong. Each key has one spelling.
 *
 * @example
 * ```ts
 * import { generateApiKey, parseApiKey } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { key } = await generateApiKey();
 * assertEquals(parseApiKey(key)?.prefix, "key");
 * assertEquals(parseApiKey(key.slice(0, -1)), undefined);
 * ```
 */
export function parseApiKey(key: string): ParsedApiKey | undefined {
  if (typeof key !== "string" || key.length <= FIXED_LENGTH) return undefined;
  if (key.length > FIXED_LENGTH + MAX_PREFIX_LENGTH) return undefined;
  const [, prefix = "", id = "", secret = "", crc] = KEY_REGEXP.exec(key) ?? [];
  if (crc === undefined || checksum(key.slice(0, -crc.length)) !== crc) return undefined;
  // The digits can encode larger numbers than the bytes can hold; such keys were never generated
  if (!isBase62(id, ID_BYTES) || !isBase62(secret, SECRET_BYTES)) return undefined;
  return { prefix, id, secret };
}

/** The stored digest of a key. */
export async function digestApiKey({ prefix, id, secret }: ParsedApiKey): Promise<string> {
  return await digestText(`${prefix}_${id}_${secret}`);
}

/** Checks a prefix. @throws {TypeError | RangeError} If it is invalid. */
export function checkApiKeyPrefix(cannot: string, prefix: unknown): void {
  if (typeof prefix !== "string") throw new TypeError(`${cannot}: prefix must be a string`);
  if (PREFIX_REGEXP.test(prefix)) return;
  throw new RangeError(
    `${cannot}: prefix must be a lowercase letter and up to 19 lowercase letters and digits`,
  );
}

function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(utf8(text)));
  return encodeBase62(bytes);
}
