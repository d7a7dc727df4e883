/**
 * Routes of a document: types of their calls and results, and what the run time has to know of them.
 *
 * @module
 */

import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from "../../router/openapi_types.ts";
import { isObject, pointerToken } from "../_json_schema.ts";
import { WILDCARD_NOTE } from "../_parameters.ts";
import { resultsOf } from "./_results.ts";
import type { SchemaTypes } from "./_schema_types.ts";
import { docComment, jsonText, propertyName } from "./_text.ts";
import { isJsonType } from "./response_parts.ts";
import type { Api, RouteContent } from "./runtime.ts";

/** A route of a client. */
export interface ClientRoute {
  /** Its name: `GET /notes/{id}`. */
  readonly name: string;
  /** Its member of the interface `Routes`. */
  readonly text: string;
  /** How it differs from a route of JSON. */
  readonly content: RouteContent;
}

const INDENT = "    ";
/** The header field that the client itself fills in. */
const OWN_FIELD_REGEXP = /^(?:x-csrf-token|authorization|cookie)$/i;
const FORM_TYPE = "multipart/form-data";

/** The routes of a document, in its order. */
export function clientRoutes(
  document: OpenApiDocument,
  types: SchemaTypes,
): readonly ClientRoute[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      clientRoute(`${method.toUpperCase()} ${path}`, operation, document, types)
    )
  );
}

/** The routes of authentication that a client uses itself, by what they take and return. */
export function authRoutes(document: OpenApiDocument, types: SchemaTypes): Omit<Api, "routes"> {
  const found: { csrf?: string; refresh?: string } = {};
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    if (path.includes("{")) continue;
    if (returns(get, ["csrfToken", "header"])) found.csrf ??= path;
    const body = resolved<RequestBodyObject>(post?.requestBody, document)?.content;
    if (
      returns(post, ["accessToken", "refreshToken"]) &&
      requiredOf(types.resolve(body?.["application/json"]?.schema)).join() === "refreshToken"
    ) found.refresh ??= path;
  }
  return found;

  function returns(operation: OperationObject | undefined, names: readonly string[]): boolean {
    const response = resolved<ResponseObject>(operation?.responses["200"], document);
    const required = requiredOf(types.resolve(response?.content?.["application/json"]?.schema));
    return names.every((name) => required.includes(name));
  }
}

function requiredOf(schema: unknown): readonly unknown[] {
  return isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
}

function clientRoute(
  name: string,
  operation: OperationObject,
  document: OpenApiDocument,
  types: SchemaTypes,
): ClientRoute {
  const parameters = (operation.parameters ?? [])
    .map((one) => resolved<ParameterObject>(one, document)).filter((one) => one !== undefined);
  const body = bodyOf(resolved<RequestBodyObject>(operation.requestBody, document), types);
  const members = [
    ...parametersOf("params", parameters.filter((one) => one.in === "path"), types),
    ...parametersOf("query", parameters.filter((one) => one.in === "query"), types),
    ...parametersOf(
      "headers",
      parameters.filter((one) => one.in === "header" && !OWN_FIELD_REGEXP.test(one.name)),
      types,
    ),
    ...body === undefined ? [] : [body],
  ];
  const isOptional = members.every((member) => member.isOptional);
  const options = members.map(({ text }) => `${INDENT}  ${text};\n`).join("");
  const call = options === "" ? "CallOptions" : `CallOptions & {\n${options}${INDENT}}`;
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    [status, resolved<ResponseObject>(response, document) ?? { description: "" }] as const
  );
  const { type, data } = resultsOf(Object.fromEntries(responses), types, INDENT);
  const rest = parameters.find(({ description }) => description === WILDCARD_NOTE);
  return {
    name,
    text: [
      docComment([operation.summary, operation.description], "  ", operation.deprecated === true),
      `  ${jsonText(name)}: {\n`,
      `${INDENT}call: [options${isOptional ? "?" : ""}: ${call}];\n`,
      `${INDENT}result: ${type};\n`,
      "  };\n",
    ].join(""),
    content: {
      ...body?.type !== undefined && { body: body.type },
      ...data !== undefined && { data },
      ...rest !== undefined && { rest: rest.name },
    },
  };
}

/** An option of a call. */
interface Member {
  readonly text: string;
  readonly isOptional: boolean;
}

function parametersOf(
  member: "params" | "query" | "headers",
  parameters: readonly ParameterObject[],
  types: SchemaTypes,
): readonly Member[] {
  if (parameters.length === 0) return [];
  const isOptional = parameters.every((one) => one.required !== true);
  const indent = `${INDENT}    `;
  const lines = parameters.map((one) => {
    const schema = types.resolve(one.schema);
    // An object stands for all other parameters, OpenAPI 3.1 §4.8.12.4: style form, exploded
    if (member === "query" && isObject(schema) && schema.type === "object") {
      return `${indent}[name: string]: QueryValue | undefined;\n`;
    }
    const type = member === "query"
      ? types.typeOf(one.schema, indent).replace(/^unknown$/, "QueryValue")
      : member === "headers"
      ? "string"
      : types.typeOf(one.schema, indent).replace(/^unknown$/, "string");
    const end = one.required === true ? `: ${type}` : `?: ${type} | undefined`;
    return docComment([one.description], indent, one.deprecated === true) +
      `${indent}${propertyName(one.name)}${end};\n`;
  });
  const open = member === "headers" ? `${indent}[name: string]: string | undefined;\n` : "";
  return [{
    text: `${member}${isOptional ? "?" : ""}: {\n${lines.join("")}${open}${INDENT}  }${
      isOptional ? " | undefined" : ""
    }`,
    isOptional,
  }];
}

/** The body of a route, with its media type unless that is JSON. */
function bodyOf(
  body: RequestBodyObject | undefined,
  types: SchemaTypes,
): Member & { readonly type?: string } | undefined {
  const media = Object.entries(body?.content ?? {});
  const [name, { schema }] = media.find(([type]) => type === "application/json") ??
    media.find(([type]) => isJsonType(type)) ?? media[0] ?? ["", {}];
  if (body === undefined || name === "") return undefined;
  const isOptional = body.required !== true;
  const written = types.typeOf(schema, `${INDENT}  `);
  const type = isJsonType(name)
    ? written
    : name === FORM_TYPE
    ? `${written.replace(/^unknown$/, "{ [name: string]: unknown }")} | FormData`
    : name === "application/x-www-form-urlencoded"
    ? `${written.replace(/^unknown$/, "{ [name: string]: unknown }")} | URLSearchParams`
    : "string | Blob | BufferSource";
  return {
    text: `body${isOptional ? "?" : ""}: ${type}${isOptional ? " | undefined" : ""}`,
    isOptional,
    ...name !== "application/json" && { type: name },
  };
}

/** An object of the document, by itself or through a reference to the document's components. */
function resolved<T extends object>(
  object: T | ReferenceObject | undefined,
  { components }: OpenApiDocument,
): T | undefined {
  if (object === undefined || !("$ref" in object)) return object;
  const [, section = "", token = ""] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(object.$ref) ?? [];
  const found = Object.entries(components).find(([name]) => name === section)?.[1];
  return Object.entries(found ?? {}).find(([name]) => name === pointerToken(token))?.[1] as
    | T
    | undefined;
}
