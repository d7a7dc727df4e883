/** DESIGN §6: what is written by hand is checked, since no type sees it; every error is said at once. */

import type { EndpointMetadata, OpenApiInfo, SchemaObject } from "@gatehouse/http";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { z } from "zod";
import { answer, documentOf, INFO, refusalOf, routesOf } from "./_helpers.ts";
import { untyped } from "../router/_helpers.ts";

/** The lines of the error that a route's metadata is refused with. */
function refused(openapi: EndpointMetadata, info: Partial<OpenApiInfo> = {}): readonly string[] {
  return refusalOf(() => documentOf((router) => router.get("/a", answer, { openapi }), info));
}

/** Metadata with a schema in a response. */
function responding(schema: SchemaObject): EndpointMetadata {
  return { responses: { "200": { content: { "application/json": { schema } } } } };
}

const SCHEMAS: readonly (readonly [why: string, schema: SchemaObject, line: string])[] = [
  [
    "nullable, which OpenAPI 3.0 had",
    { type: "string", nullable: true },
    '"nullable" is a keyword of OpenAPI 3.0; add "null" to the type',
  ],
  [
    "nullable, wherever it is",
    { properties: { a: { items: { nullable: false } } } },
    '"nullable" is a keyword of OpenAPI 3.0; add "null" to the type',
  ],
  [
    "exclusiveMinimum as OpenAPI 3.0 had it",
    { exclusiveMinimum: true },
    "exclusiveMinimum and exclusiveMaximum must be numbers",
  ],
  [
    "exclusiveMaximum as OpenAPI 3.0 had it",
    { anyOf: [{ exclusiveMaximum: false }] },
    "exclusiveMinimum and exclusiveMaximum must be numbers",
  ],
  ["what is no type", { type: "file" }, 'unknown type "file"'],
  ["what is no type among others", { type: ["string", "date"] }, 'unknown type "date"'],
  [
    "required of draft 3",
    { properties: { a: { required: true } } },
    "required must be an array of names",
  ],
];

for (const [why, schema, line] of SCHEMAS) {
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
    assertEquals(refused(responding(schema)), [`GET /a: its response 200: ${line}`]);
    assertEquals(refused({ parameters: [{ name: "q", in: "query", schema }] }), [
      `GET /a: parameter "q": ${line}`,
    ]);
    const content = { "application/json": { schema } };
    assertEquals(refused({ parameters: [{ name: "q", in: "query", content }] }), [
      `GET /a: parameter "q": ${line}`,
    ]);
    assertEquals(refused({}, { schemas: { Mine: schema } }), [`schema Mine: ${line}`]);
    const body = documentOf.bind(
      null,
      (router) => router.post("/a", answer, { openapi: { requestBody: { content } } }),
    );
    assertEquals(refusalOf(body), [`POST /a: its request body: ${line}`]);
  });
}

Deno.test("generateOpenAPI() takes members that are called as what it refuses", () => {
  const properties = {
    nullable: { type: "boolean" },
    required: {},
    exclusiveMinimum: {},
    type: {},
  };
  documentOf((router) =>
    router.get("/a", answer, { openapi: responding({ type: "object", properties }) })
  );
});

const NO_REF = "unresolved reference";

const REFERENCES: readonly (readonly [why: string, ref: string, line: string])[] = [
  [
    "a schema that is not there",
    "#/components/schemas/None",
    `${NO_REF} #/components/schemas/None`,
  ],
  ["a part of the document that is not there", "#/paths/~1b", `${NO_REF} #/paths/~1b`],
  [
    "an object's own word, which is no schema",
    "#/components/schemas/constructor",
    `${NO_REF} #/components/schemas/constructor`,
  ],
  ["an anchor", "#mine", `${NO_REF} #mine`],
  ["the whole document, which is no schema", "#", `${NO_REF} #`],
  ["what cannot be decoded", "#/components/%", `${NO_REF} #/components/%`],
];

for (const [why, $ref, line] of REFERENCES) {
  Deno.test(`generateOpenAPI() refuses a reference to ${why}`, () => {
    for (const schema of [{ $ref }, { items: { $ref } }, { properties: { a: { $ref } } }]) {
      assertEquals(refused(responding(schema)), [`GET /a: ${line}`]);
    }
    assertEquals(refused({}, { schemas: { Mine: { $ref } } }), [line]);
  });
}

const FOUND: readonly (readonly [why: string, $ref: string])[] = [
  ["a schema of info", "#/components/schemas/Mine"],
  ["a part of it", "#/components/schemas/Mine/properties/a~1b"],
  ["the router's own problems", "#/components/schemas/ProblemDetails"],
  ["another document", "https://schemas.test/a.json"],
];

