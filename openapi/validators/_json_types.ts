/**
 * What a schema says about a value's JSON type, and the alternatives that it consists of.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { isObject } from "../_json_schema.ts";
import { localRef } from "../_schema_graph.ts";

/** Types of JSON values, in the order in which they are named in messages. */
export const JSON_TYPES = ["string", "number", "boolean", "array", "object", "null"] as const;

/** Type of a JSON value. */
export type JsonType = typeof JSON_TYPES[number];

/** Definitions of a schema, by their keys in `$defs`. */
export type Definitions = Readonly<Record<string, SchemaObject>>;

/** The definitions of a root schema. */
export function definitionsOf({ $defs }: SchemaObject): Definitions {
  return (isObject($defs) ? $defs : {}) as Definitions;
}

/** The definition that a schema refers to; `undefined` if it is no reference. @throws {TypeError} If there is none. */
export function targetOf({ $ref }: SchemaObject, defs: Definitions): SchemaObject | undefined {
  if (typeof $ref !== "string") return undefined;
  const found = localRef($ref);
  const target = found?.rest === "" && Object.hasOwn(defs, found.local)
    ? defs[found.local]
    : undefined;
  if (target === undefined) throw new TypeError(`its schema refers to "${$ref}", which is missing`);
  return target;
}

/** The values of `enum` or `const`; `undefined` without them. */
export function valuesOf(schema: SchemaObject): readonly unknown[] | undefined {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Keywords that do not constrain a value. Formats are annotations unless there is a check for them. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "$defs default deprecated description discriminator examples title".split(" "),
);

/** The keywords of a schema that constrain a value. */
export function constraintsIn(schema: SchemaObject): readonly string[] {
  return Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
}

/** The alternatives of a schema that says nothing else; `undefined` for other schemas. */
function alternativesIn(schema: SchemaObject): readonly SchemaObject[] | undefined {
  const [keyword, ...others] = constraintsIn(schema);
  if (others.length > 0 || (keyword !== "anyOf" && keyword !== "oneOf")) return undefined;
  return schema[keyword] as readonly SchemaObject[];
}

/** The alternatives of a union; those of unions among them, by reference too, are its own. */
export function flatten(
  choices: readonly SchemaObject[],
  defs: Definitions,
  outer: readonly SchemaObject[] = [],
): readonly SchemaObject[] {
  return choices.flatMap((one) => {
    const target = constraintsIn(one).length === 1 ? targetOf(one, defs) ?? one : one;
    const inner = outer.includes(target) ? undefined : alternativesIn(target);
    return inner === undefined ? [one] : flatten(inner, defs, [...outer, target]);
  });
}

/** The types of the values that a schema may accept. */
export function typesOf(
  schema: SchemaObject,
  defs: Definitions,
  outer: readonly SchemaObject[] = [],
): ReadonlySet<JsonType> {
  if (outer.includes(schema)) return new Set(JSON_TYPES);
  const inner = (one: SchemaObject) => typesOf(one, defs, [...outer, schema]);
  const target = targetOf(schema, defs);
  if (target !== undefined) return inner(target);
  const values = valuesOf(schema);
  if (values !== undefined) return new Set(values.map(typeOf));
  const { type, anyOf, oneOf, not } = schema;
  if (not !== undefined) return new Set();
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return new Set(choices.flatMap((one) => [...inner(one)]));
  if (type === undefined) return new Set(JSON_TYPES);
  return new Set([type].flat().map((one) => (one === "integer" ? "number" : one) as JsonType));
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  return (Array.isArray(value) ? "array" : typeof value) as JsonType;
}

/** Most values that a message lists. */
const MAX_LISTED = 12;

/** What a value must be, for messages: `a string or null`. */
export function describe(choices: readonly SchemaObject[], defs: Definitions): string {
  const nouns = [...new Set(choices.flatMap((one) => nounsOf(one, defs)))];
  const last = nouns.pop() ?? "absent";
  return nouns.length === 0 ? last : `${nouns.join(", ")} or ${last}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  null: "null",
};

function nounsOf(schema: SchemaObject, defs: Definitions): readonly string[] {
  const values = valuesOf(schema);
  if (values !== undefined) {
    return values.length > MAX_LISTED
      ? [`one of ${values.length} values`]
      : values.map((one) => JSON.stringify(one));
  }
  const target = targetOf(schema, defs);
  if (target !== undefined && valuesOf(target) !== undefined) return nounsOf(target, defs);
  const { type } = schema;
  const types = type === undefined ? [...typesOf(schema, defs)] : [type].flat() as string[];
  return types.map((one) => NOUNS[one] ?? one);
}
