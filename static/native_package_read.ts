/**
 * What a package says of a file, and its contents: read once, so that size, digest and contents belong together.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type Bytes, encodeBase64 } from "./_base64.ts";
import { etagOf } from "./_hash.ts";
import { contentTypeOf } from "./content_type.ts";
import type { FoundFile } from "./native_package_walk.ts";
import type { PackagedAsset, StaticAssetMetadata } from "./types.ts";

/** Types that gzip makes smaller. */
const TEXT_REGEXP = /^text\/|[/+](?:json|xml|yaml)$|^application\/wasm$/;

/** Reads what a manifest says of a file. */
export async function readMetadata({ key, path }: FoundFile): Promise<StaticAssetMetadata> {
  return await digest(key, readPortions(path, () => {}));
}

/** Reads what a package holds of a file. @param compress Whether text is packed where that makes it shorter. */
export async function readAsset(
  { key, path }: FoundFile,
  compress: boolean,
): Promise<PackagedAsset> {
  const portions: Bytes[] = [];
  const metadata = await digest(key, readPortions(path, (portion) => portions.push(portion)));
  const plain = { ...metadata, encoding: "base64", data: encodeBase64(await joined(portions)) };
  if (!compress || !TEXT_REGEXP.test(metadata.contentType)) return plain;
  const data = encodeBase64(await joined(portions, new CompressionStream("gzip")));
  return data.length < plain.data.length ? { ...metadata, encoding: "gzip+base64", data } : plain;
}

async function digest(key: string, portions: AsyncIterable<Bytes>): Promise<StaticAssetMetadata> {
  const sha256 = createHash("sha256");
  let size = 0;
  for await (const portion of portions) {
    sha256.update(portion);
    size += portion.length;
  }
  const hash = sha256.digest("hex");
  return { contentType: contentTypeOf(key), size, hash, etag: etagOf(hash) };
}

async function* readPortions(path: string, see: (portion: Bytes) => void): AsyncIterable<Bytes> {
  for await (const portion of createReadStream(path)) {
    see(portion);
    yield portion;
  }
}

async function joined(
  portions: readonly Bytes[],
  through?: CompressionStream,
): Promise<Bytes> {
  const blob = new Blob([...portions]);
  return through === undefined
    ? new Uint8Array(await blob.arrayBuffer())
    : new Uint8Array(await new Response(blob.stream().pipeThrough(through)).arrayBuffer());
}
