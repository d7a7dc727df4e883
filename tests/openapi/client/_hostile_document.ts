/**
 * A document of every kind of route, whose texts and names are hostile.
 *
 * @module
 */

import type { OpenApiDocument, SchemaObject } from "../../../router/openapi_types.ts";
import { documentOf, jsonContent } from "./_documents.ts";

const STRING = { type: "string" };
const PROBLEM = jsonContent({ type: "object", properties: { code: STRING }, required: ["code"] });

/** Runs if it becomes code. */
export const HOSTILE: string = [
  "*/ globalThis.hacked = 1; /*",
  "`${globalThis.hacked = 1}`",
  '"; globalThis.hacked = 1; //',
  "\n\r\u2028\u2029globalThis.hacked = 1;",
  "\\*/ globalThis.hacked = 1; /*",
  "*\\/ */\u202eglobalThis.hacked = 1;/*",
  "@ts-nocheck\n@ts-ignore\n@ts-expect-error",
  "\u001b[2K\u0085\u00ad\u2066",
].join("\n");

/** Names of components that are no names of types, or those of something else. */
export const NAMES: Readonly<Record<string, string>> = {
  string: "stringSchema",
  class: "classSchema",
  Client: "ClientSchema",
  ClientSchema: "ClientSchemaSchema",
  Routes: "RoutesSchema",
  Response: "ResponseSchema",
  Promise: "PromiseSchema",
  Record: "RecordSchema",
  AsyncIterable: "AsyncIterableSchema",
  QueryValue: "QueryValueSchema",
  FormData: "FormDataSchema",
  BodyInit: "BodyInitSchema",
  Blob: "BlobSchema",
  BufferSource: "BufferSourceSchema",
  Exclude: "ExcludeSchema",
  Extract: "ExtractSchema",
  Page: "Page",
  Outcome: "Outcome",
  "a-b": "a_b",
  "a.b": "a_bSchema",
  "a b": "a_bSchema2",
  "1st": "_1st",
  "": "_",
  constructor: "constructor",
  toString: "toString",
};

const ROUTES = {
  "/plain": { get: {}, post: { requestBody: { required: true, ...jsonContent(STRING) } } },
  "/typed/{id}": {
    get: {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "integer" } },
        { name: "q", in: "query", required: true, schema: STRING },
        { name: "tag", in: "query", schema: { type: "array", items: STRING } },
        { name: "any", in: "query" },
        { name: "same", in: "query", schema: { $ref: "#/components/schemas/Itself" } },
        { $ref: "#/components/parameters/nowhere" },
        { name: "X-Version", in: "header", required: true, schema: { type: "integer" } },
        { name: "Authorization", in: "header", required: true, schema: STRING },
        { name: "Cookie", in: "header", required: true, schema: STRING },
        { name: "X-CSRF-Token", in: "header", required: true, schema: STRING },
        { name: "sid", in: "cookie", schema: STRING },
      ],
      responses: {
        200: jsonContent({ const: "ok" }),
        201: jsonContent({ const: "ok" }),
        202: {},
        304: {},
        404: jsonContent({ const: "missing" }),
        410: PROBLEM,
        "4XX": PROBLEM,
        default: PROBLEM,
      },
    },
    patch: {
      parameters: [{ name: "id", in: "path", required: true, schema: {} }],
      requestBody: { content: { "application/merge-patch+json": { schema: { type: "object" } } } },
      responses: {
        204: {},
        "3XX": jsonContent({ const: "elsewhere" }),
        500: jsonContent({ const: "broken" }),
        "4XX": PROBLEM,
        "5XX": jsonContent({ const: "down" }),
      },
    },
  },
  "/open": {
    get: {
      parameters: [{
        name: "query",
        in: "query",
        style: "form",
        explode: true,
        schema: { type: "object" },
      }],
    },
  },
  "/files": {
    post: {
      requestBody: {
        required: true,
        content: {
          "multipart/form-data": {
            schema: {
              type: "object",
              properties: { file: { type: "string", format: "binary" } },
              required: ["file"],
            },
          },
        },
      },
      responses: { "2XX": { content: { "image/png": {} } } },
    },
    get: {
      responses: {
        200: { content: { "text/csv": {} } },
        206: { content: { "application/octet-stream": {} } },
      },
    },
  },
  "/forms": {
    put: { requestBody: { required: true, content: { "multipart/form-data": {} } } },
    post: {
      requestBody: { required: true, content: { "application/x-www-form-urlencoded": {} } },
      responses: { 200: { content: { "text/csv": {} } }, 204: {} },
    },
  },
  "/choices": {
    put: {
      requestBody: {
        required: true,
        content: {
          "text/plain": {},
          "application/merge-patch+json": { schema: { type: "number" } },
          "application/json": { schema: STRING },
        },
      },
      responses: { 200: { $ref: "#/components/responses/a~1b" }, 404: { $ref: "#/nowhere" } },
    },
    post: {
      requestBody: {
        required: true,
        content: { "text/plain": {}, "application/merge-patch+json": { schema: STRING } },
      },
      responses: { 204: {} },
    },
  },
  "/files/{path}": {
    get: {
      parameters: [{
        name: "path",
        in: "path",
        required: true,
        description: "The rest of the path; its slashes are not encoded",
        schema: STRING,
      }],
      responses: { 200: { content: { "text/plain": {} } } },
    },
  },
  "/events": {
    get: { responses: { 200: { content: { "text/event-stream": { schema: STRING } } } } },
  },
  "/raw": {
    get: { responses: { 200: { content: { "text/event-stream": {} } } } },
    post: { requestBody: { required: true, content: { "application/octet-stream": {} } } },
  },
  ['/"; globalThis.hacked = 1; "\u2028{a*/b}']: {
    get: {
      summary: HOSTILE,
      description: HOSTILE,
      deprecated: true,
      parameters: [{
        name: "a*/b",
        in: "path",
        required: true,
        description: HOSTILE,
        deprecated: true,
        schema: STRING,
      }],
    },
  },
};

const SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  ...Object.fromEntries(
    Object.keys(NAMES).map((
      name,
      n,
    ) => [name, { type: "object", properties: { n: { const: n } } }]),
  ),
  Hostile: {
    description: HOSTILE,
    type: "object",
    properties: {
      [HOSTILE]: { const: HOSTILE, description: HOSTILE },
      kind: { enum: [HOSTILE], deprecated: true },
    },
  },
  [HOSTILE]: STRING,
  NumbersOnce: { type: ["integer", "number"] },
  Itself: { $ref: "#/components/schemas/Itself" },
};

/** The document. */
export const DOCUMENT: OpenApiDocument = documentOf(SCHEMAS, ROUTES, HOSTILE, {
  "a/b": { description: "Shared", ...jsonContent({ const: "shared" }) },
});
