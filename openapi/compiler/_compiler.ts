/**
 * The part of the TypeScript compiler that is used, as types of our own: nothing of the package `typescript` is imported, so that
 * no installation of this package brings its 24 MB. The compiler is loaded by name when types are read.
 *
 * `import type * as ts` of this module has the names of the compiler's own types; nothing of it exists at run time.
 *
 * @module
 */

import type {
  AccessorDeclaration,
  ArrayTypeNode,
  ArrowFunction,
  AwaitExpression,
  Block,
  CallExpression,
  ClassLikeDeclaration,
  ConditionalExpression,
  ConstructorDeclaration,
  Declaration,
  EnumMember,
  ExportDeclaration,
  Expression,
  ExpressionWithTypeArguments,
  FunctionExpression,
  Identifier,
  ImportDeclaration,
  InterfaceDeclaration,
  MethodDeclaration,
  MethodSignature,
  ModuleBlock,
  ModuleDeclaration,
  NamedTupleMember,
  Node,
  NumericLiteral,
  ObjectLiteralExpression,
  OptionalTypeNode,
  ParameterDeclaration,
  ParenthesizedExpression,
  ParenthesizedTypeNode,
  PrivateIdentifier,
  PropertyAccessExpression,
  PropertyAssignment,
  PropertyDeclaration,
  PropertySignature,
  RestTypeNode,
  ReturnStatement,
  SignatureDeclaration,
  SourceFile,
  StringLiteralLike,
  TupleTypeNode,
  TypeAliasDeclaration,
  TypeNode,
  TypeOperatorNode,
  TypeParameterDeclaration,
  TypeReferenceNode,
  UnionTypeNode,
  VariableDeclaration,
} from "./_syntax.ts";
import type {
  CompilerHost,
  CompilerOptions,
  ModuleResolutionHost,
  Program,
  ResolvedModuleFull,
} from "./_type_model.ts";

/** Bits of a flag, or a value of an enumeration. */
type Bits<Names extends string> = { readonly [Name in Names]: number };

export declare const TypeFlags: Bits<
  | "Any"
  | "BigInt"
  | "BigIntLike"
  | "Unknown"
  | "String"
  | "Number"
  | "Boolean"
  | "BooleanLiteral"
  | "Enum"
  | "EnumLike"
  | "EnumLiteral"
  | "ESSymbolLike"
  | "Instantiable"
  | "Intersection"
  | "Literal"
  | "Never"
  | "NonPrimitive"
  | "Null"
  | "NumberLiteral"
  | "Object"
  | "StringLiteral"
  | "StringMapping"
  | "Substitution"
  | "TemplateLiteral"
  | "Undefined"
  | "Union"
  | "UnionOrIntersection"
  | "Void"
>;
export declare const ObjectFlags: Bits<"Mapped" | "Reference">;
export declare const ElementFlags: Bits<"Fixed" | "Optional" | "Required" | "Rest" | "Variable">;
export declare const SymbolFlags: Bits<
  "Alias" | "Class" | "Enum" | "Interface" | "Method" | "Optional" | "Value"
>;
export declare const ModifierFlags: Bits<"Static">;
export declare const SyntaxKind: Bits<"ClassKeyword" | "ExtendsKeyword" | "ReadonlyKeyword">;
export declare const TypeFormatFlags: Bits<"NoTruncation">;
export declare const ModuleKind: Bits<"ESNext">;
export declare const ModuleDetectionKind: Bits<"Force">;
export declare const ModuleResolutionKind: Bits<"Bundler">;
export declare const ScriptTarget: Bits<"ESNext">;
export declare const JsxEmit: Bits<"Preserve">;
export declare const JSDocParsingMode: Bits<"ParseAll" | "ParseNone">;
export declare const Extension: { readonly Dts: string };

export type * from "./_syntax.ts";
export type * from "./_type_model.ts";

/** Whether a node is of a kind. */
type IsKind<Kind extends Node> = (node: Node) => node is Kind;

