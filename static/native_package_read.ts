/**
 * What a package says of a file, and its contents: read once, so that size, digest and contents belong together.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Bytes, encodeBase64 } from "./_base64.ts";
import { etagOf } from "./_hash.ts";
import { contentTypeOf } from "./content_type.ts";
import type { FoundFile } from "./native_package_walk.ts";
import type { PackagedAsset, StaticAssetMetadata } from "./types.ts";

/** Types that gzip makes smaller. */
const TEXT_REGEXP = /^text\/|[/+](?:json|xml|yaml)$|^application\/wasm$/;

/** Reads what a manifest says of a file, however large. */
export async function readMetadata({ key, path }: FoundFile): Promise<StaticAssetMetadata> {
  return await metadataOf(key, createReadStream(path));
}

/**
 * Reads what a package holds of a file.
 *
 * @param compress Whether text is packed where that makes it shorter.
 * @throws {Error} If the file is too large for a text.
 */
export async function readAsset(
  { key, path }: FoundFile,
  compress: boolean,
): Promise<PackagedAsset> {
  const bytes: Bytes = new Uint8Array(await readFile(path));
  const metadata = await metadataOf(key, [bytes]);
  const plain = { ...metadata, encoding: "base64", data: encode(key, bytes) };
  if (!compress || !TEXT_REGEXP.test(metadata.contentType)) return plain;
  const data = encode(key, await gzip(bytes));
  return data.length < plain.data.length ? { ...metadata, encoding: "gzip+base64", data } : plain;
}

async function metadataOf(
  key: string,
  portions: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<StaticAssetMetadata> {
  const sha256 = createHash("sha256");
  let size = 0;
  for await (const portion of portions) {
    sha256.update(portion);
    size += portion.length;
  }
  const hash = sha256.digest("hex");
  return { contentType: contentTypeOf(key), size, hash, etag: etagOf(hash) };
}

function encode(key: string, bytes: Bytes): string {
  try {
    return encodeBase64(bytes);
  } catch (cause) {
    throw new Error(`Cannot package ${JSON.stringify(key)}: it is too large for a text`, { cause });
  }
}

async function gzip(bytes: Bytes): Promise<Bytes> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
