/**
 * Private keys encrypted, RFC 7517 §7: a JWE in its compact serialization, RFC 7516 §7.1, by the application's secret. All
 * that is kept beside a key stands in its header too, and so is authenticated: no key opens in the place of another, for
 * another algorithm, or at times that are not its own.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { utf8 } from "../_bytes.ts";
import { parseStrictObject } from "../_strict_json.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { Jwk } from "../jwt/types.ts";
import type { StoredKey } from "../stores/types.ts";

/** What encrypts and opens. */
export type Ciphers = Pick<DerivedKeys, "encrypt" | "decrypt">;

/** A key that was opened. */
export interface OpenedJwk {
  readonly jwk: Jwk;
  /** Whether an older secret than the first opened it. */
  readonly isOld: boolean;
}

/** Members of a header. */
type Members = Readonly<Record<string, unknown>>;

/** Characters of the longest text that is read or made. An RSA key of 8,192 bits has 9,000. */
const MAX_LENGTH = 16_384;

/** What every header says: RFC 7518 §4.5 and §5.3, RFC 7517 §7. */
const HEADER = { alg: "dir", enc: "A256GCM", cty: "jwk+json" } as const;

/**
 * Encrypts the private key of a stored key.
 *
 * @throws {TypeError} If it is no object.
 * @throws {RangeError} If it is longer than what {@linkcode openJwk} reads.
 */
export async function encryptJwk(stored: StoredKey, keys: Ciphers): Promise<string> {
  const { key: jwk } = stored;
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) {
    throw new TypeError("Cannot encrypt key: it is no JWK");
  }
  const members = { ...standardMembers(stored), key: privateMember(stored) };
  const header = encodeBase64Url(utf8(JSON.stringify(members)));
  const plaintext = utf8(JSON.stringify(jwk));
  const { iv, ciphertext, tag } = await keys.encrypt("signing-keys", plaintext, utf8(header));
  const text = [header, "", ...[iv, ciphertext, tag].map(encodeBase64Url)].join(".");
  if (text.length <= MAX_LENGTH) return text;
  throw new RangeError(`Cannot encrypt key: it makes more than ${MAX_LENGTH} characters`);
}

/**
 * Opens the private key of a stored key; `undefined` if it is no text of one, stands beside anything but what it was
 * encrypted with, or was encrypted by no secret that is known.
 */
export async function openJwk(stored: StoredKey, keys: Ciphers): Promise<OpenedJwk | undefined> {
  const parts = readParts(stored?.key);
  if (parts === undefined || !isHeaderOf(parts.header, stored)) return undefined;
  const opened = await keys.decrypt("signing-keys", parts, utf8(parts.header));
  const jwk = opened && attempt(() => parseStrictObject(opened.plaintext));
  return jwk && { jwk: jwk as unknown as Jwk, isOld: opened?.by === "older" };
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

/** What has one meaning for everybody. */
function standardMembers({ kid }: StoredKey): Members {
  return { ...HEADER, kid };
}

/** What is ours alone, RFC 7516 §4.3: what a key is for, and when. */
function privateMember({ alg, createdAt, activeAt, retiredAt }: StoredKey): Members {
  const end = retiredAt ?? undefined; // a store with columns gives null for one that is not there
  return { alg, createdAt, activeAt, ...(end === undefined ? {} : { retiredAt: end }) };
}

/** Whether a header says what ours do, and nothing else: `zip` or `crit` would change what the rest means. */
function isHeaderOf(text: string, stored: StoredKey): boolean {
  const header = attempt(() => parseStrictObject(decodeBase64Url(text)));
  if (header === undefined || typeof stored.kid !== "string") return false;
  const { key, ...standard } = header;
  return isSame(standard, standardMembers(stored)) && isSame(key, privateMember(stored));
}

/** Whether members are all there, and no others. What is no text and no number is the same as nothing, itself included. */
function isSame(found: unknown, expected: Members): boolean {
  if (typeof found !== "object" || found === null) return false;
  const members = new Map(Object.entries(found));
  const isMember = ([name, value]: [string, unknown]) =>
    (typeof value === "string" || typeof value === "number") && members.get(name) === value;
  const entries = Object.entries(expected);
  return members.size === entries.length && entries.every(isMember);
}

/** What was read, if it could be. Why it could not, nobody is told: it is one thing to refuse. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
