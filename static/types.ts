/**
 * What static assets are described with: options of a mount, packages, manifests, and what a source answers.
 *
 * @module
 */

/** Options of a static mount. */
export interface StaticAssetOptions {
  /**
   * The folder that files are served from, relative to the working directory; and the key of a package that was
   * registered by `registerStaticAssets`, where neither `package` nor `manifest` is given. It need not exist yet. A folder
   * beside the module is `fromFileUrl(new URL("public", import.meta.url))`, by `@std/path` or `node:url`.
   */
  directory: string;
  /**
   * A miss, another method or a bad path is left to later routes, in place of the error: the answer is `undefined`, which a
   * server by itself cannot send. @default {false}
   */
  fallthrough?: boolean;
  /** Copied to `Cache-Control` on 200 and 304: `"public, max-age=3600"`. */
  cacheControl?: string;
  /**
   * Metadata of the files that may be served, and of no others, wherever their contents are; with contents, a package. A
   * path names a JSON file that is read when the mount is made, by `@gatehouse/http/native` alone.
   */
  manifest?: StaticAssetManifest | StaticAssetPackage | string;
  /** The files' contents, as `packageStaticAssets` writes them. */
  package?: StaticAssetPackage;
  /**
   * `true` serves from the folder and needs `@gatehouse/http/native`; `false` never does. @default whether there are no
   * packaged contents
   */
  live?: boolean;
}

/** What a manifest says of a file. */
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

/** What a package holds of a file. */
export interface PackagedAsset extends StaticAssetMetadata {
  /** How `data` was written: `base64`, RFC 4648 §4 with padding, or `gzip+base64`. */
  readonly encoding: string;
  /** The bytes, encoded. */
  readonly data: string;
}

/** Files of a folder without their contents. */
export interface StaticAssetManifest {
  /** Version of this format: 1. */
  readonly version: number;
  /** Files by their path in the folder, with `/`. */
  readonly entries: Readonly<Record<string, StaticAssetMetadata>>;
}

/** Files of a folder with their contents. */
export interface StaticAssetPackage {
  /** Version of this format: 1. */
  readonly version: number;
  /** Files by their path in the folder, with `/`. */
  readonly entries: Readonly<Record<string, PackagedAsset>>;
}

/** A file that a source has. */
export interface StaticEntry {
  /** Media type with its parameters. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag, RFC 9110 §8.8.3. */
  readonly etag: string;
  /** Whether a GET says `Content-Length`: not where the file may change while it is sent. */
  readonly sized: boolean;
  /**
   * Opens the contents. They must be read or cancelled, so that what they hold is closed.
   *
   * @returns `undefined` if the file is no longer what was looked up; then look it up again.
   * @throws {Error} If the contents are not what was registered, or there is no handle left to open them with.
   */
  open(): BodyInit | undefined | Promise<BodyInit>;
}

/** Where a mount has its files from. */
export interface StaticSource {
  /** Finds a file by its key: segments joined by `/`, none of them empty or hidden. */
  lookup(key: string): StaticEntry | undefined;
}

/** What `@gatehouse/http/native` adds to mounts. */
export interface FileAccess {
  /** Serves a folder, or those of its files that a manifest lists, under the types that it says. */
  openDirectory(
    directory: string,
    listed: ReadonlyMap<string, StaticAssetMetadata> | undefined,
  ): StaticSource;
  /** Reads a manifest. @throws {SyntaxError} If the file has no JSON. */
  readManifest(path: string): unknown;
}

/** What a mount reads of a request. */
export interface StaticRequest {
  /** The method. */
  readonly method: string;
  /** Header fields. */
  readonly headers: Headers;
  /** The canonical path, each segment decoded once; or that it is malformed. */
  readonly target: { readonly path: string; readonly bad: boolean };
}

/** A static mount. `Result` is `Response` unless `fallthrough` may leave requests to others. */
export interface StaticMount<Result extends Response | undefined = Response | undefined> {
  /** Path that the files are beneath. */
  readonly prefix: string;
  /** Answers a request. Usable unbound: `Deno.serve(mount.fetch)`. */
  readonly fetch: (request: Request) => Result | Promise<Result>;
}

/** A static mount, as a router uses it. */
export interface AnsweringMount extends StaticMount {
  /** Answers a request whose target the router has taken apart. */
  readonly answer: (request: StaticRequest) => ReturnType<StaticMount["fetch"]>;
}
