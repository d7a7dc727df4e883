/** DESIGN §6: responses follow from the code, from what is written of them, and from how the router refuses. */

import type {
  EndpointMetadata,
  RequestBodyObject,
  ResponseObject,
  RouteOptions,
  RouteSchema,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import {
  answer,
  type Build,
  documentOf,
  operation,
  refusalOf,
  responseOf,
  schemasOf,
  validatorOf,
} from "./_helpers.ts";

type Written = NonNullable<EndpointMetadata["responses"]>;

/** The responses of a GET route without those of the router itself. */
function responses(
  written: Written | undefined,
  schema: RouteSchema = {},
): unknown {
  const openapi = written === undefined ? {} : { openapi: { responses: written } };
  const document = documentOf((router) => router.get("/a", answer, { schema, ...openapi }));
  return Object.fromEntries(
    Object.entries(operation(document, "GET /a").responses).filter(([, one]) => !("$ref" in one)),
  );
}

const text = { type: "string" };
const response = z.string();
const content = { "application/json": { schema: text } };
const ref = { $ref: "#/components/schemas/ProblemDetails" };
const problem = { "application/problem+json": { schema: ref } };

const SUCCESSES: readonly (readonly [
  why: string,
  written: Written | undefined,
  told: Readonly<Record<string, ResponseObject>>,
])[] = [
  ["a 200 where nothing is written", undefined, { "200": { description: "OK", content } }],
  ["a written success in place of the 200", { "201": {} }, {
    "201": { description: "Created", content },
  }],
  ["several successes", { "200": {}, "202": { description: "Later" } }, {
    "200": { description: "OK", content },
    "202": { description: "Later", content },
  }],
  ["any success", { "2XX": {} }, { "2XX": { description: "Success", content } }],
  ["successes that have no body, RFC 9110 §15.3", { "204": {}, "205": {} }, {
    "204": { description: "No Content" },
    "205": { description: "Reset Content" },
  }],
  ["a redirect in place of the 200", { "303": { description: "There" } }, {
    "303": { description: "There" },
  }],
  ["a 304 beside the 200, whose place it takes at times", { "304": {} }, {
    "200": { description: "OK", content },
    "304": { description: "Not Modified" },
  }],
  ["the 200 beside a written error", { "404": { description: "Not there" } }, {
    "200": { description: "OK", content },
    "404": { description: "Not there", content: problem },
  }],
  ["errors by their own texts", { "403": {}, "409": {}, "4XX": {}, "5XX": {}, default: {} }, {
    "200": { description: "OK", content },
    "403": { description: "The credential does not allow this", content: problem },
    "409": { description: "Conflict", content: problem },
    "4XX": { description: "Any other refusal", content: problem },
    "5XX": { description: "Server error", content: problem },
    default: { description: "Anything else that went wrong", content: problem },
  }],
  ["an error whose content is written", { "409": { content: { "text/plain": {} } } }, {
    "200": { description: "OK", content },
    "409": { description: "Conflict", content: { "text/plain": {} } },
  }],
  ["an error without content", { "409": { content: {} } }, {
    "200": { description: "OK", content },
    "409": { description: "Conflict", content: {} },
  }],
  ["an informational response", { "103": { description: "Early hints" } }, {
    "103": { description: "Early hints" },
    "200": { description: "OK", content },
  }],
  ["header fields and links", { "200": { headers: { ETag: { schema: text } }, links: {} } }, {
    "200": { description: "OK", headers: { ETag: { schema: text } }, links: {}, content },
  }],
  ["the schema of the data of written events", {
    "200": { content: { "text/event-stream": {} } },
  }, {
    "200": { description: "OK", content: { "text/event-stream": { schema: text } } },
  }],
  ["the schema of written content of JSON", {
    "200": { content: { "application/vnd.a+json": { example: "a" }, "text/csv": {} } },
  }, {
    "200": {
      description: "OK",
      content: { "application/vnd.a+json": { schema: text, example: "a" }, "text/csv": {} },
    },
  }],
  ["a written schema, which wins", {
    "200": { content: { "application/json": { schema: { type: "integer" } } } },
  }, {
    "200": { description: "OK", content: { "application/json": { schema: { type: "integer" } } } },
  }],
  ["a success without content", { "200": { content: {} } }, {
    "200": { description: "OK", content: {} },
  }],
];

for (const [why, written, told] of SUCCESSES) {
  Deno.test(`generateOpenAPI() documents ${why}`, () => {
    assertEquals(responses(written, { response }), told);
  });
}

Deno.test("generateOpenAPI() writes no schema for content without one", () => {
  assertEquals(responses(undefined), { "200": { description: "OK" } });
  assertEquals(responses({ "201": {} }), { "201": { description: "Created" } });
});

Deno.test("generateOpenAPI() does not exclude additional properties in responses", () => {
  const strict = z.strictObject({ a: z.strictObject({ b: z.string() }) });
  const document = documentOf((router) =>
    router.get("/a", answer, { schema: { response: strict } })
  );
  assert(!JSON.stringify(responseOf(document, "GET /a", "200")).includes("additionalProperties"));
});

Deno.test("generateOpenAPI() uses the metadata's content where a schema cannot be converted", () => {
  const schema = { response: z.date() };
  const written = { "201": { content }, "202": { content: { "text/csv": { schema: text } } } };
  assertEquals(Object.keys(responses(written, schema) as object), ["201", "202"]);
});

/** What a route may be refused with before its handler runs. */
const REFUSALS: readonly (readonly [why: string, build: Build, statuses: readonly string[]])[] = [
  ["a route of a constant path", (router) => router.get("/a", answer), []],
  ["a path with a parameter, which may be malformed", (router) => router.get("/:a", answer), [
    "400",
  ]],
  ["a wildcard", (router) => router.get("/*", answer), ["400"]],
  ["JSON", (router) => router.post("/a", answer), ["400", "413", "415"]],
  ["a form", (router) => router.put("/a", answer, { multipart: true }), ["400", "413", "415"]],
  ["a raw body", (router) => router.patch("/a", answer, { raw: true }), []],
  [
    "a schema of the body",
    (router) => router.post("/a", answer, { schema: { body: z.string() } }),
    ["400", "413", "415", "422"],
  ],
  [
    "a schema of the path",
    (router) => router.get("/:a", answer, { schema: { params: z.object({ a: z.string() }) } }),
    ["400", "422"],
  ],
  [
    "a schema of the query",
    (router) => router.get("/a", answer, { schema: { query: z.object({}) } }),
    ["422"],
  ],
  [
    "a schema of the response, which nothing checks",
    (router) => router.get("/a", answer, { schema: { response } }),
    [],
  ],
];

const RESPONSE_REFS: Readonly<Record<string, string>> = {
  "400": "BadRequest",
  "401": "Unauthorized",
  "403": "Forbidden",
  "413": "ContentTooLarge",
  "415": "UnsupportedMediaType",
  "422": "UnprocessableContent",
  "4XX": "Refused",
  default: "Problem",
};

for (const [why, build, statuses] of REFUSALS) {
  Deno.test(`generateOpenAPI() documents how the router rejects ${why}`, () => {
    const document = documentOf(build);
    const [item = {}] = Object.values(document.paths);
    const [found] = Object.values(item);
    const refs = [...statuses, "4XX", "default"].map((status) =>
      [status, { $ref: `#/components/responses/${RESPONSE_REFS[status]}` }] as const
    );
    const { "200": success, ...refusals } = found?.responses ?? {};
    assert(success !== undefined);
    assertEquals(refusals, Object.fromEntries(refs));
    const shared = [...statuses, "4XX", "default"].map((status) => RESPONSE_REFS[status]).sort();
    assertEquals(Object.keys(document.components.responses ?? {}) as unknown, shared);
  });
}

Deno.test("generateOpenAPI() replaces the router's error response by one of the metadata", () => {
  const document = documentOf((router) =>
    router.post("/a", answer, { openapi: { responses: { "415": { description: "Mine" } } } })
  );
  assertEquals(responseOf(document, "POST /a", "415"), { description: "Mine", content: problem });
  assert(!("UnsupportedMediaType" in (document.components.responses ?? {})));
});

Deno.test("generateOpenAPI() describes shared responses as problem details with header fields", () => {
  const { responses, schemas } = documentOf((router) => router.post("/a", answer)).components;
  for (const { content } of Object.values(responses ?? {})) {
    const { schema, example } = content?.["application/problem+json"] ?? {};
    assertEquals(schema, ref);
    assert(typeof example === "object" && example !== null && "code" in example);
    assertEquals(Object.keys(content ?? {}), ["application/problem+json"]);
  }
  assertEquals(Object.keys(responses?.UnsupportedMediaType?.headers ?? {}), ["Accept"]);
  assertEquals(schemas?.ProblemDetails?.required, ["type", "title", "status", "code"]);
});

Deno.test("generateOpenAPI() orders responses by status, in any order of the metadata", () => {
  const written = { default: {}, "5XX": {}, "404": {}, "201": {}, "200": {} };
  const document = documentOf((router) =>
    router.get("/:a", answer, { openapi: { responses: written } })
  );
  assertEquals(Object.keys(operation(document, "GET /{a}").responses), [
    "200",
    "201",
    "400",
    "404",
    "4XX",
    "5XX",
    "default",
  ]);
});

Deno.test("generateOpenAPI() keeps its problem details if the application has a schema of that name", () => {
  const document = documentOf((router) =>
    router.get("/a", answer, {
      schema: {
        response: z.object({ text: z.string() }).meta({ id: "ProblemDetails" }),
      },
    })
  );
  assertEquals(
    document.components.schemas?.ProblemDetails?.description,
    "Problem details, RFC 9457",
  );
  assertEquals(Object.keys(schemasOf(document)), ["ProblemDetailsOutput"]);
});

const REFUSED: readonly (readonly [why: string, written: Written, lines: readonly string[]])[] = [
  ["invalid statuses", { "99": {} }, ['GET /a: "99" is not a response status']],
  ["classes in lower case", { "2xx": {} }, ['GET /a: "2xx" is not a response status']],
  ["statuses beyond 599", { "600": {} }, ['GET /a: "600" is not a response status']],
  ["an invalid media type", { "200": { content: { json: {} } } }, [
    'GET /a: its response 200: "json" is not a media type',
  ]],
];

for (const [why, written, lines] of REFUSED) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refusalOf(() => responses(written)), lines);
  });
}

