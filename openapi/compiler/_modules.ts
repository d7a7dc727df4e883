/**
 * Which modules an application is made of, and where each import leads: asked from Deno, where it runs.
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
  /** Where the types of a module without types are. */
  readonly typesDependency?: { readonly dependency?: { readonly specifier?: string } };
}

/** An import. Types may come from another module than the code. */
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
  /** Where a specifier leads at once. */
  readonly redirects: ReadonlyMap<string, string>;
  /** By name, version and peers. */
  readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** What `deno info --json` prints. */
interface InfoOutput {
  readonly modules: readonly ModuleInfo[];
  readonly redirects?: Readonly<Record<string, string>>;
  readonly npmPackages?: Readonly<Record<string, PackageInfo>>;
}

/** Deno, which knows what imports mean; elsewhere packages are in `node_modules`. */
const { Deno: deno } = globalThis as { readonly Deno?: { readonly mainModule: string } };

/** Whether this is Deno. */
export const IS_DENO: boolean = deno !== undefined;

/** Reads the modules that files are made of. @throws {Error} If Deno cannot be asked. */
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

/** The configuration that holds for this process, as Deno finds it: from its main module on, or from where it was run. */
export function findConfig(): string | undefined {
  if (deno === undefined) return undefined;
  const main = deno.mainModule;
  const start = main.startsWith("file:") ? dirname(fromFileUrl(main)) : process.cwd();
  for (let folder = start;; folder = dirname(folder)) {
    const found = CONFIG_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** Names of Deno's configuration. */
export const CONFIG_FILES: readonly string[] = ["deno.json", "deno.jsonc"];

/** The text of modules that are their own address, RFC 2397, by the names that a program knows them by. */
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

/** The declarations of what Deno has as globals. */
export async function readDenoTypes(): Promise<string> {
  return await runDeno(["types"]);
}

/** Runs the Deno that runs this, and gives what it prints. */
async function runDeno(args: readonly string[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const output: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    child.stdout.on("data", (chunk: Uint8Array) => output.push(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => errors.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve(textOf(output));
      reject(new Error(`deno ${args[0]} ended with ${code}: ${textOf(errors).trim()}`));
    });
  });
}

function textOf(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

/** A package's name and what is imported of it: `npm:/zod@4.6.7/v4` is `["zod", "/v4"]`. */
export function readNpmSpecifier(
  specifier: string,
): readonly [name: string, path: string] | undefined {
  const match = /^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]*)?(\/.*)?$/.exec(specifier);
  return match === null ? undefined : [match[1] ?? "", match[2] ?? ""];
}

/** The name that a program knows a module by: its file, or its address where that is elsewhere. */
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

/** The packages that a file is in: one, or the same one with several peers. */
export function packageAt(
  { packages }: ModuleGraph,
  fileName: string,
): readonly PackageInfo[] {
  return [...packages.values()].filter(({ localPath }) =>
    fileName.startsWith(localPath) && /[/\\]/.test(fileName.charAt(localPath.length))
  );
}
