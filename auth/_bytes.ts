/**
 * Bytes and strings.
 *
 * @module
 */

/** Bytes as Web Crypto takes and returns them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ENCODER: TextEncoder = /* @__PURE__ */ new TextEncoder();
const DECODER: TextDecoder = /* @__PURE__ */ new TextDecoder("utf-8", {
  fatal: true,
  ignoreBOM: true, // it stays in the string
});

/** The UTF-8 encoding of a string. */
export function utf8(text: string): Bytes {
  return ENCODER.encode(text);
}

/** The string that bytes encode, a byte order mark included. @throws {TypeError} If they are not UTF-8. */
export function decodeUtf8(bytes: Bytes): string {
  return DECODER.decode(bytes);
}

/** Methods of newer runtimes, absent in Node 20. */
interface NativeHex {
  readonly toHex?: () => string;
  readonly fromHex?: (text: string) => Bytes;
}

/** Encodes bytes in lowercase hexadecimal digits. */
export function encodeHex(bytes: Bytes): string {
  const native: NativeHex = bytes;
  if (native.toHex !== undefined) return native.toHex();
  let digits = "";
  for (const byte of bytes) digits += (byte < 16 ? "0" : "") + byte.toString(16);
  return digits;
}

/** Decodes hexadecimal digits, which the caller has validated. */
export function decodeHex(text: string): Bytes {
  const native = Uint8Array as NativeHex;
  if (native.fromHex !== undefined) return native.fromHex(text);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/**
 * Concatenates fields, each prefixed with its length in four bytes, so that different arrays give different bytes: `["ab",
 * "c"]` and `["a", "bc"]` differ. Strings must be well-formed.
 */
export function joinFields(fields: readonly (string | Bytes)[]): Bytes {
  const parts = fields.map((field) => typeof field === "string" ? utf8(field) : field);
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(joined.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    joined.set(part, at + 4);
    at += 4 + part.length;
  }
  return joined;
}

/** Constant-time comparison of bytes. Their length is not secret. */
export function equalBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Constant-time comparison of strings. */
export function equalText(a: string, b: string): boolean {
  return equalBytes(utf8(a), utf8(b));
}

/** Concatenates bytes. */
export function concatBytes(...parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
