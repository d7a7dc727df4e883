/**
 * Packages made independently of packageStaticAssets().
 *
 * @module
 */

import {
  contentTypeOf,
  type PackagedAsset,
  type StaticAssetPackage,
  type StaticMount,
} from "@gatehouse/http";

export const ENCODER: TextEncoder = new TextEncoder();

/** Files by their keys. */
export type Contents = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** How an entry differs from the entry of its file. */
export interface EntryOptions {
  /** Whether the data is gzip. */
  readonly gzip?: boolean;
  /** Members that replace the correct ones. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The entry of a file. */
export async function entryOf(
  key: string,
  content: string | Uint8Array<ArrayBuffer>,
  { gzip = false, members = {} }: EntryOptions = {},
): Promise<PackagedAsset> {
  const bytes = typeof content === "string" ? ENCODER.encode(content) : content;
  const hash = await hexDigest(bytes);
  return {
    contentType: contentTypeOf(key),
    size: bytes.length,
    hash,
    etag: `"${hash}"`,
    encoding: gzip ? "gzip+base64" : "base64",
    data: toBase64(gzip ? await gzipped(bytes) : bytes),
    ...members,
  };
}

/** A package of files. Its keys are own properties, `__proto__` too. */
export async function packageOf(
  files: Contents,
  options?: EntryOptions,
): Promise<StaticAssetPackage> {
  const entries = await Promise.all(
    Object.entries(files).map(async ([key, content]) =>
      [key, await entryOf(key, content, options)] as const
    ),
  );
  return { version: 1, entries: Object.fromEntries(entries) };
}

/** Requests a path from a mount. */
export async function get(
  mount: StaticMount,
  path: string,
  init?: RequestInit,
): Promise<Response | undefined> {
  return await mount.fetch(new Request(`http://localhost${path}`, init));
}

/** SHA-256, in hexadecimal digits. */
export async function hexDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Base64 with padding. */
export function toBase64(bytes: Uint8Array<ArrayBuffer>): string {
  return bytes.toBase64();
}

/** Compresses bytes. */
export async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Seeded random bytes. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** Counts digest checks of contents: one for each time that they are decoded. */
export async function countDigests(run: () => Promise<void>): Promise<number> {
  const { subtle } = crypto;
  const digest = subtle.digest.bind(subtle);
  let count = 0;
  Object.defineProperty(subtle, "digest", {
    configurable: true,
    value: (...args: Parameters<typeof digest>) => (count++, digest(...args)),
  });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(subtle, "digest");
  }
  return count;
}
