/**
 * Packages of a few files, made in memory.
 *
 * @module
 */

import { contentTypeOf, type StaticAssetPackage } from "@gatehouse/http";

/** Packages files by their key. */
export async function packageOf(
  files: Iterable<readonly [key: string, contents: string | Uint8Array<ArrayBuffer>]>,
): Promise<StaticAssetPackage> {
  const entries: [string, StaticAssetPackage["entries"][string]][] = [];
  for (const [key, contents] of files) {
    const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    entries.push([key, {
      contentType: contentTypeOf(key),
      size: bytes.length,
      hash,
      etag: `"${hash}"`,
      encoding: "base64",
      data: bytes.toBase64(),
    }]);
  }
  return { version: 1, entries: Object.fromEntries(entries) };
}
