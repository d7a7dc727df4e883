/**
 * Type nodes, where they tell more than the checker's types: the order of unions, and the aliases of primitives and
 * arrays.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { declarationOf, targetOf, type TypeContext } from "./_type_context.ts";

/** A type node after its aliases were resolved, and these aliases. */
export interface WrittenType {
  readonly node: ts.TypeNode;
  readonly aliases: readonly ts.Symbol[];
}

/** The type node of an alias or a property; `undefined` if its type may be another one. */
export function hintAt({ ts }: TypeContext, symbol: ts.Symbol): ts.TypeNode | undefined {
  const declaration = declarationOf(symbol);
  if (declaration === undefined) return undefined;
  if (ts.isTypeAliasDeclaration(declaration)) return declaration.type;
  const isMember = ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration) ||
    ts.isParameter(declaration);
  return isMember ? declaration.type : undefined;
}

/** The type node of a property, if it has that type: in a mapped or generic type it may have another one. */
export function memberHint(
  context: TypeContext,
  symbol: ts.Symbol,
  type: ts.Type,
): ts.TypeNode | undefined {
  const { checker } = context;
  const node = hintAt(context, symbol);
  if (node === undefined) return undefined;
  const same = checker.getNonNullableType(checker.getTypeFromTypeNode(node)) ===
    checker.getNonNullableType(type);
  return same ? node : undefined;
}

/** Resolves parentheses, `readonly` and aliases without type parameters. */
export function readHint(
  context: TypeContext,
  hint: ts.TypeNode | undefined,
): WrittenType | undefined {
  const { ts, checker } = context;
  const aliases: ts.Symbol[] = [];
  let node = hint;
  while (node !== undefined) {
    if (ts.isParenthesizedTypeNode(node) || isReadonly(context, node)) {
      node = node.type;
    } else if (ts.isTypeReferenceNode(node) && node.typeArguments === undefined) {
      const named = checker.getSymbolAtLocation(node.typeName);
      const symbol = named && targetOf(context, named);
      const declaration = symbol && declarationOf(symbol);
      if (symbol === undefined || declaration === undefined) return { node, aliases };
      if (!ts.isTypeAliasDeclaration(declaration) || aliases.includes(symbol)) {
        return { node, aliases };
      }
      aliases.push(symbol);
      node = declaration.type;
    } else {
      return { node, aliases };
    }
  }
  return undefined;
}

/** The type node of an array's elements. */
export function elementHint(
  context: TypeContext,
  hint: ts.TypeNode | undefined,
): ts.TypeNode | undefined {
  const { ts } = context;
  const node = readHint(context, hint)?.node;
  if (node === undefined) return undefined;
  if (ts.isArrayTypeNode(node)) return node.elementType;
  return argumentHint(context, node, /^(?:Readonly)?Array$/, 0);
}

/** The type node of an argument of a generic library type. */
export function argumentHint(
  context: TypeContext,
  hint: ts.TypeNode | undefined,
  name: RegExp,
  index: number,
): ts.TypeNode | undefined {
  const { ts } = context;
  const node = readHint(context, hint)?.node;
  const isIt = node !== undefined && ts.isTypeReferenceNode(node) &&
    ts.isIdentifier(node.typeName) && name.test(node.typeName.text);
  return isIt ? node.typeArguments?.[index] : undefined;
}

/** The alternatives of a union in source order, each with its type; empty if unknown. */
export function alternativesOf(
  context: TypeContext,
  hint: ts.TypeNode | undefined,
): readonly { readonly node: ts.TypeNode; readonly type: ts.Type }[] {
  const { ts, checker } = context;
  const node = readHint(context, hint)?.node;
  if (node === undefined || !ts.isUnionTypeNode(node)) return [];
  return node.types.map((one) => ({ node: one, type: checker.getTypeFromTypeNode(one) }));
}

function isReadonly({ ts }: TypeContext, node: ts.TypeNode): node is ts.TypeOperatorNode {
  return ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword;
}
