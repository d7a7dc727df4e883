/**
 * Checks the rules of OpenAPI 3.1 that hand-written metadata can violate and that TypeScript cannot check.
 *
 * @module
 */

import type {
  OpenApiDocument,
  OpenApiInfo,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from "../router/openapi_types.ts";
import { isObject, mapSchema, pointerToken } from "./_json_schema.ts";

/** Types of JSON Schema 2020-12, Validation §6.1.1. */
const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);
/** Names of components, §4.8.7. */
const COMPONENT_NAME_REGEXP = /^[\w.-]+$/;
/** Characters that tools accept in a URL and in a function name, RFC 3986 §2.3. */
const OPERATION_ID_REGEXP = /^[\w.~-]+$/;

/** Invalid component names in `info`, one line each. */
export function nameProblems(
  { schemas = {}, securitySchemes = {} }: OpenApiInfo,
): readonly string[] {
  return Object.entries({ schemas, securitySchemes }).flatMap(([kind, named]) =>
    Object.keys(named).filter((name) => !COMPONENT_NAME_REGEXP.test(name))
      .map((name) => `components.${kind}: "${name}" is not a valid component name`)
  );
}

/**
 * Violations in the document as a whole, one line each. Its operations were checked before.
 *
 * @param labels Labels of the operations in messages, by method and path.
 */
export function documentProblems(
  document: OpenApiDocument,
  labels: ReadonlyMap<string, string>,
): readonly string[] {
  const { info, components, paths } = document;
  return [
    ...(["title", "version"] as const).flatMap((name) => {
      const value: unknown = info[name];
      return typeof value === "string" && value !== ""
        ? []
        : [`info.${name} must be a non-empty string`];
    }),
    ...Object.entries(components.schemas ?? {}).flatMap(([name, schema]) =>
      schemaProblems(schema).map((line) => `schema ${name}: ${line}`)
    ),
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, operation]) =>
        danglingRefs(document, operation).map((line) =>
          `${labels.get(`${method} ${path}`)}: ${line}`
        )
      )
    ),
    ...danglingRefs(document, components),
  ];
}

/**
 * Violations in an operation, one line each.
 *
 * @throws {TypeError} If it contains a value that JSON cannot represent.
 */
export function operationProblems(given: OperationObject): readonly string[] {
  const operation: OperationObject = JSON.parse(JSON.stringify(given)); // as it will be serialized
  const { operationId, parameters = [], requestBody, responses } = operation;
  const found = parameters as readonly ParameterObject[];
  return [
    ...(OPERATION_ID_REGEXP.test(operationId)
      ? []
      : [`operationId "${operationId}" must be a non-empty string of A-Z a-z 0-9 . _ ~ -`]),
    ...found.flatMap((one) => parameterProblems(one)),
    ...contentProblems("requestBody" in operation ? requestBody : undefined, "its request body"),
    ...Object.entries(responses).flatMap(([status, one]) =>
      contentProblems(one, `its response ${status}`)
    ),
  ];
}

/** §4.8.12.2: a parameter has either a schema or content of one media type. */
function parameterProblems(parameter: ParameterObject): readonly string[] {
  const { name, schema, content } = parameter;
  const label = `parameter "${name}"`;
  if ((schema === undefined) === (content === undefined)) {
    return [
      `${label} has ${schema === undefined ? "neither a schema nor" : "both a schema and"} content`,
    ];
  }
  if (content !== undefined && Object.keys(content).length !== 1) {
    return [`${label} must have content of exactly one media type`];
  }
  return [
    ...exampleProblems(parameter).map((line) => `${label}: ${line}`),
    ...(schema === undefined ? [] : schemaProblems(schema).map((line) => `${label}: ${line}`)),
    ...contentProblems({ content }, label),
  ];
}

function contentProblems(holder: unknown, label: string): readonly string[] {
  if (!isObject(holder) || !isObject(holder.content)) return [];
  return Object.entries(holder.content).flatMap(([type, media]) => {
    if (!type.includes("/")) return [`${label}: "${type}" is not a media type`];
    if (!isObject(media)) return [];
    const schema = isObject(media.schema) ? schemaProblems(media.schema) : [];
    return [
      ...exampleProblems(media).map((line) => `${label}: ${line}`),
      ...schema.map((line) => `${label}: ${line}`),
    ];
  });
}

/** §4.8.12.2, §4.8.14.1: `example` and `examples` exclude each other. */
function exampleProblems(
  { example, examples }: { readonly example?: unknown; readonly examples?: unknown },
): readonly string[] {
  return example === undefined || examples === undefined ? [] : ["has both example and examples"];
}

/** Keywords of OpenAPI 3.0, and invalid types. */
function schemaProblems(schema: SchemaObject): readonly string[] {
  const problems: string[] = [];
  mapSchema(schema, (one) => {
    if ("nullable" in one) {
      problems.push('"nullable" is a keyword of OpenAPI 3.0; add "null" to the type');
    }
    if (typeof one.exclusiveMinimum === "boolean" || typeof one.exclusiveMaximum === "boolean") {
      problems.push("exclusiveMinimum and exclusiveMaximum must be numbers");
    }
    const types = Array.isArray(one.type) ? one.type : one.type === undefined ? [] : [one.type];
    const other = types.find((type) => !TYPES.has(type));
    if (other !== undefined) problems.push(`unknown type ${JSON.stringify(other)}`);
    if (one.required !== undefined && !Array.isArray(one.required)) {
      problems.push("required must be an array of names");
    }
    return one;
  });
  return problems;
}

/** Keywords whose values are data, even if they look like parts of a document. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "example",
  "examples",
]);

/** References without a target. References to other documents are not checked. */
function danglingRefs(document: OpenApiDocument, part: unknown): readonly string[] {
  const refs = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isObject(value)) return;
    if (typeof value.$ref === "string") refs.add(value.$ref);
    for (const [key, one] of Object.entries(value)) {
      if (!VALUE_KEYWORDS.has(key) && !key.startsWith("x-")) visit(one);
    }
  };
  visit(part);
  return [...refs].filter((ref) => ref.startsWith("#") && !resolves(document, ref))
    .map((ref) => `unresolved reference ${ref}`);
}

function resolves(document: OpenApiDocument, ref: string): boolean {
  if (!ref.startsWith("#/")) return false; // the document itself is not a component
  let place: unknown = document;
  for (const token of ref.slice(1).split("/").slice(1)) {
    const key = pointerToken(token);
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return false;
    place = (place as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}
