/**
 * JSON Schema 2020-12 as a tree: which keywords hold schemas, without their semantics.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";

/** Keywords whose value is a schema or an array of schemas. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords whose value is an object of schemas by name. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Returns a copy in which `edit` has replaced every schema, innermost first. Values such as `default` are kept. */
export function mapSchema(
  schema: SchemaObject,
  edit: (schema: SchemaObject) => SchemaObject,
): SchemaObject {
  const inner = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(inner) : isObject(value) ? mapSchema(value, edit) : value;
  return edit(Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (SCHEMA_KEYWORDS.has(keyword)) return [keyword, inner(value)];
      if (!MAP_KEYWORDS.has(keyword) || !isObject(value)) return [keyword, value];
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)])),
      ];
    }),
  ));
}

/** Visits a schema and all its subschemas, innermost first. */
export function visitSchema(schema: SchemaObject, visit: (schema: SchemaObject) => void): void {
  const inner = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(inner);
    else if (isObject(value)) visitSchema(value, visit);
  };
  for (const keyword in schema) {
    const value = schema[keyword];
    if (SCHEMA_KEYWORDS.has(keyword)) inner(value);
    else if (MAP_KEYWORDS.has(keyword) && isObject(value)) Object.values(value).forEach(inner);
  }
  visit(schema);
}

/** Every `$ref` of a schema, in order. */
export function refsOf(schema: SchemaObject): readonly string[] {
  const refs: string[] = [];
  visitSchema(schema, ({ $ref }) => {
    if (typeof $ref === "string") refs.push($ref);
  });
  return refs;
}

/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON value: no `undefined`, bigint, function, class instance or non-finite number. */
export function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) &&
    Object.values(value).every(isJson);
}

/** Decodes a reference token of a JSON Pointer in a URI fragment, RFC 6901 §6, as far as possible. */
export function pointerToken(token: string): string {
  return decoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a name with an unescaped `%`
  }
}

/** Whether two values serialize to the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether an object has no properties. */
export function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
