/**
 * CBOR in the canonical form of CTAP 2.2 §8, RFC 8949. Whatever has two encodings, or another decoder could read differently, is
 * refused: longer forms than needed, indefinite lengths, tags, floats, duplicate keys.
 *
 * @module
 */

import { type Bytes, decodeUtf8 } from "../_bytes.ts";
import type { CborMap, CborValue } from "./types.ts";

/** Options of {@linkcode decodeCbor}. */
export interface DecodeCborOptions {
  /** Whether keys of maps may be in any order, as TPMs and Firefox write attestation objects. @default {false} */
  readonly anyKeyOrder?: boolean | undefined;
}

/** Maximum nesting of arrays and maps, CTAP 2.2 §8. */
const MAX_DEPTH = 4;

/** Major types, RFC 8949 §3.1. */
const NEGATIVE = 1;
const BYTE_STRING = 2;
const TEXT_STRING = 3;
const ARRAY = 4;
const MAP = 5;

/** The only values of major types 6 and 7, which are tags, floats and simple values: by their byte, RFC 8949 §3.3. */
const SIMPLE = /* @__PURE__ */ new Map<number | undefined, boolean | null>([
  [0xf4, false],
  [0xf5, true],
  [0xf6, null],
]);

/** The input, and how far it has been read. */
interface Reader {
  readonly bytes: Bytes;
  readonly anyKeyOrder: boolean;
  at: number;
}

/**
 * Decodes an item that is the whole input. Byte strings share its memory.
 *
 * @throws {SyntaxError} If the input is malformed, not canonical, or continues after the item.
 */
export function decodeCbor(bytes: Bytes, options?: DecodeCborOptions): CborValue {
  const { value, end } = decodeCborItem(bytes, 0, options);
  return end === bytes.length ? value : malformed();
}

/**
 * Decodes the item at an index, and returns it with the index after it. Byte strings share the memory of the input.
 *
 * @throws {SyntaxError} If the item is malformed or not canonical.
 */
export function decodeCborItem(
  bytes: Bytes,
  start: number,
  { anyKeyOrder = false }: DecodeCborOptions = {},
): { readonly value: CborValue; readonly end: number } {
  const reader: Reader = { bytes, anyKeyOrder, at: start };
  const value = readItem(reader, MAX_DEPTH);
  return { value, end: reader.at };
}

/** Whether a value is a map. */
export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map;
}

function readItem(reader: Reader, depth: number): CborValue {
  const initial = reader.bytes[reader.at++];
  const simple = SIMPLE.get(initial);
  if (simple !== undefined) return simple;
  const major = (initial ?? 0xff) >> 5;
  if (major > MAP) malformed();
  const argument = readArgument(reader, (initial ?? 0xff) & 0x1f);
  switch (major) {
    case BYTE_STRING:
      return take(reader, argument);
    case TEXT_STRING:
      return readText(take(reader, argument));
    case ARRAY:
      return readArray(reader, argument, depth - 1);
    case MAP:
      return readMap(reader, argument, depth - 1);
  }
  const integer = major === NEGATIVE ? -1 - argument : argument;
  return Number.isSafeInteger(integer) ? integer : malformed();
}

/** RFC 8949 §3: a small number itself, or 1, 2, 4 or 8 bytes. The rest is reserved, or an indefinite length. */
function readArgument(reader: Reader, info: number): number {
  if (info < 24) return info;
  if (info > 27) malformed();
  const width = 1 << info - 24;
  let argument = 0; // beyond 2^53 it is rounded, and refused as an integer and as a length
  for (const byte of take(reader, width)) argument = argument * 256 + byte;
  return argument < (width === 1 ? 24 : 2 ** (width * 4)) ? malformed() : argument;
}

function take(reader: Reader, length: number): Bytes {
  requireRest(reader, length);
  const start = reader.at;
  reader.at += length;
  return reader.bytes.subarray(start, reader.at);
}

/** Before anything is allocated: a length or count can be any number. */
function requireRest({ bytes, at }: Reader, length: number): void {
  if (length > bytes.length - at) malformed();
}

function readText(bytes: Bytes): string {
  try {
    return decodeUtf8(bytes);
  } catch {
    return malformed();
  }
}

function readArray(reader: Reader, count: number, depth: number): readonly CborValue[] {
  if (depth < 0) malformed();
  requireRest(reader, count);
  const items: CborValue[] = [];
  while (items.length < count) items.push(readItem(reader, depth));
  return items;
}

function readMap(reader: Reader, count: number, depth: number): CborMap {
  if (depth < 0) malformed();
  requireRest(reader, count * 2);
  const map = new Map<number | string, CborValue>();
  let previous: number | undefined;
  while (map.size < count) {
    const start = reader.at;
    const key = readItem(reader, 0);
    if ((typeof key !== "number" && typeof key !== "string") || map.has(key)) return malformed();
    if (!reader.anyKeyOrder && previous !== undefined && !isBefore(reader.bytes, previous, start)) {
      malformed();
    }
    previous = start;
    map.set(key, readItem(reader, depth));
  }
  return map;
}

/**
 * Whether the key at one index sorts before the key at another. Of integers and strings in their shortest form, the order of
 * CTAP 2.2 §8 (by major type, length, bytes) is the order of their bytes; different keys differ before either ends.
 */
function isBefore(bytes: Bytes, a: number, b: number): boolean {
  let i = 0;
  while (bytes[a + i] === bytes[b + i]) i++;
  return (bytes[a + i] ?? 0) < (bytes[b + i] ?? 0);
}

function malformed(): never {
  throw new SyntaxError("Cannot decode CBOR: malformed or not canonical");
}
