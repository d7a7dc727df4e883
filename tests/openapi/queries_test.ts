/** DESIGN §6: each member of a query's schema becomes a parameter. */

import type { ParameterObject, StandardSchemaV1 } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { queryParameters, validatorOf } from "./_helpers.ts";

const text = { type: "string" };
const Sort = z.enum(["asc", "desc"]).meta({ id: "Sort", description: "Order" });
const ByName = z.object({ by: z.literal("name"), name: z.string() });
const ByKey = z.object({ by: z.literal("key"), key: z.string(), name: z.string().optional() });
const SelfUnion: z.ZodType = z.union([z.object({ a: z.string() }), z.lazy(() => SelfUnion)]);
const SelfParts: z.ZodType = z.intersection(
  z.object({ a: z.string() }),
  z.lazy(() => SelfParts),
);

const QUERIES: readonly (readonly [
  why: string,
  query: StandardSchemaV1,
  told: readonly Omit<ParameterObject, "in">[],
])[] = [
  ["a member", z.object({ q: z.string() }), [{ name: "q", required: true, schema: text }]],
  ["an optional member", z.object({ q: z.string().optional() }), [{ name: "q", schema: text }]],
  ["a member with a default", z.object({ n: z.coerce.number().default(20) }), [
    { name: "n", schema: { type: "number", default: 20 } },
  ]],
  ["a member with a description", z.object({ q: z.string().describe("What to look for") }), [
    { name: "q", required: true, description: "What to look for", schema: text },
  ]],
  ["a list, which a name that repeats is", z.object({ tag: z.array(z.string()).optional() }), [
    { name: "tag", schema: { type: "array", items: text } },
  ]],
  ["a schema with a name", z.object({ sort: Sort }), [
    { name: "sort", required: true, schema: { $ref: "#/components/schemas/Sort" } },
  ]],
  ["a schema with a name, and a description", z.object({ sort: Sort.describe("By age") }), [
    {
      name: "sort",
      required: true,
      description: "By age",
      schema: { $ref: "#/components/schemas/Sort" },
    },
  ]],
  ["a schema with a name, and a default", z.object({ sort: Sort.default("asc") }), [
    {
      name: "sort",
      schema: { default: "asc", allOf: [{ $ref: "#/components/schemas/Sort" }] },
    },
  ]],
  ["an object with a name", z.object({ q: z.string() }).meta({ id: "Query" }), [
    { name: "q", required: true, schema: text },
  ]],
  ["an optional object", z.object({ q: z.string() }).optional(), [
    { name: "q", required: true, schema: text },
  ]],
  [
    "both parts of an intersection",
    z.intersection(
      z.object({ a: z.string() }),
      z.object({ b: z.string().optional() }),
    ),
    [{ name: "a", required: true, schema: text }, { name: "b", schema: text }],
  ],
  [
    "what all alternatives require",
    z.union([
      z.object({ a: z.string(), b: z.string() }),
      z.object({ a: z.string(), c: z.string() }),
    ]),
    [
      { name: "a", required: true, schema: text },
      { name: "b", schema: text },
      { name: "c", schema: text },
    ],
  ],
  ["what alternatives say of one name", z.discriminatedUnion("by", [ByName, ByKey]), [
    {
      name: "by",
      required: true,
      schema: { anyOf: [{ ...text, const: "name" }, { ...text, const: "key" }] },
    },
    { name: "name", schema: text },
    { name: "key", schema: text },
  ]],
  ["an alternative that is itself", SelfUnion, [{ name: "a", schema: text }]],
  ["a part that is itself", SelfParts, [{ name: "a", required: true, schema: text }]],
  ["any name", z.record(z.string(), z.string()), [{
    name: "query",
    style: "form",
    explode: true,
    schema: { type: "object", propertyNames: text, additionalProperties: text },
  }]],
  [
    "an alternative that is the only one",
    validatorOf({
      oneOf: [{ type: "object", properties: { a: text }, required: ["a"] }],
    }),
    [{ name: "a", required: true, schema: text }],
  ],
  [
    "any name, where one alternative takes it",
    z.union([
      z.object({ a: z.string() }),
      z.record(z.string(), z.string()),
    ]),
    [
      { name: "a", schema: text },
      {
        name: "query",
        style: "form",
        explode: true,
        schema: { type: "object", propertyNames: text, additionalProperties: text },
      },
    ],
  ],
  [
    "names that match an expression",
    validatorOf({
      type: "object",
      patternProperties: { "^x-": text },
    }),
    [{
      name: "query",
      style: "form",
      explode: true,
      schema: { type: "object", patternProperties: { "^x-": text } },
    }],
  ],
  ["other names beside one", z.object({ query: z.string() }).catchall(z.string()), [
    { name: "query", required: true, schema: text },
    {
      name: "query_2",
      style: "form",
      explode: true,
      schema: { type: "object", additionalProperties: text },
    },
  ]],
  ["no other names, where they are refused", z.strictObject({ q: z.string() }), [
    { name: "q", required: true, schema: text },
  ]],
  ["anything, which says nothing", z.any(), []],
];

for (const [why, query, told] of QUERIES) {
  Deno.test(`generateOpenAPI() makes query parameters of ${why}`, () => {
    assertEquals(queryParameters(query), told.map((one) => ({ ...one, in: "query" })));
  });
}
