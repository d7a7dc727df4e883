/**
 * Documents of clients, and checks of the programs that use them.
 *
 * @module
 */

import ts from "typescript";
import { writeClient } from "../../../openapi/client/write_client.ts";
import type {
  OpenApiDocument,
  ResponseObject,
  SchemaObject,
} from "../../../router/openapi_types.ts";

/** Name of the declarations beside a module in JavaScript. */
const DECLARATIONS = "client.d.ts";

/** A document of schemas and paths. */
export function documentOf(
  schemas: Readonly<Record<string, SchemaObject>>,
  paths: Readonly<Record<string, Readonly<Record<string, object>>>> = {},
  title = "Test",
  responses: Readonly<Record<string, ResponseObject>> = {},
): OpenApiDocument {
  const complete = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        { operationId: `${method} ${path}`, summary: "Summary", responses: {}, ...operation },
      ]),
    ),
  ]);
  return {
    openapi: "3.1.1",
    info: { title, version: "1.0.0" },
    servers: [],
    paths: Object.fromEntries(complete),
    components: { schemas, responses },
  };
}

/** JSON content of a schema, as bodies and responses have it. */
export function jsonContent(schema: SchemaObject | undefined): object {
  return { content: { "application/json": schema === undefined ? {} : { schema } } };
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  erasableSyntaxOnly: true,
  isolatedDeclarations: true,
  declaration: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/**
 * Checks the types of programs that import `./client.ts`, the client of a document, once as TypeScript and once as
 * JavaScript with declarations.
 *
 * @returns What the compiler finds, with the line that it is in.
 */
export function checkPrograms(
  programs: readonly (readonly [document: OpenApiDocument, program: string])[],
): readonly string[] {
  const files = new Map<string, string>();
  for (const [n, [document, program]] of programs.entries()) {
    const { typescript, javascript, declarations } = writeClient(document, DECLARATIONS);
    files.set(`/ts${n}/client.ts`, typescript);
    files.set(`/ts${n}/main.ts`, program);
    files.set(`/js${n}/client.js`, javascript);
    files.set(`/js${n}/${DECLARATIONS}`, declarations);
    files.set(`/js${n}/main.ts`, program.replaceAll("./client.ts", "./client.js"));
  }
  const host = ts.createCompilerHost(OPTIONS);
  const { readFile, fileExists } = host;
  host.readFile = (name) => files.get(name) ?? readFile.call(host, name);
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.directoryExists = () => true;
  host.getSourceFile = (name, version) => {
    const text = host.readFile(name);
    return text === undefined ? undefined : ts.createSourceFile(name, text, version);
  };
  const mains = [...files.keys()].filter((name) => /main\.ts$/.test(name));
  const program = ts.createProgram(mains, OPTIONS, host);
  const checked = [...files.keys()].flatMap((name) => program.getSourceFile(name) ?? []);
  if (checked.length !== 4 * programs.length) throw new Error("Cannot check: a file is missing");
  return checked.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
    ...program.getDeclarationDiagnostics(file),
  ]).map(({ file, start = 0, messageText }) => {
    const { line = 0 } = file?.getLineAndCharacterOfPosition(start) ?? {};
    const text = file?.text.split("\n")[line];
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}: ${text}`;
  });
}

/** Imports the client of a document in JavaScript. */
export async function loadClient(document: OpenApiDocument): Promise<{
  readonly createClient: (options: object) => (route: string, call?: object) => Promise<unknown>;
}> {
  const { javascript } = writeClient(document, DECLARATIONS);
  const url = URL.createObjectURL(new Blob([javascript], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
