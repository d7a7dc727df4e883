/**
 * The names of types: which types have their own name, and the names of instantiated generic types.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { declarationOf, mayBeUndefined, symbolOrigin, type TypeContext } from "./_type_context.ts";
import { libraryClassOf } from "./_type_library.ts";

/** A type's own name. */
export interface TypeName {
  readonly text: string;
  /** The symbol with that name. */
  readonly symbol: ts.Symbol;
}

/** Looks up the names of types. */
export interface TypeNames {
  /** The name of a type; `undefined` for an anonymous or a library type. */
  of(type: ts.Type): TypeName | undefined;
  /** The name of an array type, which is used only if the type is recursive. */
  ofList(type: ts.Type): string | undefined;
}

/** Creates the names of a program. */
export function createTypeNames(context: TypeContext): TypeNames {
  let aliases: ReadonlyMap<ts.Type, ts.Symbol> | undefined;
  return {
    ofList: (type) => listName(context, type),
    of(type) {
      const own = ownName(context, type);
      if (own !== undefined || !isComposed(context, type)) return own;
      aliases ??= readAliases(context);
      const symbol = aliases.get(type);
      return symbol && { text: symbol.name, symbol };
    },
  };
}

/** The name that the checker knows. */
function ownName(context: TypeContext, type: ts.Type): TypeName | undefined {
  const { aliasSymbol, aliasTypeArguments = [], symbol } = type;
  if (isList(context, type)) return undefined; // the checker keeps its alias only in some positions
  if (mayBeUndefined(context, type)) return undefined; // a component cannot be absent
  if (aliasSymbol !== undefined && isNaming(context, aliasSymbol, aliasTypeArguments)) {
    return {
      text: withArguments(context, aliasSymbol.name, aliasTypeArguments),
      symbol: aliasSymbol,
    };
  }
  if (symbol === undefined) return undefined;
  const whole = enumOf(context, type);
  if (whole?.type === type) return { text: whole.symbol.name, symbol: whole.symbol };
  if (!isNamedSymbol(context, type, symbol)) return undefined;
  const args = typeArgumentsOf(context, type);
  return { text: withArguments(context, nameOf(context, symbol), args), symbol };
}

/** The enum that a member's type belongs to. For the checker, the only member of an enum is the enum. */
export function enumOf(
  { ts, checker }: TypeContext,
  { flags, symbol }: ts.Type,
): { readonly type: ts.Type; readonly symbol: ts.Symbol } | undefined {
  if ((flags & ts.TypeFlags.EnumLiteral) === 0 || symbol === undefined) return undefined;
  const member = declarationOf(symbol);
  if (member === undefined || !ts.isEnumMember(member)) return undefined;
  const found = checker.getSymbolAtLocation(member.parent.name);
  return found && { type: checker.getDeclaredTypeOfSymbol(found), symbol: found };
}

/** Whether an alias names its type. Generic aliases of packages, such as `Omit`, only transform types. */
function isNaming(
  context: TypeContext,
  symbol: ts.Symbol,
  args: readonly ts.Type[],
): boolean {
  const origin = symbolOrigin(context, symbol);
  return origin === "module" || (origin === "package" && args.length === 0);
}

/** Whether a symbol is an interface, a class or an enum. A single enum member is only a value. */
function isNamedSymbol(
  context: TypeContext,
  type: ts.Type,
  symbol: ts.Symbol,
): boolean {
  const { ts } = context;
  if (
    (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.Enum)) === 0
  ) {
    return false;
  }
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.EnumLike)) === 0) return false;
  if (nameOf(context, symbol) === "") return false;
  const origin = symbolOrigin(context, symbol);
  if (origin === "package") return libraryClassOf(context, type) === undefined; // Zod's `File` is the runtime's
  return origin !== "library";
}

/** The declared name of a class or interface; the checker calls a default export "default". */
function nameOf({ ts }: TypeContext, symbol: ts.Symbol): string {
  const declaration = declarationOf(symbol);
  const name = declaration && ts.getNameOfDeclaration(declaration);
  return name !== undefined && ts.isIdentifier(name) ? name.text : "";
}

