/**
 * Writes the text of the client's run time, which `gatehouse http client generate` puts into the modules that it writes:
 * `deno task client:runtime`.
 *
 * @module
 */

import { join } from "@std/path";
import ts from "typescript";
import { ROOT } from "./_project.ts";

const FOLDER = "openapi/client";
/** Modules of the run time, in the order of the text. */
const MODULES: readonly string[] = [
  "runtime_types",
  "request_parts",
  "response_parts",
  "event_stream",
  "credentials",
  "runtime",
];

/** The module that is written, in the project. */
export const RUNTIME_TEXT: string = `${FOLDER}/_runtime_text.ts`;

/** What is in the module. */
export function runtimeText(): string {
  const [types = "", ...code] = MODULES.map(readModule);
  const typescript = code.join("\n");
  const { outputText: javascript } = ts.transpileModule(typescript, {
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return `/**
 * The text of the client's run time. Written by \`deno task client:runtime\`.
 *
 * @module
 */
// deno-fmt-ignore-file

/** Types that users of a client see. */
export const TYPES: string =
  ${JSON.stringify(types)};

/** The code, with its types. */
export const TYPESCRIPT: string =
  ${JSON.stringify(typescript)};

/** The code alone. */
export const JAVASCRIPT: string =
  ${JSON.stringify(javascript.replace(/^ +/gm, (spaces) => spaces.slice(spaces.length / 2)))};
`;
}

/** A module without its description and imports; only types are exported. */
function readModule(name: string, i: number): string {
  const text = Deno.readTextFileSync(join(ROOT, FOLDER, `${name}.ts`))
    .replace(/^\/\*\*.*?\*\/\n/s, "").replace(/^import .*?;\n/gms, "").trimStart();
  return i === 0 ? text : text.replace(/^export /gm, "");
}

if (import.meta.main) await Deno.writeTextFile(join(ROOT, RUNTIME_TEXT), runtimeText());
