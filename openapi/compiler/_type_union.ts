/**
 * Unions: enumerations, nullable types, and alternatives with a discriminator.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { isSame } from "../_json_schema.ts";
import {
  markUnresolved,
  type TypeContext,
  type TypePlace,
  type TypeWriter,
} from "./_type_context.ts";
import { alternativesOf } from "./_type_hints.ts";
import { enumOf, typeText } from "./_type_names.ts";
import { isWritten } from "./_type_object.ts";

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
  const is = (one: ts.Type, flags: number): boolean => (one.flags & flags) !== 0;
  const found = alternatives(writer, type);
  const present = found.filter((one) => !is(one, ts.TypeFlags.Undefined | ts.TypeFlags.Void));
  if (present.length < found.length && at.optional !== true) {
    return markUnresolved(at, "may be undefined, which JSON cannot represent; use null");
  }
  const values = present.filter((one) => !is(one, ts.TypeFlags.Null));
  const isEnum = (type.flags & ts.TypeFlags.EnumLiteral) !== 0;
  const ordered = isEnum
    ? values.map((one): Alternative => ({ type: one, node: undefined }))
    : inOrder(context, values, at);
  const literals = ordered.flatMap((one) => literalOf(context, one.type) ?? []);
  const others = ordered.filter((one) => literalOf(context, one.type) === undefined);
  const tagged = literals.length === 0 ? discriminated(writer, others, at) : undefined;
  const joined = tagged ?? anyOf(plainSchemas(writer, { others, literals, at }));
  return values.length < present.length ? orNull(joined) : joined;
}

/** The alternatives as written: named unions and `boolean` are kept whole. */
function alternatives(writer: TypeWriter, type: ts.UnionType): readonly ts.Type[] {
  const { context: { ts }, isNamed } = writer;
  const { origin } = type as { readonly origin?: ts.Type }; // the union as the checker prints it
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

/** Replaces all members of an enum by the enum. @param self The union itself, which may be an enum. */
function withEnums(
  context: TypeContext,
  types: readonly ts.Type[],
  self: ts.Type,
): readonly ts.Type[] {
  const whole = new Map<ts.Type, ts.Type>();
  for (const type of types) {
    const parent = enumOf(context, type)?.type;
    if (parent !== self && parent?.isUnion() && parent.types.every((one) => types.includes(one))) {
      parent.types.forEach((one) => whole.set(one, parent));
    }
  }
  return [...new Set(types.map((type) => whole.get(type) ?? type))];
}

/** The alternatives in source order, or sorted by value if that is unknown. */
function inOrder(
  context: TypeContext,
  types: readonly ts.Type[],
  { hint }: TypePlace,
): readonly Alternative[] {
  const written = alternativesOf(context, hint);
  const places = types.map((type) => {
    const place = written.findIndex((one) =>
      one.type === type || (one.type.isUnion() && one.type.types.includes(type))
    );
    const node = written[place]?.type === type ? written[place]?.node : undefined;
    return { type, node, place: place === -1 ? written.length : place };
  });
  const text = (type: ts.Type): string | number =>
    type.isNumberLiteral() ? type.value : typeText(context, type);
  return places.toSorted((a, b) => a.place - b.place || compare(text(a.type), text(b.type)));
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** The value of a literal type; `undefined` for other types. */
function literalOf({ ts, checker }: TypeContext, type: ts.Type): Literal | undefined {
  if (type.isUnion()) return undefined;
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  const isBoolean = (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
  return isBoolean ? checker.typeToString(type) === "true" : undefined;
}

function plainSchemas(
  writer: TypeWriter,
  { others, literals, at }: {
    readonly others: readonly Alternative[];
    readonly literals: readonly Literal[];
    readonly at: TypePlace;
  },
): readonly SchemaObject[] {
  const schemas = others.map(({ type, node }) =>
    writer.place(type, { ...at, optional: false, hint: node })
  );
  return [...schemas, ...enumeration(literals.filter((one) => !isCovered(one, schemas)))];
}

/** Whether a literal is a value of another alternative: `"a" | string`. */
function isCovered(literal: Literal, schemas: readonly SchemaObject[]): boolean {
  return schemas.some((one) => isSame(one, { type: typeof literal }));
}

/** The schema of literals: empty for none, `boolean` for both of its values. */
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

/** The schema that accepts nothing. */
const NOTHING: SchemaObject = { not: {} };

/** Combines alternatives. Simple types become an array of types. */
export function anyOf(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = schemas.filter((one, i) =>
    schemas.findIndex((other) => isSame(one, other)) === i && !isSame(one, NOTHING)
  );
  const [only] = distinct;
  if (only === undefined) return NOTHING;
  if (distinct.length === 1) return only;
  const isSimple = distinct.every(({ type, ...others }) =>
    typeof type === "string" && Object.keys(others).length === 0
  );
  return isSimple ? { type: distinct.map(({ type }) => type) } : { anyOf: distinct };
}

function orNull(schema: SchemaObject): SchemaObject {
  const { type, anyOf: choices } = schema;
  if (typeof type !== "string" && !Array.isArray(type)) {
    const isChoice = Array.isArray(choices) && Object.keys(schema).length === 1;
    return { anyOf: [...(isChoice ? choices : [schema]), { type: "null" }] };
  }
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) =>
      keyword === "type"
        ? ["type", [type, "null"].flat()]
        : keyword === "const"
        ? ["enum", [value, null]]
        : keyword === "enum"
        ? ["enum", [value, null].flat()]
        : [keyword, value]
    ),
  );
}

