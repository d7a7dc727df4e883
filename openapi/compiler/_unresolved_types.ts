/**
 * Names of unresolved types, for messages.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { declarationOf, isMissingType, targetOf, type TypeContext } from "./_type_context.ts";

/** Maximum number of aliases that are followed. */
const MAX_ALIASES = 20;

/** The first unresolved type that a node mentions: `Owner of "./owner.ts"`. */
export function missingName(context: TypeContext, node: ts.Node): string | undefined {
  return searchNames(context, mentioning(context, node), MAX_ALIASES);
}

/**
 * The first unresolved type in declarations or annotations. The checker ignores some: a base class, or the keys of a
 * record. Function bodies are not searched.
 */
export function missingInTypes(
  context: TypeContext,
  nodes: readonly ts.Node[],
): string | undefined {
  return searchNames(context, nodes, MAX_ALIASES, (node) => isCode(context, node));
}

/** Code, and what is never serialized: methods, static and private members, and type parameters. */
function isCode({ ts }: TypeContext, node: ts.Node): boolean {
  if (ts.isExpression(node)) return !ts.isExpressionWithTypeArguments(node);
  if (ts.isPropertyDeclaration(node)) {
    return ts.isPrivateIdentifier(node.name) ||
      (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) !== 0;
  }
  return ts.isBlock(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node) ||
    ts.isAccessor(node) || ts.isConstructorDeclaration(node) || ts.isTypeParameterDeclaration(node);
}

/** The unresolved imports of a file. */
export function missingImports(
  { ts, checker }: TypeContext,
  file: ts.SourceFile,
): readonly string[] {
  return file.statements.flatMap((one) =>
    ts.isImportDeclaration(one) && checker.getSymbolAtLocation(one.moduleSpecifier) === undefined
      ? one.moduleSpecifier.getText()
      : []
  );
}

/** The nodes that mention the type of a place: a property, a method, or the arguments of a call. */
function mentioning({ ts }: TypeContext, node: ts.Node): readonly ts.Node[] {
  const call = ts.isPropertyAccessExpression(node.parent) ? node.parent.parent : node;
  return ts.isCallExpression(call) ? [...call.typeArguments ?? [], ...call.arguments] : [node];
}

function searchNames(
  context: TypeContext,
  nodes: readonly ts.Node[],
  left: number,
  skips: (node: ts.Node) => boolean = () => false,
): string | undefined {
  const { ts } = context;
  for (const node of nodes) {
    const name = ts.isTypeReferenceNode(node) && !ts.isConstTypeReference(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
      ? node.expression
      : undefined;
    const found = name && missingAt(context, name, left);
    if (found !== undefined) return found;
    const inner: ts.Node[] = [];
    ts.forEachChild(node, (one) => void (skips(one) || inner.push(one)));
    const deeper = searchNames(context, inner, left, skips);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function missingAt(context: TypeContext, name: ts.Node, left: number): string | undefined {
  const { ts, checker } = context;
  const symbol = checker.getSymbolAtLocation(name);
  if (symbol === undefined) return name.getText();
  const target = targetOf(context, symbol);
  const declaration = declarationOf(target);
  if (declaration === undefined) return `${name.getText()}${importOf(context, symbol)}`;
  if (left === 0 || !ts.isTypeAliasDeclaration(declaration)) return undefined;
  const isMissing = isMissingType(checker.getDeclaredTypeOfSymbol(target));
  return isMissing ? searchNames(context, [declaration.type], left - 1) : undefined;
}

/** The module that a name is imported from, as written. */
function importOf({ ts }: TypeContext, symbol: ts.Symbol): string {
  let node: ts.Node | undefined = declarationOf(symbol);
  while (node !== undefined && !ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) {
    node = node.parent;
  }
  const specifier = node?.moduleSpecifier;
  return specifier === undefined ? "" : ` of ${specifier.getText()}`;
}

/** The message for an unresolved type. */
export function unresolvedReason(name: string): string {
  return `has the type ${name}, which was not found`;
}
