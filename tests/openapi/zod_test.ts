/** DESIGN §6, "Schemas": Zod's JSON Schema and its part in a document. */

import type { SchemaObject } from "@gatehouse/http";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { bodySchemas, refusalOf, responseSchemas } from "./_helpers.ts";

const text = { type: "string" };
const MAX = 9007199254740991;
const ByName = z.object({ by: z.literal("name"), name: z.string() });
const ByKey = z.object({ by: z.literal("key"), key: z.string() });
const byName = {
  type: "object",
  properties: { by: { ...text, const: "name" }, name: text },
  required: ["by", "name"],
};
const byKey = {
  type: "object",
  properties: { by: { ...text, const: "key" }, key: text },
  required: ["by", "key"],
};

/** An object of one member. */
function objectOf(member: SchemaObject, required: boolean = true): SchemaObject {
  return { type: "object", properties: { a: member }, ...(required ? { required: ["a"] } : {}) };
}

type Case = readonly [why: string, schema: z.ZodType, told: SchemaObject];

const INPUTS: readonly Case[] = [
  ["anything", z.any(), {}],
  ["a text", z.string().min(1).max(9), { ...text, minLength: 1, maxLength: 9 }],
  ["a format", z.url(), { ...text, format: "uri" }],
  ["an expression", z.string().regex(/^a+$/), { ...text, pattern: "^a+$" }],
  ["an integer", z.int().min(1), { type: "integer", minimum: 1, maximum: MAX }],
  ["a positive integer", z.int().positive(), {
    type: "integer",
    exclusiveMinimum: 0,
    maximum: MAX,
  }],
  ["an enumeration", z.enum(["a", "b"]), { ...text, enum: ["a", "b"] }],
  ["an enumeration of numbers", z.enum({ A: 0, B: 1 }), { type: "number", enum: [0, 1] }],
  ["a literal", z.literal("a"), { ...text, const: "a" }],
  ["literals of several types", z.literal([1, "a", null]), { enum: [1, "a", null] }],
  [
    "literals without the undefined one, which is a member that is not there",
    z.object({ a: z.literal(["a", undefined]) }),
    objectOf({ ...text, const: "a" }),
  ],
  ["null", z.null(), { type: "null" }],
  ["a template", z.templateLiteral(["note-", z.enum(["a", "b"])]), {
    ...text,
    pattern: "^note-(a|b)$",
  }],
  ["what may be null", z.string().nullable(), { type: ["string", "null"] }],
  ["what may be missing", z.object({ a: z.string().optional() }), objectOf(text, false)],
  ["what may be missing or null", z.object({ a: z.string().nullish() }), {
    type: "object",
    properties: { a: { type: ["string", "null"] } },
  }],
  ["anything or null, which is anything", z.object({ a: z.any().nullable() }), objectOf({})],
  [
    "a default",
    z.object({ a: z.string().default("x") }),
    objectOf({ ...text, default: "x" }, false),
  ],
  [
    "a default before parsing",
    z.object({ a: z.string().prefault("x") }),
    objectOf({
      ...text,
      default: "x",
    }, false),
  ],
  [
    "a default that is computed, as it is evaluated",
    z.object({ a: z.string().default(() => ["x", "y"].join("-")) }),
    objectOf({ ...text, default: "x-y" }, false),
  ],
  [
    "a default that is a date",
    z.object({ a: z.coerce.date().default(new Date(0)) }),
    objectOf({
      ...text,
      format: "date-time",
      default: "1970-01-01T00:00:00.000Z",
    }, false),
  ],
  [
    "what is caught",
    z.object({ a: z.string().catch("x") }),
    objectOf({ ...text, default: "x" }),
  ],
  ["a brand", z.string().brand("Id"), text],
  [
    "what TypeScript alone takes for read-only",
    z.object({ a: z.string().readonly() }),
    objectOf(text),
  ],
  ["what is coerced", z.object({ a: z.coerce.number() }), objectOf({ type: "number" })],
  [
    "a date that is coerced",
    z.object({ a: z.coerce.date() }),
    objectOf({
      ...text,
      format: "date-time",
    }),
  ],
  ["a boolean of words", z.stringbool(), text],
  ["the first part of a pipe", z.string().transform(Number).pipe(z.int()), text],
  [
    "what a transformation takes",
    z.object({ a: z.string() }).transform(({ a }) => a),
    objectOf(text),
  ],
  ["what is preprocessed", z.preprocess((value) => [value].flat(), z.array(z.string())), {
    type: "array",
    items: text,
  }],
  [
    "the encoded side of a codec",
    z.codec(z.url(), z.instanceof(URL), {
      decode: (url) => new URL(url),
      encode: (url) => url.href,
    }),
    { ...text, format: "uri" },
  ],
  ["a list", z.array(z.string()).min(1), { type: "array", items: text, minItems: 1 }],
  ["a tuple", z.tuple([z.string(), z.any()]), {
    type: "array",
    prefixItems: [text, {}],
    items: false,
    minItems: 2,
    maxItems: 2,
  }],
  ["a tuple with a rest", z.tuple([z.string()], z.number()), {
    type: "array",
    prefixItems: [text],
    items: { type: "number" },
    minItems: 1,
  }],
  ["a record", z.record(z.string(), z.number()), {
    type: "object",
    propertyNames: text,
    additionalProperties: { type: "number" },
  }],
  ["a record of every name, each with its schema", z.record(z.enum(["a", "b"]), z.number()), {
    type: "object",
    propertyNames: { ...text, enum: ["a", "b"] },
    properties: { a: { type: "number" }, b: { type: "number" } },
    additionalProperties: { type: "number" },
    required: ["a", "b"],
  }],
  ["a record of some names", z.partialRecord(z.enum(["a"]), z.number()), {
    type: "object",
    propertyNames: { ...text, enum: ["a"] },
    additionalProperties: { type: "number" },
  }],
  ["an object that takes no other member", z.strictObject({ a: z.string() }), {
    ...objectOf(text),
    additionalProperties: false,
  }],
  ["an object that takes any other member", z.looseObject({ a: z.string() }), {
    ...objectOf(text),
    additionalProperties: {},
  }],
  ["an object without members", z.object({}), { type: "object", properties: {} }],
  [
    "a member that must not be there",
    z.object({ a: z.never().optional() }),
    objectOf({ not: {} }, false),
  ],
  ["a union", z.union([z.object({ a: z.string() }), z.boolean()]), {
    anyOf: [objectOf(text), { type: "boolean" }],
  }],
  ["a union without its repetitions", z.union([ByName, ByName, ByKey]), { anyOf: [byName, byKey] }],
  ["a union of equal schemas, which is one schema", z.union([ByName, ByName]), byName],
  ["a union with anything, which is anything", z.union([z.string(), z.any()]), {}],
  ["a discriminated union", z.discriminatedUnion("by", [ByName, ByKey]), {
    oneOf: [byName, byKey],
  }],
  [
    "an intersection",
    z.intersection(z.object({ a: z.string() }), z.record(z.string(), z.string())),
    {
      allOf: [
        objectOf(text),
        { type: "object", propertyNames: text, additionalProperties: text },
      ],
    },
  ],
  ["a file", z.file(), { ...text, format: "binary", contentEncoding: "binary" }],
  [
    "metadata that JSON Schema knows",
    z.string().meta({
      title: "A",
      description: "An a",
      examples: ["a"],
      deprecated: true,
      writeOnly: true,
      "x-a": 1,
    }),
    {
      ...text,
      title: "A",
      description: "An a",
      examples: ["a"],
      deprecated: true,
      writeOnly: true,
      "x-a": 1,
    },
  ],
  [
    "nothing of other metadata",
    z.string().meta({ label: "A", secret: 1, render: () => "a" }),
    text,
  ],
  ["parts that .meta() describes", z.object({ a: z.custom<string>().meta(text) }), objectOf(text)],
  [
    "members that are called as keywords are",
    z.object({
      default: z.string(),
      label: z.string(),
      nullable: z.string(),
      readOnly: z.string(),
      $ref: z.string(),
    }),
    {
      type: "object",
      properties: { default: text, label: text, nullable: text, readOnly: text, $ref: text },
      required: ["default", "label", "nullable", "readOnly", "$ref"],
    },
  ],
];

