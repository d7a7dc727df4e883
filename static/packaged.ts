/**
 * Serves packaged files, which need no file system. Their entity tags are digests.
 *
 * @module
 */

import { type Bytes, decodeBase64 } from "./_base64.ts";
import { type Entries, hexOf, readPackageEntries } from "./_format.ts";
import type { PackagedAsset, StaticAssetPackage, StaticEntry, StaticSource } from "./types.ts";

/** Contents up to this size are sent in one piece: a stream would cost more. */
export const SMALL_FILE_BYTES: number = 64 * 1024;

/** Larger contents are sent in chunks of this size. */
export const CHUNK_BYTES: number = 256 * 1024;

/**
 * Creates a source from a package, or from its files that a manifest lists. Contents are decoded at the first request,
 * checked against their digest, and cached.
 *
 * @throws {TypeError} If the package or a key is invalid, or contents cannot have their declared size.
 */
export function packagedSource(pkg: StaticAssetPackage, listed?: Entries): StaticSource {
  const assets = [...readPackageEntries(pkg)].filter(([key]) => listed?.has(key) ?? true);
  const entries = new Map(assets.map(([key, asset]) => [key, packagedEntry(key, asset)]));
  return { lookup: (key) => entries.get(key) };
}

/**
 * Validates a package: its structure, and each file's contents against its size and digest.
 *
 * @throws {TypeError} If its structure is invalid.
 * @throws {Error} If a file's contents do not match.
 */
export async function verifyStaticAssets(pkg: StaticAssetPackage): Promise<void> {
  const entries: Entries<PackagedAsset> = readPackageEntries(pkg);
  for (const [key, asset] of entries) await decodeAsset(key, asset);
}

function packagedEntry(key: string, asset: PackagedAsset): StaticEntry {
  const { contentType, size, etag } = asset;
  let encoded: PackagedAsset | undefined = asset;
  let bytes: Bytes | undefined;
  let decoding: Promise<Bytes> | undefined;

  async function decode(from: PackagedAsset): Promise<Bytes> {
    encoded = undefined; // the string is no longer needed
    return bytes = await decodeAsset(key, from);
  }

  return {
    contentType,
    size,
    etag,
    sized: true,
    open(start, end) {
      if (bytes !== undefined) return bodyOf(bytes, start, end);
      if (encoded !== undefined) decoding = decode(encoded);
      return (decoding as Promise<Bytes>).then((decoded) => bodyOf(decoded, start, end));
    },
  };
}

/** @throws {Error} If the contents do not match their size and digest. They must not be served. */
async function decodeAsset(
  key: string,
  { encoding, data, size, hash }: PackagedAsset,
): Promise<Bytes> {
  let cause: unknown;
  try {
    const decoded = decodeBase64(data);
    const bytes = encoding === "base64" ? decoded : await gunzip(decoded, size);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    if (bytes.length === size && hexOf(digest) === hash) return bytes;
  } catch (error) {
    cause = error;
  }
  throw new Error(
    `Cannot serve ${JSON.stringify(key)}: its packaged contents do not match their size and digest`,
    { cause },
  );
}

/** Decompresses gzip, RFC 1952, into at most as many bytes as declared. */
async function gunzip(bytes: Bytes, size: number): Promise<Bytes> {
  const result = new Uint8Array(size);
  let at = 0;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  for await (const chunk of stream) {
    result.set(chunk, at); // throws a RangeError past the end
    at += chunk.length;
  }
  return result.subarray(0, at); // a short one has another size
}

/**
 * Small contents are sent at once. Large ones are twice as fast as a stream of chunks; but workerd and Bun send
 * `Content-Length` for bytes only, whatever the header fields are.
 */
function bodyOf(all: Bytes, start?: number, end?: number): BodyInit {
  const bytes = start === undefined ? all : all.subarray(start, end);
  if (
    bytes.length <= SMALL_FILE_BYTES || "FixedLengthStream" in globalThis || "Bun" in globalThis
  ) {
    return bytes;
  }
  let at = 0;
  return new ReadableStream<Bytes>({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at += CHUNK_BYTES)); // the consumer may modify or transfer it
      if (at >= bytes.length) controller.close();
    },
  });
}
