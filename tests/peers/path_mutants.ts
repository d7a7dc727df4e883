/**
 * Mutants of what stands below `paths`: paths, parameters, operations, bodies and responses.
 *
 * @module
 */

import { add, type Mutant, remove, rename, set } from "./edit.ts";

const LIST = ["paths", "/notes", "get"];
const CREATE = ["paths", "/notes", "post"];
const ITEM = ["paths", "/notes/{id}"];
const GET = [...ITEM, "get"];
const ATTACH = ["paths", "/notes/{id}/files/{name}"];
const HEALTH = ["paths", "/health"];
const LIMIT = ["components", "parameters", "Limit"];

/** Paths: what becomes of the routes' patterns. */
const PATHS: readonly Mutant[] = [
  [
    "a parameter of a route is written as the router writes it",
    "redocly path-parameters-defined, own path-syntax, own path-parameters",
    rename(ITEM, "/notes/:id"),
  ],
  ["a wildcard is left in a path", "own path-syntax", rename(HEALTH, "/health/*")],
  [
    "a brace is not closed",
    "redocly path-parameters-defined, own path-syntax, own path-parameters",
    rename(ITEM, "/notes/{id"),
  ],
  [
    "a parameter's expression is left in a path",
    "own path-parameters",
    rename(ITEM, "/notes/{id}{[0-9]+}"),
  ],
  [
    "a path does not start with a slash",
    "redocly struct, schema unevaluatedProperties, own path-syntax",
    rename(HEALTH, "health"),
  ],
  [
    "a path has a query",
    "redocly path-not-include-query",
    rename(HEALTH, "/health?deep"),
  ],
  [
    "a path ends in a slash",
    "redocly no-path-trailing-slash",
    rename(HEALTH, "/health/"),
  ],
  [
    "a path has a parameter without a name",
    "redocly path-declaration-must-exist, own path-syntax",
    rename(HEALTH, "/health/{}"),
  ],
  [
    "a path has the same parameter twice",
    "own path-syntax",
    rename(ATTACH, "/notes/{id}/files/{name}/{name}"),
  ],
  [
    "two paths differ in the names of parameters only",
    "redocly no-identical-paths, redocly no-ambiguous-paths, own path-identical",
    add(["paths", "/notes/{key}"], { get: operationWith("key") }),
  ],
  [
    "two paths can match the same URL",
    "redocly no-ambiguous-paths",
    add(["paths", "/{kind}/all"], { get: operationWith("kind") }),
  ],
];

/** Parameters. */
const PARAMETERS: readonly Mutant[] = [
  [
    "a path parameter may be absent",
    "schema const, own path-parameters",
    set([...ITEM, "parameters", 0, "required"], false),
  ],
  [
    "a path parameter does not say required",
    "schema required, own path-parameters",
    remove([...ITEM, "parameters", 0, "required"]),
  ],
  [
    "a path parameter is missing",
    "redocly path-parameters-defined, own path-parameters",
    remove([...ATTACH, "put", "parameters", 0]),
  ],
  [
    "a path parameter is not in the path",
    "redocly path-parameters-defined, own path-parameters",
    set([...ATTACH, "put", "parameters", 1, "name"], "n"),
  ],
  [
    "required is a word",
    "redocly struct, schema type",
    add([...LIST, "parameters", 0, "required"], "yes"),
  ],
  [
    "a parameter stands nowhere that exists",
    "redocly struct, schema enum",
    set([...LIST, "parameters", 0, "in"], "body"),
  ],
  [
    "a parameter has no schema",
    "redocly struct, schema oneOf",
    remove([...LIST, "parameters", 0, "schema"]),
  ],
  [
    "a parameter has a schema and content",
    "schema oneOf",
    add([...LIST, "parameters", 0, "content"], {
      "application/json": { schema: {} },
    }),
  ],
  [
    "a parameter stands twice",
    "redocly operation-parameters-unique, own parameter-unique",
    add([...LIST, "parameters", 2], {
      name: "tag",
      in: "query",
      schema: { type: "string" },
    }),
  ],
  [
    "a header parameter stands twice, in another case",
    "own parameter-unique",
    add([...ATTACH, "put", "parameters", 3], {
      name: "if-match",
      in: "header",
      schema: { type: "string" },
    }),
  ],
  [
    "something stands beside a parameter's reference",
    "redocly spec-ref-siblings",
    add([...LIST, "parameters", 1, "required"], true),
  ],
  [
    "a parameter has example and examples",
    "own example-once",
    add([...LIMIT, "examples"], {
      ten: { value: 10 },
    }),
  ],
  [
    "an example does not fit its schema",
    "redocly no-invalid-parameter-examples",
    set([...LIMIT, "example"], 0),
  ],
];

/** Operations, their bodies and responses. */
const OPERATIONS: readonly Mutant[] = [
  [
    "an operation has no operationId",
    "redocly operation-operationId, own operation-id",
    remove([...GET, "operationId"]),
  ],
  [
    "two operations have the same operationId",
    "redocly operation-operationId-unique, own operation-id",
    set([...GET, "operationId"], "Notes_list"),
  ],
  [
    "an operationId has to be encoded in a URL",
    "redocly operation-operationId-url-safe, own operation-id",
    set([...GET, "operationId"], "get /notes/{id}"),
  ],
  [
    "a method is none of OpenAPI's",
    "redocly struct, schema unevaluatedProperties",
    rename([...ITEM, "delete"], "all"),
  ],
  ["an operation has no summary", "redocly operation-summary", remove([...GET, "summary"])],
  ["an operation has no responses", "own operation-response", remove([...GET, "responses"])],
  [
    "an operation cannot succeed",
    "redocly operation-2xx-response, own operation-response",
    remove([...GET, "responses", "200"]),
  ],
  [
    "an operation cannot be refused",
    "redocly operation-4xx-response",
    remove([...HEALTH, "get", "responses", "4XX"]),
  ],
  [
    "a response has no description",
    "redocly struct, schema required",
    remove([...GET, "responses", "200", "description"]),
  ],
  [
    "a response's status is none",
    "redocly struct, schema unevaluatedProperties",
    add([...GET, "responses", "2000"], { description: "OK" }),
  ],
  [
    "a response has a schema without a media type",
    "redocly struct, schema unevaluatedProperties",
    add([...GET, "responses", "200", "schema"], {}),
  ],
  [
    "a body has no content",
    "redocly struct, schema required",
    remove([...CREATE, "requestBody", "content"]),
  ],
  [
    "an operation has a field of another version",
    "redocly struct, schema unevaluatedProperties",
    add([...GET, "produces"], ["text/plain"]),
  ],
  ["a tag is a number", "redocly struct, schema type", set([...GET, "tags", 0], 1)],
  ["deprecated is a word", "redocly struct, schema type", add([...GET, "deprecated"], "yes")],
  [
    "a form's example has a field that its schema has not",
    "redocly no-invalid-media-type-examples",
    add([...ATTACH, "put", "requestBody", "content", "multipart/form-data", "example"], {
      file: "",
      fiel: "",
    }),
  ],
];

/** The mutants. */
export const PATH_MUTANTS: readonly Mutant[] = [...PATHS, ...PARAMETERS, ...OPERATIONS];

/** An operation that is as it should be, on a path with one parameter. */
function operationWith(name: string): unknown {
  return {
    operationId: `find_${name}`,
    summary: "Find something",
    parameters: [{ name, in: "path", required: true, schema: { type: "string" } }],
    responses: {
      "200": { description: "OK" },
      "400": { $ref: "#/components/responses/BadRequest" },
    },
  };
}