for (const [why, schema, told] of INPUTS) {
  Deno.test(`generateOpenAPI() converts, for a Zod schema of a body, ${why}`, () => {
    assertEquals(bodySchemas(schema), [told, {}]);
  });
}

const OUTPUTS: readonly Case[] = [
  [
    "a default, which is always there",
    z.object({ a: z.string().default("x") }),
    objectOf({
      ...text,
      default: "x",
    }),
  ],
  ["the last part of a pipe", z.string().transform(Number).pipe(z.number()), { type: "number" }],
  [
    "a date, which JSON has as its text",
    z.object({ a: z.date() }),
    objectOf({
      ...text,
      format: "date-time",
    }),
  ],
  [
    "the decoded side of a codec",
    z.codec(z.iso.datetime(), z.date(), {
      decode: (at) => new Date(at),
      encode: (at) => at.toISOString(),
    }),
    { ...text, format: "date-time" },
  ],
  [
    "an object, which other members may join",
    z.object({ a: z.strictObject({ a: z.string() }) }),
    objectOf(
      objectOf(text),
    ),
  ],
  ["other members of a schema", z.object({ a: z.string() }).catchall(z.number()), {
    ...objectOf(text),
    additionalProperties: { type: "number" },
  }],
  [
    "what is read-only",
    z.object({ a: z.string().readonly() }),
    objectOf({ ...text, readOnly: true }),
  ],
  [
    "nothing of what is write-only",
    z.object({ a: z.string().meta({ writeOnly: true }) }),
    objectOf(text),
  ],
];

