/**
 * The command `new`.
 *
 * @module
 */

import { basename, resolve } from "@std/path";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type Command, command, type CommandOutcome, printable } from "./_command.ts";
import { APP_RUNTIMES, appFiles, type AppRuntime, nextSteps } from "./_new_files.ts";

const USAGE = `Usage: gatehouse new <folder> [options]

Writes a new application: accounts, guarded routes, validation, an OpenAPI document and a test. The
folder must be empty, or new; it may have a .git.

Options:
  --runtime <name>      deno, node or bun [default: the one that runs this command]
  -h, --help            Print this help
`;

/** Writes a new application. */
export const NEW: Command = command({
  words: "new",
  usage: USAGE,
  operand: "folder",
  flags: { required: [], optional: ["runtime"], switches: [] },
  // deno-lint-ignore require-await -- a command may be asynchronous
  async run({ strings }, { print, printError }, folder): Promise<CommandOutcome> {
    const runtime = readRuntime(strings.runtime);
    if (runtime === undefined) {
      const known = Object.keys(APP_RUNTIMES).join(", ");
      return { kind: "wrong", why: `Unknown runtime: ${strings.runtime}; it is one of ${known}` };
    }
    try {
      const names = writeApp(folder, runtime);
      const shown = printable(folder);
      print(`Wrote ${shown} (${names.join(", ")})\n\n${nextSteps(shown, runtime)}`);
      return { kind: "done" };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      printError(`Cannot create ${printable(folder)}: ${printable(error.message)}\n`);
      return { kind: "failed" };
    }
  },
});

function readRuntime(given: string | undefined): AppRuntime | undefined {
  if (given === undefined) {
    return "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node";
  }
  return Object.hasOwn(APP_RUNTIMES, given) ? given as AppRuntime : undefined;
}

/** Writes the files, none over another, and returns their names. */
function writeApp(folder: string, runtime: AppRuntime): string[] {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).some((name) => name !== ".git")) {
    throw new Error("the folder is not empty");
  }
  const files = Object.entries(appFiles(basename(resolve(folder)), runtime));
  for (const [name, text] of files) {
    writeFileSync(resolve(folder, name), text, { flag: "wx" });
  }
  return files.map(([name]) => name);
}
