/**
 * Applications of `gatehouse new` on this checkout: tests have neither JSR nor a release of the package.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { readConfig, ROOT } from "../../dev/_project.ts";
import { type CliOutput, runCli } from "../../openapi/cli/main.ts";
import type { CliRun } from "./_cli.ts";

/** Runs `gatehouse new` in this process. */
export async function runNew(...args: readonly string[]): Promise<CliRun> {
  const printed = { stdout: "", stderr: "" };
  const output: CliOutput = {
    print: (text) => void (printed.stdout += text),
    printError: (text) => void (printed.stderr += text),
  };
  return { code: await runCli(["new", ...args], output), ...printed };
}

/** Arguments of Deno for an application in a folder: its configuration with other imports, and versions that are there. */
export async function writeConfig(folder: string): Promise<readonly string[]> {
  const { imports, exports, compilerOptions } = readConfig();
  const { isolatedDeclarations: _, ...options } = compilerOptions; // is for packages
  const urlOf = (path: string) => toFileUrl(join(ROOT, path)).href;
  const std = ["assert", "cli", "crypto", "jsonc", "path"]
    .map((name) => [`@std/${name}`, urlOf(`dev/std/${name}/mod.ts`)]);
  const own = Object.entries(exports)
    .map(([name, path]) => [`@gatehouse/http${name.slice(1)}`, urlOf(path)]);
  const config = join(folder, "working_tree.json");
  const lock = join(folder, "working_tree.lock");
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      compilerOptions: options, // Deno checks what is imported from files by the same options
      imports: { ...imports, ...Object.fromEntries([...std, ...own]) },
    }),
  );
  await Deno.copyFile(join(ROOT, "deno.lock"), lock);
  return ["--config", config, `--lock=${lock}`, "--cached-only"];
}
