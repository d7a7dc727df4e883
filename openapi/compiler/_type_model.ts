/**
 * Types, symbols and programs, as far as they are used. See `_compiler.ts`.
 *
 * @module
 */

import type {
  CallExpression,
  Declaration,
  Node,
  SignatureDeclaration,
  SourceFile,
  StringLiteralLike,
  TypeNode,
} from "./_syntax.ts";

/** A symbol: what a name stands for. */
export interface Symbol {
  readonly name: string;
  readonly escapedName: unknown;
  readonly flags: number;
  readonly declarations?: Declaration[];
  readonly valueDeclaration?: Declaration;
  getDocumentationComment(checker: TypeChecker | undefined): SymbolDisplayPart[];
  getJsDocTags(
    checker?: TypeChecker,
  ): { readonly name: string; readonly text?: SymbolDisplayPart[] }[];
}
export interface SymbolDisplayPart {
  readonly kind: string;
  readonly text: string;
}

/** A type. */
export interface Type {
  readonly flags: number;
  readonly symbol: Symbol;
  readonly aliasSymbol?: Symbol;
  readonly aliasTypeArguments?: readonly Type[];
  getCallSignatures(): readonly Signature[];
  getConstructSignatures(): readonly Signature[];
  getProperties(): Symbol[];
  getStringIndexType(): Type | undefined;
  isIntersection(): this is IntersectionType;
  isNumberLiteral(): this is NumberLiteralType;
  isStringLiteral(): this is StringLiteralType;
  isUnion(): this is UnionType;
}
export interface UnionType extends Type {
  readonly types: Type[];
  readonly unionKind?: never;
}
export interface IntersectionType extends Type {
  readonly types: Type[];
  readonly intersectionKind?: never;
}
export interface StringLiteralType extends Type {
  readonly value: string;
}
export interface NumberLiteralType extends Type {
  readonly value: number;
}
export interface TemplateLiteralType extends Type {
  readonly texts: readonly string[];
  readonly types: readonly Type[];
}
export interface SubstitutionType extends Type {
  readonly baseType: Type;
}
export interface ObjectType extends Type {
  readonly objectFlags: number;
}
export interface TypeReference extends ObjectType {
  readonly target: ObjectType & { readonly typeParameters?: readonly Type[] | undefined };
}
export interface TupleTypeReference extends TypeReference {
  readonly target: TypeReference["target"] & {
    readonly elementFlags: readonly number[];
    readonly readonly: boolean;
  };
}
export interface Signature {
  readonly parameters: readonly Symbol[];
}
export interface IndexInfo {
  readonly keyType: Type;
  readonly type: Type;
  readonly declaration?: SignatureDeclaration;
}

/** Answers questions about types. */
export interface TypeChecker {
  getAliasedSymbol(symbol: Symbol): Symbol;
  getAwaitedType(type: Type): Type | undefined;
  getDeclaredTypeOfSymbol(symbol: Symbol): Type;
  getIndexInfosOfType(type: Type): readonly IndexInfo[];
  getNeverType(): Type;
  getNonNullableType(type: Type): Type;
  getPropertiesOfType(type: Type): Symbol[];
  getPropertyOfType(type: Type, name: string): Symbol | undefined;
  getResolvedSignature(call: CallExpression): Signature | undefined;
  getReturnTypeOfSignature(signature: Signature): Type;
  getSymbolAtLocation(node: Node): Symbol | undefined;
  getTypeArguments(type: TypeReference): readonly Type[];
  getTypeAtLocation(node: Node): Type;
  getTypeFromTypeNode(node: TypeNode): Type;
  getTypeOfSymbol(symbol: Symbol): Type;
  getTypeOfSymbolAtLocation(symbol: Symbol, node: Node): Type;
  isArrayType(type: Type): boolean;
  isTupleType(type: Type): boolean;
  typeToString(type: Type, at?: Node, flags?: number): string;
}

/** Files that are compiled together. */
export interface Program {
  getSourceFile(fileName: string): SourceFile | undefined;
  getSourceFiles(): readonly SourceFile[];
  getTypeChecker(): TypeChecker;
  isSourceFileDefaultLibrary(file: SourceFile): boolean;
  isSourceFileFromExternalLibrary(file: SourceFile): boolean;
}
export interface CompilerOptions {
  [option: string]: unknown;
  strict?: boolean;
  strictNullChecks?: boolean;
}
export interface ModuleResolutionHost {
  fileExists(fileName: string): boolean;
  readFile(fileName: string): string | undefined;
  directoryExists?(name: string): boolean;
  realpath?(name: string): string;
}
export interface ResolvedModuleFull {
  readonly resolvedFileName: string;
  readonly extension: string;
  readonly isExternalLibraryImport?: boolean;
}
/** Where the compiler finds files. */
export interface CompilerHost extends ModuleResolutionHost {
  getDefaultLibLocation?(): string;
  getSourceFile(fileName: string, languageVersion: unknown): SourceFile | undefined;
  resolveModuleNameLiterals?(
    literals: readonly StringLiteralLike[],
    containingFile: string,
  ): readonly { readonly resolvedModule: ResolvedModuleFull | undefined }[];
}
