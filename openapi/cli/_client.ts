/**
 * The command `http client generate`.
 *
 * @module
 */

import type { OpenApiDocument } from "../../router/openapi_types.ts";
import { writeClient } from "../client/write_client.ts";
import { type GeneratedFiles, GenerateError } from "../compiler/generate.ts";
import type { Command } from "./_command.ts";
import { generateCommand } from "./_generate.ts";

const USAGE = `Usage: gatehouse http client generate --controllers <path> [options]

Writes a typed client of an API: one module over fetch, without dependencies, of the document that
"http openapi generate" writes.

Options:
  --controllers <path>  File that imports all decorated controllers (required). It may export a
                        "router" or register one under HTTP_ROUTER, and may export "info"
  --output <path>       Where the client is written: TypeScript, or JavaScript with a .d.ts beside
                        it, by its ending [default: client.ts]
  --title <text>        Title of the API [default: the router's, "info"'s or deno.json's]
  --api-version <text>  Version of the API [default: the same]
  --config <path>       The deno.json that Deno was given by its own --config
  --no-types            Read no schemas from TypeScript types
  --check               Write nothing; exit with 1 if a file is not what would be written
  -h, --help            Print this help
`;

/** Writes the client of an API. */
export const CLIENT: Command = generateCommand({
  words: "http client generate",
  usage: USAGE,
  output: "client.ts",
  render: clientFiles,
});

function clientFiles(document: OpenApiDocument, output: string): GeneratedFiles {
  const [, path, module, language] = /^(.*)\.(m?)([jt]s)$/s.exec(output) ?? [];
  if (path === undefined || path.endsWith(".d")) {
    throw new GenerateError(`Cannot write ${output}: it must end in .ts, .mts, .js or .mjs`);
  }
  const declarations = `${path}.d.${module}ts`;
  const client = writeClient(document, declarations.replace(/^.*[/\\]/s, ""));
  return {
    files: language === "ts" ? [{ path: output, text: client.typescript }] : [
      { path: output, text: client.javascript },
      { path: declarations, text: client.declarations },
    ],
    summary: `${client.routes} routes`,
  };
}
