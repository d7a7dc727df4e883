/**
 * Encrypted private keys, RFC 7517 §7: a JWE in compact serialization, RFC 7516 §7.1, by the application's secret. The
 * other members of a stored key are repeated in the header and so authenticated: a key cannot be decrypted in place of
 * another, for another algorithm, or with other times.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { utf8 } from "../_bytes.ts";
import { parseStrictObject } from "../_strict_json.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { Jwk } from "../jwt/types.ts";
import type { StoredKey } from "../stores/types.ts";

/** Encrypts and decrypts. */
export type Ciphers = Pick<DerivedKeys, "encrypt" | "decrypt">;

/** A decrypted key. */
export interface DecryptedJwk {
  readonly jwk: Jwk;
  /** Whether it was decrypted by an older secret than the first. */
  readonly isOld: boolean;
}

/** Members of a header. */
type Members = Readonly<Record<string, unknown>>;

/** Maximum length of a JWE in characters. An RSA key of 8,192 bits has 9,000. */
const MAX_LENGTH = 16_384;

/** Common members of the headers: RFC 7518 §4.5 and §5.3, RFC 7517 §7. */
const HEADER = { alg: "dir", enc: "A256GCM", cty: "jwk+json" } as const;

/**
 * Encrypts the private key of a stored key.
 *
 * @throws {TypeError} If it is not an object.
 * @throws {RangeError} If the result is longer than {@linkcode decryptJwk} accepts.
 */
export async function encryptJwk(stored: StoredKey, keys: Ciphers): Promise<string> {
  const { key: jwk } = stored;
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) {
    throw new TypeError("Cannot encrypt key: it must be a JWK");
  }
  const members = { ...standardMembers(stored), key: privateMember(stored) };
  const header = encodeBase64Url(utf8(JSON.stringify(members)));
  const plaintext = utf8(JSON.stringify(jwk));
  const { iv, ciphertext, tag } = await keys.encrypt("signing-keys", plaintext, utf8(header));
  const text = [header, "", ...[iv, ciphertext, tag].map(encodeBase64Url)].join(".");
  if (text.length <= MAX_LENGTH) return text;
  throw new RangeError(`Cannot encrypt key: the result is longer than ${MAX_LENGTH} characters`);
}

/**
 * Decrypts the private key of a stored key; `undefined` if it is not a JWE, the other members of the stored key were
 * changed, or no secret decrypts it.
 */
export async function decryptJwk(
  stored: StoredKey,
  keys: Ciphers,
): Promise<DecryptedJwk | undefined> {
  const parts = readParts(stored?.key);
  if (parts === undefined || !isHeaderOf(parts.header, stored)) return undefined;
  const decrypted = await keys.decrypt("signing-keys", parts, utf8(parts.header));
  const jwk = decrypted && attempt(() => parseStrictObject(decrypted.plaintext));
  return jwk && { jwk: jwk as unknown as Jwk, isOld: decrypted?.by === "older" };
}

/** RFC 7516 §5.2, steps 1 and 2. With `dir` there is no encrypted key, step 10. */
function readParts(text: unknown) {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return undefined;
  const [header, key, iv, ciphertext, tag, ...more] = text.split(".");
  if (header === undefined || key !== "" || more.length > 0) return undefined;
  if (iv === undefined || ciphertext === undefined || tag === undefined) return undefined;
  return attempt(() => ({
    header,
    iv: decodeBase64Url(iv),
    ciphertext: decodeBase64Url(ciphertext),
    tag: decodeBase64Url(tag),
  }));
}

/** Registered header parameters. */
function standardMembers({ kid }: StoredKey): Members {
  return { ...HEADER, kid };
}

/** Private header parameter, RFC 7516 §4.3: the algorithm and the times of the key. */
function privateMember({ alg, createdAt, activeAt, retiredAt }: StoredKey): Members {
  const end = retiredAt ?? undefined; // a store with columns returns null for an absent value
  return { alg, createdAt, activeAt, ...(end === undefined ? {} : { retiredAt: end }) };
}

/** Whether a header has exactly our members: `zip` or `crit` would change the meaning of the rest. */
function isHeaderOf(text: string, stored: StoredKey): boolean {
  const header = attempt(() => parseStrictObject(decodeBase64Url(text)));
  if (header === undefined || typeof stored.kid !== "string") return false;
  const { key, ...standard } = header;
  return isSame(standard, standardMembers(stored)) && isSame(key, privateMember(stored));
}

/** Whether two sets of members are equal. Values other than strings and numbers never are. */
function isSame(found: unknown, expected: Members): boolean {
  if (typeof found !== "object" || found === null) return false;
  const members = new Map(Object.entries(found));
  const isMember = ([name, value]: [string, unknown]) =>
    (typeof value === "string" || typeof value === "number") && members.get(name) === value;
  const entries = Object.entries(expected);
  return members.size === entries.length && entries.every(isMember);
}

/** The result, or `undefined` for an error: all malformed input is rejected alike. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
