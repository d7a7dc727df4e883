/**
 * Reads the metadata and contents of packaged files, in one pass, so that they match.
 *
 * @module
 */

import { crypto } from "@std/crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCompress } from "node:zlib";
import { type Bytes, encodeBase64 } from "./_base64.ts";
import { etagOf, hexOf } from "./_format.ts";
import { contentTypeOf } from "./content_type.ts";
import type { FoundFile } from "./native_package_walk.ts";
import type { PackagedAsset, StaticAssetMetadata } from "./types.ts";

/** Types that compress well. */
const TEXT_REGEXP = /^text\/|[/+](?:json|xml|yaml)$|^application\/wasm$/;

/** Reads a file's metadata for a manifest. Large files are streamed. */
export async function readMetadata({ key, path }: FoundFile): Promise<StaticAssetMetadata> {
  let size = 0;
  async function* counted(): AsyncIterable<Bytes> {
    for await (const chunk of createReadStream(path)) {
      size += chunk.length;
      yield chunk;
    }
  }
  const digest = await crypto.subtle.digest("SHA-256", counted());
  return metadataOf(key, size, digest);
}

/** What is made of text. */
export interface Compression {
  /** Whether contents are stored as gzip if that makes them shorter. */
  readonly compress: boolean;
  /** Whether there are siblings, compressed for clients, if they are shorter. */
  readonly precompress: boolean;
  /** Whether the folder has a file of this key, which is packaged in place of a sibling. */
  readonly has: (key: string) => boolean;
}

/** Siblings by extension, each compressed as much as possible. */
const SIBLINGS: Readonly<Record<string, (bytes: Bytes) => Promise<Uint8Array>>> = {
  ".br": (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    }),
  ".gz": (bytes) => promisify(gzipCompress)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

/**
 * Reads a file's metadata and contents for a package.
 *
 * @returns The file and its compressed siblings, by key.
 * @throws {Error} If the file is too large for a string.
 */
export async function readAssets(
  { key, path }: FoundFile,
  { compress, precompress, has }: Compression,
): Promise<readonly (readonly [key: string, asset: PackagedAsset])[]> {
  const bytes: Bytes = new Uint8Array(await readFile(path));
  const plain = await assetOf(key, bytes);
  if (!TEXT_REGEXP.test(plain.contentType)) return [[key, plain]];
  const stored = compress ? await shorter(plain, key, bytes) : plain;
  const assets: [string, PackagedAsset][] = [[key, stored]];
  for (const [extension, pack] of precompress ? Object.entries(SIBLINGS) : []) {
    const packed: Bytes = new Uint8Array(await pack(bytes));
    const sibling = key + extension;
    if (packed.length >= bytes.length || has(sibling)) continue;
    assets.push([sibling, await assetOf(sibling, packed)]);
  }
  return assets;
}

/** The asset with its contents as gzip, if that is shorter. */
async function shorter(asset: PackagedAsset, key: string, bytes: Bytes): Promise<PackagedAsset> {
  const data = encode(key, await gzip(bytes));
  return data.length < asset.data.length ? { ...asset, encoding: "gzip+base64", data } : asset;
}

async function assetOf(key: string, bytes: Bytes): Promise<PackagedAsset> {
  const metadata = metadataOf(key, bytes.length, await crypto.subtle.digest("SHA-256", bytes));
  return { ...metadata, encoding: "base64", data: encode(key, bytes) };
}

function metadataOf(key: string, size: number, digest: ArrayBuffer): StaticAssetMetadata {
  const hash = hexOf(digest);
  return { contentType: contentTypeOf(key), size, hash, etag: etagOf(hash) };
}

function encode(key: string, bytes: Bytes): string {
  try {
    return encodeBase64(bytes);
  } catch (cause) {
    throw new Error(`Cannot package ${JSON.stringify(key)}: it is too large for a string`, {
      cause,
    });
  }
}

async function gzip(bytes: Bytes): Promise<Bytes> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
