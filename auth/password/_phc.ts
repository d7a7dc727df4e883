/**
 * Password hashes as PHC strings, `$<id>$<name>=<number>,…$<salt>$<key>`, and a hasher over any function that derives a
 * key at a cost.
 *
 * @module
 */

import { decodeBase64Bare, encodeBase64Bare } from "../_base64url.ts";
import { type Bytes, equalBytes, utf8 } from "../_bytes.ts";
import { preparePassword } from "./_normalize.ts";
import { randomBytes } from "../_random.ts";
import type { PasswordHasher } from "./hasher.ts";

/** Numbers that a derivation is set by. */
export type KdfParameters = Readonly<Record<string, number>>;

/** One function that derives keys: everything that a hasher has to know of it. */
export interface KdfRow<Parameters extends KdfParameters> {
  /** Name in PHC strings. */
  readonly id: string;
  /** Parameters of new hashes. */
  readonly current: Parameters;
  /** Reads parameters, whoever wrote them; `undefined` if they are none, or too much to ask for. */
  read(parameters: KdfParameters): Parameters | undefined;
  /** Whether one costs an attacker less than another. */
  isBelow(parameters: Parameters, other: Parameters): boolean;
  /** What a derivation costs, in units of its own. */
  cost(parameters: Parameters): number;
  /** Parameters of a derivation of a certain cost, as close as it gets; `undefined` if that is nothing. */
  atCost(parameters: Parameters, cost: number): Parameters | undefined;
  /** Derives a key. */
  derive(password: Bytes, salt: Bytes, parameters: Parameters, length: number): Promise<Bytes>;
}

interface PhcHash {
  readonly parameters: KdfParameters;
  readonly salt: Bytes;
  readonly key: Bytes;
}

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** HMAC replaces a longer key by its hash, RFC 2104 §2. */
const HMAC_BLOCK_BYTES = 64;

/** 8 to 64 bytes of salt, 16 to 32 bytes of key (more would cost more than it says), up to four parameters: bounded, since it is what somebody stored. */
const PHC_REGEXP =
  /^\$([a-z0-9-]{1,32})\$([a-z]{1,8}=[1-9]\d{0,9}(?:,[a-z]{1,8}=[1-9]\d{0,9}){0,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,43})$/;

/**
 * Makes a hasher. To verify never costs less than to hash: for a hash of lower cost it spends the rest too, and for a text
 * that is no hash all of it, so that the time does not tell which accounts are special.
 */
export function phcHasher<Parameters extends KdfParameters>(
  kdf: KdfRow<Parameters>,
): PasswordHasher {
  const { id, current } = kdf;

  function read(encoded: string): (PhcHash & { parameters: Parameters }) | undefined {
    const stored = parsePhc(id, encoded);
    const parameters = stored && kdf.read(stored.parameters);
    return parameters && { ...stored, parameters };
  }

  return Object.freeze({
    id,
    async hash(password: string) {
      const prepared = preparePassword(password);
      if (prepared === undefined) throw new TypeError("Cannot hash password: it cannot be one");
      const salt = randomBytes(SALT_BYTES);
      const key = await kdf.derive(await passwordBytes(prepared), salt, current, KEY_BYTES);
      return formatPhc(id, { parameters: current, salt, key });
    },
    async verify(password: string, encoded: string) {
      const prepared = preparePassword(password);
      if (prepared === undefined) return false;
      const bytes = await passwordBytes(prepared);
      const stored = read(encoded);
      if (stored === undefined) { // as much work as for any other hash
        await kdf.derive(bytes, randomBytes(SALT_BYTES), current, KEY_BYTES);
        return false;
      }
      const { parameters, salt, key } = stored;
      const derived = await kdf.derive(bytes, salt, parameters, key.length);
      const rest = kdf.atCost(parameters, kdf.cost(current) - kdf.cost(parameters));
      if (rest !== undefined) await kdf.derive(bytes, salt, rest, KEY_BYTES);
      return equalBytes(derived, key);
    },
    needsRehash(encoded: string) {
      const stored = read(encoded);
      return stored === undefined || kdf.isBelow(stored.parameters, current) ||
        stored.salt.length < SALT_BYTES || stored.key.length < KEY_BYTES;
    },
  });
}

/**
 * PBKDF2 and scrypt begin with HMAC-SHA-256, which replaces a key of more than 64 bytes by its digest: a long password
 * and the 32 bytes of its digest would open the same account. SHA-512 gives 64 bytes, which HMAC leaves alone and which
 * are no text that anybody types.
 */
async function passwordBytes(password: string): Promise<Bytes> {
  const bytes = utf8(password);
  if (bytes.length <= HMAC_BLOCK_BYTES) return bytes;
  return new Uint8Array(await crypto.subtle.digest("SHA-512", bytes));
}

function formatPhc(id: string, { parameters, salt, key }: PhcHash): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `$${id}$${pairs.join()}$${encodeBase64Bare(salt)}$${encodeBase64Bare(key)}`;
}

function parsePhc(id: string, encoded: string): PhcHash | undefined {
  const [, name = "", pairs = "", salt = "", key = ""] = PHC_REGEXP.exec(encoded) ?? [];
  if (name !== id) return undefined;
  const entries = pairs.split(",").map((pair) => pair.split("="));
  const parameters = Object.fromEntries(entries.map(([key, value]) => [key, Number(value)]));
  if (Object.keys(parameters).length !== entries.length) return undefined; // one named twice
  try {
    return { parameters, salt: decodeBase64Bare(salt), key: decodeBase64Bare(key) };
  } catch {
    return undefined; // a bit of no byte
  }
}
