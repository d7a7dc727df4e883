/**
 * The text of API keys: a prefix that says whose they are, an identifier, a secret and a checksum.
 *
 * ```text
 * key_<id>_<secret><checksum>
 *
 * id        22 digits of base62: 128 random bits, public
 * secret    43 digits of base62: 256 random bits
 * checksum   6 digits of base62: CRC-32 of all that is before it
 * ```
 *
 * Whoever finds one in a log or a repository can tell what it is, and that it is one, without asking anybody.
 *
 * @module
 */

import { crc32, encodeBase62, isBase62 } from "./_api_key_encoding.ts";
import { utf8 } from "../_bytes.ts";
import { digestText } from "../_kdf.ts";
import { randomBytes } from "../_random.ts";

/** A new API key. */
export interface GeneratedApiKey {
  /** The whole key, for its owner. Nothing else can be made from what is stored. */
  readonly key: string;
  /** Its public identifier, to find it by. */
  readonly id: string;
  /** SHA-256 of all but its checksum, base64url: what is stored. A secret behind another prefix is another key. */
  readonly keyHash: string;
}

/** The parts of an API key. */
export interface ParsedApiKey {
  /** What the key begins with. */
  readonly prefix: string;
  /** Its public identifier. */
  readonly id: string;
  /** Its secret. */
  readonly secret: string;
}

/** Prefix of a key that is given none. */
export const DEFAULT_API_KEY_PREFIX = "key";

const PREFIX_REGEXP = /^[a-z][a-z0-9]{0,19}$/;
const MAX_PREFIX_LENGTH = 20;

const ID_BYTES = 16;
const SECRET_BYTES = 32;
/** Digits of identifier, secret and checksum, and the two underscores between the parts. */
const FIXED_LENGTH = 22 + 43 + 6 + 2;

const KEY_REGEXP = /^([a-z][a-z0-9]{0,19})_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * Makes an API key, from 128 random bits for its identifier and 256 for its secret. {@linkcode ApiKeyService} does, and
 * keeps it too.
 *
 * @param prefix Says whose keys these are, and perhaps where they count: `acme`, `acmetest`. A small letter, then up to 19
 * small letters and digits.
 * @throws {TypeError} If the prefix is no text.
 * @throws {RangeError} If it has other characters, or too many.
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
 * Takes an API key apart. Nobody is asked, and whether there is such a key is not known: only that a mistyped one, or one
 * that was cut off, needs no search.
 *
 * @returns `undefined` if the shape or the checksum is wrong. Each key has one spelling.
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
  // As many digits can say more than the bytes hold: nobody made that here
  if (!isBase62(id, ID_BYTES) || !isBase62(secret, SECRET_BYTES)) return undefined;
  return { prefix, id, secret };
}

/** What is stored of a key. */
export async function digestApiKey({ prefix, id, secret }: ParsedApiKey): Promise<string> {
  return await digestText(`${prefix}_${id}_${secret}`);
}

/** Checks a prefix. @throws {TypeError | RangeError} If it is none. */
export function checkApiKeyPrefix(cannot: string, prefix: unknown): void {
  if (typeof prefix !== "string") throw new TypeError(`${cannot}: the prefix is no text`);
  if (PREFIX_REGEXP.test(prefix)) return;
  throw new RangeError(
    `${cannot}: the prefix is not a small letter and up to 19 small letters and digits`,
  );
}

function checksum(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(utf8(text)));
  return encodeBase62(bytes);
}
