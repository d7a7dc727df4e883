/**
 * Finds the objects of a document by what they are, so that a property that is called `nullable`,
 * or a `$ref` in an example, is not taken for a keyword.
 *
 * @module
 */

import { joinPointer } from "./problem.ts";

/** An object in JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What an object of a document is, OpenAPI 3.1 §4.8. */
export type NodeKind =
  | "callback"
  | "components"
  | "document"
  | "encoding"
  | "example"
  | "header"
  | "link"
  | "mediaType"
  | "operation"
  | "parameter"
  | "pathItem"
  | "requestBody"
  | "response"
  | "schema"
  | "securityScheme";

/** An object of a document, or a Reference Object in its place. */
export interface OpenApiNode {
  readonly kind: NodeKind;
  readonly pointer: string;
  readonly value: JsonObject;
}

/** The fields of a Path Item Object that hold operations. */
export const METHODS: readonly string[] = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
];

/** How a field holds objects of a kind: one, a list of them, or a map from names to them. */
type Field = readonly [shape: "one" | "list" | "map", kind: NodeKind];

const SCHEMA: Field = ["one", "schema"];
const SCHEMA_LIST: Field = ["list", "schema"];
const SCHEMA_MAP: Field = ["map", "schema"];
const VALUE_FIELDS: Readonly<Record<string, Field>> = {
  schema: SCHEMA,
  content: ["map", "mediaType"],
  examples: ["map", "example"],
};

/** The fields that hold objects, per kind. `*` stands for all other fields. */
const FIELDS: Readonly<Record<NodeKind, Readonly<Record<string, Field>>>> = {
  document: {
    paths: ["map", "pathItem"],
    webhooks: ["map", "pathItem"],
    components: ["one", "components"],
  },
  components: {
    schemas: SCHEMA_MAP,
    responses: ["map", "response"],
    parameters: ["map", "parameter"],
    examples: ["map", "example"],
    requestBodies: ["map", "requestBody"],
    headers: ["map", "header"],
    securitySchemes: ["map", "securityScheme"],
    links: ["map", "link"],
    callbacks: ["map", "callback"],
    pathItems: ["map", "pathItem"],
  },
  pathItem: {
    parameters: ["list", "parameter"],
    ...Object.fromEntries(METHODS.map((method): [string, Field] => [method, ["one", "operation"]])),
  },
  operation: {
    parameters: ["list", "parameter"],
    requestBody: ["one", "requestBody"],
    responses: ["map", "response"],
    callbacks: ["map", "callback"],
  },
  callback: { "*": ["one", "pathItem"] },
  parameter: VALUE_FIELDS,
  header: VALUE_FIELDS,
  requestBody: { content: ["map", "mediaType"] },
  mediaType: { schema: SCHEMA, encoding: ["map", "encoding"], examples: ["map", "example"] },
  encoding: { headers: ["map", "header"] },
  response: {
    headers: ["map", "header"],
    content: ["map", "mediaType"],
    links: ["map", "link"],
  },
  schema: {
    $defs: SCHEMA_MAP,
    properties: SCHEMA_MAP,
    patternProperties: SCHEMA_MAP,
    dependentSchemas: SCHEMA_MAP,
    allOf: SCHEMA_LIST,
    anyOf: SCHEMA_LIST,
    oneOf: SCHEMA_LIST,
    prefixItems: SCHEMA_LIST,
    additionalProperties: SCHEMA,
    contains: SCHEMA,
    contentSchema: SCHEMA,
    else: SCHEMA,
    if: SCHEMA,
    items: SCHEMA,
    not: SCHEMA,
    propertyNames: SCHEMA,
    then: SCHEMA,
    unevaluatedItems: SCHEMA,
    unevaluatedProperties: SCHEMA,
  },
  example: {},
  link: {},
  securityScheme: {},
};

/** All objects of a document whose kind is known. References are not followed. */
export function readNodes(document: unknown): OpenApiNode[] {
  return readNode("document", "#", document);
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of an object; what is no object has none. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The value that the fragment of a JSON Pointer leads to. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  if (!/^#(?:\/|$)/.test(pointer)) return undefined;
  return decodeURIComponent(pointer).split("/").slice(1).reduce((value: unknown, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as JsonObject)[key];
  }, document);
}

function readNode(kind: NodeKind, pointer: string, value: unknown): OpenApiNode[] {
  if (!isObject(value)) return [];
  const children = Object.entries(value).flatMap(([name, content]) => {
    const fields = FIELDS[kind];
    const field = Object.hasOwn(fields, name) ? fields[name] : fields["*"];
    return field === undefined ? [] : readField(field, joinPointer(pointer, name), content);
  });
  return [{ kind, pointer, value }, ...children];
}

function readField([shape, kind]: Field, pointer: string, value: unknown): OpenApiNode[] {
  switch (shape) {
    case "one":
      return readNode(kind, pointer, value);
    case "list":
      if (!Array.isArray(value)) return [];
      return value.flatMap((item, i) => readNode(kind, joinPointer(pointer, i), item));
    case "map":
      return entriesOf(value).flatMap(([name, item]) =>
        readNode(kind, joinPointer(pointer, name), item)
      );
  }
}
