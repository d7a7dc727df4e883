/**
 * What reading types needs to know of the program that they stand in.
 *
 * @module
 */

import { relative } from "@std/path";
import process from "node:process";
import type ts from "typescript";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { UNKNOWN_PART } from "../_normalize_schema.ts";

/** A program whose types are read. */
export interface TypeContext {
  /** The compiler. */
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** Where the file of a declaration is from. */
  originOf(file: ts.SourceFile): FileOrigin;
  /** The application's own files. */
  readonly applicationFiles: readonly ts.SourceFile[];
}

/** Where a file is from: the language and its runtime, an npm package, or modules like the application's. */
export type FileOrigin = "library" | "package" | "module";

/** A place in a type, for messages and for what only the source says. */
export interface TypePlace {
  /** What stands there: `Note.title`. */
  readonly path: string;
  /** Where that is written. */
  readonly node: ts.Node;
  /** Where the whole type is written that this is a part of: it may be an argument of generic ones. */
  readonly root: ts.Node;
  /** How its type is written, where that is the whole of it: the checker drops some aliases, and the order of unions. */
  readonly hint?: ts.TypeNode | undefined;
  /** How many types are around it. */
  readonly depth: number;
  /** Whether `undefined` means that it need not be there. */
  readonly optional?: boolean;
}

/** Writes the schemas of types. */
export interface TypeWriter {
  readonly context: TypeContext;
  /** Whether values come in a form, which carries files, and not in JSON. */
  readonly form: boolean;
  /** The schema of a type, to put in place: a reference, if the type has a name. */
  place(type: ts.Type, at: TypePlace): SchemaObject;
  /** Adds what the documentation of a symbol says. */
  document(schema: SchemaObject, symbol: ts.Symbol, at: TypePlace): SchemaObject;
  /** Whether a type has a name of its own. */
  isNamed(type: ts.Type): boolean;
}

/** Marks what has no schema. It becomes an error unless somebody describes it by hand. */
export function markUnresolved({ path, node }: TypePlace, why: string): SchemaObject {
  return { [UNKNOWN_PART]: `${locationOf(node)}: ${path} ${why}` };
}

/** `examples/notes/note.ts:12:3`, from the working directory. */
export function locationOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${displayName(file.fileName)}:${line + 1}:${character + 1}`;
}

function displayName(fileName: string): string {
  if (/^\w+:\/\//.test(fileName)) return fileName;
  const short = relative(process.cwd(), fileName);
  return short.startsWith("..") ? fileName : short.replaceAll("\\", "/");
}

/** The declaration of a symbol that stands for it in messages. */
export function declarationOf(symbol: ts.Symbol): ts.Declaration | undefined {
  return symbol.valueDeclaration ?? symbol.declarations?.[0];
}

/** What a symbol stands for, where it is an import. */
export function targetOf({ ts, checker }: TypeContext, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** Where a symbol is from; `undefined` for one without a declaration. */
export function symbolOrigin(
  context: TypeContext,
  symbol: ts.Symbol,
): FileOrigin | undefined {
  const declaration = declarationOf(symbol);
  return declaration && context.originOf(declaration.getSourceFile());
}

/** The type that `NoInfer<T>` stands for. */
export function withoutNoInfer({ ts }: TypeContext, type: ts.Type): ts.Type {
  return (type.flags & ts.TypeFlags.Substitution) === 0
    ? type
    : (type as ts.SubstitutionType).baseType;
}

/** Whether a type is what the checker puts in the place of one that it did not find. */
export function isMissingType(type: ts.Type): boolean {
  return (type as { readonly intrinsicName?: string }).intrinsicName === "error";
}

/** Whether a type has no value but `undefined`. */
export function isUndefined({ ts }: TypeContext, type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

/** Whether one of a type's alternatives is `undefined`. */
export function mayBeUndefined(context: TypeContext, type: ts.Type): boolean {
  return type.isUnion() && type.types.some((one) => isUndefined(context, one));
}
