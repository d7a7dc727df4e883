/**
 * Bytes and text.
 *
 * @module
 */

/** Bytes of our own, as Web Crypto takes and gives them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ENCODER: TextEncoder = /* @__PURE__ */ new TextEncoder();

/** A text's bytes in UTF-8. */
export function utf8(text: string): Bytes {
  return ENCODER.encode(text);
}

/** What newer runtimes have, and Node 20 has not. */
interface NativeHex {
  readonly toHex?: () => string;
  readonly fromHex?: (text: string) => Bytes;
}

/** Bytes in hexadecimal digits, in lower case. */
export function encodeHex(bytes: Bytes): string {
  const native: NativeHex = bytes;
  if (native.toHex !== undefined) return native.toHex();
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes of hexadecimal digits; the caller has checked that they are. */
export function decodeHex(text: string): Bytes {
  const native = Uint8Array as NativeHex;
  if (native.fromHex !== undefined) return native.fromHex(text);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/**
 * Fields in one row, each behind its length in four bytes, so that no two lists of fields give the same bytes: `["ab",
 * "c"]` and `["a", "bc"]` differ. Texts are well-formed.
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

/** Whether bytes are the same, in a time that does not tell where they differ. Their length is no secret. */
export function equalBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Whether texts are the same, in a time that does not tell where they differ. */
export function equalText(a: string, b: string): boolean {
  return equalBytes(utf8(a), utf8(b));
}
