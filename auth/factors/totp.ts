/**
 * Time-based one-time passwords: HOTP, RFC 4226, of the number of the current time step, RFC 6238.
 *
 * @module
 */

import { type Bytes, equalText } from "../_bytes.ts";
import { decodeBase32, encodeBase32 } from "./_base32.ts";

/** How codes are computed. Most authenticator apps only know the defaults. */
export interface TotpOptions {
  /** Hash function of the HMAC. @default {"SHA-1"} */
  readonly algorithm?: "SHA-1" | "SHA-256" | "SHA-512" | undefined;
  /** Number of digits: 6 to 8. @default {6} */
  readonly digits?: number | undefined;
  /** Length of a time step in seconds: 1 to 3,600. @default {30} */
  readonly period?: number | undefined;
}

/** Options of {@linkcode verifyTotp}. */
export interface VerifyTotpOptions extends TotpOptions {
  /** The time, in seconds since the epoch. */
  readonly at: number;
  /** Last step whose code was accepted: only codes of later ones are, RFC 6238 §5.2. @default none */
  readonly afterStep?: number | undefined;
  /** How many steps before and after the current one are accepted, for transmission and clocks: 0 to 10. @default {1} */
  readonly window?: number | undefined;
}

/** Options of {@linkcode otpauthUri}. */
export interface OtpauthUriOptions extends TotpOptions {
  /** Name of the service, shown by the app. Without a colon. */
  readonly issuer: string;
  /** Name of the user's account, shown by the app. */
  readonly account: string;
  /** The shared secret, as bytes or in base32. */
  readonly secret: Uint8Array<ArrayBuffer> | string;
}

/**
 * Computes the code of a time, RFC 6238 §4.
 *
 * @param secret At least 128 bits (RFC 4226 §4), as bytes or in base32 without padding.
 * @param at The time, in seconds since the epoch.
 * @throws {RangeError} If the secret is too short, or a number is out of range.
 * @throws {SyntaxError} If the secret is not base32.
 *
 * @example
 * ```ts
 * import { totpCode } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const secret = new TextEncoder().encode("12345678901234567890");
 * assertEquals(await totpCode(secret, 59, { digits: 8 }), "94287082"); // RFC 6238 Appendix B
 * assertEquals(await totpCode("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 59), "287082");
 * ```
 */
export async function totpCode(
  secret: Uint8Array<ArrayBuffer> | string,
  at: number,
  options: TotpOptions = {},
): Promise<string> {
  const { algorithm, digits, period } = readOptions(options);
  const key = await importSecret(secret, algorithm);
  return await hotp(key, stepOf(at, period), digits);
}

/**
 * Finds the time step whose code it is, among the current one and `window` before and after it. Codes of all of them are
 * computed and compared, in constant time. Store the result as the next `afterStep`, by compare-and-swap: a code must not be
 * accepted twice.
 *
 * @param secret At least 128 bits (RFC 4226 §4), as bytes or in base32 without padding.
 * @param code Only ASCII digits match.
 * @throws {RangeError} If the secret is too short, or a number is out of range.
 * @throws {SyntaxError} If the secret is not base32.
 * @returns The step; `undefined` if the code is wrong, or its step is not after `afterStep`.
 *
 * @example
 * ```ts
 * import { totpCode, verifyTotp } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const secret = new TextEncoder().encode("12345678901234567890");
 * const code = await totpCode(secret, 1_700_000_000);
 * const step = await verifyTotp(secret, code, { at: 1_700_000_020 });
 * assertEquals(step, 56_666_666);
 * assertEquals(await verifyTotp(secret, code, { at: 1_700_000_021, afterStep: step }), undefined);
 * ```
 */
export async function verifyTotp(
  secret: Uint8Array<ArrayBuffer> | string,
  code: string,
  options: VerifyTotpOptions,
): Promise<number | undefined> {
  const { at, afterStep = -1, window = 1 } = options;
  const { algorithm, digits, period } = readOptions(options);
  requireInteger("window", window, 0, 10);
  requireInteger("afterStep", afterStep, -1, Number.MAX_SAFE_INTEGER);
  const key = await importSecret(secret, algorithm);
  const current = stepOf(at, period);
  const given = typeof code === "string" && code.length === digits ? code : "";
  let matched: number | undefined;
  for (let step = Math.max(0, current - window); step <= current + window; step++) {
    // Of equal codes the last step counts, so that none of them can be used again
    if (equalText(await hotp(key, step, digits), given)) matched = step;
  }
  return matched === undefined || matched <= afterStep ? undefined : matched;
}