export declare const isAccessor: IsKind<AccessorDeclaration>;
export declare const isArrayTypeNode: IsKind<ArrayTypeNode>;
export declare const isArrowFunction: IsKind<ArrowFunction>;
export declare const isAutoAccessorPropertyDeclaration: IsKind<PropertyDeclaration>;
export declare const isAwaitExpression: IsKind<AwaitExpression>;
export declare const isBlock: IsKind<Block>;
export declare const isCallExpression: IsKind<CallExpression>;
export declare const isClassLike: IsKind<ClassLikeDeclaration>;
export declare const isConditionalExpression: IsKind<ConditionalExpression>;
export declare function isConstTypeReference(node: Node): boolean;
export declare const isConstructorDeclaration: IsKind<ConstructorDeclaration>;
export declare const isEnumMember: IsKind<EnumMember>;
export declare const isExportDeclaration: IsKind<ExportDeclaration>;
export declare const isExpression: IsKind<Expression>;
export declare const isExpressionWithTypeArguments: IsKind<ExpressionWithTypeArguments>;
export declare const isFunctionExpression: IsKind<FunctionExpression>;
export declare const isFunctionLike: IsKind<SignatureDeclaration>;
export declare const isIdentifier: IsKind<Identifier>;
export declare const isImportDeclaration: IsKind<ImportDeclaration>;
export declare const isInterfaceDeclaration: IsKind<InterfaceDeclaration>;
export declare const isMethodDeclaration: IsKind<MethodDeclaration>;
export declare const isMethodSignature: IsKind<MethodSignature>;
export declare const isModuleBlock: IsKind<ModuleBlock>;
export declare const isModuleDeclaration: IsKind<ModuleDeclaration>;
export declare const isNamedTupleMember: IsKind<NamedTupleMember>;
export declare const isNumericLiteral: IsKind<NumericLiteral>;
export declare const isObjectLiteralExpression: IsKind<ObjectLiteralExpression>;
export declare const isOptionalTypeNode: IsKind<OptionalTypeNode>;
export declare const isParameter: IsKind<ParameterDeclaration>;
export declare const isParenthesizedExpression: IsKind<ParenthesizedExpression>;
export declare const isParenthesizedTypeNode: IsKind<ParenthesizedTypeNode>;
export declare const isPrivateIdentifier: IsKind<PrivateIdentifier>;
export declare const isPropertyAccessExpression: IsKind<PropertyAccessExpression>;
export declare const isPropertyAssignment: IsKind<PropertyAssignment>;
export declare const isPropertyDeclaration: IsKind<PropertyDeclaration>;
export declare const isPropertySignature: IsKind<PropertySignature>;
export declare const isRestTypeNode: IsKind<RestTypeNode>;
export declare const isReturnStatement: IsKind<ReturnStatement>;
export declare const isStringLiteral: IsKind<StringLiteralLike>;
export declare const isTupleTypeNode: IsKind<TupleTypeNode>;
export declare const isTypeAliasDeclaration: IsKind<TypeAliasDeclaration>;
export declare const isTypeNode: IsKind<TypeNode>;
export declare const isTypeOperatorNode: IsKind<TypeOperatorNode>;
export declare const isTypeParameterDeclaration: IsKind<TypeParameterDeclaration>;
export declare const isTypeReferenceNode: IsKind<TypeReferenceNode>;
export declare const isUnionTypeNode: IsKind<UnionTypeNode>;
export declare const isVariableDeclaration: IsKind<VariableDeclaration>;

export declare function forEachChild<T>(
  node: Node,
  each: (child: Node) => T | undefined,
): T | undefined;
export declare function canHaveDecorators(node: Node): boolean;
export declare function getDecorators(
  node: Node,
): readonly (Node & { readonly expression: Expression })[] | undefined;
export declare function getNameOfDeclaration(
  node: Declaration | Expression | undefined,
): Node | undefined;
export declare function getCombinedModifierFlags(node: Declaration): number;
export declare function flattenDiagnosticMessageText(text: unknown, newLine: string): string;
export declare const sys: ModuleResolutionHost;
export declare function findConfigFile(
  folder: string,
  exists: (name: string) => boolean,
): string | undefined;
export declare function readConfigFile(
  path: string,
  read: (name: string) => string | undefined,
): { readonly config?: unknown; readonly error?: { readonly messageText: unknown } };
export declare function parseJsonConfigFileContent(
  config: unknown,
  host: ModuleResolutionHost,
  folder: string,
): { readonly options: CompilerOptions };
export declare function convertCompilerOptionsFromJson(
  options: unknown,
  folder: string,
): { readonly options: CompilerOptions };
export declare function createCompilerHost(
  options: CompilerOptions,
  setParentNodes: boolean,
): CompilerHost;
export declare function createProgram(
  options: {
    readonly rootNames: readonly string[];
    readonly options: CompilerOptions;
    readonly host: CompilerHost;
  },
): Program;
export declare function createSourceFile(name: string, text: string, options: object): SourceFile;
export declare function createModuleResolutionCache(
  folder: string,
  canonicalName: (name: string) => string,
  options: CompilerOptions,
): object;
export declare function resolveModuleName(
  name: string,
  file: string,
  options: CompilerOptions,
  host: ModuleResolutionHost,
  cache?: object,
): { readonly resolvedModule: ResolvedModuleFull | undefined };
