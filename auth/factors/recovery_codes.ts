/**
 * Recovery codes, the look-up secrets of NIST SP 800-63B-4 §3.1.2: for users who have lost their authenticator.
 *
 * A code has 10 characters of Crockford's Base32, 50 random bits, in two groups: `7K2QM-XV9T4`. Those are too few for a plain
 * digest, which a thief of the database could invert, so codes are stored by PBKDF2, with the user's subject id as salt.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { joinFields, utf8 } from "../_bytes.ts";
import { pbkdf2 } from "../_kdf.ts";
import { randomBytes } from "../_random.ts";

/** Without I, L, O and U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Number of codes of a user. */
const COUNT = 10;

const LENGTH = 10;
const GROUP = 5;

/** The longest input that is read. */
const MAX_INPUT = 64;

const IGNORED_REGEXP = /[\s\-\u2010-\u2015]/g;
const CODE_REGEXP = /^[0-9A-Za-z]{10}$/;

/** What codes are mistaken for. */
const LOOKALIKES: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" };

/** A password needs more: a code has 50 random bits, and no other use. */
const ITERATIONS = 10_000;

/** Generates the codes of a user. */
export function generateRecoveryCodes(): readonly string[] {
  return Array.from({ length: COUNT }, generateCode);
}

function generateCode(): string {
  const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join("");
  return `${text.slice(0, GROUP)}-${text.slice(GROUP)}`;
}

/**
 * The digest by which a code is stored, base64url. Case, spaces and hyphens do not matter, nor does O for 0, or I and L for 1.
 *
 * @returns `undefined` for what no code can be.
 */
export async function digestRecoveryCode(sub: string, code: unknown): Promise<string | undefined> {
  const text = normalizeRecoveryCode(code);
  if (text === undefined) return undefined;
  const salt = joinFields(["gatehouse/v1/recovery-code", sub]);
  return encodeBase64Url(await pbkdf2(utf8(text), { salt, iterations: ITERATIONS, length: 32 }));
}

function normalizeRecoveryCode(code: unknown): string | undefined {
  if (typeof code !== "string" || code.length > MAX_INPUT) return undefined;
  const text = code.replace(IGNORED_REGEXP, "");
  if (!CODE_REGEXP.test(text)) return undefined;
  return text.toUpperCase().replace(/[OIL]/g, (letter) => LOOKALIKES[letter] ?? letter);
}
