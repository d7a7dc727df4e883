/**
 * Folders to package, and the output of packaging.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { runDeno } from "../openapi/_cli.ts";
import { noise } from "./_packages.ts";

/** Files by their path. */
export type Contents = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** Edge cases of packaging. */
export const HARD_FILES: Contents = {
  "a b.txt": "space",
  "日本/é.html": "<p>é",
  "e\u0301.txt": "in two characters",
  "🦕.svg": "<svg/>",
  "100%.txt": "percent",
  "a%2Fb.txt": "escaped in the name",
  "a#b?c&d=e+f;g.txt": "characters of URLs",
  "\"quotes' `and` ${more}.js": "alert(1)",
  "</script>.js": "alert(2)",
  ["__proto__"]: "not a prototype",
  "constructor": "not a function",
  "toString/hasOwnProperty": "not a method",
  "0": "first in JavaScript's order",
  "a.b..txt": "dots",
  "Upper.TXT": "case",
  "-rf": "option",
  "none": "",
  "long.css": "body { margin: 0 }\n".repeat(10_000),
  "large.bin": noise(3_000_000),
};

/** A folder to package, and one for the package. */
export interface PackageFolder {
  /** The parent folder of both, without links. */
  readonly folder: string;
  /** The packaged folder. */
  readonly directory: string;
  /** Where the package is written to: an empty folder. */
  readonly outputDir: string;
  /** Reads the files in {@linkcode outputDir}. */
  readonly read: (path: string) => Promise<string>;
}

/** Creates a folder with files while a test runs. */
export async function withFolder(
  files: Contents,
  test: (folder: PackageFolder) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "package_" }));
  const [directory, outputDir] = [join(folder, "public"), join(folder, "out")];
  try {
    await Promise.all([directory, outputDir].map((path) => Deno.mkdir(path)));
    await writeFiles(directory, files);
    await test({
      folder,
      directory,
      outputDir,
      read: (path) => Deno.readTextFile(join(outputDir, path)),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes files, and creates their folders. */
export async function writeFiles(folder: string, files: Contents): Promise<void> {
  for (const [path, contents] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeFile(join(folder, path), bytesOf(contents));
  }
}

/** The contents of a file. */
export function bytesOf(contents: Contents[string]): Uint8Array<ArrayBuffer> {
  return typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
}

/** Links by their path, and their targets: Deno requires all permissions to create links. */
export async function makeLinks(
  folder: string,
  links: Readonly<Record<string, string>>,
): Promise<void> {
  await evaluate(
    `for (const [path, target] of ${JSON.stringify(Object.entries(links))}) {
      Deno.symlinkSync(target, path);
    }`,
    folder,
  );
}

/** Runs a program with all permissions in a folder. */
export async function evaluate(code: string, folder: string): Promise<string> {
  const { code: status, stdout, stderr } = await runDeno(["eval", code], folder);
  if (status !== 0) throw new Error(`Cannot run: ${stderr}`);
  return stdout;
}