for (const [why, $ref] of FOUND) {
  Deno.test(`generateOpenAPI() takes a written reference to ${why}`, () => {
    const schemas = { Mine: { properties: { "a/b": { type: "string" } } } };
    const document = documentOf(
      (router) => router.get("/a", answer, { openapi: responding({ $ref }) }),
      { schemas },
    );
    assertEquals(routesOf(document), ["GET /a"]);
  });
}

Deno.test("generateOpenAPI() takes values for no references", () => {
  const value = { $ref: "#/nowhere" };
  const schema = { default: value, const: value, enum: [value], examples: [value] };
  documentOf((router) =>
    router.get("/a", answer, {
      openapi: {
        "x-a": value,
        parameters: [{ name: "q", in: "query", schema, example: value }],
        responses: {
          "200": { content: { "application/json": { examples: { a: { value } } } } },
          "201": { content: { "application/json": { example: value } } },
        },
      },
    })
  );
});

const EXAMPLES: readonly (readonly [why: string, metadata: EndpointMetadata, where: string])[] = [
  ["content", {
    responses: { "200": { content: { "application/json": { example: 1, examples: {} } } } },
  }, "its response 200:"],
  [
    "a parameter",
    { parameters: [{ name: "q", in: "query", example: 1, examples: {} }] },
    'parameter "q":',
  ],
];

for (const [why, metadata, where] of EXAMPLES) {
  Deno.test(`generateOpenAPI() refuses an example and examples of ${why}, OpenAPI 3.1 §4.8`, () => {
    assertEquals(refused(metadata), [`GET /a: ${where} has both example and examples`]);
  });
}

const VALUES: readonly (readonly [why: string, value: unknown])[] = [
  ["a bigint", 1n],
  [
    "what holds itself",
    (() => {
      const self: Record<string, unknown> = {};
      self.self = self;
      return self;
    })(),
  ],
];

for (const [why, value] of VALUES) {
  Deno.test(`generateOpenAPI() refuses ${why}, which JSON cannot represent, in one line`, () => {
    const lines = refused({ "x-a": value });
    assertEquals(lines.length, 1);
    assertMatch(lines[0] ?? "", /^GET \/a: ./);
  });
}

Deno.test("generateOpenAPI() lists everything that is wrong, a line for each", () => {
  const lines = refusalOf(() =>
    documentOf((router) =>
      router.get("/a", answer)
        .get("/a", answer)
        .get("/b/:id", answer, { openapi: { parameters: [{ name: "di", in: "path" }] } })
        .post("/c", answer, { schema: { body: z.map(z.string(), z.string()) } })
        .get("/d", answer, {
          openapi: {
            operationId: "d d",
            parameters: [{ name: "q", in: "query", schema: { type: "file", nullable: true } }],
            responses: { "200": { content: { json: {} } } },
          },
        })
        .get("/e", answer, { openapi: { responses: { ok: {} } } })
    )
  );
  assertEquals(lines.map((line) => line.slice(0, line.indexOf(": "))), [
    "GET /a",
    "GET /b/:id",
    "POST /c",
    "GET /d",
    "GET /d",
    "GET /d",
    "GET /d",
    "GET /e",
  ]);
});

Deno.test("generateOpenAPI() says the same thing once", () => {
  const lines = refusalOf(() =>
    documentOf((router) =>
      router.all("/a/:id?", answer, {
        openapi: { responses: { "200": { content: { json: {} } } } },
      })
    )
  );
  assertEquals(lines, ['ALL /a/:id?: its response 200: "json" is not a media type']);
});

const INFOS: readonly (readonly [why: string, info: unknown, lines: readonly string[]])[] = [
  ["no title", { ...INFO, title: undefined }, ["info.title must be a non-empty string"]],
  ["an empty title", { ...INFO, title: "" }, ["info.title must be a non-empty string"]],
  ["a version that is a number, which YAML and JSON read otherwise", { ...INFO, version: 1.0 }, [
    "info.version must be a non-empty string",
  ]],
  ["neither title nor version", {}, [
    "info.title must be a non-empty string",
    "info.version must be a non-empty string",
  ]],
  ["names of schemas that are none", { ...INFO, schemas: { "a b": {} } }, [
    'components.schemas: "a b" is not a valid component name',
  ]],
];

for (const [why, info, lines] of INFOS) {
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
    const given = untyped<Partial<OpenApiInfo>>({
      title: undefined,
      version: undefined,
      ...untyped<object>(info),
    });
    assertEquals(refusalOf(() => documentOf(() => {}, given)), lines);
  });
}

Deno.test("generateOpenAPI() lets errors through that are not about the document", () => {
  const boom = new RangeError("boom");
  const openapi = {
    get summary(): string {
      throw boom;
    },
  };
  assertThrows(
    () => documentOf((router) => router.get("/a", answer, { openapi })),
    RangeError,
    "boom",
  );
});
