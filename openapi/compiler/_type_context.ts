/**
 * The program whose types are read, places in it, and helpers for types and symbols.
 *
 * @module
 */

import { relative } from "@std/path";
import process from "node:process";
import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { UNKNOWN_PART } from "../_normalize_schema.ts";

/** A program whose types are read. */
export interface TypeContext {
  /** The compiler. */
  readonly ts: typeof ts;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** The origin of a file. */
  originOf(file: ts.SourceFile): FileOrigin;
  /** The application's own files. */
  readonly applicationFiles: readonly ts.SourceFile[];
}

/** The origin of a file: the language and its runtime, an npm package, or any other module. */
export type FileOrigin = "library" | "package" | "module";

/** A place in a type, for messages and for information that only the source has. */
export interface TypePlace {
  /** Path of the place: `Note.title`. */
  readonly path: string;
  /** Its declaration. */
  readonly node: ts.Node;
  /** Node of the outermost type that contains it, possibly as a type argument. */
  readonly root: ts.Node;
  /** Its type node, if that is the whole type: the checker drops some aliases, and the order of unions. */
  readonly hint?: ts.TypeNode | undefined;
  /** Nesting depth. */
  readonly depth: number;
  /** Whether `undefined` stands for an absent value. */
  readonly optional?: boolean;
}

/** Writes the schemas of types. */
export interface TypeWriter {
  readonly context: TypeContext;
  /** Whether values are sent in a form, which can contain files, instead of JSON. */
  readonly form: boolean;
  /** The schema of a type, for use in place: a reference if the type is named. */
  place(type: ts.Type, at: TypePlace): SchemaObject;
  /** Adds the documentation of a symbol. */
  document(schema: SchemaObject, symbol: ts.Symbol, at: TypePlace): SchemaObject;
  /** Whether a type has its own name. */
  isNamed(type: ts.Type): boolean;
}

/** Marks a type without a schema. The mark becomes an error unless the metadata describes the part. */
export function markUnresolved({ path, node }: TypePlace, why: string): SchemaObject {
  return { [UNKNOWN_PART]: `${locationOf(node)}: ${path} ${why}` };
}

/** `examples/notes/note.ts:12:3`, relative to the working directory. */
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

/** The declaration of a symbol to use in messages. */
export function declarationOf(symbol: ts.Symbol): ts.Declaration | undefined {
  return symbol.valueDeclaration ?? symbol.declarations?.[0];
}

/** The target of an imported symbol. */
export function targetOf({ ts, checker }: TypeContext, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** The origin of a symbol; `undefined` for one without a declaration. */
export function symbolOrigin(
  context: TypeContext,
  symbol: ts.Symbol,
): FileOrigin | undefined {
  const declaration = declarationOf(symbol);
  return declaration && context.originOf(declaration.getSourceFile());
}

/** The type `T` of `NoInfer<T>`. */
export function withoutNoInfer({ ts }: TypeContext, type: ts.Type): ts.Type {
  return (type.flags & ts.TypeFlags.Substitution) === 0
    ? type
    : (type as ts.SubstitutionType).baseType;
}

/** Whether a type is the checker's substitute for an unresolved type. */
export function isMissingType(type: ts.Type): boolean {
  return (type as { readonly intrinsicName?: string }).intrinsicName === "error";
}

/** Whether a type has no value but `undefined`. */
export function isUndefined({ ts }: TypeContext, type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

/** Whether a union includes `undefined`. */
export function mayBeUndefined(context: TypeContext, type: ts.Type): boolean {
  return type.isUnion() && type.types.some((one) => isUndefined(context, one));
}