type WrittenBody = NonNullable<EndpointMetadata["requestBody"]>;

/** A route that takes content, with hand-written metadata of it. */
function posted(options: RouteOptions, requestBody?: WrittenBody): Build {
  const openapi = requestBody === undefined ? {} : { openapi: { requestBody } };
  return (router) => router.post("/a", answer, { ...options, ...openapi });
}

const Note = z.object({ text: z.string() });
const note = { type: "object", properties: { text }, required: ["text"] };
const upload = { type: "object", properties: { file: { type: "string" } } };
const encoding = { file: { contentType: "image/png" } };

const BODIES: readonly (readonly [
  why: string,
  options: RouteOptions,
  written: WrittenBody | undefined,
  body: RequestBodyObject,
])[] = [
  ["JSON of any kind", {}, undefined, { content: { "application/json": {} }, required: true }],
  ["JSON of a schema", { schema: { body: Note } }, undefined, {
    content: { "application/json": { schema: note } },
    required: true,
  }],
  [
    "JSON of a schema, with what is written",
    { schema: { body: Note } },
    { description: "A note", content: { "application/json": { example: { text: "Milk" } } } },
    {
      description: "A note",
      content: { "application/json": { schema: note, example: { text: "Milk" } } },
      required: true,
    },
  ],
  ["a description alone", { schema: { body: Note } }, { description: "A note" }, {
    description: "A note",
    content: { "application/json": { schema: note } },
    required: true,
  }],
  [
    "a written schema, which wins",
    { schema: { body: Note } },
    { content: { "application/json": { schema: text } } },
    { content: { "application/json": { schema: text } }, required: true },
  ],
  [
    "written media types of JSON, where one has no schema",
    { schema: { body: Note } },
    {
      content: {
        "application/merge-patch+json; charset=utf-8": {},
        "Application/JSON": { schema: text },
      },
    },
    {
      content: {
        "application/merge-patch+json; charset=utf-8": { schema: note },
        "Application/JSON": { schema: text },
      },
      required: true,
    },
  ],
  [
    "the metadata's schema, where the body's own is not JSON",
    { schema: { body: z.map(z.string(), z.string()) } },
    { content: { "application/json": { schema: note } } },
    { content: { "application/json": { schema: note } }, required: true },
  ],
  ["a body that is always there, whatever is written", {}, { required: false }, {
    content: { "application/json": {} },
    required: true,
  }],
  ["a form", { multipart: true }, undefined, {
    content: { "multipart/form-data": { schema: { type: "object" } } },
    required: true,
  }],
  ["a form of a schema", { multipart: true, schema: { body: validatorOf(upload) } }, undefined, {
    content: { "multipart/form-data": { schema: upload } },
    required: true,
  }],
  [
    "a form that is written",
    { multipart: true, schema: { body: z.instanceof(FormData) } },
    { content: { "multipart/form-data": { schema: upload, encoding } } },
    { content: { "multipart/form-data": { schema: upload, encoding } }, required: true },
  ],
  [
    "a form of a schema, with what is written",
    { multipart: true, schema: { body: validatorOf(upload) } },
    { content: { "multipart/form-data": { encoding } } },
    { content: { "multipart/form-data": { schema: upload, encoding } }, required: true },
  ],
  ["a raw body", { raw: true }, undefined, { content: { "*/*": {} }, required: true }],
  ["a raw body that is written", { raw: true }, { content: { "text/csv": { schema: text } } }, {
    content: { "text/csv": { schema: text } },
  }],
  ["a raw body with a description", { raw: true }, { description: "Whatever", required: false }, {
    description: "Whatever",
    content: { "*/*": {} },
    required: false,
  }],
];