/**
 * Creates the URI that authenticator apps read from a QR code, in Google Authenticator's Key URI format:
 * `otpauth://totp/<issuer>:<account>?secret=…`. It contains the secret: do not log it, and draw the QR code yourself.
 *
 * @throws {TypeError} If a name is not a non-empty, well-formed string.
 * @throws {RangeError} If the issuer contains a colon, the secret is too short, or a number is out of range.
 * @throws {SyntaxError} If the secret is not base32.
 *
 * @example
 * ```ts
 * import { otpauthUri } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
 * assertEquals(
 *   otpauthUri({ issuer: "Big Corp", account: "ada@example.org", secret }),
 *   `otpauth://totp/Big%20Corp:ada%40example.org?secret=${secret}&issuer=Big%20Corp&algorithm=SHA1&digits=6&period=30`,
 * );
 * ```
 */
export function otpauthUri(options: OtpauthUriOptions): string {
  const { issuer, account, secret } = options;
  const { algorithm, digits, period } = readOptions(options);
  const names = [readName("issuer", issuer), readName("account", account)];
  if (issuer.includes(":")) throw new RangeError(`${CANNOT}: issuer must not contain a colon`);
  const parameters = {
    secret: encodeBase32(readSecret(secret)),
    issuer,
    algorithm: algorithm.replace("-", ""),
    digits,
    period,
  };
  // Not URLSearchParams: apps show its plus signs
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${names.map(encodeURIComponent).join(":")}?${query.join("&")}`;
}

const CANNOT = "Cannot compute one-time password";

/** Length of a secret, RFC 4226 §4 R6. */
const MIN_SECRET_BYTES = 16;

const ALGORITHMS = ["SHA-1", "SHA-256", "SHA-512"] as const;

/** Options with their defaults. */
interface Parameters {
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly digits: number;
  readonly period: number;
}

function readOptions({ algorithm = "SHA-1", digits = 6, period = 30 }: TotpOptions): Parameters {
  if (!ALGORITHMS.includes(algorithm)) {
    throw new RangeError(`${CANNOT}: algorithm must be SHA-1, SHA-256 or SHA-512`);
  }
  requireInteger("digits", digits, 6, 8);
  requireInteger("period", period, 1, 3_600);
  return { algorithm, digits, period };
}

function requireInteger(name: string, value: unknown, min: number, max: number): void {
  if (Number.isSafeInteger(value) && min <= Number(value) && Number(value) <= max) return;
  throw new RangeError(`${CANNOT}: ${name} must be an integer from ${min} to ${max}`);
}

function readName(member: string, name: unknown): string {
  if (typeof name === "string" && name !== "" && name.isWellFormed()) return name;
  throw new TypeError(`${CANNOT}: ${member} must be a non-empty, well-formed string`);
}

function readSecret(secret: Bytes | string): Bytes {
  const bytes = typeof secret === "string" ? decodeBase32(secret) : secret;
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new RangeError(`${CANNOT}: the secret must have at least ${MIN_SECRET_BYTES} bytes`);
}

async function importSecret(secret: Bytes | string, hash: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash };
  return await crypto.subtle.importKey("raw", readSecret(secret), algorithm, false, ["sign"]);
}

/** The number of the time step, from the epoch: RFC 6238 §4.2. */
function stepOf(at: number, period: number): number {
  const step = Math.floor(at / period);
  if (Number.isSafeInteger(step) && step >= 0) return step;
  throw new RangeError(`${CANNOT}: at must be a time in seconds since the epoch`);
}

/** HOTP with dynamic truncation, RFC 4226 §5.3. */
async function hotp(key: CryptoKey, counter: number, digits: number): Promise<string> {
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(counter));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, message));
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf;
  const value = (mac.getUint32(offset) & 0x7fffffff) % 10 ** digits;
  return String(value).padStart(digits, "0");
}
