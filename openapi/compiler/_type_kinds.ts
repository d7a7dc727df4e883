/**
 * The schema of a type by its kind: primitives, literals, unions, intersections and objects.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import {
  isMissingType,
  markUnresolved,
  type TypeContext,
  type TypePlace,
  type TypeWriter,
} from "./_type_context.ts";
import { missingImports, missingName, unresolvedReason } from "./_unresolved_types.ts";
import { objectSchema } from "./_type_object.ts";
import { templateSchema } from "./_type_text.ts";
import { unionSchema } from "./_type_union.ts";

/** The schema of a type, regardless of its name. */
export function writeType(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject {
  const { context: { ts, checker } } = writer;
  const is = (flags: number): boolean => (type.flags & flags) !== 0;
  const flags = ts.TypeFlags;
  if (is(flags.Any)) return markUnresolved(at, anyReason(writer.context, type, at));
  if (is(flags.Unknown)) return {};
  if (is(flags.Never)) return { not: {} };
  if (is(flags.Null)) return { type: "null" };
  if (is(flags.Undefined | flags.Void)) {
    return markUnresolved(at, "is undefined, which JSON cannot represent");
  }
  if (is(flags.BooleanLiteral)) {
    return { type: "boolean", const: checker.typeToString(type) === "true" };
  }
  if (is(flags.BigIntLike)) return markUnresolved(at, "is a bigint, which JSON cannot represent");
  if (is(flags.ESSymbolLike)) return markUnresolved(at, "is a symbol, which JSON cannot represent");
  if (is(flags.Union)) return unionSchema(writer, type as ts.UnionType, at);
  if (type.isStringLiteral() || type.isNumberLiteral()) return literalSchema(type);
  if (is(flags.String | flags.StringMapping)) return { type: "string" };
  if (is(flags.Number | flags.Enum)) return { type: "number" };
  if (is(flags.Boolean)) return { type: "boolean" };
  if (is(flags.TemplateLiteral)) return templateSchema(ts, type as ts.TemplateLiteralType);
  if (is(flags.NonPrimitive)) return { type: "object" };
  if (is(flags.Intersection)) return intersectionSchema(writer, type as ts.IntersectionType, at);
  if (is(flags.Object)) return objectSchema(writer, type, at);
  return markUnresolved(
    at,
    `is ${checker.typeToString(type)}, which is not a concrete type; describe it in "openapi"`,
  );
}

function literalSchema({ value }: ts.StringLiteralType | ts.NumberLiteralType): SchemaObject {
  return { type: typeof value, const: value };
}

/** A branded primitive or array is written without its brand; objects are merged. */
function intersectionSchema(
  writer: TypeWriter,
  type: ts.IntersectionType,
  at: TypePlace,
): SchemaObject {
  const { context: { ts, checker } } = writer;
  const { Object: object, NonPrimitive, Instantiable } = ts.TypeFlags;
  const primitive = type.types.find((one) =>
    (one.flags & (object | NonPrimitive | Instantiable)) === 0
  );
  const list = type.types.find((one) => checker.isArrayType(one) || checker.isTupleType(one));
  const carrier = primitive ?? list;
  if (carrier !== undefined) return writer.place(carrier, { ...at, hint: undefined });
  if (checker.typeToString(type) === "never") return { not: {} }; // the properties exclude each other
  const open = type.types.find((one) => (one.flags & ts.TypeFlags.Instantiable) !== 0);
  return open === undefined ? objectSchema(writer, type, at) : writeType(writer, open, at);
}

/** Why a type is `any`: it is unresolved, or declared so. */
function anyReason(context: TypeContext, type: ts.Type, { node, root }: TypePlace): string {
  if (!isMissingType(type)) return 'is any; use "unknown" for any JSON value';
  const name = missingName(context, node) ?? missingName(context, root);
  if (name !== undefined) return unresolvedReason(name);
  const imports = missingImports(context, root.getSourceFile()).join(", ");
  return "has a type that was not found" +
    (imports === "" ? "" : `; neither were the imports ${imports} of its file`);
}
