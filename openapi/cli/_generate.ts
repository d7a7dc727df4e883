/**
 * The command `http openapi generate`.
 *
 * @module
 */

import {
  type GeneratedFiles,
  generateFiles,
  type GenerateFilesOptions,
  type GenerateFilesOutcome,
} from "../compiler/generate.ts";
import type { OpenApiDocument } from "../../router/openapi_types.ts";
import { type CliOutput, type Command, command, type CommandOutcome } from "./_command.ts";

/** Writes the document of an API. */
export const GENERATE: Command = generateCommand({
  words: "http openapi generate",
  about:
    `Writes the OpenAPI 3.1 document of the router that a file exports, or of the controllers that it
imports, without their router's prefix and guards.`,
  files: `--output <path>       Where the document is written [default: openapi.json]
  --validators <path>   Where validators of routes are written, a TypeScript module [default: none]`,
  output: "openapi.json",
  more: ["validators"],
  render: documentFile,
});

/** A command that writes files made of an API's document. */
export interface GenerateCommand extends Pick<GenerateFilesOptions, "render"> {
  readonly words: string;
  /** What it writes, for its help. */
  readonly about: string;
  /** Help for its options that name files. */
  readonly files: string;
  /** Default of `--output`. */
  readonly output: string;
  /** Flags that other such commands do not have. */
  readonly more?: readonly "validators"[];
}

/** Creates a command that writes files made of an API's document. */
export function generateCommand(
  { words, about, files, output: file, more = [], render }: GenerateCommand,
): Command {
  return command({
    words,
    usage: `Usage: gatehouse ${words} --controllers <path> [options]

${about}

Options:
  --controllers <path>  File that imports all decorated controllers (required). It may export a
                        "router" or register one under HTTP_ROUTER, and may export "info"
  ${files}
  --title <text>        Title of the API [default: the router's, "info"'s or deno.json's]
  --api-version <text>  Version of the API [default: the same]
  --config <path>       The deno.json that Deno was given by its own --config
  --no-types            Read no schemas from TypeScript types
  --check               Write nothing; exit with 1 if a file is not what would be written
  -h, --help            Print this help
`,
    flags: {
      required: ["controllers"],
      optional: ["output", "title", "api-version", "config", ...more],
      switches: ["check", "no-types"],
    },
    async run({ strings, switches }, output) {
      const outcome = await generateFiles({
        controllers: strings.controllers,
        output: strings.output ?? file,
        render,
        validators: strings.validators,
        title: strings.title,
        version: strings["api-version"],
        check: switches.check,
        types: !switches["no-types"],
        config: strings.config,
      });
      return report(outcome, output);
    },
  });
}

function documentFile(document: OpenApiDocument, path: string): GeneratedFiles {
  const { paths, components } = document;
  const operations = Object.values(paths).reduce((sum, item) => sum + Object.keys(item).length, 0);
  const schemas = Object.keys(components.schemas ?? {}).length;
  return {
    files: [{ path, text: JSON.stringify(document, null, 2) + "\n" }],
    summary: `${Object.keys(paths).length} paths, ${operations} operations, ${schemas} schemas`,
  };
}

function report(outcome: GenerateFilesOutcome, { print, printError }: CliOutput): CommandOutcome {
  for (const note of outcome.notes) printError(`Note: ${note}\n`);
  if (outcome.status === "failed") {
    printError(`${outcome.why}${adviceOf(outcome.why)}\n`);
    return { kind: "failed" };
  }
  for (const { status, summary } of outcome.outcomes) {
    switch (status) {
      case "written":
        print(`Wrote ${summary}\n`);
        break;
      case "unchanged":
        print(`Up to date: ${summary}\n`);
        break;
      case "outdated":
        printError(`Out of date: ${summary}; run the command without --check\n`);
        break;
    }
  }
  const isOutdated = outcome.outcomes.some(({ status }) => status === "outdated");
  return { kind: isOutdated ? "failed" : "done" };
}

/** What an older Node says of a file that it would have to compile. */
const UNKNOWN_EXTENSION_REGEXP = /^Cannot import [^\n]*Unknown file extension "\.[cm]?tsx?"/;

function adviceOf(why: string): string {
  return UNKNOWN_EXTENSION_REGEXP.test(why)
    ? "; Node runs TypeScript from version 22.18 on: use that, Bun or Deno, or pass compiled JavaScript"
    : "";
}
