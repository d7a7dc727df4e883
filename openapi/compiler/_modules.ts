/**
 * The modules of an application and the targets of its imports, as reported by `deno info`.
 *
 * @module
 */

import { dirname, fromFileUrl, join } from "@std/path";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

/** A module, as `deno info --json` describes it. */
export interface ModuleInfo {
  readonly specifier: string;
  readonly kind?: string;
  readonly local?: string | null;
  readonly mediaType?: string;
  readonly error?: string;
  readonly npmPackage?: string;
  readonly dependencies?: readonly DependencyInfo[];
  /** The module that declares the types of a JavaScript module. */
  readonly typesDependency?: { readonly dependency?: { readonly specifier?: string } };
}

/** An import. Its types may come from another module than its code. */
export interface DependencyInfo {
  readonly specifier: string;
  readonly code?: { readonly specifier?: string; readonly error?: string };
  readonly type?: { readonly specifier?: string; readonly error?: string };
}

/** An npm package, as `deno info --json` describes it. */
export interface PackageInfo {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

/** The modules of an application. */
export interface ModuleGraph {
  /** By specifier. */
  readonly modules: ReadonlyMap<string, ModuleInfo>;
  /** Target of each redirected specifier. */
  readonly redirects: ReadonlyMap<string, string>;
  /** By name, version and peer dependencies. */
  readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** Output of `deno info --json`. */
interface InfoOutput {
  readonly modules: readonly ModuleInfo[];
  readonly redirects?: Readonly<Record<string, string>>;
  readonly npmPackages?: Readonly<Record<string, PackageInfo>>;
}

/** The Deno namespace. Other runtimes resolve packages in `node_modules`. */
const { Deno: deno } = globalThis as { readonly Deno?: { readonly mainModule: string } };

/** Whether the runtime is Deno. */
export const IS_DENO: boolean = deno !== undefined;

/** Reads the module graph of files. @throws {Error} If `deno info` fails. */
export async function readModuleGraph(
  files: readonly string[],
  config: string | undefined,
): Promise<ModuleGraph> {
  const modules = new Map<string, ModuleInfo>();
  const redirects = new Map<string, string>();
  const packages = new Map<string, PackageInfo>();
  const options = config === undefined ? [] : ["--config", config];
  for (const file of files) {
    if (modules.has(file)) continue;
    const output: InfoOutput = JSON.parse(await runDeno(["info", "--json", ...options, file]));
    output.modules.forEach((one) => modules.set(one.specifier, one));
    Object.entries(output.redirects ?? {}).forEach(([from, to]) => redirects.set(from, to));
    Object.entries(output.npmPackages ?? {}).forEach(([id, one]) => packages.set(id, one));
  }
  return { modules, redirects, packages };
}

/**
 * The configuration file of this process, found as Deno does: starting at the main module, or the working directory.
 */
export function findConfig(): string | undefined {
  if (deno === undefined) return undefined;
  const main = deno.mainModule;
  const start = main.startsWith("file:") ? dirname(fromFileUrl(main)) : process.cwd();
  for (let folder = start;; folder = dirname(folder)) {
    const found = CONFIG_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** Names of Deno's configuration files. */
export const CONFIG_FILES: readonly string[] = ["deno.json", "deno.jsonc"];

/** The text of `data:` modules, RFC 2397, by their file names in the program. */
export async function readDataModules(
  { modules }: ModuleGraph,
): Promise<ReadonlyMap<string, string>> {
  const found = [...modules.values()].filter(({ specifier }) => specifier.startsWith("data:"));
  return new Map(
    await Promise.all(
      found.map(async (one) =>
        [fileNameOf(one), await (await fetch(one.specifier)).text()] as const
      ),
    ),
  );
}

/** The declarations of Deno's global types. */
export async function readDenoTypes(): Promise<string> {
  return await runDeno(["types"]);
}

/** Runs the current Deno executable and returns its output. */
async function runDeno(args: readonly string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const output: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    child.stdout.on("data", (chunk: Uint8Array) => output.push(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => errors.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve(decode(output));
      reject(new Error(`deno ${args[0]} exited with ${code}: ${decode(errors).trim()}`));
    });
  });
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

/** A package's name and the imported path: `npm:/zod@4.6.7/v4` is `["zod", "/v4"]`. */
export function readNpmSpecifier(
  specifier: string,
): readonly [name: string, path: string] | undefined {
  const match = /^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]*)?(\/.*)?$/.exec(specifier);
  return match === null ? undefined : [match[1] ?? "", match[2] ?? ""];
}

/** The file name of a module in the program: its path, or its URL if it is remote. */
export function fileNameOf({ specifier, mediaType = "" }: ModuleInfo): string {
  if (specifier.startsWith("file:")) return fromFileUrl(specifier);
  const extension = EXTENSIONS[mediaType] ?? "";
  return specifier.endsWith(extension) ? specifier : specifier + extension;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  TypeScript: ".ts",
  Mts: ".mts",
  Dts: ".d.ts",
  Dmts: ".d.mts",
  TSX: ".tsx",
  JavaScript: ".js",
  Mjs: ".mjs",
  JSX: ".jsx",
  Json: ".json",
};

/** The packages that contain a file: one, or the same one with different peer dependencies. */
export function packageAt(
  { packages }: ModuleGraph,
  fileName: string,
): readonly PackageInfo[] {
  return [...packages.values()].filter(({ localPath }) =>
    fileName.startsWith(localPath) && /[/\\]/.test(fileName.charAt(localPath.length))
  );
}
