/**
 * Packaging a folder's files, for hosts that have no file system.
 *
 * @module
 */

import { basename, dirname, isAbsolute, relative, resolve, SEPARATOR } from "@std/path";
import { mkdir, realpath } from "node:fs/promises";
import { readAsset, readMetadata } from "./native_package_read.ts";
import { findFiles, type FoundFile } from "./native_package_walk.ts";
import {
  DECLARATION,
  declarationName,
  FORMATS,
  type PackageFormat,
} from "./native_package_formats.ts";
import { targetOf, writeWhole } from "./native_write.ts";
import { registryKey } from "./registry.ts";
import type { StaticAssetMetadata } from "./types.ts";

export type { PackageFormat } from "./native_package_formats.ts";

/** Options of {@linkcode packageStaticAssets}. */
export interface PackageStaticAssetsOptions {
  /** The folder, relative to the working directory. Names in it that start with a dot are left out. */
  directory: string;
  /** Folder that the file is written to; it is made if it is not there. @default {"."} */
  outputDir?: string;
  /** The file, relative to `outputDir`. @default `static-assets.json`, `manifest.json`, `static-assets.js` or `.ts` */
  outFile?: string;
  /**
   * `"json"` is a package, `"manifest"` the same without contents, `"js"` and `"ts"` are modules that register the package
   * when they are imported; a JavaScript module has its types beside it. @default the ending of `outFile`, or `"json"`
   */
  format?: PackageFormat;
  /** What a module registers the package as: the `directory` of the mounts. @default {directory} as it is written */
  prefix?: string;
  /** Whether text is stored as gzip where that is shorter. It is unpacked when it is first served. @default {false} */
  compress?: boolean;
  /** Told of each file before it is read, and once at the end. */
  onProgress?: (progress: PackageProgress) => void;
}

/** How far packaging is. */
export interface PackageProgress {
  /** Files that are done. */
  readonly done: number;
  /** All files. */
  readonly total: number;
  /** The file that comes next; `undefined` at the end. */
  readonly key: string | undefined;
}

/** What {@linkcode packageStaticAssets} has done. */
export interface PackageSummary {
  /** Paths of the files that a package consists of, the package itself first. */
  readonly files: readonly [string, ...string[]];
  /** Whether one of them was written: they are left alone where nothing has changed. */
  readonly changed: boolean;
  /** Number of files in the package. */
  readonly entries: number;
  /** Bytes of these files. */
  readonly bytes: number;
}

/**
 * Packages the files of a folder. The same files give the same package, byte for byte, on the same runtime: times, rights
 * and the place of the folder do not go into it.
 *
 * @throws {Error} `Directory not found: …` if there is no such folder; or if a link leads out of it, or something in it
 * cannot be served.
 * @throws {TypeError} If options contradict each other, or the output file must be outside the folder.
 *
 * @example
 * ```ts
 * import { packageStaticAssets } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 * const outputDir = await Deno.makeTempDir();
 *
 * const summary = await packageStaticAssets({ directory, outputDir, format: "json" });
 * assertEquals(summary.entries, 1);
 * assertEquals(summary.files, [`${outputDir}/static-assets.json`]);
 * ```
 */
export async function packageStaticAssets(
  options: PackageStaticAssetsOptions,
): Promise<PackageSummary> {
  const { directory, prefix = directory, compress = false, onProgress = () => {} } = options;
  const format = formatOf(options);
  const { file, contents, head, tail, key: keyText } = FORMATS[format];
  if (options.prefix === "") throw new TypeError("Cannot package: the prefix is empty");
  const path = resolve(options.outputDir ?? ".", options.outFile ?? file);
  const declaration = resolve(dirname(path), declarationName(basename(path)));
  const files: PackageSummary["files"] = format === "js" ? [path, declaration] : [path];
  const found = await findFiles(directory);
  for (const one of files) await checkOutside(directory, one);
  await mkdir(dirname(path), { recursive: true });
  const context = { prefix: registryKey(prefix), name: basename(path) };
  let bytes = 0;

  async function* parts(): AsyncIterable<string> {
    yield head(context);
    for (const [done, one] of found.entries()) {
      onProgress({ done, total: found.length, key: one.key });
      const entry = await read(one);
      bytes += entry.size;
      yield `${done === 0 ? "" : ","}\n    ${keyText(one.key)}: ${JSON.stringify(entry)}`;
    }
    yield tail(context);
  }

  function read(one: FoundFile): Promise<StaticAssetMetadata> {
    return contents ? readAsset(one, compress) : readMetadata(one);
  }

  let changed = await writeWhole(path, parts());
  if (format === "js") changed = await writeWhole(declaration, [DECLARATION]) || changed;
  onProgress({ done: found.length, total: found.length, key: undefined });
  return { files, changed, entries: found.length, bytes };
}

/** @throws {TypeError} If there is no such format, or the file's ending says another. */
function formatOf({ format, outFile, compress }: PackageStaticAssetsOptions): PackageFormat {
  const ending = /(?<!\.d)\.(?:m?(js|ts)|(json))$/.exec(outFile ?? "");
  const told = ending === null ? undefined : (ending[1] ?? "json") as PackageFormat;
  const chosen = format ?? told ?? "json";
  if (!Object.hasOwn(FORMATS, chosen)) {
    throw new TypeError(`Cannot package: unknown format ${JSON.stringify(chosen)}`);
  }
  const fits = chosen === "manifest" ? told === "json" : told === chosen;
  if (outFile !== undefined && !fits) {
    throw new TypeError(`Cannot package: the name of ${outFile} does not fit the format ${chosen}`);
  }
  if (compress === true && chosen === "manifest") {
    throw new TypeError("Cannot package: a manifest has no contents to compress");
  }
  return chosen;
}

/** @throws {TypeError} If the package would be part of itself the next time. */
async function checkOutside(directory: string, path: string): Promise<void> {
  const inside = relative(await realpath(directory), await realAncestor(await targetOf(path)));
  const first = inside.split(SEPARATOR, 1)[0];
  if (first !== ".." && !isAbsolute(inside)) {
    throw new TypeError("Cannot package: the output file must be outside the folder");
  }
}

/** The path without links, or the nearest folder above that is there. */
async function realAncestor(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return await realAncestor(parent);
  }
}
