/** DESIGN §6 and §4, "Content": request bodies follow from how a route reads them. */

import type { EndpointMetadata, RequestBodyObject, RouteOptions } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { answer, type Build, documentOf, operation, refusalOf, validatorOf } from "./_helpers.ts";

type Written = NonNullable<EndpointMetadata["requestBody"]>;

/** A route that takes content, with hand-written metadata of it. */
function posted(options: RouteOptions, requestBody?: Written): Build {
  const openapi = requestBody === undefined ? {} : { openapi: { requestBody } };
  return (router) => router.post("/a", answer, { ...options, ...openapi });
}

const text = { type: "string" };
const Note = z.object({ text: z.string() });
const note = { type: "object", properties: { text }, required: ["text"] };
const upload = { type: "object", properties: { file: { type: "string" } } };
const encoding = { file: { contentType: "image/png" } };

const BODIES: readonly (readonly [
  why: string,
  options: RouteOptions,
  written: Written | undefined,
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
    "a written schema, where the body's own is no JSON",
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

Deno.test("generateOpenAPI() documents what is written of a body of all() where it may be", () => {
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

const REFUSED: readonly (readonly [why: string, build: Build, line: string])[] = [
  ...(["get", "head", "delete", "options"] as const).map((method) =>
    [
      `a body of ${method}`,
      (router) => router[method]("/a", answer, { openapi: { requestBody: {} } }),
      `${method.toUpperCase()} /a: its metadata has a request body, but ` +
      `${method.toUpperCase()} has no content`,
    ] as const satisfies (typeof REFUSED)[number]
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
    "what is no media type",
    posted({ raw: true }, { content: { json: {} } }),
    'POST /a: its request body: "json" is not a media type',
  ],
  [
    "an example and examples, OpenAPI 3.1 §4.8.14.1",
    posted({}, { content: { "application/json": { schema: {}, example: 1, examples: {} } } }),
    "POST /a: its request body: has both example and examples",
  ],
];

for (const [why, build, line] of REFUSED) {
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build)), [line]);
  });
}
