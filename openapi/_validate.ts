/**
 * What must hold of a document whatever it was made from: the rules of OpenAPI 3.1 that what is written by hand can
 * break, and that no type sees.
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
/** What tools take in a URL and in the name of a function, RFC 3986 §2.3. */
const OPERATION_ID_REGEXP = /^[\w.~-]+$/;

/** What is wrong with the names that an application gives, a line for each. */
export function nameProblems(
  { schemas = {}, securitySchemes = {} }: OpenApiInfo,
): readonly string[] {
  return Object.entries({ schemas, securitySchemes }).flatMap(([kind, named]) =>
    Object.keys(named).filter((name) => !COMPONENT_NAME_REGEXP.test(name))
      .map((name) => `components.${kind}: "${name}" is no name of a component`)
  );
}

/**
 * What is wrong with a document as a whole, a line for each; its operations were looked at before.
 *
 * @param labels What messages call its operations, by method and path.
 */
export function documentProblems(
  document: OpenApiDocument,
  labels: ReadonlyMap<string, string>,
): readonly string[] {
  const { info, components, paths } = document;
  return [
    ...(["title", "version"] as const).flatMap((name) => {
      const value: unknown = info[name];
      return typeof value === "string" && value !== "" ? [] : [`info.${name} is no text`];
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
 * What is wrong with an operation, a line for each.
 *
 * @throws {TypeError} If it holds what JSON cannot carry.
 */
export function operationProblems(given: OperationObject): readonly string[] {
  const operation: OperationObject = JSON.parse(JSON.stringify(given)); // as readers will see it
  const { operationId, parameters = [], requestBody, responses } = operation;
  const found = parameters as readonly ParameterObject[];
  return [
    ...(OPERATION_ID_REGEXP.test(operationId)
      ? []
      : [`operationId "${operationId}" has other characters than A-Z a-z 0-9 . _ ~ -, or none`]),
    ...found.flatMap((one) => parameterProblems(one)),
    ...contentProblems("requestBody" in operation ? requestBody : undefined, "its request body"),
    ...Object.entries(responses).flatMap(([status, one]) =>
      contentProblems(one, `its response ${status}`)
    ),
  ];
}

/** §4.8.12.2: a parameter has a schema, or content of one media type. */
function parameterProblems(parameter: ParameterObject): readonly string[] {
  const { name, schema, content } = parameter;
  const label = `parameter "${name}"`;
  if ((schema === undefined) === (content === undefined)) {
    return [
      `${label} has ${schema === undefined ? "neither a schema nor" : "a schema and"} content`,
    ];
  }
  if (content !== undefined && Object.keys(content).length !== 1) {
    return [`${label} has content of more than one media type, or of none`];
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
    if (!type.includes("/")) return [`${label}: "${type}" is no media type`];
    if (!isObject(media)) return [];
    const schema = isObject(media.schema) ? schemaProblems(media.schema) : [];
    return [
      ...exampleProblems(media).map((line) => `${label}: ${line}`),
      ...schema.map((line) => `${label}: ${line}`),
    ];
  });
}

/** §4.8.12.2, §4.8.14.1: the two exclude each other. */
function exampleProblems(
  { example, examples }: { readonly example?: unknown; readonly examples?: unknown },
): readonly string[] {
  return example === undefined || examples === undefined ? [] : ["it has an example and examples"];
}

/** What OpenAPI 3.0 wrote otherwise, and what is no type at all. */
function schemaProblems(schema: SchemaObject): readonly string[] {
  const problems: string[] = [];
  mapSchema(schema, (one) => {
    if ("nullable" in one) problems.push('"nullable" is of OpenAPI 3.0; add "null" to the type');
    if (typeof one.exclusiveMinimum === "boolean" || typeof one.exclusiveMaximum === "boolean") {
      problems.push("exclusiveMinimum and exclusiveMaximum are numbers since OpenAPI 3.1");
    }
    const types = Array.isArray(one.type) ? one.type : one.type === undefined ? [] : [one.type];
    const other = types.find((type) => !TYPES.has(type));
    if (other !== undefined) problems.push(`${JSON.stringify(other)} is no type`);
    if (one.required !== undefined && !Array.isArray(one.required)) {
      problems.push("required is a list of names");
    }
    return one;
  });
  return problems;
}

/** Values of the application, which only look like parts of a document. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "example",
  "examples",
]);

/** References of a part that lead nowhere. Those to other documents are not followed. */
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
  return [...refs].filter((ref) => ref.startsWith("#") && !leads(document, ref))
    .map((ref) => `nothing is at ${ref}`);
}

function leads(document: OpenApiDocument, ref: string): boolean {
  if (!ref.startsWith("#/")) return false; // the document itself is no part of it
  let place: unknown = document;
  for (const token of ref.slice(1).split("/").slice(1)) {
    const key = pointerToken(token);
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return false;
    place = (place as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}
