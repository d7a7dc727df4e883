/**
 * The source that a mount serves from.
 *
 * @module
 */

import { hasContents, readManifestEntries } from "./_format.ts";
import { warnNoSource } from "./_report.ts";
import { packagedSource } from "./packaged.ts";
import { findStaticAssets } from "./registry.ts";
import type {
  FileAccess,
  StaticAssetManifest,
  StaticAssetOptions,
  StaticAssetPackage,
  StaticSource,
} from "./types.ts";

/**
 * Returns a function that finds a mount's source for each request, since a package may be registered after the mount is
 * created. Packaged contents win, unless `live` is `true`.
 *
 * @param files File system access, if the entry has it.
 * @throws {TypeError} If an option needs the file system and there is none, or a package or manifest is invalid.
 */
export function resolveSource(
  prefix: string,
  options: StaticAssetOptions,
  files: FileAccess | undefined,
): () => StaticSource | undefined {
  const { directory, live, package: pkg } = options;
  if (files === undefined && live === true) throw needsFiles("live: true");
  const manifest = typeof options.manifest === "string"
    ? readManifest(options.manifest, files)
    : options.manifest;
  const listed = manifest === undefined ? undefined : readManifestEntries(manifest);
  const contents = pkg === undefined && hasContents(manifest) ? manifest : pkg;
  const packaged = contents === undefined
    ? undefined
    : packagedSource(contents as StaticAssetPackage, listed);
  const folder = live === false ? undefined : files?.openDirectory(directory, listed);
  if (live === true) return () => folder;
  if (packaged !== undefined) return () => packaged;

  let warned = false;
  return () => {
    const source = (manifest === undefined ? findStaticAssets(directory) : undefined) ?? folder;
    if (source === undefined && !warned) {
      warned = true;
      warnNoSource(prefix, directory, files !== undefined);
    }
    return source;
  };
}

function readManifest(path: string, files: FileAccess | undefined): StaticAssetManifest {
  if (files === undefined) throw needsFiles("the path of a manifest");
  return files.readManifest(path) as StaticAssetManifest; // validated by the caller
}

function needsFiles(what: string): TypeError {
  return new TypeError(
    `Cannot mount static assets: ${what} needs the file system; import from "@gatehouse/http/native"`,
  );
}

/** Thrown when the process or the system has too many open files. A mount answers 503. */
export class OverloadError extends Error {
  /** Name of the class. */
  override readonly name = "OverloadError";
}
