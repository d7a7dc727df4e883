/**
 * Nodes of the syntax tree, as far as they are used. See `_compiler.ts`.
 *
 * @module
 */

/** A node of the syntax tree. */
export interface Node {
  readonly kind: number;
  readonly parent: Node;
  readonly pos: number;
  readonly end: number;
  getChildren(file?: SourceFile): readonly Node[];
  getSourceFile(): SourceFile;
  getStart(file?: SourceFile): number;
  getText(file?: SourceFile): string;
}

export interface SourceFile extends Node {
  readonly fileName: string;
  readonly text: string;
  readonly isDeclarationFile: boolean;
  readonly statements: readonly Node[];
  getLineAndCharacterOfPosition(
    position: number,
  ): { readonly line: number; readonly character: number };
  getLineStarts(): readonly number[];
}

// Kinds of nodes, which functions tell apart: each has a member that the others have not, or they would all be one type

export interface Declaration extends Node {
  readonly declaration?: never;
}
export interface Expression extends Node {
  readonly expressionKind?: never;
}
export interface TypeNode extends Node {
  readonly typeKind?: never;
}
export interface Identifier extends Expression {
  readonly text: string;
  readonly identifierKind?: never;
}
export interface StringLiteralLike extends Expression {
  readonly text: string;
  readonly stringKind?: never;
}
export interface NumericLiteral extends Expression {
  readonly text: string;
  readonly numberKind?: never;
}
export interface PrivateIdentifier extends Node {
  readonly text: string;
  readonly privateKind?: never;
}
export interface HeritageClause extends Node {
  readonly token: number;
  readonly types: readonly ExpressionWithTypeArguments[];
}
export interface ClassLikeDeclaration extends Declaration {
  readonly name?: Identifier;
  readonly heritageClauses?: readonly HeritageClause[];
  readonly members: readonly Declaration[];
}
export interface InterfaceDeclaration extends Declaration {
  readonly name: Identifier;
  readonly heritageClauses?: readonly HeritageClause[];
  readonly interfaceKind?: never;
}
export interface TypeAliasDeclaration extends Declaration {
  readonly name: Identifier;
  readonly type: TypeNode;
  readonly typeParameters?: readonly TypeParameterDeclaration[];
}
export interface TypeParameterDeclaration extends Declaration {
  readonly name: Identifier;
  readonly parameterKind?: never;
}
export interface EnumMember extends Declaration {
  readonly parent: Declaration & { readonly name: Identifier };
}
export interface VariableDeclaration extends Declaration {
  readonly name: Node;
  readonly initializer?: Expression;
  readonly variableKind?: never;
}
export interface ParameterDeclaration extends Declaration {
  readonly name: Node;
  readonly type?: TypeNode;
  readonly parameter?: never;
}
/** A function, method, accessor, constructor, or their type. */
export interface SignatureDeclaration extends Declaration {
  readonly parameters: readonly ParameterDeclaration[];
  readonly type?: TypeNode;
}
export interface MethodDeclaration extends SignatureDeclaration {
  readonly name: Node;
  readonly asteriskToken?: Node;
  readonly body?: Block;
}
export interface MethodSignature extends SignatureDeclaration {
  readonly name: Node;
  readonly signatureKind?: never;
}
export interface ConstructorDeclaration extends SignatureDeclaration {
  readonly constructorKind?: never;
}
export interface AccessorDeclaration extends SignatureDeclaration {
  readonly name: Node;
  readonly accessorKind?: never;
}
export interface ArrowFunction extends Expression {
  readonly parameters: readonly ParameterDeclaration[];
  readonly type?: TypeNode;
  readonly asteriskToken?: Node;
  readonly body: ConciseBody;
  readonly arrowKind?: never;
}
export interface FunctionExpression extends Expression {
  readonly parameters: readonly ParameterDeclaration[];
  readonly type?: TypeNode;
  readonly asteriskToken?: Node;
  readonly body: Block;
}
export type ConciseBody = Block | Expression;
export interface Block extends Node {
  readonly statements: readonly Node[];
}
export interface PropertyDeclaration extends Declaration {
  readonly name: Node;
  readonly type?: TypeNode;
  readonly propertyKind?: never;
}
export interface PropertySignature extends Declaration {
  readonly name: Node;
  readonly type?: TypeNode;
  readonly signature?: never;
}
export interface PropertyAssignment extends Declaration {
  readonly name: Node;
  readonly initializer: Expression;
}
export interface ModuleDeclaration extends Declaration {
  readonly name: Node;
  readonly moduleKind?: never;
}
export interface ModuleBlock extends Node {
  readonly parent: ModuleDeclaration;
}
export interface ImportDeclaration extends Node {
  readonly moduleSpecifier: Expression;
  readonly attributes?: {
    readonly elements: readonly {
      readonly name: { readonly text: string };
      readonly value: Expression;
    }[];
  };
}
export interface ExportDeclaration extends Node {
  readonly moduleSpecifier?: Expression;
  readonly exportKind?: never;
}
export interface ReturnStatement extends Node {
  readonly expression?: Expression;
  readonly returnKind?: never;
}
export interface CallExpression extends Expression {
  readonly expression: Expression;
  readonly arguments: readonly Expression[] & { readonly pos: number };
  readonly typeArguments?: readonly TypeNode[];
}
export interface PropertyAccessExpression extends Expression {
  readonly expression: Expression;
  readonly name: Identifier;
}
export interface ObjectLiteralExpression extends Expression {
  readonly properties: readonly (Declaration & { readonly name?: Node })[];
}
export interface ParenthesizedExpression extends Expression {
  readonly expression: Expression;
  readonly parenthesized?: never;
}
export interface AwaitExpression extends Expression {
  readonly expression: Expression;
  readonly awaited?: never;
}
export interface ConditionalExpression extends Expression {
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}
export interface ExpressionWithTypeArguments extends TypeNode {
  readonly expression: Expression;
  readonly typeArguments?: readonly TypeNode[];
}
export interface TypeReferenceNode extends TypeNode {
  readonly typeName: Node;
  readonly typeArguments?: readonly TypeNode[];
}
export interface ArrayTypeNode extends TypeNode {
  readonly elementType: TypeNode;
}
export interface TupleTypeNode extends TypeNode {
  readonly elements: readonly TypeNode[];
}
export interface UnionTypeNode extends TypeNode {
  readonly types: readonly TypeNode[];
}
export interface TypeOperatorNode extends TypeNode {
  readonly operator: number;
  readonly type: TypeNode;
}
export interface NamedTupleMember extends TypeNode {
  readonly dotDotDotToken?: Node;
  readonly name: Identifier;
  readonly type: TypeNode;
}
export interface OptionalTypeNode extends TypeNode {
  readonly type: TypeNode;
  readonly optionalKind?: never;
}
export interface RestTypeNode extends TypeNode {
  readonly type: TypeNode;
  readonly restKind?: never;
}
export interface ParenthesizedTypeNode extends TypeNode {
  readonly type: TypeNode;
  readonly parenthesized?: never;
}
