/**
 * JSON Web Signature, compact serialization, RFC 7515 §3.1 and §5.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { type Bytes, utf8 } from "../_bytes.ts";
import { importOnce, keyFinder, signingAlgorithm } from "./_select_key.ts";
import {
  type JwsHeader,
  type JwsHeaderInit,
  type SignJwsOptions,
  tokenError,
  type VerifiedJws,
  type VerifyJwsOptions,
} from "./types.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { parseStrictObject } from "../_strict_json.ts";
import { checkAlgorithms, createSignature, type JwaAlgorithm, verifySignature } from "./jwa.ts";

/**
 * Signs a payload.
 *
 * @param payload A string, which is signed in UTF-8, or bytes.
 * @returns The compact serialization: header, payload and signature in base64url, separated by dots.
 * @throws {TypeError} If `algorithms` is missing, the key is weak, malformed, or not for signing by one of them, the
 * payload is neither a string nor bytes, or an option is invalid; if the header has a member `alg`, `crit`, `b64`,
 * `__proto__` or `toJSON`, or a `typ` or `kid` that is not a string.
 *
 * @example
 * ```ts
 * import { generateJwk, publicJwk, signJws, verifyJws } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const key = await generateJwk("Ed25519");
 * const jws = await signJws("to be or not", { algorithms: ["Ed25519"], key });
 *
 * const { payload } = await verifyJws(jws, { algorithms: ["Ed25519"], keys: publicJwk(key) });
 * assertEquals(new TextDecoder().decode(payload), "to be or not");
 * ```
 */
export async function signJws(
  payload: string | BufferSource,
  options: SignJwsOptions,
): Promise<string> {
  return await jwsSigner(options)(payload);
}

/** {@linkcode signJws} with options that are read once. */
export function jwsSigner(
  options: SignJwsOptions,
): (payload: string | BufferSource) => Promise<string> {
  const { algorithms, key, header = {} } = options;
  checkAlgorithms("Cannot sign token", algorithms);
  if (typeof key !== "object" || key === null) {
    throw new TypeError("Cannot sign token: key must be a CryptoKey or a JWK");
  }
  const alg = signingAlgorithm(key, algorithms);
  const kid = "kty" in key ? key.kid : undefined;
  const encodedHeader = encodeHeader({ kid, ...header }, alg);

  return async (payload) => {
    const input = `${encodedHeader}.${encodeBase64Url(toBytes(payload))}`;
    const privateKey = await importOnce(key, alg, "sign");
    return `${input}.${encodeBase64Url(await createSignature(alg, privateKey, utf8(input)))}`;
  };
}

/**
 * Verifies a compact serialization: strict base64url, JSON without duplicate names, an allowed algorithm, a key of that
 * algorithm, no `crit` and no `b64`. Keys embedded in or referenced by the token are ignored.
 *
 * @throws {AuthError} `invalid_token`, with a {@linkcode TokenFailure} as `reason`.
 * @throws {TypeError} If `algorithms` is missing, `keys` is not a key, or an option is unknown or invalid. Errors of a
 * {@linkcode KeyResolver} are passed on.
 * @throws {RangeError} If `maxBytes` is not a positive integer.
 *
 * @example
 * ```ts
 * import { AuthError, generateJwk, publicJwk, signJws, verifyJws } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const algorithms = ["Ed25519"] as const;
 * const [old, current] = [await generateJwk("Ed25519"), await generateJwk("Ed25519")];
 * const jws = await signJws("to be or not", { algorithms, key: current });
 *
 * // Of a set, the key that the header names by `kid`
 * const { header } = await verifyJws(jws, {
 *   algorithms,
 *   keys: { keys: [publicJwk(old), publicJwk(current)] },
 * });
 * assertEquals(header.kid, current.kid);
 *
 * const error = await assertRejects(
 *   () => verifyJws(jws, { algorithms, keys: publicJwk(old) }),
 *   AuthError,
 * );
 * assertEquals(error.reason, "signature_invalid");
 * ```
 */
export async function verifyJws(jws: string, options: VerifyJwsOptions): Promise<VerifiedJws> {
  rejectUnknownOptions("Cannot verify token", options, VERIFY_NAMES);
  return await jwsVerifier(options)(jws);
}