for (const [why, options, written, body] of BODIES) {
  Deno.test(`generateOpenAPI() documents ${why}`, () => {
    const document = documentOf(posted(options, written));
    assertEquals(operation(document, "POST /a").requestBody, body);
  });
}

Deno.test("generateOpenAPI() documents a body of POST, PUT and PATCH alone", () => {
  const document = documentOf((router) =>
    router.get("/a", answer).head("/a", answer).delete("/a", answer).options("/a", answer)
      .post("/a", answer).put("/a", answer).patch("/a", answer)
  );
  const withBody = Object.entries(document.paths["/a"] ?? {})
    .filter(([, { requestBody }]) => requestBody !== undefined).map(([method]) => method);
  assertEquals(withBody, ["put", "post", "patch"]);
});

Deno.test("generateOpenAPI() documents the metadata's body of all() for methods with content", () => {
  const content = { "text/plain": {} };
  const document = documentOf((router) =>
    router.all("/a", answer, { openapi: { requestBody: { content } } })
  );
  const bodies = Object.entries(document.paths["/a"] ?? {})
    .map(([method, { requestBody }]) => [method, requestBody]);
  assertEquals(bodies, [
    ["get", undefined],
    ["put", { content }],
    ["post", { content }],
    ["delete", undefined],
    ["patch", { content }],
  ]);
});

