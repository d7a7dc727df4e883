/**
 * Whether the compiler has what `openapi/compiler/_compiler.ts` says of it. `deno check` is the test, and this file is never run.
 *
 * @module
 */

import type typescript from "typescript";
import type * as ours from "../../openapi/compiler/_compiler.ts";

/** Compiles if every value of the first type is one of the second, too. */
type Fits<Theirs extends Ours, Ours> = Theirs;

export type Nodes = Fits<typescript.Node, ours.Node>;
export type Files = Fits<typescript.SourceFile, ours.SourceFile>;
export type Classes = Fits<typescript.ClassLikeDeclaration, ours.ClassLikeDeclaration>;
export type Calls = Fits<typescript.CallExpression, ours.CallExpression>;
export type Tuples = Fits<typescript.NamedTupleMember, ours.NamedTupleMember>;
export type Types = Fits<keyof ours.Type, keyof typescript.Type>;
export type Symbols = Fits<keyof ours.Symbol, keyof typescript.Symbol>;
export type Signatures = Fits<keyof ours.Signature, keyof typescript.Signature>;
export type Modules = Fits<typescript.ResolvedModuleFull, ours.ResolvedModuleFull>;

/** What is called by name is there: a parameter of ours is less than theirs, so that functions cannot be compared. */
export type Values = Fits<keyof typeof ours, keyof typeof typescript>;
export type Checker = Fits<keyof ours.TypeChecker, keyof typescript.TypeChecker>;
export type Programs = Fits<keyof ours.Program, keyof typescript.Program>;
export type Hosts = Fits<keyof ours.CompilerHost, keyof typescript.CompilerHost>;

/** And so are the flags. */
export type TypeFlags = Fits<keyof typeof ours.TypeFlags, keyof typeof typescript.TypeFlags>;
export type ObjectFlags = Fits<keyof typeof ours.ObjectFlags, keyof typeof typescript.ObjectFlags>;
export type SymbolFlags = Fits<keyof typeof ours.SymbolFlags, keyof typeof typescript.SymbolFlags>;
export type SyntaxKind = Fits<keyof typeof ours.SyntaxKind, keyof typeof typescript.SyntaxKind>;
