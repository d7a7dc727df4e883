/**
 * The command `http static package`.
 *
 * @module
 */

import { isAbsolute, relative, SEPARATOR } from "@std/path";
import process from "node:process";
import {
  type PackageFormat,
  type PackageProgress,
  packageStaticAssets,
  type PackageStaticAssetsOptions,
  type PackageSummary,
} from "../../static/native_package.ts";
import type { FlagValues } from "./_args.ts";
import {
  type CliOutput,
  type Command,
  command,
  type CommandOutcome,
  printable,
} from "./_command.ts";
import { createProgressBar } from "./_progress.ts";

const USAGE = `Usage: gatehouse http static package --directory <path> [options]

Packages the files of a folder, for hosts that have no file system. Names in it that start with a
dot are left out.

Options:
  --directory <path>    The folder (required)
  --output-dir <path>   Folder that the package is written to [default: .]
  --out-file <path>     The file, in that folder [default: static-assets.json, manifest.json,
                        static-assets.js or static-assets.ts]
  --format <name>       json; manifest, which has no contents; js or ts, a module that registers
                        the package [default: the ending of --out-file, or json]
  --prefix <key>        What a module registers the package as: the "directory" of the mounts
                        [default: --directory, as it is written]
  --compress            Store text as gzip where that is shorter
  --precompress         Add siblings of text, .br and .gz, where they are shorter, for mounts with
                        staticFeatures({ precompressed: true })
  -h, --help            Print this help
`;

/** Packages a folder. */
export const PACKAGE: Command = command({
  words: "http static package",
  usage: USAGE,
  flags: {
    required: ["directory"],
    optional: ["output-dir", "out-file", "format", "prefix"],
    switches: ["compress", "precompress"],
  },
  async run(values, output) {
    const bar = output.terminal && createProgressBar(output.terminal);
    const onProgress = (progress: PackageProgress) => bar?.draw(progress);
    try {
      const summary = await packageStaticAssets({ ...optionsOf(values), onProgress })
        .finally(() => bar?.clear());
      output.print(`${summary.changed ? "Wrote" : "Up to date:"} ${describe(summary)}\n`);
      return { kind: "done" };
    } catch (error) {
      return fail(error, output);
    }
  },
});

function optionsOf(
  { strings, switches }: FlagValues<
    "directory",
    "output-dir" | "out-file" | "format" | "prefix",
    "compress" | "precompress"
  >,
): PackageStaticAssetsOptions {
  const { directory, format, prefix, "output-dir": outputDir, "out-file": outFile } = strings;
  return {
    directory,
    compress: switches.compress,
    precompress: switches.precompress,
    ...outputDir !== undefined && { outputDir },
    ...outFile !== undefined && { outFile },
    ...format !== undefined && { format: format as PackageFormat }, // an invalid format is rejected there
    ...prefix !== undefined && { prefix },
  };
}

/** Conflicting options are a usage error; errors of the folder or of the runtime are not. */
function fail(error: unknown, { printError }: CliOutput): CommandOutcome {
  if (!(error instanceof Error)) throw error;
  const { message } = error;
  if (error instanceof TypeError && message.startsWith("Cannot package: ")) {
    return { kind: "wrong", why: message };
  }
  printError(`${printable(message)}\n`);
  return { kind: "failed" };
}

function describe({ files, entries, bytes }: PackageSummary): string {
  const names = files.map((path) => printable(shortest(path))).join(" and ");
  return `${names} (${count(entries, "file")}, ${count(bytes, "byte")})`;
}

/** A path relative to the working directory, if it is inside. */
function shortest(path: string): string {
  const inside = relative(process.cwd(), path);
  return inside.split(SEPARATOR)[0] === ".." || isAbsolute(inside) ? path : inside;
}

function count(number: number, what: string): string {
  return `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
}
