/**
 * The command line: `gatehouse http openapi generate --controllers <path>`.
 *
 * ```sh
 * deno run -A jsr:@gatehouse/http/cli http openapi generate --controllers src/controllers.ts
 * ```
 *
 * Exit codes: 0 for done, 1 for what could not be done, 2 for a wrong command. What went wrong is on stderr.
 *
 * @module
 */

import { parseArgs } from "@std/cli";
import { toFileUrl } from "@std/path";
import { realpathSync } from "node:fs";
import process from "node:process";
import { generateFile, type GenerateFileOptions } from "./native_generate.ts";

/** Where the command line writes. */
export interface CliOutput {
  /** Takes what was asked for. */
  print(text: string): void;
  /** Takes what went wrong, and notes. */
  printError(text: string): void;
}

const USAGE = `Usage: gatehouse http openapi generate --controllers <path> [options]

Writes the OpenAPI 3.1 document of the router that a file exports, or of the controllers that it
imports, which know neither their router's prefix nor its guards.

Options:
  --controllers <path>  File that imports all decorated controllers (required). It may export a
                        "router" or register one under HTTP_ROUTER, and may export "info"
  --output <path>       Where the document is written [default: openapi.json]
  --title <text>        Title of the API [default: the router's, "info"'s or deno.json's]
  --api-version <text>  Version of the API [default: the same]
  --config <path>       The deno.json that Deno was given by its own --config
  --no-types            Read no schemas from TypeScript types
  --check               Write nothing; exit with 1 if the file is not what would be written
  -h, --help            Print this
`;

const COMMAND = "http openapi generate";
const SWITCHES = ["check", "no-types"] as const;
const TEXT_FLAGS = ["controllers", "output", "title", "api-version", "config"] as const;

/**
 * Runs the command line.
 *
 * @param args Arguments behind the program's name.
 * @returns The exit code.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  const parsed = readArgs(args);
  switch (parsed.kind) {
    case "help":
      output.print(USAGE);
      return 0;
    case "wrong":
      output.printError(`${parsed.why}\n\n${USAGE}`);
      return 2;
    case "generate":
      return await report(await generateFile(parsed.options), output);
  }
}

type Parsed =
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly why: string }
  | { readonly kind: "generate"; readonly options: GenerateFileOptions };

function readArgs(args: readonly string[]): Parsed {
  const unknown: string[] = [];
  const { _: words, help, check, "no-types": noTypes, ...flags } = parseArgs(args, {
    string: TEXT_FLAGS,
    collect: TEXT_FLAGS,
    boolean: [...SWITCHES, "help"],
    alias: { h: "help" },
    unknown: (flag) => {
      if (flag.startsWith("-")) unknown.push(flag);
      return !flag.startsWith("-");
    },
  });
  if (help === true) return { kind: "help" };
  const valued = SWITCHES.find((name) =>
    args.some((arg, i) =>
      arg.startsWith(`--${name}=`) ||
      (arg === `--${name}` && /^(?:true|false)$/.test(args[i + 1] ?? ""))
    )
  );
  if (valued !== undefined) return { kind: "wrong", why: `Takes no value: --${valued}` };
  const command = words.filter((word) => word !== "").join(" ");
  if (command === "") return { kind: "wrong", why: "Missing command" };
  if (command !== COMMAND) return { kind: "wrong", why: `Unknown command: ${command}` };
  if (unknown[0] !== undefined) return { kind: "wrong", why: `Unknown option: ${unknown[0]}` };
  const values = (name: typeof TEXT_FLAGS[number]) => flags[name] as readonly string[];
  const text = (name: typeof TEXT_FLAGS[number]): string | undefined => values(name)[0];
  const empty = TEXT_FLAGS.find((name) => values(name).includes(""));
  if (empty !== undefined) return { kind: "wrong", why: `Missing value: --${empty}` };
  const repeated = TEXT_FLAGS.find((name) => values(name).length > 1);
  if (repeated !== undefined) return { kind: "wrong", why: `Given twice: --${repeated}` };
  const controllers = text("controllers");
  if (controllers === undefined) return { kind: "wrong", why: "Missing option: --controllers" };
  return {
    kind: "generate",
    options: {
      controllers,
      output: text("output") ?? "openapi.json",
      title: text("title"),
      version: text("api-version"),
      check: check === true,
      types: noTypes !== true,
      config: text("config"),
    },
  };
}

function report(
  outcome: Awaited<ReturnType<typeof generateFile>>,
  { print, printError }: CliOutput,
): number {
  for (const note of outcome.notes) printError(`Note: ${note}\n`);
  switch (outcome.status) {
    case "written":
      print(`Wrote ${outcome.summary}\n`);
      return 0;
    case "unchanged":
      print(`Up to date: ${outcome.summary}\n`);
      return 0;
    case "outdated":
      printError(`Out of date: ${outcome.summary}; run the command without --check\n`);
      return 1;
    case "failed":
      printError(`${outcome.why}\n`);
      return 1;
  }
}

async function main(): Promise<never> {
  const writes: Promise<void>[] = [];
  process.exitCode = 1; // for an application that ends the process while it is imported
  const writer = (write: (text: string, done: () => void) => void) => (text: string): void => {
    writes.push(new Promise((resolve) => write(text, resolve)));
  };
  const code = await runCli(process.argv.slice(2), {
    print: writer((text, done) => process.stdout.write(text, done)),
    printError: writer((text, done) => process.stderr.write(text, done)),
  });
  await Promise.all(writes); // Bun drops what a pipe has not taken yet
  process.exit(code); // the application that was imported may have left something running
}

/** Whether this module was run. Node says so itself from version 24.2 on; a command there is a link to it. */
function isMain(): boolean {
  if (import.meta.main !== undefined) return import.meta.main;
  try {
    return toFileUrl(realpathSync(process.argv[1] ?? "")).href === import.meta.url;
  } catch {
    return false; // a program that was started without its extension
  }
}

if (isMain()) main();