for (const [why, schema, told] of OUTPUTS) {
  Deno.test(`generateOpenAPI() writes, of a Zod schema of a response, ${why}`, () => {
    assertEquals(responseSchemas(schema), [told, {}]);
  });
}

const UNREPRESENTABLE: readonly (readonly [type: string, schema: z.ZodType])[] = [
  ["a date that is not coerced", z.object({ at: z.date() })],
  ["a bigint", z.bigint()],
  ["a literal bigint", z.literal(1n)],
  ["an undefined literal", z.literal(undefined)],
  ["undefined", z.undefined()],
  ["void", z.void()],
  ["NaN", z.nan()],
  ["a symbol", z.symbol()],
  ["a map", z.map(z.string(), z.string())],
  ["a set", z.set(z.string())],
  ["a class", z.instanceof(FormData)],
  ["a function", z.function()],
  ["a check of one's own", z.custom<string>()],
];

const ADVICE_REGEXP =
  /^(?:GET|POST) \/a: its schema \(zod\) gives no .+; describe it .*in the metadata$/;

for (const [type, body] of UNREPRESENTABLE) {
  Deno.test(`generateOpenAPI() rejects ${type} of Zod in a body and names the fix`, () => {
    const lines = refusalOf(() => bodySchemas(body));
    assertEquals(lines.length, 1);
    assertMatch(lines[0] ?? "", ADVICE_REGEXP);
  });
}

Deno.test("generateOpenAPI() rejects a Zod transformation in a response and names the fix", () => {
  const lines = refusalOf(() => responseSchemas(z.string().transform(Number)));
  assertEquals(lines.length, 1);
  assertMatch(lines[0] ?? "", ADVICE_REGEXP);
});
