/**
 * Files and packages that the cases of static assets serve.
 *
 * @module
 */

import { contentTypeOf, type PackagedAsset, type StaticAssetPackage } from "../../static/mod.ts";

/** Bytes of our own. */
type Bytes = Uint8Array<ArrayBuffer>;

/** What no answer may contain. */
export const SECRET = "SECRET";

/** What mounts of packages have as their folder. */
export const DIRECTORY = "runtimes/never-there";

/** Files up to this size are sent in one piece. */
export const SMALL: number = 64 * 1024;

/** Bytes that look like noise, the same ones everywhere. */
export function noise(size: number): Bytes {
  const bytes = new Uint8Array(size);
  let state = 0x2545f491;
  for (let i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state;
  }
  return bytes;
}

/** Text as bytes. */
export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Where two byte sequences differ first; `undefined` if they are the same. */
export function difference(actual: Uint8Array, expected: Uint8Array): string | undefined {
  if (actual.length !== expected.length) {
    return `${actual.length} bytes in place of ${expected.length}`;
  }
  const at = actual.findIndex((byte, i) => byte !== expected[i]);
  return at === -1 ? undefined : `byte ${at} is ${actual[at]} in place of ${expected[at]}`;
}

/** Packages files, as `packageStaticAssets` would. @param packed Keys of files to store as gzip. */
export async function packageOf(
  files: Readonly<Record<string, Bytes>>,
  packed: readonly string[] = [],
): Promise<StaticAssetPackage> {
  const entries: Record<string, PackagedAsset> = {};
  for (const [key, bytes] of Object.entries(files)) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const stored = packed.includes(key) ? await gzip(bytes) : bytes;
    entries[key] = {
      contentType: contentTypeOf(key),
      size: bytes.length,
      hash,
      etag: `"${hash}"`,
      encoding: packed.includes(key) ? "gzip+base64" : "base64",
      data: base64(stored),
    };
  }
  return { version: 1, entries };
}

async function gzip(bytes: Bytes): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function base64(bytes: Bytes): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return btoa(binary);
}

/** Files around the sizes at which a body is sent in another way. */
export const PACKAGED_FILES: Readonly<Record<string, Bytes>> = {
  "small.txt": utf8("hello\n"),
  "empty.txt": utf8(""),
  "edge.bin": noise(SMALL),
  "over.bin": noise(SMALL + 1),
  "large.bin": noise(1_000_000),
  "text.css": utf8("p { margin: 0 }\n".repeat(10_000)),
  "sub/café 100%.txt": utf8("nested\n"),
};

/** Those that are stored as gzip. */
const PACKED_FILES: readonly string[] = ["text.css"];

/** Options of a mount of {@linkcode PACKAGED_FILES}. */
export async function packagedOptions(): Promise<
  { directory: string; package: StaticAssetPackage }
> {
  return { directory: DIRECTORY, package: await packageOf(PACKAGED_FILES, PACKED_FILES) };
}

/** A package whose only file, `bad.txt`, has the bytes of {@linkcode SECRET} and the digest of others. */
export async function corruptPackage(): Promise<StaticAssetPackage> {
  const { entries } = await packageOf({ "bad.txt": utf8("harmless") });
  const entry = entries["bad.txt"] as PackagedAsset;
  const data = base64(utf8(`${SECRET}!!`)); // as long as what was packaged
  return { version: 1, entries: { "bad.txt": { ...entry, data } } };
}
