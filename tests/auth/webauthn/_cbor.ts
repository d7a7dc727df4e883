/**
 * Encodes CBOR for tests: canonical items, RFC 8949 and CTAP 2.2 §8, and by explicit helpers what a strict decoder refuses.
 *
 * @module
 */

/** A value that can be encoded. Numbers are integers; others are written by {@linkcode raw}. */
export type Encodable =
  | number
  | bigint
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Encodable[]
  | Map<Encodable, Encodable>
  | Raw;

/** Bytes that are written as they are. */
export class Raw {
  /** The bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  /** Creates the value. */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }
}

/** Encodes a value. Map entries are in canonical order: shorter keys first, then byte by byte. */
export function encodeCbor(value: Encodable): Uint8Array<ArrayBuffer> {
  if (value instanceof Raw) return value.bytes;
  if (typeof value === "number" || typeof value === "bigint") {
    return value < 0 ? head(1, -1n - BigInt(value)) : head(0, value);
  }
  if (typeof value === "string") return withHead(3, new TextEncoder().encode(value));
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4);
  if (value === null) return Uint8Array.of(0xf6);
  if (value instanceof Uint8Array) return withHead(2, value);
  if (value instanceof Map) {
    const entries = encodedEntries(value).sort(([a], [b]) => compareKeys(a, b));
    return concat(head(5, entries.length), ...entries.flat());
  }
  return concat(head(4, value.length), ...value.map(encodeCbor));
}

/** Bytes as they are: `raw("fb7ff8000000000000")` is a float, `raw("bf0102ff")` an indefinite map. */
export function raw(hexOrBytes: string | Uint8Array): Raw {
  return new Raw(
    typeof hexOrBytes === "string" ? Uint8Array.fromHex(hexOrBytes) : Uint8Array.from(hexOrBytes),
  );
}

/** A map whose entries are in the order given; an array of entries may repeat keys. */
export function unsorted(
  map: Map<Encodable, Encodable> | readonly (readonly [Encodable, Encodable])[],
): Raw {
  const entries = encodedEntries(map);
  return raw(concat(head(5, entries.length), ...entries.flat()));
}

/** A tagged item, RFC 8949 §3.4. */
export function tagged(tag: number, value: Encodable): Raw {
  return raw(concat(head(6, tag), encodeCbor(value)));
}

/** A string, array or map of indefinite length, RFC 8949 §3.2; entries of a map are keys and values in turn. */
export function indefinite(major: 2 | 3 | 4 | 5, items: readonly Encodable[]): Raw {
  const begin = Uint8Array.of(major << 5 | 31);
  return raw(concat(begin, ...items.map(encodeCbor), Uint8Array.of(0xff)));
}

/** A head of a major type with an argument, in a longer form than needed if `width` says so: argument bytes. */
export function head(
  major: number,
  argument: number | bigint,
  width: 0 | 1 | 2 | 4 | 8 = shortest(argument),
): Uint8Array<ArrayBuffer> {
  if (width === 0) return Uint8Array.of(major << 5 | Number(argument));
  const bytes = new Uint8Array(1 + width);
  bytes[0] = major << 5 | 24 + Math.log2(width);
  for (let i = width, rest = BigInt(argument); i > 0; i--, rest >>= 8n) {
    bytes[i] = Number(rest & 0xffn);
  }
  return bytes;
}

/** Joins bytes. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}

function shortest(argument: number | bigint): 0 | 1 | 2 | 4 | 8 {
  if (argument < 24) return 0;
  if (argument < 0x100) return 1;
  if (argument < 0x1_0000) return 2;
  return argument < 0x1_0000_0000 ? 4 : 8;
}

function withHead(major: number, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(head(major, content.length), content);
}

function encodedEntries(
  map: Iterable<readonly [Encodable, Encodable]>,
): (readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>])[] {
  return [...map].map(([key, value]) => [encodeCbor(key), encodeCbor(value)] as const);
}

/** CTAP 2.2 §8: by major type, then by length, then byte by byte. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const major = (a[0] ?? 0) >> 5;
  const otherMajor = (b[0] ?? 0) >> 5;
  if (major !== otherMajor) return major - otherMajor;
  if (a.length !== b.length) return a.length - b.length;
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
