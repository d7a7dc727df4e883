/**
 * Type-checks every portable module with the libraries of a browser alone: whoever writes `Deno.`,
 * `process` or
 * `Buffer` outside a native module hears of it here. (`node:` imports are a matter of
 * `import_rules.ts`.)
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { isPortable, packageModules, readConfig, runDeno } from "./_project.ts";

const PORTABLE_LIB: readonly string[] = ["esnext", "dom", "dom.iterable", "dom.asynciterable"];

/** What the type checker has against the modules; empty if it has nothing. */
async function checkPortable(modules: readonly string[]): Promise<string> {
  const { imports, compilerOptions } = readConfig();
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_portable_" });
  try {
    const config = join(folder, "deno.json");
    const portable = { ...compilerOptions, lib: PORTABLE_LIB, types: [] };
    await Deno.writeTextFile(config, JSON.stringify({ imports, compilerOptions: portable }));
    const { success, stderr } = await runDeno([
      "check",
      "--no-lock",
      "--config",
      config,
      ...modules,
    ]);
    return success ? "" : stderr;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  const modules = packageModules().filter(isPortable);
  const problems = await checkPortable(modules);
  if (problems !== "") {
    console.error(problems);
    Deno.exit(1);
  }
  console.log(`${modules.length} portable modules`);
}

if (import.meta.main) await main();
