/**
 * Reads the types of a table in one program, and returns the documentation of each.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import type * as ts from "../../../openapi/compiler/_compiler.ts";
import { createComponents } from "../../../openapi/_components.ts";
import { TYPES_VENDOR } from "../../../openapi/_standard_schema.ts";
import { loadProgram } from "../../../openapi/compiler/_program.ts";
import { createSchemaWriter } from "../../../openapi/compiler/_type_schema.ts";
import type { SchemaObject } from "../../../router/openapi_types.ts";
import { CASES, type TypeRequest, type TypeResult, type TypeResults } from "./_type_requests.ts";

/** Enums are not erasable, and this project allows nothing else. Applications may. */
const NOT_ERASABLE = 1294;

/** What only tests use of the compiler, which the package does not describe. */
interface TestedContext {
  readonly checker: ts.TypeChecker & { getExportsOfModule(module: ts.Symbol): ts.Symbol[] };
  readonly program: ts.Program & {
    getSemanticDiagnostics(file: ts.SourceFile): readonly Diagnostic[];
    getSyntacticDiagnostics(file: ts.SourceFile): readonly Diagnostic[];
  };
}

interface Diagnostic {
  readonly code: number;
  readonly messageText: unknown;
  readonly start?: number;
}

/** Reads the types of a table. @param folder The folder that its files are in. */
export async function readTypeCases(
  folder: string,
  { side, form, count, local }: TypeRequest,
): Promise<TypeResults> {
  const path = join(folder, CASES);
  const context = await loadProgram([toFileUrl(path).href]);
  const { ts: compiler } = context;
  const { checker, program } = context as unknown as TestedContext;
  const file = program.getSourceFile(path);
  if (file === undefined) throw new Error(`${path} is not in the program`);
  const module = checker.getSymbolAtLocation(file);
  const cases = module === undefined ? [] : checker.getExportsOfModule(module);
  const write = createSchemaWriter(context, { form });

  function resultOf(name: string): TypeResult {
    const symbol = cases.find((one) => one.name === name);
    const node = symbol?.valueDeclaration;
    if (symbol === undefined || node === undefined) throw new Error(`${name} is not there`);
    const components = createComponents({});
    const place = { path: "response", node, root: node, depth: 0, optional: true };
    const convert = (): SchemaObject => write(checker.getTypeOfSymbol(symbol), place);
    const validator = {
      "~standard": { vendor: TYPES_VENDOR, jsonSchema: { input: convert, output: convert } },
    };
    try {
      const schema = components.convert({ validator, side, name: "Made" });
      const { text, schemas } = components.finish(JSON.stringify(schema));
      return {
        schema: JSON.parse(text),
        components: schemas,
        ...(local ? { local: convert() } : {}),
      };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { error: error.message };
    }
  }

  const problems = program.getSemanticDiagnostics(file)
    .concat(program.getSyntacticDiagnostics(file))
    .filter(({ code }) => code !== NOT_ERASABLE)
    .map(({ messageText, start = 0 }) => {
      const { line } = file.getLineAndCharacterOfPosition(start);
      return `${line + 1}: ${compiler.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  return { problems, results: Array.from({ length: count }, (_, i) => resultOf(`case${i}`)) };
}