function typeArgumentsOf({ ts, checker }: TypeContext, type: ts.Type): readonly ts.Type[] {
  if ((type.flags & ts.TypeFlags.Object) === 0) return [];
  if (((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) === 0) return [];
  const reference = type as ts.TypeReference;
  const count = reference.target.typeParameters?.length ?? 0; // without the type of `this`
  return checker.getTypeArguments(reference).slice(0, count);
}

/** `Page<Pet[]>` is `Page_PetArray`. */
function withArguments(context: TypeContext, name: string, args: readonly ts.Type[]): string {
  return [name, ...args.map((one) => typeText(context, one))].join("_").slice(0, 100);
}

/**
 * A type as an identifier that does not depend on the rest of the program: the checker prints unions in the order in
 * which it encountered their members.
 */
export function typeText(context: TypeContext, type: ts.Type): string {
  const found = typeTexts.get(type) ?? formatType(context, type);
  typeTexts.set(type, found);
  return found;
}

/** A type may be an argument of many types, and recursively of itself. */
const typeTexts: WeakMap<ts.Type, string> = new WeakMap();

function formatType(context: TypeContext, type: ts.Type): string {
  const { ts, checker } = context;
  const own = ownName(context, type)?.text ??
    (isPartOf(context, type) ? listName(context, type) : undefined);
  if (own !== undefined) return own;
  if (checker.isArrayType(type)) {
    return `${partsOf(context, type).map((one) => typeText(context, one))}Array`;
  }
  if (type.isUnion() && (type.flags & ts.TypeFlags.Boolean) === 0) {
    return type.types.map((one) => typeText(context, one)).sort().join("_");
  }
  const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    .replace(/import\("[^"]*"\)\.?/g, ""); // a path on this machine
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
  return (text.includes("|") ? words.sort() : words).join("_");
}

/** The alias of an array type, which is its name only if the type is recursive. */
function listName(
  context: TypeContext,
  { aliasSymbol: symbol, aliasTypeArguments: args = [] }: ts.Type,
): string | undefined {
  return symbol && isNaming(context, symbol, args)
    ? withArguments(context, symbol.name, args)
    : undefined;
}

/** Whether an array type contains itself. */
function isPartOf(
  context: TypeContext,
  whole: ts.Type,
  type = whole,
  seen: Set<ts.Type> = new Set(),
): boolean {
  return partsOf(context, type).some((one) => {
    if (one === whole) return true;
    if (seen.has(one)) return false;
    seen.add(one);
    return isPartOf(context, whole, one, seen);
  });
}

/** The elements of an array or a tuple, or the alternatives of a union. */
function partsOf(context: TypeContext, type: ts.Type): readonly ts.Type[] {
  if (isList(context, type)) return context.checker.getTypeArguments(type as ts.TypeReference);
  return type.isUnion() ? type.types : [];
}

function isComposed({ ts }: TypeContext, type: ts.Type): boolean {
  const { Object: object, Union, Intersection, Boolean: boolean } = ts.TypeFlags;
  return (type.flags & (object | Union | Intersection)) !== 0 && (type.flags & boolean) === 0;
}

/**
 * Aliases in the application for anonymous types, such as those of `z.infer`. Of two aliases for the same type the
 * alphabetically first is used, which does not depend on imports.
 */
function readAliases(context: TypeContext): ReadonlyMap<ts.Type, ts.Symbol> {
  const { ts, checker } = context;
  const aliases = new Map<ts.Type, ts.Symbol>();
  const visit = (node: ts.Node): void => {
    if (ts.isModuleDeclaration(node) || ts.isModuleBlock(node)) ts.forEachChild(node, visit);
    if (!ts.isTypeAliasDeclaration(node) || node.typeParameters !== undefined) return;
    const symbol = checker.getSymbolAtLocation(node.name);
    if (symbol === undefined) return;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const known = aliases.get(type);
    if (known !== undefined && known.name <= symbol.name) return;
    if (!isComposed(context, type) || isList(context, type)) return;
    if (
      ownName(context, type) === undefined && !isBuiltIn(context, type) &&
      !mayBeUndefined(context, type)
    ) {
      aliases.set(type, symbol);
    }
  };
  for (const file of context.applicationFiles) file.statements.forEach(visit);
  return aliases;
}

function isList({ checker }: TypeContext, type: ts.Type): boolean {
  return checker.isArrayType(type) || checker.isTupleType(type);
}

/** Whether a type is a library interface, which an alias only renames. */
function isBuiltIn(context: TypeContext, { symbol }: ts.Type): boolean {
  const { ts } = context;
  return symbol !== undefined &&
    (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0 &&
    symbolOrigin(context, symbol) === "library";
}