/** {@linkcode verifyJws} with options that are read once; their names are checked by the caller. */
export function jwsVerifier(options: VerifyJwsOptions): (jws: string) => Promise<VerifiedJws> {
  const { algorithms, keys, typ, maxBytes = MAX_BYTES } = options;
  checkAlgorithms("Cannot verify token", algorithms);
  checkMaxBytes(maxBytes);
  if ("typ" in options && (!isName(typ) || typ === "")) {
    throw new TypeError("Cannot verify token: typ must be a non-empty string");
  }
  const allowed: readonly JwaAlgorithm[] = [...algorithms];
  const findKey = keyFinder(keys);
  const wanted = typ === undefined ? undefined : mediaType(typ);

  // Size, shape, header, algorithm, extensions, type, key, signature: cheapest checks first
  return async (jws) => {
    if (typeof jws !== "string") throw tokenError("token_malformed");
    if (jws.length > maxBytes) throw tokenError("token_too_large");
    const parts = splitJws(jws);
    const header = readHeader(parts.header);
    if (!allowed.includes(header.alg)) throw tokenError("alg_not_allowed");
    // RFC 7515 §4.1.11: no extension is supported, and an empty array is malformed. b64: RFC 7797 §6
    if ("crit" in header || "b64" in header) throw tokenError("crit_unsupported");
    if (wanted !== undefined && !isOfType(header, wanted)) throw tokenError("typ_mismatch");
    const signature = decodePart(parts.signature);
    const data = utf8(jws.slice(0, jws.length - parts.signature.length - 1));
    const key = await findKey(header);
    if (!await verifySignature(header.alg, key, { signature, data })) {
      throw tokenError("signature_invalid");
    }
    return { header, payload: decodePart(parts.payload) };
  };
}

/** A media type in the form in which RFC 7515 §4.1.9 compares it. */
export function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\/(?=[^/]*$)/, "");
}

const VERIFY_NAMES: OptionNames<VerifyJwsOptions> = {
  algorithms: true,
  keys: true,
  typ: true,
  maxBytes: true,
};

/** Maximum length of a token, in bytes. */
const MAX_BYTES = 16_384;

/** Maximum length of a `kid`. */
const MAX_KID_LENGTH = 1_024;

/** Members that a caller cannot set: the key determines the algorithm, no extension is supported, and the header is JSON. */
const RESERVED = ["alg", "crit", "b64", "__proto__", "toJSON"];

interface JwsParts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

function splitJws(jws: string): JwsParts {
  const first = jws.indexOf(".");
  const second = jws.indexOf(".", first + 1);
  if (first < 1 || second < 0 || jws.indexOf(".", second + 1) >= 0) {
    throw tokenError("token_malformed");
  }
  return {
    header: jws.slice(0, first),
    payload: jws.slice(first + 1, second),
    signature: jws.slice(second + 1),
  };
}

function readHeader(encoded: string): JwsHeader {
  const header = readObject(decodePart(encoded));
  const hasAlg = typeof header.alg === "string"; // RFC 7515 §4.1.1; the allowlist decides whether it is supported
  if (!hasAlg || !isValidHeader(header)) throw tokenError("token_malformed");
  return header as JwsHeader;
}

function isValidHeader({ typ, kid = "" }: Readonly<Record<string, unknown>>): boolean {
  if (typ !== undefined && !isName(typ)) return false;
  return typeof kid === "string" && kid.length <= MAX_KID_LENGTH;
}

/** Characters of a media type. Some capitals of other alphabets have an ASCII lowercase form. */
const ASCII_REGEXP = /^[\x20-\x7e]*$/;

function isName(typ: unknown): typ is string {
  return typeof typ === "string" && ASCII_REGEXP.test(typ);
}

function readObject(json: Bytes): Record<string, unknown> {
  try {
    return parseStrictObject(json);
  } catch {
    throw tokenError("token_malformed");
  }
}

function decodePart(encoded: string): Bytes {
  try {
    return decodeBase64Url(encoded);
  } catch {
    throw tokenError("token_malformed");
  }
}

function isOfType({ typ }: JwsHeader, wanted: string): boolean {
  return typ !== undefined && mediaType(typ) === wanted;
}

/** The algorithm first, as usual. */
function encodeHeader(init: JwsHeaderInit, alg: JwaAlgorithm): string {
  const reserved = RESERVED.find((name) => Object.hasOwn(init, name));
  if (reserved !== undefined) {
    throw new TypeError(`Cannot sign token: the header must not contain ${reserved}`);
  }
  if (!isValidHeader(init)) {
    throw new TypeError(
      "Cannot sign token: typ and kid must be strings, kid of at most 1,024 characters",
    );
  }
  return encodeBase64Url(utf8(JSON.stringify({ alg, ...init })));
}

function toBytes(payload: string | BufferSource): Bytes {
  if (typeof payload === "string") return utf8(payload);
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload.slice(0));
  if (ArrayBuffer.isView(payload)) {
    const { buffer, byteOffset, byteLength } = payload;
    return new Uint8Array(buffer, byteOffset, byteLength).slice();
  }
  throw new TypeError("Cannot sign token: payload must be a string or bytes");
}

function checkMaxBytes(maxBytes: number): void {
  if (Number.isSafeInteger(maxBytes) && maxBytes > 0) return;
  throw new RangeError("Cannot verify token: maxBytes must be a positive integer");
}
