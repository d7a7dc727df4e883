/**
 * Password hashes as PHC strings, `$<id>$<name>=<number>,…$<salt>$<key>`, and a hasher over any key derivation function.
 *
 * @module
 */

import { decodeBase64Bare, encodeBase64Bare } from "../_base64url.ts";
import { type Bytes, equalBytes, utf8 } from "../_bytes.ts";
import { preparePassword } from "./_normalize.ts";
import { randomBytes } from "../_random.ts";
import type { PasswordHasher } from "./hasher.ts";

/** Parameters of a key derivation function. */
export type KdfParameters = Readonly<Record<string, number>>;

/** A key derivation function. */
export interface KdfRow<Parameters extends KdfParameters> {
  /** Name in PHC strings. */
  readonly id: string;
  /** Parameters of new hashes. */
  readonly current: Parameters;
  /** Checks parameters of a stored hash and the size of its key; `undefined` if they are invalid or too expensive. */
  read(parameters: KdfParameters, keyBytes: number): Parameters | undefined;
  /** Whether parameters cost an attacker less than others. */
  isBelow(parameters: Parameters, other: Parameters): boolean;
  /** The cost of a derivation, in arbitrary units. */
  cost(parameters: Parameters): number;
  /** Parameters for approximately a given cost; `undefined` if it is too small. */
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

/** 8 to 64 bytes of salt, 16 to 32 bytes of key (a longer key would cost more), up to four parameters. */
const PHC_REGEXP =
  /^\$([a-z0-9-]{1,32})\$([a-z]{1,8}=[1-9]\d{0,9}(?:,[a-z]{1,8}=[1-9]\d{0,9}){0,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,43})$/;

/**
 * Creates a hasher. Verifying never costs less than hashing: for a hash of lower cost, and for a string that is not a
 * hash, it computes the difference too, so that the time does not reveal which accounts have such a hash.
 */
export function phcHasher<Parameters extends KdfParameters>(
  kdf: KdfRow<Parameters>,
): PasswordHasher {
  const { id, current } = kdf;

  function read(encoded: string): (PhcHash & { parameters: Parameters }) | undefined {
    const stored = parsePhc(id, encoded);
    const parameters = stored && kdf.read(stored.parameters, stored.key.length);
    return parameters && { ...stored, parameters };
  }

  return Object.freeze({
    id,
    async hash(password: string) {
      const prepared = preparePassword(password);
      if (prepared === undefined) {
        throw new TypeError("Cannot hash password: it must be a valid password");
      }
      const salt = randomBytes(SALT_BYTES);
      const key = await kdf.derive(utf8(prepared), salt, current, KEY_BYTES);
      return formatPhc(id, { parameters: current, salt, key });
    },
    async verify(password: string, encoded: string) {
      const prepared = preparePassword(password);
      if (prepared === undefined) return false;
      const bytes = utf8(prepared);
      const stored = read(encoded);
      if (stored === undefined) { // the same work as for a hash
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

function formatPhc(id: string, { parameters, salt, key }: PhcHash): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `$${id}$${pairs.join()}$${encodeBase64Bare(salt)}$${encodeBase64Bare(key)}`;
}

function parsePhc(id: string, encoded: string): PhcHash | undefined {
  const [, name = "", pairs = "", salt = "", key = ""] = PHC_REGEXP.exec(encoded) ?? [];
  if (name !== id) return undefined;
  const entries = pairs.split(",").map((pair) => pair.split("="));
  const parameters = Object.fromEntries(entries.map(([key, value]) => [key, Number(value)]));
  if (Object.keys(parameters).length !== entries.length) return undefined; // a duplicate parameter
  try {
    return { parameters, salt: decodeBase64Bare(salt), key: decodeBase64Bare(key) };
  } catch {
    return undefined; // trailing bits that are not zero
  }
}
