/**
 * Reads the metadata and contents of packaged files, in one pass, so that they match.
 *
 * @module
 */

import { crypto } from "@std/crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Bytes, encodeBase64 } from "./_base64.ts";
import { etagOf, hexOf } from "./_format.ts";
import { contentTypeOf } from "./content_type.ts";
import type { FoundFile } from "./native_package_walk.ts";
import type { PackagedAsset, StaticAssetMetadata } from "./types.ts";

/** Types that gzip compresses well. */
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

/**
 * Reads a file's metadata and contents for a package.
 *
 * @param compress Whether text is compressed if that makes it shorter.
 * @throws {Error} If the file is too large for a string.
 */
export async function readAsset(
  { key, path }: FoundFile,
  compress: boolean,
): Promise<PackagedAsset> {
  const bytes: Bytes = new Uint8Array(await readFile(path));
  const metadata = metadataOf(key, bytes.length, await crypto.subtle.digest("SHA-256", bytes));
  const plain = { ...metadata, encoding: "base64", data: encode(key, bytes) };
  if (!compress || !TEXT_REGEXP.test(metadata.contentType)) return plain;
  const data = encode(key, await gzip(bytes));
  return data.length < plain.data.length ? { ...metadata, encoding: "gzip+base64", data } : plain;
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
