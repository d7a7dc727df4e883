/**
 * The format of packages and manifests, version 1. Everything is validated before a file is served.
 *
 * @module
 */

import { isAssetKey } from "./key.ts";
import type { PackagedAsset, StaticAssetMetadata } from "./types.ts";

/** Files by key, in a map, since a file may be named `__proto__`. */
export type Entries<T extends StaticAssetMetadata = StaticAssetMetadata> = ReadonlyMap<string, T>;

const HASH_REGEXP = /^[0-9a-f]{64}$/;
/** A media type and its parameters, RFC 9110 §8.3.1, restricted to what is valid in a header field. */
const CONTENT_TYPE_REGEXP = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; *[\w!#$&^.+-]+=[\w!#$&^.+"-]+)*$/;
/** Maximum compression ratio of DEFLATE: 258 bytes from two bits, RFC 1951 §3.2.5. */
const MAX_DEFLATE_RATIO = 1032;
const BASE64_END_REGEXP = /={0,2}$/;

/** Whether a value is a package rather than a manifest: its entries have data. */
export function hasContents(value: unknown): boolean {
  return isObject(value) && isObject(value.entries) &&
    Object.values(value.entries).some((entry) => isObject(entry) && "data" in entry);
}

/** Validates a manifest. @throws {TypeError} If it is invalid. */
export function readManifestEntries(value: unknown): Entries {
  return readEntries(value, "the manifest", checkMetadata);
}

/** Validates a package. @throws {TypeError} If it is invalid, or contents cannot have their declared size. */
export function readPackageEntries(value: unknown): Entries<PackagedAsset> {
  return readEntries(value, "the package", checkAsset);
}

function readEntries<T extends StaticAssetMetadata>(
  value: unknown,
  what: string,
  check: (entry: unknown) => entry is T,
): Entries<T> {
  if (!isObject(value)) throw new TypeError(`Cannot read ${what}: it must be an object`);
  if (value.version !== 1) throw new TypeError(`Cannot read ${what}: its version must be 1`);
  if (!isObject(value.entries)) throw new TypeError(`Cannot read ${what}: it has no entries`);
  const entries = new Map<string, T>();
  for (const [key, entry] of Object.entries(value.entries)) {
    const where = JSON.stringify(key);
    if (!isAssetKey(key)) throw new TypeError(`Cannot read ${what}: ${where} is not a valid key`);
    const copy: unknown = isObject(entry) ? { ...entry } : undefined; // later changes have no effect
    if (!check(copy)) throw new TypeError(`Cannot read ${what}: the entry ${where} is malformed`);
    entries.set(key, copy);
  }
  return entries;
}

function checkMetadata(entry: unknown): entry is StaticAssetMetadata {
  return isObject(entry) &&
    typeof entry.contentType === "string" && CONTENT_TYPE_REGEXP.test(entry.contentType) &&
    Number.isSafeInteger(entry.size) && Number(entry.size) >= 0 &&
    typeof entry.hash === "string" && HASH_REGEXP.test(entry.hash) &&
    entry.etag === etagOf(entry.hash);
}

function checkAsset(entry: unknown): entry is PackagedAsset {
  if (!isObject(entry) || !checkMetadata(entry)) return false;
  const { encoding, data, size } = entry as Record<string, unknown> & StaticAssetMetadata;
  if (typeof data !== "string") return false;
  const length = decodedLength(data);
  if (encoding === "gzip+base64") return length > 0 && size <= length * MAX_DEFLATE_RATIO;
  return encoding === "base64" && length === size;
}

/** Number of bytes that a base64 string encodes, RFC 4648 §4; -1 if its length is invalid. */
function decodedLength(data: string): number {
  if (data.length % 4 !== 0) return -1;
  const padding = BASE64_END_REGEXP.exec(data.slice(-2))?.[0].length ?? 0;
  return data.length / 4 * 3 - padding;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A digest in lower-case hexadecimal digits. */
export function hexOf(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The strong entity tag of a file with this digest, RFC 9110 §8.8.3. */
export function etagOf(hash: string): string {
  return `"${hash}"`;
}