/**
 * Objects with a discriminating property, OpenAPI 3.1 §4.8.25; `undefined` if there is none. Unions among them are
 * flattened. A `discriminator` is written only if all of them are named.
 */
function discriminated(
  writer: TypeWriter,
  alternatives: readonly Alternative[],
  at: TypePlace,
): SchemaObject | undefined {
  const { ts, checker } = writer.context;
  const objects = alternatives.flatMap(({ type }) => objectsOf(type));
  const [first] = objects;
  if (first === undefined || objects.length < 2) return undefined;
  const { Object: object, Intersection } = ts.TypeFlags;
  if (objects.some((one) => (one.flags & (object | Intersection)) === 0)) return undefined;
  for (const { name } of checker.getPropertiesOfType(first)) {
    const values = objects.map((one) => memberValues(writer.context, one, name));
    const all = values.flat();
    if (values.some((one) => one.length === 0) || new Set(all).size < all.length) continue;
    const oneOf = objects.map((one) => {
      const node = alternatives.find(({ type }) => type === one)?.node;
      return writer.place(one, { ...at, optional: false, hint: node });
    });
    const isMapped = all.every((one) => typeof one === "string") &&
      oneOf.every((one) => typeof one.$ref === "string");
    if (!isMapped) return { oneOf };
    const mapping = Object.fromEntries(
      values.flatMap((list, i) => list.map((one) => [String(one), oneOf[i]?.$ref])),
    );
    return { oneOf, discriminator: { propertyName: name, mapping } };
  }
  return undefined;
}

function objectsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types.flatMap(objectsOf) : [type];
}

/** The literal values of a required property; empty if it is optional or not literal. */
function memberValues(context: TypeContext, type: ts.Type, name: string): readonly Literal[] {
  const { ts, checker } = context;
  const member = checker.getPropertyOfType(type, name);
  if (member === undefined || (member.flags & ts.SymbolFlags.Optional) !== 0) return [];
  if (!isWritten(context, member) || checker.getPropertyOfType(type, "toJSON") !== undefined) {
    return [];
  }
  const value = checker.getTypeOfSymbol(member);
  const values = (value.isUnion() ? value.types : [value]).map((one) => literalOf(context, one));
  return values.every((one) => one !== undefined) ? values : [];
}
