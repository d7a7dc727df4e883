/**
 * Packages a folder's files for hosts without a file system.
 *
 * @module
 */

import { basename, dirname, isAbsolute, relative, resolve, SEPARATOR } from "@std/path";
import { mkdir, realpath } from "node:fs/promises";
import { type Compression, readAssets, readMetadata } from "./native_package_read.ts";
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
  /** The folder, relative to the working directory. Names that start with a dot are omitted. */
  directory: string;
  /** Folder of the output file, created if missing. @default {"."} */
  outputDir?: string;
  /** Output file, relative to `outputDir`. @default `static-assets.json`, `manifest.json`, `static-assets.js` or `.ts` */
  outFile?: string;
  /**
   * `"json"` is a package, `"manifest"` the same without contents, `"js"` and `"ts"` are modules that register the package
   * when imported; a JavaScript module gets a declaration file. @default the extension of `outFile`, or `"json"`
   */
  format?: PackageFormat;
  /** Key that a module registers the package under: the `directory` of the mounts. @default {directory} as written */
  prefix?: string;
  /** Whether text is stored as gzip if that is shorter. It is decompressed when first served. @default {false} */
  compress?: boolean;
  /**
   * Whether text gets siblings with the extensions `.br` and `.gz`, where they are shorter, for mounts with the feature
   * `precompressed`. Those in the folder are kept. @default {false}
   */
  precompress?: boolean;
  /** Called before each file is read, and once at the end. */
  onProgress?: (progress: PackageProgress) => void;
}

/** Progress of packaging. */
export interface PackageProgress {
  /** Number of packaged files. */
  readonly done: number;
  /** Number of all files. */
  readonly total: number;
  /** The next file; `undefined` at the end. */
  readonly key: string | undefined;
}

/** Result of {@linkcode packageStaticAssets}. */
export interface PackageSummary {
  /** Paths of the output files, the package first. */
  readonly files: readonly [string, ...string[]];
  /** Whether an output file changed: identical ones are not rewritten. */
  readonly changed: boolean;
  /** Number of files in the package, compressed siblings included. */
  readonly entries: number;
  /** Bytes of these files. */
  readonly bytes: number;
}

/**
 * Packages the files of a folder. The output is reproducible on the same runtime: times, modes and the location of the
 * folder do not affect it.
 *
 * @throws {Error} `Directory not found: …` if there is no such folder; or if a link leads out of it, or an entry cannot be
 * served.
 * @throws {TypeError} If options contradict each other, or the output file is in the folder.
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
  const { directory, prefix = directory, onProgress = () => {} } = options;
  const { compress = false, precompress = false } = options;
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
  const keys = new Set(found.map(({ key }) => key));
  const compression: Compression = { compress, precompress, has: (key) => keys.has(key) };
  let bytes = 0;
  let entries = 0;

  async function* parts(): AsyncIterable<string> {
    yield head(context);
    for (const [done, one] of found.entries()) {
      onProgress({ done, total: found.length, key: one.key });
      for (const [key, entry] of await read(one)) {
        bytes += entry.size;
        yield `${entries++ === 0 ? "" : ","}\n    ${keyText(key)}: ${JSON.stringify(entry)}`;
      }
    }
    yield tail(context);
  }

  async function read(
    one: FoundFile,
  ): Promise<readonly (readonly [key: string, entry: StaticAssetMetadata])[]> {
    return contents ? await readAssets(one, compression) : [[one.key, await readMetadata(one)]];
  }

  let changed = await writeWhole(path, parts());
  if (format === "js") changed = await writeWhole(declaration, [DECLARATION]) || changed;
  onProgress({ done: found.length, total: found.length, key: undefined });
  return { files, changed, entries, bytes };
}

/** @throws {TypeError} If the format is unknown, or contradicts the file's extension. */
function formatOf(
  { format, outFile, compress, precompress }: PackageStaticAssetsOptions,
): PackageFormat {
  const ending = /(?<!\.d)\.(?:m?(js|ts)|(json))$/.exec(outFile ?? "");
  const told = ending === null ? undefined : (ending[1] ?? "json") as PackageFormat;
  const chosen = format ?? told ?? "json";
  if (!Object.hasOwn(FORMATS, chosen)) {
    throw new TypeError(`Cannot package: unknown format ${JSON.stringify(chosen)}`);
  }
  const fits = chosen === "manifest" ? told === "json" : told === chosen;
  if (outFile !== undefined && !fits) {
    throw new TypeError(
      `Cannot package: the name of ${outFile} does not match the format ${chosen}`,
    );
  }
  if ((compress === true || precompress === true) && chosen === "manifest") {
    throw new TypeError("Cannot package: a manifest has no contents to compress");
  }
  return chosen;
}

/** @throws {TypeError} If the next run would package the output file. */
async function checkOutside(directory: string, path: string): Promise<void> {
  const inside = relative(await realpath(directory), await realAncestor(await targetOf(path)));
  const first = inside.split(SEPARATOR, 1)[0];
  if (first !== ".." && !isAbsolute(inside)) {
    throw new TypeError("Cannot package: the output file must be outside the folder");
  }
}

/** The path with links resolved, or that of its nearest existing ancestor. */
async function realAncestor(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path) throw error;
    return await realAncestor(parent);
  }
}
