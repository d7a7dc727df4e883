/**
 * Library classes in a type: a `Map`, a subclass of `Error`, a mapped `Date`. Their state is not in the properties that
 * `JSON.stringify` reads.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { declarationOf, symbolOrigin, type TypeContext } from "./_type_context.ts";

/** The name of the library class that a type is, extends or maps; `undefined` if there is none. */
export function libraryClassOf(context: TypeContext, type: ts.Type): string | undefined {
  if (type.isIntersection()) {
    return type.types.map((one) => libraryClassOf(context, one)).find((one) => one !== undefined);
  }
  return nameOfClass(context, type.symbol) ?? nameOfMapped(context, type) ??
    basesOf(context, type).map((base) => libraryClassOf(context, base))
      .find((one) => one !== undefined);
}

/**
 * A library class is an interface with a value of the same name, or with methods. `RequestInit` has neither: it is a
 * plain object.
 */
function nameOfClass(context: TypeContext, symbol: ts.Symbol | undefined): string | undefined {
  const { ts, checker } = context;
  const { Interface, Class, Value } = ts.SymbolFlags;
  if (symbol === undefined || (symbol.flags & (Interface | Class)) === 0) return undefined;
  if (symbolOrigin(context, symbol) !== "library") return undefined;
  const declared = checker.getDeclaredTypeOfSymbol(symbol);
  const hasMethods = checker.getPropertiesOfType(declared).some(({ flags }) =>
    (flags & ts.SymbolFlags.Method) !== 0
  );
  return (symbol.flags & Value) !== 0 || hasMethods ? symbol.name : undefined;
}

/** A type that maps every property of a class, as recursive mapped types do. */
function nameOfMapped(context: TypeContext, type: ts.Type): string | undefined {
  const { ts, checker } = context;
  if ((type.flags & ts.TypeFlags.Object) === 0) return undefined;
  if (((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) === 0) return undefined;
  const members = checker.getPropertiesOfType(type);
  const owner = members[0] && declarationOf(members[0])?.parent;
  if (owner === undefined || !ts.isInterfaceDeclaration(owner)) return undefined;
  const symbol = checker.getSymbolAtLocation(owner.name);
  const whole = symbol && checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  return whole?.length === members.length ? nameOfClass(context, symbol) : undefined;
}

function basesOf({ ts, checker }: TypeContext, { symbol }: ts.Type): readonly ts.Type[] {
  return (symbol?.declarations ?? []).flatMap((one) => {
    if (!ts.isClassLike(one) && !ts.isInterfaceDeclaration(one)) return [];
    const clause = one.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
    return (clause?.types ?? []).map((base) => checker.getTypeAtLocation(base));
  });
}
