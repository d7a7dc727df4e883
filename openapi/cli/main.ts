/**
 * The command line: `gatehouse new <folder>`, `gatehouse http openapi generate --controllers <path>`,
 * `gatehouse http client generate --controllers <path>`, and `gatehouse http static package --directory <path>`.
 *
 * ```sh
 * deno run -A jsr:@gatehouse/http/cli new my-app
 * deno run -A jsr:@gatehouse/http/cli http openapi generate --controllers src/controllers.ts
 * deno run -A jsr:@gatehouse/http/cli http client generate --controllers src/controllers.ts
 * deno run -A jsr:@gatehouse/http/cli http static package --directory public --format js
 * ```
 *
 * Exit codes: 0 for success, 1 for failure, 2 for a usage error. Errors are written to stderr. On a terminal, and without
 * `NO_COLOR` in the environment, the first words of results and errors are in color.
 *
 * @module
 */

import { toFileUrl } from "@std/path";
import { realpathSync } from "node:fs";
import process from "node:process";
import { readFlags } from "./_args.ts";
import { CLIENT } from "./_client.ts";
import { colorsDisabled, inColor } from "./_color.ts";
import { type CliOutput, type Command, type CommandCall, printable } from "./_command.ts";
import { GENERATE } from "./_generate.ts";
import { NEW } from "./_new.ts";
import { PACKAGE } from "./_package.ts";

export type { CliOutput, CliTerminal } from "./_command.ts";

/** All commands. */
const COMMANDS: readonly Command[] = [GENERATE, CLIENT, PACKAGE, NEW];

/**
 * Runs the command line.
 *
 * @param args Arguments after the program's name.
 * @returns The exit code.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  const { help, usage, run } = findCommand(args);
  if (help) {
    output.print(usage);
    return 0;
  }
  const outcome = await run(output);
  switch (outcome.kind) {
    case "done":
      return 0;
    case "failed":
      return 1;
    case "wrong":
      output.printError(`${printable(outcome.why)}\n\n${usage}`);
      return 2;
  }
}

/** The command selected by the first words. An unknown command or an extra word is a usage error. */
function findCommand(args: readonly string[]): CommandCall & Pick<Command, "usage"> {
  for (const { usage, read } of COMMANDS) {
    const call = read(args);
    if (call.selected) return { ...call, usage };
  }
  const { words, help } = readFlags(args, { required: [], optional: [], switches: [] });
  const usage = COMMANDS.map((command) => command.usage).join("\n");
  const why = words.length === 0 ? "Missing command" : `Unknown command: ${words.join(" ")}`;
  return { selected: false, help, usage, run: () => Promise.resolve({ kind: "wrong", why }) };
}

async function main(): Promise<never> {
  const writes: Promise<void>[] = [];
  process.exitCode = 1; // in case the application ends the process while it is imported
  const writer = (write: (text: string, done: () => void) => void) => (text: string): void => {
    writes.push(new Promise((resolve) => write(text, resolve)));
  };
  const printError = writer((text, done) => process.stderr.write(text, done));
  const output: CliOutput = {
    print: writer((text, done) => process.stdout.write(text, done)),
    printError,
    terminal: process.stderr.isTTY
      ? { columns: () => process.stderr.columns, write: printError }
      : undefined,
  };
  const { stdout, stderr } = process;
  const code = await runCli(
    process.argv.slice(2),
    colorsDisabled() ? output : inColor(output, { stdout: stdout.isTTY, stderr: stderr.isTTY }),
  );
  await Promise.all(writes); // Bun drops what a pipe has not taken yet
  process.exit(code); // the imported application may have left something running
}

/**
 * Whether this module is the main module. Node supports `import.meta.main` since version 24.2; commands there are
 * links.
 */
function isMain(): boolean {
  if (import.meta.main !== undefined) return import.meta.main;
  try {
    return toFileUrl(realpathSync(process.argv[1] ?? "")).href === import.meta.url;
  } catch {
    return false; // a program started without its extension
  }
}

if (isMain()) main();
