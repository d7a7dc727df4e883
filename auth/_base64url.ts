/**
 * Base64url without padding, RFC 4648 §5, and plain Base64 without padding, as in PHC strings. Decoding is strict: each byte
 * sequence has exactly one encoding.
 *
 * @module
 */

import type { Bytes } from "./_bytes.ts";

/** Methods of newer runtimes, absent in Node 20. */
interface NativeEncoder {
  readonly toBase64?: (options: { alphabet: "base64url"; omitPadding: true }) => string;
}

interface NativeDecoder {
  readonly fromBase64?: (text: string, options: { alphabet: "base64url" }) => Bytes;
}

const BASE64URL_REGEXP = /^[A-Za-z0-9_-]*$/;
const BASE64_REGEXP = /^[A-Za-z0-9+/]*$/;

/**
 * Allowed last characters by length modulo 4. A single extra character is invalid; the last of two or three has four or two
 * unused bits, which must be 0.
 */
const ENDS = [undefined, "", "AQgw", "AEIMQUYcgkosw048"];

/** Encodes bytes. */
export function encodeBase64Url(bytes: Bytes): string {
  const native = bytes as NativeEncoder;
  if (native.toBase64 !== undefined) {
    return native.toBase64({ alphabet: "base64url", omitPadding: true });
  }
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return toUrlAlphabet(btoa(binary).replace(/=+$/, ""));
}

/**
 * Decodes a string.
 *
 * @throws {SyntaxError} If it contains padding, whitespace, a character of another alphabet, or unused bits that are not 0
 * (RFC 4648 §3.5).
 */
export function decodeBase64Url(text: string): Bytes {
  const ends = ENDS[text.length % 4];
  const isWhole = ends === undefined || ends.includes(text.slice(-1));
  if (!isWhole) throw malformed();
  const native = Uint8Array as NativeDecoder;
  return native.fromBase64 === undefined ? decode(text) : decodeNative(native.fromBase64, text);
}

/** Decodes a message authentication code. A text that is not canonical becomes an empty one, which never verifies. */
export function decodeMac(text: string): Bytes {
  try {
    return decodeBase64Url(text);
  } catch {
    return new Uint8Array();
  }
}

/** Encodes in the plain alphabet, without padding. */
export function encodeBase64Bare(bytes: Bytes): string {
  return encodeBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");
}

/** Decodes the plain alphabet without padding. @throws {SyntaxError} As {@linkcode decodeBase64Url} does. */
export function decodeBase64Bare(text: string): Bytes {
  if (!BASE64_REGEXP.test(text)) throw malformed();
  return decodeBase64Url(toUrlAlphabet(text));
}

function toUrlAlphabet(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_");
}

/** The runtime ignores whitespace and padding, which give fewer bytes than the length implies. */
function decodeNative(fromBase64: NonNullable<NativeDecoder["fromBase64"]>, text: string): Bytes {
  try {
    const bytes = fromBase64(text, { alphabet: "base64url" });
    if (bytes.length === Math.floor(text.length * 3 / 4)) return bytes;
  } catch {
    // a character of another alphabet; the runtime's message may quote it
  }
  throw malformed();
}

function decode(text: string): Bytes {
  if (!BASE64URL_REGEXP.test(text)) throw malformed();
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function malformed(): SyntaxError {
  return new SyntaxError("Cannot decode base64url: malformed input");
}
