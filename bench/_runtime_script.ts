/**
 * One script for Deno, Node and Bun: a bundle of ours beside packages that are installed for it alone.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { bundle } from "../tests/runtimes/bundle.ts";
import { BUN } from "../tests/runtimes/versions.ts";
import { type Command, output } from "./_command.ts";

/** The runtimes, with the command that runs a script. */
const COMMANDS: readonly (readonly [name: string, command: Command])[] = [
  ["Deno", [Deno.execPath(), "run", "--no-prompt", "--allow-read", "--allow-env", "--allow-sys"]],
  ["Node", ["node"]],
  ["Bun", ["npx", "-y", BUN]],
];

/** What the script consists of. */
export interface RuntimeScript {
  /** Our module, by its path in the project. */
  readonly module: string;
  /** Packages beside the script, so that our lock files do not name them. */
  readonly packages: Readonly<Record<string, string>>;
  /** Its text. @param module URL of our module's bundle, as a literal. */
  source(module: string): string;
}

/** Runs the script on each runtime. @returns What it prints, as JSON. */
export async function runEverywhere<Result>(
  script: RuntimeScript,
): Promise<readonly (readonly [runtime: string, result: Result])[]> {
  return await runScript(script, COMMANDS.map(([name]) => name));
}

/** Runs the script on some runtimes. @returns What it prints, as JSON. */
export async function runScript<Result>(
  { module, packages, source }: RuntimeScript,
  names: readonly string[],
): Promise<readonly (readonly [runtime: string, result: Result])[]> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    const bundled = await bundle(join(ROOT, module), folder);
    const manifest = JSON.stringify({ dependencies: packages });
    await Deno.writeTextFile(join(folder, "package.json"), manifest);
    const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
    await output([Deno.execPath(), ...install], { cwd: folder });
    const script = join(folder, "script.mjs");
    await Deno.writeTextFile(script, source(JSON.stringify(toFileUrl(bundled).href)));
    const results: [string, Result][] = [];
    for (const [name, command] of COMMANDS.filter(([name]) => names.includes(name))) {
      results.push([name, JSON.parse(await output([...command, script], { cwd: folder }))]);
    }
    return results;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