const TYPES = "its metadata has a request body of";

const REFUSED_BODY: readonly (readonly [why: string, build: Build, line: string])[] = [
  ...(["get", "head", "delete", "options"] as const).map((method) =>
    [
      `a body of ${method}`,
      (router) => router[method]("/a", answer, { openapi: { requestBody: {} } }),
      `${method.toUpperCase()} /a: its metadata has a request body, but ` +
      `${method.toUpperCase()} has no content`,
    ] as const satisfies (typeof REFUSED_BODY)[number]
  ),
  [
    "another media type than JSON",
    posted({}, { content: { "text/plain": {} } }),
    `POST /a: ${TYPES} text/plain, but the route takes application/json`,
  ],
  [
    "a media type that only begins as JSON's does",
    posted({}, { content: { "application/json-seq": {} } }),
    `POST /a: ${TYPES} application/json-seq, but the route takes application/json`,
  ],
  [
    "another media type than a form's",
    posted({ multipart: true }, { content: { "application/json": {} } }),
    `POST /a: ${TYPES} application/json, but the route takes multipart/form-data`,
  ],
  [
    "an invalid media type",
    posted({ raw: true }, { content: { json: {} } }),
    'POST /a: its request body: "json" is not a media type',
  ],
  [
    "an example and examples, OpenAPI 3.1 §4.8.14.1",
    posted({}, { content: { "application/json": { schema: {}, example: 1, examples: {} } } }),
    "POST /a: its request body: has both example and examples",
  ],
];

for (const [why, build, line] of REFUSED_BODY) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build)), [line]);
  });
}
