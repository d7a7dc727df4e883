/**
 * What every script in `dev/` knows of the project: its folder, its configuration, its source
 * files, and how to run Deno on them.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

/** The project's folder, as an absolute path. */
export const ROOT: string = fromFileUrl(new URL("..", import.meta.url));

/** The folders and entry files of the package; nothing else is published. */
export const PACKAGE_FOLDERS: readonly string[] = ["router", "openapi", "static", "auth", "serve"];
const PACKAGE_ENTRIES: readonly string[] = ["edge.ts", "mod.ts", "native.ts"];

/** Modules that may use what only one runtime has: the rest of the package is portable. */
const NATIVE_REGEXP =
  /^native\.ts$|\/native_\w+\.ts$|^openapi\/(?:cli|compiler)\/|^auth\/stores\/(?:kv|sql|redis)\w*\.ts$/;

/** The part of deno.json that the scripts read. */
export interface ProjectConfig {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** What a finished Deno command left. */
export interface DenoOutput {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Reads deno.json. */
export function readConfig(): ProjectConfig {
  return JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json"))) as ProjectConfig;
}

/** The package's entry modules in the order of deno.json, as paths such as `router/mod.ts`. */
export function entryModules(): string[] {
  return Object.values(readConfig().exports).map((path) => path.replace(/^\.\//, ""));
}

/** Every module of the package that exists, as sorted paths such as `router/path.ts`. */
export function packageModules(): string[] {
  const entries = PACKAGE_ENTRIES.filter((path) => isFile(join(ROOT, path)));
  const modules = PACKAGE_FOLDERS.flatMap((folder) => listFiles(folder));
  return [...entries, ...modules.filter((path) => path.endsWith(".ts"))].sort();
}

/** Whether a module of the package has to run on every runtime. */
export function isPortable(module: string): boolean {
  return !NATIVE_REGEXP.test(module);
}

/**
 * Every file below a folder of the project, as sorted paths with `/`; none if there is no such
 * folder.
 */
export function listFiles(folder: string): string[] {
  const files: string[] = [];
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of readFolder(join(ROOT, at))) {
      const path = at === "." ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory) pending.push(path);
      else if (entry.isFile) files.push(path);
    }
  }
  return files.sort();
}

/** Runs `deno <args>` in the project's folder and keeps what it prints; ends it after the timeout. */
export async function runDeno(
  args: readonly string[],
  options: { timeoutMs?: number } = {},
): Promise<DenoOutput> {
  const { timeoutMs = 300_000 } = options;
  const output = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(timeoutMs),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return {
    success: output.success,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function readFolder(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
