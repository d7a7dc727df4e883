/**
 * Unions: enumerations, nullable types, and alternatives that a member tells apart.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../router/openapi_types.ts";
import { isSame } from "./_json_schema.ts";
import {
  declarationOf,
  markUnknown,
  type TypeContext,
  type TypePlace,
} from "./native_type_context.ts";
import { alternativesOf } from "./native_type_hints.ts";
import type { TypeWriter } from "./native_type_schema.ts";

/** An alternative of a union: a type, or `boolean`, which is a union itself. */
interface Alternative {
  readonly type: ts.Type;
  readonly node: ts.TypeNode | undefined;
}

type Literal = string | number | boolean;

/** The schema of a union. */
export function unionSchema(writer: TypeWriter, type: ts.UnionType, at: TypePlace): SchemaObject {
  const { context } = writer;
  const { ts } = context;
  const is = (one: ts.Type, flags: ts.TypeFlags): boolean => (one.flags & flags) !== 0;
  const found = alternatives(writer, type);
  const present = found.filter((one) => !is(one, ts.TypeFlags.Undefined | ts.TypeFlags.Void));
  if (present.length < found.length && at.optional !== true) {
    return markUnknown(at, "may be undefined, which JSON cannot carry; say null");
  }
  const values = present.filter((one) => !is(one, ts.TypeFlags.Null));
  const isEnum = (type.flags & ts.TypeFlags.EnumLiteral) !== 0;
  const ordered = isEnum
    ? values.map((one): Alternative => ({ type: one, node: undefined }))
    : inOrder(context, values, at);
  const literals = ordered.flatMap((one) => literalOf(context, one.type) ?? []);
  const others = ordered.filter((one) => literalOf(context, one.type) === undefined);
  const schemas = others.map((one) =>
    writer.place(one.type, { ...at, optional: false, hint: one.node })
  );
  const named = enumeration(literals.filter((one) => !isCovered(one, schemas)));
  const all = [...schemas, ...named];
  const joined = discriminated(writer, others.map((one) => one.type), all) ?? anyOf(all);
  return values.length < present.length ? orNull(joined) : joined;
}

/** The alternatives as they were put together: those with names whole, `boolean` as one. */
function alternatives(writer: TypeWriter, type: ts.UnionType): readonly ts.Type[] {
  const { context: { ts }, isNamed } = writer;
  const { origin } = type as { readonly origin?: ts.Type }; // what the checker prints a union by
  const types = origin !== undefined && (origin.flags & ts.TypeFlags.Union) !== 0
    ? (origin as ts.UnionType).types
    : type.types;
  const flat = types.flatMap((one) =>
    one.isUnion() && !isNamed(one) && (one.flags & ts.TypeFlags.Boolean) === 0
      ? alternatives(writer, one)
      : one
  );
  return withEnums(writer.context, flat, type);
}

/** Puts enums together again whose members all stand there. @param self The union itself, which may be an enum. */
function withEnums(
  context: TypeContext,
  types: readonly ts.Type[],
  self: ts.Type,
): readonly ts.Type[] {
  const whole = new Map<ts.Type, ts.Type>();
  for (const type of types) {
    const parent = enumOf(context, type);
    if (parent !== self && parent?.isUnion() && parent.types.every((one) => types.includes(one))) {
      parent.types.forEach((one) => whole.set(one, parent));
    }
  }
  return [...new Set(types.map((type) => whole.get(type) ?? type))];
}

function enumOf({ ts, checker }: TypeContext, type: ts.Type): ts.Type | undefined {
  if ((type.flags & ts.TypeFlags.EnumLiteral) === 0 || type.symbol === undefined) return undefined;
  const member = declarationOf(type.symbol);
  if (member === undefined || !ts.isEnumMember(member)) return undefined;
  const symbol = checker.getSymbolAtLocation(member.parent.name);
  return symbol && checker.getDeclaredTypeOfSymbol(symbol);
}

