/**
 * A document without problems, as rich as the generator's own: references that recurse, shared
 * responses, security, a form with a file. The mutants in `mutants.ts` are made of it.
 *
 * @module
 */

const NOTE = { $ref: "#/components/schemas/Note" };
const ID = { name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 } };
const REFUSALS = {
  "400": { $ref: "#/components/responses/BadRequest" },
  "401": { $ref: "#/components/responses/Unauthorized" },
};

/** The document. Tests change copies of it. */
export const BASE_DOCUMENT: unknown = {
  openapi: "3.1.1",
  info: {
    title: "Notes",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [
    { url: "/" },
    {
      url: "https://{region}.notes.test/v1",
      variables: { region: { enum: ["eu", "us"], default: "eu" } },
    },
  ],
  tags: [{ name: "Notes", description: "What somebody wrote down." }],
  security: [{ bearer: [] }],
  paths: {
    "/notes": {
      get: {
        operationId: "Notes_list",
        summary: "List notes",
        tags: ["Notes"],
        parameters: [
          { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } },
          { $ref: "#/components/parameters/Limit" },
        ],
        responses: {
          "200": {
            description: "OK",
            headers: { "X-Total": { schema: { type: "integer" } } },
            content: { "application/json": { schema: { type: "array", items: NOTE } } },
          },
          ...REFUSALS,
        },
      },
      post: {
        operationId: "Notes_create",
        summary: "Write a note",
        tags: ["Notes"],
        security: [{ bearer: [] }, { session: [] }],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: NOTE,
              examples: { short: { summary: "A short one", value: { text: "Milk" } } },
            },
          },
        },
        responses: {
          "201": { description: "Created", content: { "application/json": { schema: NOTE } } },
          ...REFUSALS,
        },
      },
    },
    "/notes/{id}": {
      parameters: [ID],
      get: {
        operationId: "Notes_get",
        summary: "Read a note",
        tags: ["Notes"],
        responses: {
          "200": { description: "OK", content: { "application/json": { schema: NOTE } } },
          ...REFUSALS,
        },
      },
      delete: {
        operationId: "Notes_delete",
        summary: "Throw a note away",
        deprecated: true,
        responses: { "204": { description: "No Content" }, ...REFUSALS },
      },
    },
    "/notes/{id}/files/{name}": {
      put: {
        operationId: "Notes_attach",
        summary: "Attach a file",
        parameters: [
          ID,
          { name: "name", in: "path", required: true, schema: { type: "string" } },
          { name: "If-Match", in: "header", schema: { type: "string", pattern: '^"\\w+"$' } },
        ],
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                properties: {
                  file: { type: "string", contentMediaType: "application/octet-stream" },
                  size: { type: "integer", minimum: 0 },
                },
                required: ["file"],
              },
              encoding: { file: { contentType: "image/png, image/jpeg" } },
            },
          },
        },
        responses: {
          "303": { description: "See Other" },
          default: { description: "Attached" },
          ...REFUSALS,
        },
      },
    },
    "/health": {
      get: {
        operationId: "health",
        summary: "Say whether all is well",
        security: [],
        responses: {
          "2XX": {
            description: "All is well",
            content: { "text/plain": { schema: { type: "string" } } },
          },
          "4XX": { $ref: "#/components/responses/BadRequest" },
        },
      },
    },
  },
  components: {
    parameters: {
      Limit: {
        name: "limit",
        in: "query",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        example: 10,
      },
    },
    schemas: {
      Note: {
        type: "object",
        properties: {
          text: { type: "string", description: "What was written", maxLength: 1000 },
          nullable: { type: ["string", "null"], description: "A name, here, and no keyword" },
          color: { enum: ["red", "green"], default: "red" },
          pinned: { anyOf: [{ type: "boolean" }, { type: "null" }] },
          replies: { type: "array", items: NOTE },
          parent: { ...NOTE, description: "What this one answers" },
          origin: { allOf: [NOTE], description: "What this one is a copy of" },
          extra: { type: "object", additionalProperties: true },
        },
        required: ["text"],
      },
      Problem: {
        type: "object",
        properties: {
          type: { type: "string", format: "uri-reference" },
          status: { type: "integer" },
          code: { type: "string" },
        },
        required: ["type", "status", "code"],
        examples: [{ type: "about:blank", status: 400, code: "invalid_target" }],
      },
    },
    responses: {
      BadRequest: {
        description: "Bad Request",
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
      Unauthorized: {
        description: "Unauthorized",
        headers: { "WWW-Authenticate": { schema: { type: "string" } } },
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
    },
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer" },
      session: { type: "apiKey", in: "cookie", name: "__Host-session" },
    },
  },
};
