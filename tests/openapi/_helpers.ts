/**
 * What the tests of the OpenAPI generator share: short ways to a document and to the part of it that a test is about.
 *
 * @module
 */

import {
  type AuthIntegration,
  createRouter,
  generateOpenAPI,
  json,
  type MediaTypeObject,
  type OpenApiDocument,
  type OpenApiInfo,
  type OperationObject,
  type ParameterObject,
  type RequestBodyObject,
  type ResponseObject,
  type RouteSource,
  type SchemaObject,
  type SchemeStrategy,
  type StandardSchemaV1,
  type TypedResponse,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertInstanceOf } from "@std/assert";

/** An application whose document Redocly's strict rules accept. */
export const INFO: OpenApiInfo = {
  title: "Test",
  version: "1.0.0",
  license: { name: "MIT", identifier: "MIT" },
};

/** A handler whose data has any type. */
export function answer(): TypedResponse<never> {
  return json(null as never);
}

/** Adds routes to a router. What it returns is documented, if it returns something. */
export type Build = (router: TypedRouter) => RouteSource | void;

/** The document of what a function adds to a new router. */
export function documentOf(build: Build, info: Partial<OpenApiInfo> = {}): OpenApiDocument {
  const router = createRouter();
  return generateOpenAPI({ ...INFO, ...info }, build(router) ?? router);
}

/** The operation of a route, as in `GET /users/{id}`. */
export function operation(document: OpenApiDocument, route: string): OperationObject {
  const [method = "", path = ""] = route.split(" ");
  const found = document.paths[path]?.[method.toLowerCase()];
  assert(found, `${route} is not one of ${routesOf(document).join(", ")}`);
  return found;
}

/** Every operation, as in `GET /users/{id}`. */
export function routesOf({ paths }: OpenApiDocument): readonly string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
  );
}

/** The parameters of an operation. */
export function parametersOf(document: OpenApiDocument, route: string): readonly ParameterObject[] {
  return (operation(document, route).parameters ?? []) as readonly ParameterObject[];
}

/** The request body of an operation. */
export function bodyOf(document: OpenApiDocument, route: string): RequestBodyObject {
  const { requestBody } = operation(document, route);
  assert(requestBody !== undefined && "content" in requestBody, `${route} has no body`);
  return requestBody;
}

/** A response of an operation. */
export function responseOf(
  document: OpenApiDocument,
  route: string,
  status: string,
): ResponseObject {
  const response = operation(document, route).responses[status];
  assert(response !== undefined && "description" in response, `${route} has no ${status}`);
  return response as ResponseObject;
}

/** The schema of JSON content. */
export function jsonSchemaIn(
  { content }: { readonly content?: Readonly<Record<string, MediaTypeObject>> },
): SchemaObject | undefined {
  return content?.["application/json"]?.schema;
}

/** The schemas of a document besides that of problems, which every document has. */
export function schemasOf({ components }: OpenApiDocument): Readonly<Record<string, SchemaObject>> {
  const { ProblemDetails: _, ...schemas } = components.schemas ?? {};
  return schemas;
}

/** What a body schema becomes: the schema in place, and the schemas that it refers to. */
export function bodySchemas(body: StandardSchemaV1): readonly [SchemaObject | undefined, unknown] {
  const document = documentOf((router) => router.post("/a", answer, { schema: { body } }));
  return [jsonSchemaIn(bodyOf(document, "POST /a")), schemasOf(document)];
}

/** The parameters that a query schema becomes. */
export function queryParameters(query: StandardSchemaV1): readonly ParameterObject[] {
  return parametersOf(
    documentOf((router) => router.get("/a", answer, { schema: { query } })),
    "GET /a",
  );
}

/** What a response schema becomes, and the schemas that it refers to. */
export function responseSchemas(
  response: StandardSchemaV1,
): readonly [SchemaObject | undefined, unknown] {
  const document = documentOf((router) => router.get("/a", answer, { schema: { response } }));
  return [jsonSchemaIn(responseOf(document, "GET /a", "200")), schemasOf(document)];
}

/** The lines of the error that a document is refused with, without the common prefix. */
export function refusalOf(write: () => unknown): readonly string[] {
  let error: unknown;
  try {
    write();
  } catch (thrown) {
    error = thrown;
  }
  assertInstanceOf(error, TypeError, "it is refused, by a TypeError");
  const [first = "", ...lines] = error.message.split("\n");
  assert(first.startsWith("Cannot "), first);
  return lines.length === 0 ? [first] : lines.map((line) => line.trim());
}

/** A validator of no library, which gives the JSON Schema that it is made with. */
export function validatorOf(
  input: unknown,
  output: unknown = input,
): StandardSchemaV1 {
  const props = {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => input, output: () => output },
  } as const;
  return { "~standard": props };
}

/** Strategies by the names that documents give their schemes. */
export const STRATEGIES: Readonly<Record<"session" | "bearer" | "apiKey", SchemeStrategy>> = {
  session: { name: "session-cookie", scheme: { type: "cookie", name: "__Host-sid" } },
  bearer: { name: "bearer-token", scheme: { type: "bearer" } },
  apiKey: { name: "api-key", scheme: { type: "header", name: "X-API-Key" } },
};

/** An integration that accepts every request and declares some strategies. */
export function integrationOf(...strategies: SchemeStrategy[]): AuthIntegration<object> {
  return { guard: () => ({}), authorize: () => {}, strategies };
}
