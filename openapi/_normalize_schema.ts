/**
 * Normalizes converter output for OpenAPI tools: removes library-specific keywords, and constraints that hold for the
 * validator but not for the API.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isEmpty, isJson, isObject, isSame, SCHEMA_KEYWORDS } from "./_json_schema.ts";

/** Side of a validator: its input or its output. */
export type Side = "input" | "output";

/** Marks a part that JSON cannot represent, so that it can be described in the metadata. */
export const UNKNOWN_PART = "x-gatehouse-unknown";

/** Keywords of JSON Schema 2020-12 and of OpenAPI's vocabulary. Libraries and users add others. */
const KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...SCHEMA_KEYWORDS,
  ..."$anchor $comment $defs $dynamicAnchor $dynamicRef $ref const contentEncoding contentMediaType"
    .split(" "),
  ..."default definitions dependentRequired dependentSchemas deprecated description discriminator enum"
    .split(" "),
  ..."example examples exclusiveMaximum exclusiveMinimum externalDocs format maxContains maxItems maxLength"
    .split(" "),
  ..."maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern"
    .split(" "),
  ..."patternProperties properties readOnly required title type uniqueItems writeOnly xml".split(
    " ",
  ),
]);

/** Normalizes one schema whose subschemas are already normalized. */
export function normalizeSchema(
  { [UNKNOWN_PART]: unknown, ...given }: SchemaObject,
  side: Side,
): SchemaObject {
  const schema = unknown === undefined || isDescribed(given)
    ? given
    : { ...given, [UNKNOWN_PART]: unknown };
  const known = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) =>
      (KEYWORDS.has(keyword) || keyword.startsWith("x-")) &&
      (typeof value !== "number" || Number.isFinite(value)) &&
      (keyword !== "default" || isJson(value))
    ),
  );
  const sided = side === "input" ? asInput(known) : asOutput(known);
  return withProperties(withoutEmptyChoice(withoutBooleans(sided)));
}

/** Keywords for which tools accept boolean schemas. Elsewhere they require objects. */
const BOOLEAN_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "additionalProperties",
  "items",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

function withoutBooleans(schema: SchemaObject): SchemaObject {
  const asObject = (one: unknown): unknown => one === true ? {} : one === false ? { not: {} } : one;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (!SCHEMA_KEYWORDS.has(keyword) || BOOLEAN_KEYWORDS.has(keyword)) return [keyword, value];
      return [keyword, Array.isArray(value) ? value.map(asObject) : asObject(value)];
    }),
  );
}

/** Properties of a request are not read-only, JSON Schema Validation §9.4. */
function asInput({ readOnly: _, ...schema }: SchemaObject): SchemaObject {
  return schema;
}

/** Responses are not validated, so their schemas must not exclude additional properties. */
function asOutput({ writeOnly: _, ...schema }: SchemaObject): SchemaObject {
  if (schema.additionalProperties !== false) return schema;
  const { additionalProperties: _closed, ...open } = schema;
  return open;
}

/**
 * Removes duplicate and `undefined` alternatives from `anyOf`, and `anyOf` itself if one alternative accepts anything.
 */
function withoutEmptyChoice(schema: SchemaObject): SchemaObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = anyOf.filter((one, i) =>
    anyOf.findIndex((other) => isSame(one, other)) === i &&
    !(isObject(one) && one[UNKNOWN_PART] === "undefined") // an optional property
  );
  if (choices.some((one) => isObject(one) && isEmpty(one))) return rest;
  const [only] = choices;
  if (choices.length > 1) return { ...rest, anyOf: choices };
  if (!isObject(only)) return rest;
  return isEmpty(rest) ? only : { ...rest, allOf: [only] };
}

/** Adds required properties that are described only by `additionalProperties`. */
function withProperties(schema: SchemaObject): SchemaObject {
  const { required, properties = {}, additionalProperties } = schema;
  if (!Array.isArray(required) || !isObject(properties) || !isObject(additionalProperties)) {
    return schema;
  }
  const missing = required.filter((name) => !Object.hasOwn(properties, name));
  if (missing.length === 0) return schema;
  const added = missing.map((name) => [name, additionalProperties]);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}

/** Whether a schema says what it accepts. A part that JSON cannot represent may be described by its own metadata. */
function isDescribed(schema: SchemaObject): boolean {
  return ["type", "$ref", "allOf", "anyOf", "oneOf", "enum"].some((keyword) => keyword in schema);
}
