/** DESIGN §6, "Schemas": what other libraries with Standard JSON Schema say, and what of it a document takes over. */

import {
  createRouter,
  generateOpenAPI,
  json,
  type OpenApiDocument,
  type RouteSchema,
  type SchemaObject,
  type StandardSchemaV1,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import * as v from "valibot";
import { findProblems } from "./openapi_gate.ts";
import { ARKTYPE, VALIBOT_TO_JSON_SCHEMA } from "./versions.ts";

/** The part of ArkType that is used here. */
interface ArkType {
  type(definition: unknown): StandardSchemaV1;
  scope(definitions: unknown): { export(): Readonly<Record<string, StandardSchemaV1>> };
}

/** The part of Valibot's converter that is used here. */
interface ValibotToJsonSchema {
  toStandardJsonSchema(schema: unknown): StandardSchemaV1;
}

const { type, scope }: ArkType = await import(ARKTYPE);
const { toStandardJsonSchema: converted }: ValibotToJsonSchema = await import(
  VALIBOT_TO_JSON_SCHEMA
);

const INFO = { title: "Test", version: "1.0.0", license: { name: "MIT", identifier: "MIT" } };
const text = { type: "string" };
const number = { type: "number" };

/** The document of routes `POST /0/:id`, … with a schema each. */
function documentOf(
  schemas: readonly RouteSchema[],
): OpenApiDocument {
  const router = createRouter();
  for (const [i, schema] of schemas.entries()) {
    router.post(`/${i}/:id`, () => json(null as never), { schema });
  }
  return generateOpenAPI(INFO, router);
}

/** What a body's schema becomes, and the schemas that it refers to. */
function bodySchemas(body: StandardSchemaV1): readonly [schema: unknown, schemas: unknown] {
  const { paths, components } = documentOf([{ body }]);
  const { ProblemDetails: _, ...schemas } = components.schemas ?? {};
  const { requestBody } = paths["/0/{id}"]?.post ?? {};
  assert(requestBody !== undefined && "content" in requestBody);
  return [requestBody.content["application/json"]?.schema, schemas];
}

function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

function objectOf(member: SchemaObject): SchemaObject {
  return { type: "object", properties: { a: member }, required: ["a"] };
}

type Case = readonly [why: string, schema: StandardSchemaV1, told: SchemaObject];

const ARKTYPE_BODIES: readonly Case[] = [
  ["a text", type("string"), text],
  ["an integer", type("number.integer > 0"), { type: "integer", exclusiveMinimum: 0 }],
  ["literals", type("'a' | 'b'"), { enum: ["a", "b"] }],
  [
    "what may be null",
    type({ a: "string | null" }),
    objectOf({
      anyOf: [text, { type: "null" }],
    }),
  ],
  ["what may be missing", type({ "a?": "string" }), { type: "object", properties: { a: text } }],
  [
    "what may be undefined, which it takes for anything",
    type({ a: "string | undefined" }),
    objectOf({}),
  ],
  ["a list", type("string[]"), { type: "array", items: text }],
  ["a tuple", type(["string", "number"]), {
    type: "array",
    prefixItems: [text, number],
    items: false,
    minItems: 2,
  }],
  ["a record", type({ "[string]": "number" }), { type: "object", additionalProperties: number }],
  ["an object that takes no other member", type({ "+": "reject", a: "string" }), {
    ...objectOf(text),
    additionalProperties: false,
  }],
  ["what a morph takes", type({ a: "string.trim" }), objectOf(text)],
];

const VALIBOT_BODIES: readonly Case[] = [
  ["a text", converted(v.pipe(v.string(), v.minLength(2))), { ...text, minLength: 2 }],
  ["titles and descriptions", converted(v.pipe(v.string(), v.title("A"), v.description("An a"))), {
    ...text,
    title: "A",
    description: "An a",
  }],
  ["literals", converted(v.picklist(["a", "b"])), { ...text, enum: ["a", "b"] }],
  [
    "what may be null",
    converted(v.object({ a: v.nullable(v.string()) })),
    objectOf({
      anyOf: [text, { type: "null" }],
    }),
  ],
  ["a default", converted(v.object({ a: v.optional(v.string(), "x") })), {
    type: "object",
    properties: { a: { ...text, default: "x" } },
    required: [],
  }],
  [
    "a variant",
    converted(v.variant("k", [
      v.object({ k: v.literal("a") }),
      v.object({ k: v.literal("b") }),
    ])),
    {
      oneOf: ["a", "b"].map((k) => ({
        type: "object",
        properties: { k: { const: k } },
        required: ["k"],
      })),
    },
  ],
  [
    "an intersection",
    converted(v.intersect([
      v.object({ a: v.string() }),
      v.object({ a: v.string(), b: v.string() }),
    ])),
    {
      allOf: [
        objectOf(text),
        { type: "object", properties: { a: text, b: text }, required: ["a", "b"] },
      ],
    },
  ],
  ["an object that takes no other member", converted(v.strictObject({ a: v.string() })), {
    ...objectOf(text),
    additionalProperties: false,
  }],
  [
    "what a pipe takes",
    converted(v.object({ a: v.pipe(v.string(), v.transform(Number)) })),
    objectOf(
      text,
    ),
  ],
  [
    "nothing of metadata of one's own",
    converted(v.pipe(v.string(), v.metadata({ id: "A" }))),
    text,
  ],
];

for (
  const [library, cases] of [["ArkType", ARKTYPE_BODIES], ["Valibot", VALIBOT_BODIES]] as const
) {
  for (const [why, schema, told] of cases) {
    Deno.test(`generateOpenAPI() writes, of ${library}, ${why}`, () => {
      assertEquals(bodySchemas(schema), [told, {}]);
    });
  }
}

/** Schemas that refer to themselves, made anew each time. */
function recursive(): Readonly<Record<"ArkType" | "Valibot", readonly StandardSchemaV1[]>> {
  const { Tree, Left, Right } = scope({
    Tree: { value: "string", "children?": "Tree[]" },
    Left: { "right?": "Right" },
    Right: { "left?": "Left", tree: "Tree" },
  }).export();
  const tree: v.GenericSchema = v.object({ children: v.array(v.lazy(() => tree)) });
  const left: v.GenericSchema = v.object({ right: v.optional(v.lazy(() => right)) });
  const right: v.GenericSchema = v.object({ left: v.optional(v.lazy(() => left)), tree });
  assert(Tree && Left && Right);
  return {
    ArkType: [Tree, Left, Right, type({ tree: Tree, left: Left }), type({ "self?": "this" })],
    Valibot: [tree, left, right, v.object({ tree, left })].map(converted),
  };
}

Deno.test("generateOpenAPI() makes components of recursive schemas of ArkType", () => {
  const [tree, left] = recursive().ArkType;
  assert(tree && left);
  assertEquals(bodySchemas(tree), [ref("Post0IdBody"), {
    Post0IdBody: {
      type: "object",
      properties: { children: ref("Post0IdBody_2"), value: text },
      required: ["value"],
    },
    Post0IdBody_2: { type: "array", items: ref("Post0IdBody") },
  }]);
  const [schema, schemas] = bodySchemas(left);
  assertEquals(schema, ref("Post0IdBody"));
  assertEquals(Object.keys(schemas as object), [
    "Post0IdBody",
    "Post0IdBody_2",
    "Post0IdBody_3",
    "Post0IdBody_4",
  ]);
});

Deno.test("generateOpenAPI() makes components of recursive schemas of Valibot", () => {
  const [tree, left] = recursive().Valibot;
  assert(tree && left);
  const inside = (name: string) => ({
    type: "object",
    properties: { children: { type: "array", items: ref(name) } },
    required: ["children"],
  });
  assertEquals(bodySchemas(tree), [inside("Post0IdBody"), { Post0IdBody: inside("Post0IdBody") }]);
  const [, schemas] = bodySchemas(left);
  assertEquals(Object.keys(schemas as object), ["Post0IdBody", "Post0IdBody_2", "Post0IdBody_3"]);
});

/** The document of everything that a library can be used for. */
const DOCUMENTS: Readonly<Record<"ArkType" | "Valibot", () => OpenApiDocument>> = {
  ArkType: () =>
    documentOf([
      ...recursive().ArkType.flatMap((schema) => [{ body: schema }, { response: schema }]),
      ...ARKTYPE_BODIES.map(([, body]) => ({ body })),
      {
        params: type({ id: "string.uuid" }),
        query: type({
          "limit?": "string.integer.parse",
          sort: "'asc' | 'desc'",
          "tag?": "string[]",
        }),
        response: type({ at: "string.date.iso.parse", n: "string.numeric.parse" }),
      },
    ]),
  Valibot: () =>
    documentOf([
      ...recursive().Valibot.flatMap((schema) => [{ body: schema }, { response: schema }]),
      ...VALIBOT_BODIES.map(([, body]) => ({ body })),
      {
        params: converted(v.object({ id: v.pipe(v.string(), v.uuid()) })),
        query: converted(v.object({
          limit: v.optional(v.pipe(v.string(), v.transform(Number), v.integer())),
          sort: v.picklist(["asc", "desc"]),
        })),
        response: converted(v.strictObject({ n: v.pipe(v.string(), v.decimal()) })),
      },
      {
        query: converted(v.variant("by", [
          v.object({ by: v.literal("id"), id: v.string() }),
          v.object({ by: v.literal("name"), name: v.string() }),
        ])),
      },
    ]),
};

/** Makes much else, so that what a library counts differs. */
function makeOthers(): void {
  for (let i = 0; i < 50; i++) {
    scope({ Node: { [`a${i}`]: "string", "b?": "Node[]" } }).export();
    recursive();
  }
}

for (const [library, document] of Object.entries(DOCUMENTS)) {
  Deno.test(`generateOpenAPI() writes documents of ${library} that pass all gates`, async () => {
    assertEquals(await findProblems(document()), []);
  });

  Deno.test(`generateOpenAPI() writes the same document of ${library}, whatever was made before`, () => {
    const written = JSON.stringify(document());
    makeOthers();
    assertEquals(JSON.stringify(document()), written);
    for (const made of [/intersection\d/, /"type\d+"/, /#\/\$defs/]) assert(!made.test(written));
  });
}

const PARAMETERS: readonly (readonly [
  library: string,
  schema: RouteSchema,
  parameters: readonly unknown[],
])[] = [
  ["ArkType", {
    params: type({ id: "string.digits" }),
    query: type({ "limit?": "string.digits", sort: "'asc' | 'desc'", "tag?": "string[]" }),
  }, [
    { name: "id", in: "path", required: true, schema: { ...text, pattern: "^\\d*$" } },
    {
      name: "sort",
      in: "query",
      required: true,
      schema: { enum: ["asc", "desc"] },
    },
    {
      name: "limit",
      in: "query",
      schema: { ...text, pattern: "^\\d*$" },
    },
    { name: "tag", in: "query", schema: { type: "array", items: text } },
  ]],
  ["Valibot", {
    params: converted(v.object({ id: v.pipe(v.string(), v.uuid()) })),
    query: converted(v.object({
      limit: v.optional(v.pipe(v.string(), v.transform(Number)), "20"),
      sort: v.pipe(v.picklist(["asc", "desc"]), v.description("Order")),
    })),
  }, [
    { name: "id", in: "path", required: true, schema: { ...text, format: "uuid" } },
    { name: "limit", in: "query", schema: { ...text, default: "20" } },
    {
      name: "sort",
      in: "query",
      required: true,
      description: "Order",
      schema: { ...text, enum: ["asc", "desc"] },
    },
  ]],
];

for (const [library, schema, parameters] of PARAMETERS) {
  Deno.test(`generateOpenAPI() makes parameters of the members of ${library}`, () => {
    assertEquals(
      documentOf([schema]).paths["/0/{id}"]?.post?.parameters,
      parameters as [],
    );
  });
}

Deno.test("generateOpenAPI() promises of no response of Valibot that nothing else is in it", () => {
  const written = JSON.stringify(
    documentOf([{ response: converted(v.strictObject({ a: v.string() })) }]),
  );
  assert(!written.includes("additionalProperties"));
});
