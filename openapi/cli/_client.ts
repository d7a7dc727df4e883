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

/** Writes the client of an API. */
export const CLIENT: Command = generateCommand({
  words: "http client generate",
  about:
    `Writes a typed client of an API: one module over fetch, without dependencies, of the document that
"http openapi generate" writes.`,
  files:
    `--output <path>       Where the client is written: TypeScript, or JavaScript with a .d.ts beside
                        it, by its ending [default: client.ts]`,
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