/** The alternatives in the order they are written, or of their values where nobody wrote one. */
function inOrder(
  context: TypeContext,
  types: readonly ts.Type[],
  { hint }: TypePlace,
): readonly Alternative[] {
  const { checker } = context;
  const written = alternativesOf(context, hint);
  const places = types.map((type) => {
    const place = written.findIndex((one) =>
      one.type === type || (one.type.isUnion() && one.type.types.includes(type))
    );
    const node = written[place]?.type === type ? written[place]?.node : undefined;
    return { type, node, place: place === -1 ? written.length : place };
  });
  const text = (type: ts.Type): string | number =>
    type.isNumberLiteral() ? type.value : checker.typeToString(type);
  return places.toSorted((a, b) => a.place - b.place || compare(text(a.type), text(b.type)));
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** The value of a literal type; `undefined` for others. */
function literalOf({ ts, checker }: TypeContext, type: ts.Type): Literal | undefined {
  if (type.isUnion()) return undefined;
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  const isBoolean = (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
  return isBoolean ? checker.typeToString(type) === "true" : undefined;
}

/** Whether a literal is among the values of another alternative: `"a" | string`. */
function isCovered(literal: Literal, schemas: readonly SchemaObject[]): boolean {
  return schemas.some((one) => isSame(one, { type: typeof literal }));
}

/** The schema of literals: none for none, `boolean` for both of its values. */
function enumeration(literals: readonly Literal[]): readonly SchemaObject[] {
  const rest = literals.includes(true) && literals.includes(false)
    ? literals.filter((one) => typeof one !== "boolean")
    : literals;
  const both = rest.length < literals.length ? [{ type: "boolean" }] : [];
  const [first] = rest;
  if (first === undefined) return both;
  const types = [...new Set(rest.map((one) => typeof one))];
  const type = types.length === 1 ? types[0] : types;
  return [...both, rest.length === 1 ? { type, const: first } : { type, enum: rest }];
}

/** Alternatives, as one schema. Simple types are a list of them. */
function anyOf(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = schemas.filter((one, i) =>
    schemas.findIndex((other) => isSame(one, other)) === i
  );
  const [only] = distinct;
  if (only === undefined) return { not: {} };
  if (distinct.length === 1) return only;
  const isSimple = distinct.every(({ type, ...others }) =>
    typeof type === "string" && Object.keys(others).length === 0
  );
  return isSimple ? { type: distinct.map(({ type }) => type) } : { anyOf: distinct };
}

function orNull(schema: SchemaObject): SchemaObject {
  const { type, const: value, ...others } = schema;
  if (typeof type !== "string" && !Array.isArray(type)) {
    const { anyOf: choices, ...beside } = schema;
    const isChoice = Array.isArray(choices) && Object.keys(beside).length === 0;
    return { anyOf: [...(isChoice ? choices : [schema]), { type: "null" }] };
  }
  const types = { type: [...(Array.isArray(type) ? type : [type]), "null"] };
  if (value !== undefined) return { ...others, ...types, enum: [value, null] };
  if (Array.isArray(others.enum)) return { ...others, ...types, enum: [...others.enum, null] };
  return { ...others, ...types };
}

/** Objects that the value of a member tells apart, OpenAPI 3.1 §4.8.25. The member needs all of them to have names. */
function discriminated(
  writer: TypeWriter,
  types: readonly ts.Type[],
  schemas: readonly SchemaObject[],
): SchemaObject | undefined {
  const [first] = types;
  if (first === undefined || types.length < 2 || schemas.length !== types.length) return undefined;
  const { ts, checker } = writer.context;
  if (types.some((one) => (one.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0)) {
    return undefined;
  }
  for (const { name } of checker.getPropertiesOfType(first)) {
    const values = types.map((one) => memberValues(writer.context, one, name));
    const all = values.flat();
    if (values.some((one) => one.length === 0) || new Set(all).size < all.length) continue;
    const isMapped = all.every((one) => typeof one === "string") &&
      schemas.every((one) => typeof one.$ref === "string" && Object.keys(one).length === 1);
    if (!isMapped) return { oneOf: schemas };
    const mapping = Object.fromEntries(
      values.flatMap((list, i) => list.map((one) => [String(one), schemas[i]?.$ref])),
    );
    return { oneOf: schemas, discriminator: { propertyName: name, mapping } };
  }
  return undefined;
}

/** The values of a member that can have only some; none if it can have any, or need not be there. */
function memberValues(context: TypeContext, type: ts.Type, name: string): readonly Literal[] {
  const { ts, checker } = context;
  const member = checker.getPropertyOfType(type, name);
  if (member === undefined || (member.flags & ts.SymbolFlags.Optional) !== 0) return [];
  const value = checker.getTypeOfSymbol(member);
  const values = (value.isUnion() ? value.types : [value]).map((one) => literalOf(context, one));
  return values.every((one) => one !== undefined) ? values : [];
}
