/**
 * Private keys encrypted, RFC 7517 §7: a JWE in its compact serialization, RFC 7516 §7.1, by the application's secret. What
 * it is of, its `kid`, is in the header and so authenticated: no key opens in the place of another.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "./_base64url.ts";
import { utf8 } from "./_bytes.ts";
import { parseStrictObject } from "./_strict_json.ts";
import type { DerivedKeys } from "./derived_keys.ts";
import type { Jwk } from "./jwk.ts";

/** What encrypts and opens. */
export type Ciphers = Pick<DerivedKeys, "encrypt" | "decrypt">;

/** A key that was opened. */
export interface OpenedJwk {
  readonly jwk: Jwk;
  /** Whether an older secret than the first opened it. */
  readonly isOld: boolean;
}

/** Characters of the longest text that is read or made. An RSA key of 8,192 bits has 9,000. */
const MAX_LENGTH = 16_384;

/** What every header says, beside the `kid`: RFC 7518 §4.5 and §5.3, RFC 7517 §7. */
const HEADER = { alg: "dir", enc: "A256GCM", cty: "jwk+json" } as const;

/**
 * Encrypts a private key.
 *
 * @throws {TypeError} If it is no object.
 * @throws {RangeError} If it is longer than what {@linkcode openJwk} reads.
 */
export async function encryptJwk(jwk: unknown, kid: string, keys: Ciphers): Promise<string> {
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) {
    throw new TypeError("Cannot encrypt key: it is no JWK");
  }
  const header = encodeBase64Url(utf8(JSON.stringify({ ...HEADER, kid })));
  const plaintext = utf8(JSON.stringify(jwk));
  const { iv, ciphertext, tag } = await keys.encrypt("signing-keys", plaintext, utf8(header));
  const text = [header, "", ...[iv, ciphertext, tag].map(encodeBase64Url)].join(".");
  if (text.length <= MAX_LENGTH) return text;
  throw new RangeError(`Cannot encrypt key: it makes more than ${MAX_LENGTH} characters`);
}

/** Opens a private key; `undefined` if the text is none, is of another `kid`, or was encrypted by no secret that is known. */
export async function openJwk(
  text: unknown,
  kid: unknown,
  keys: Ciphers,
): Promise<OpenedJwk | undefined> {
  const parts = readParts(text);
  if (parts === undefined || !isHeaderOf(parts.header, kid)) return undefined;
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

/** Whether a header says what ours do, and nothing else: `zip` or `crit` would change what the rest means. */
function isHeaderOf(text: string, kid: unknown): boolean {
  const header = attempt(() => parseStrictObject(decodeBase64Url(text)));
  if (header === undefined) return false;
  const expected: Readonly<Record<string, unknown>> = { ...HEADER, kid };
  const names = Object.keys(expected);
  return typeof kid === "string" && Object.keys(header).length === names.length &&
    names.every((name) => header[name] === expected[name]);
}

/** What was read, if it could be. Why it could not, nobody is told: it is one thing to refuse. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
