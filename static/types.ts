/**
 * Types of static assets: options of a mount, packages, manifests, sources and mounts.
 *
 * @module
 */

import type { KeyRefusal } from "./key.ts";

/** Options of a static mount. */
export interface StaticAssetOptions {
  /**
   * Folder of the files, relative to the working directory; and key of a package registered with `registerStaticAssets`,
   * if neither `package` nor `manifest` is given. It need not exist yet. For a folder next to the module use
   * `fromFileUrl(new URL("public", import.meta.url))` of `@std/path` or `fileURLToPath` of `node:url`.
   */
  directory: string;
  /**
   * Return `undefined` for a miss, another method or a malformed path, to leave it to later routes. A server cannot send
   * that. @default {false}
   */
  fallthrough?: boolean;
  /** Value of `Cache-Control` on 200 and 304: `"public, max-age=3600"`. */
  cacheControl?: string;
  /**
   * Metadata of the files to serve; other files are not served. With contents, it is also the package. A string is the path
   * of a JSON file that is read when the mount is created, with `@gatehouse/http/native` only.
   */
  manifest?: StaticAssetManifest | StaticAssetPackage | string;
  /** The files' contents, as `packageStaticAssets` writes them. */
  package?: StaticAssetPackage;
  /**
   * `true` serves from the folder and needs `@gatehouse/http/native`; `false` never reads the folder. @default whether
   * there are no packaged contents
   */
  live?: boolean;
  /** Byte ranges, compressed siblings, index files and more, from `staticFeatures()`. @default none */
  features?: StaticFeatures;
}

/** Features of mounts, as `staticFeatures()` returns them. */
export interface StaticFeatures {
  /** Called by mounts, not by applications. */
  readonly finder: (options: StaticAssetOptions) => unknown;
}

/** Metadata of a file. */
export interface StaticAssetMetadata {
  /** Media type with its parameters: `text/css; charset=utf-8`. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly hash: string;
  /** Strong entity tag, RFC 9110 §8.8.3: the hash in quotes. */
  readonly etag: string;
}

/** Metadata and contents of a file. */
export interface PackagedAsset extends StaticAssetMetadata {
  /** Encoding of `data`: `base64`, RFC 4648 §4 with padding, or `gzip+base64`. */
  readonly encoding: string;
  /** The bytes, encoded. */
  readonly data: string;
}

/** Files of a folder without their contents. */
export interface StaticAssetManifest {
  /** Version of this format: 1. */
  readonly version: number;
  /** Files by path in the folder, with `/`. */
  readonly entries: Readonly<Record<string, StaticAssetMetadata>>;
}

/** Files of a folder with their contents. */
export interface StaticAssetPackage {
  /** Version of this format: 1. */
  readonly version: number;
  /** Files by path in the folder, with `/`. */
  readonly entries: Readonly<Record<string, PackagedAsset>>;
}

/** A file of a source. */
export interface StaticEntry {
  /** Media type with its parameters. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag, RFC 9110 §8.8.3. */
  readonly etag: string;
  /** Whether a GET has `Content-Length`: not if the file may change while it is sent. */
  readonly sized: boolean;
  /** Time of the last change of the contents, in milliseconds since the Unix epoch, where it is known. */
  readonly modifiedMs?: number;
  /**
   * Opens the contents, or the bytes from `start` to before `end`. They must be read or cancelled to release resources.
   *
   * @returns `undefined` if the file is no longer what was looked up; then look it up again.
   * @throws {Error} If packaged contents are corrupt, or too many files are open.
   */
  open(start?: number, end?: number): BodyInit | undefined | Promise<BodyInit>;
}

/** Header fields. */
export type Fields = readonly [name: string, value: string][];

/** What a mount answers with: a file or a part of it, and what features add to the response. */
export interface Representation extends StaticEntry {
  /** Status of the response. @default {200} */
  readonly status?: number;
  /** Header fields in place of the mount's `Cache-Control`. */
  readonly fields?: Fields;
}

/**
 * Finds what the path after a mount's prefix names, and evaluates the preconditions; a `Response` if something else than the
 * file is the answer: 304, 412, or a redirect.
 */
export type FileFinder = (
  request: StaticRequest,
  rest: string,
  source: StaticSource | undefined,
) => Representation | Response | KeyRefusal;

/** The files of a mount. */
export interface StaticSource {
  /** Finds a file by its key: segments joined by `/`, none of them empty or hidden. */
  lookup(key: string): StaticEntry | undefined;
}

/** File system access, which `@gatehouse/http/native` adds to mounts. */
export interface FileAccess {
  /** Serves a folder, or only the files that a manifest lists, with the media types of the manifest. */
  openDirectory(
    directory: string,
    listed: ReadonlyMap<string, StaticAssetMetadata> | undefined,
  ): StaticSource;
  /** Reads a manifest. @throws {SyntaxError} If the file is not JSON. */
  readManifest(path: string): unknown;
}

/** The part of a request that a mount reads. */
export interface StaticRequest {
  /** The method. */
  readonly method: string;
  /** Header fields. */
  readonly headers: Headers;
  /** The URL as it was received. */
  readonly url: string;
  /** The canonical path, each segment decoded once, and whether it is malformed. */
  readonly target: { readonly path: string; readonly bad: boolean };
}

/** A static mount. `Result` is `Response` unless `fallthrough` is set. */
export interface StaticMount<Result extends Response | undefined = Response | undefined> {
  /** Path of the files. */
  readonly prefix: string;
  /** Answers a request. Usable unbound: `Deno.serve(mount.fetch)`. */
  readonly fetch: (request: Request) => Result | Promise<Result>;
}

/** A static mount, as a router uses it. */
export interface AnsweringMount extends StaticMount {
  /** Answers a request whose target the router has parsed. */
  readonly answer: (request: StaticRequest) => ReturnType<StaticMount["fetch"]>;
}
