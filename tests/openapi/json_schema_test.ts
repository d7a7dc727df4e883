/** DESIGN §6, "Schemas": what a validator of any library may give as JSON Schema 2020-12. */

import type { SchemaObject } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import {
  bodySchemas,
  queryParameters,
  refusalOf,
  responseSchemas,
  validatorOf,
} from "./_helpers.ts";

const text = { type: "string" };
const number = { type: "number" };

function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

type Case = readonly [
  why: string,
  given: SchemaObject,
  told: SchemaObject,
  schemas?: Readonly<Record<string, SchemaObject>>,
];

const CASES: readonly Case[] = [
  ["leaves out what says where a schema is from", {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://schemas.test/a",
    type: "object",
    properties: { a: { $id: "b", ...text } },
  }, { type: "object", properties: { a: text } }],
  ["leaves out what it does not know", { ...text, label: "A", dependencies: {} }, text],
  ["keeps extensions", { ...text, "x-a": { label: 1 } }, { ...text, "x-a": { label: 1 } }],
  ["keeps every keyword of OpenAPI's", {
    discriminator: { propertyName: "a" },
    externalDocs: { url: "https://docs.test" },
    xml: { name: "a" },
    example: 1,
  }, {
    discriminator: { propertyName: "a" },
    externalDocs: { url: "https://docs.test" },
    xml: { name: "a" },
    example: 1,
  }],
  ["keeps conditions", {
    if: { properties: { a: { const: 1 } } },
    then: { required: ["a"] },
    else: { not: { required: ["b"] } },
    dependentSchemas: { a: { properties: { b: text } } },
    dependentRequired: { a: ["b"] },
  }, {
    if: { properties: { a: { const: 1 } } },
    then: { required: ["a"] },
    else: { not: { required: ["b"] } },
    dependentSchemas: { a: { properties: { b: text } } },
    dependentRequired: { a: ["b"] },
  }],
  ["writes booleans as objects where tools want them", {
    prefixItems: [true, false],
    contains: true,
    not: false,
    propertyNames: true,
    allOf: [true, { type: "array" }],
  }, {
    prefixItems: [{}, { not: {} }],
    contains: {},
    not: { not: {} },
    propertyNames: {},
    allOf: [{}, { type: "array" }],
  }],
  ["keeps booleans where tools take them", {
    properties: { a: true, b: false },
    patternProperties: { "^x": true },
    additionalProperties: false,
    items: false,
    unevaluatedItems: false,
  }, {
    properties: { a: true, b: false },
    patternProperties: { "^x": true },
    additionalProperties: false,
    items: false,
    unevaluatedItems: false,
  }],
  ["puts a definition without a name in its place", {
    $defs: { 0: text, __schema1: number },
    properties: { a: { $ref: "#/$defs/0" }, b: { $ref: "#/$defs/__schema1" } },
  }, { properties: { a: text, b: number } }],
  ["puts definitions in definitions in their place", {
    $defs: { 0: { items: { $ref: "#/$defs/1" } }, 1: text },
    properties: { a: { $ref: "#/$defs/0" }, b: { $ref: "#/$defs/0" } },
  }, { properties: { a: { items: text }, b: { items: text } } }],
  [
    "makes a component of a definition with a name",
    {
      $defs: { Name: text, Names: { items: { $ref: "#/$defs/Name" } } },
      $ref: "#/$defs/Names",
    },
    ref("Names"),
    { Name: text, Names: { items: ref("Name") } },
  ],
  [
    "reads definitions of older drafts",
    {
      definitions: { Name: { ...text, label: "A" } },
      items: { $ref: "#/definitions/Name" },
    },
    { items: ref("Name") },
    { Name: text },
  ],
  ["leaves out a definition that nothing refers to", { ...text, $defs: { Name: text } }, text],
  [
    "takes a definition that is a boolean",
    {
      $defs: { Any: true, None: false },
      properties: { a: { $ref: "#/$defs/Any" }, b: { $ref: "#/$defs/None" } },
    },
    { properties: { a: ref("Any"), b: ref("None") } },
    { Any: {}, None: { not: {} } },
  ],
  [
    "decodes names in references",
    {
      $defs: { "a/b": text, "c~d": text, "e f": text, "g%h": text, "Größe": text },
      prefixItems: ["a~1b", "c~0d", "e%20f", "g%25h", "Gr%C3%B6%C3%9Fe"].map((name) => ({
        $ref: `#/$defs/${name}`,
      })),
    },
    { prefixItems: ["a_b", "c_d", "e_f", "g_h", "Gr__e"].map(ref) },
    {
      Gr__e: text,
      a_b: text,
      c_d: text,
      e_f: text,
      g_h: text,
    },
  ],
  [
    "gives an address to what is referred into",
    {
      properties: { a: text, b: { $ref: "#/properties/a" } },
    },
    ref("PostABody"),
    { PostABody: { properties: { a: text, b: ref("PostABody/properties/a") } } },
  ],
  [
    "gives an address to a definition that is referred into",
    {
      $defs: { 0: { properties: { a: text } } },
      $ref: "#/$defs/0/properties/a",
    },
    ref("PostABody/properties/a"),
    { PostABody: { properties: { a: text } } },
  ],
  [
    "makes a component of a definition that refers to itself",
    {
      $defs: { 0: { properties: { a: { $ref: "#/$defs/0" } } } },
      items: { $ref: "#/$defs/0" },
    },
    { items: ref("PostABody") },
    { PostABody: { properties: { a: ref("PostABody") } } },
  ],
  [
    "keeps references to schemas of the document",
    {
      properties: { self: { $ref: "#" }, problem: ref("ProblemDetails") },
    },
    ref("PostABody"),
    {
      PostABody: { properties: { self: ref("PostABody"), problem: ref("ProblemDetails") } },
    },
  ],
  ["says what a required member is, where the schema says so of all", {
    required: ["a"],
    additionalProperties: text,
  }, { properties: { a: text }, required: ["a"], additionalProperties: text }],
  ["leaves out a choice of nothing", { ...text, anyOf: [] }, text],
  ["keeps what stands beside a reference", {
    $defs: { Name: text },
    properties: {
      a: { $ref: "#/$defs/Name", description: "A name" },
      b: { $ref: "#/$defs/Name", allOf: [{ minLength: 3 }] },
    },
  }, {
    properties: {
      a: { description: "A name", allOf: [ref("Name")] },
      b: { allOf: [ref("Name"), { minLength: 3 }] },
    },
  }, { Name: text }],
  ["takes values for no schemas", {
    properties: {
      a: { default: { a: { $ref: "#/nowhere", label: 1 } } },
      b: { const: { $ref: "#/nowhere" } },
      c: { enum: [{ $ref: "#/nowhere" }] },
    },
    examples: [{ properties: { a: { label: 1 } } }],
  }, {
    properties: {
      a: { default: { a: { $ref: "#/nowhere", label: 1 } } },
      b: { const: { $ref: "#/nowhere" } },
      c: { enum: [{ $ref: "#/nowhere" }] },
    },
    examples: [{ properties: { a: { label: 1 } } }],
  }],
  ["takes members that are called as keywords for members", {
    properties: { items: text, $ref: text, $defs: text, anyOf: text, properties: text },
  }, { properties: { items: text, $ref: text, $defs: text, anyOf: text, properties: text } }],
  ["leaves alternatives that are one to themselves", {
    anyOf: [text, text],
    description: "A text",
  }, { description: "A text", allOf: [text] }],
  ["keeps defaults that are JSON values", {
    properties: { a: { default: null }, b: { default: [1, { c: "x" }] }, c: { default: false } },
  }, {
    properties: { a: { default: null }, b: { default: [1, { c: "x" }] }, c: { default: false } },
  }],
  ["leaves out defaults that are not JSON values", {
    properties: {
      a: { default: new Date(0) },
      b: { default: 1n },
      c: { default: { d: [undefined] } },
      d: { default: NaN },
      e: { default: () => 1 },
      f: { default: new Map() },
    },
  }, { properties: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {} } }],
  ["leaves out numbers that JSON has not", { ...number, minimum: -Infinity, maximum: NaN }, number],
];

for (const [why, given, told, schemas = {}] of CASES) {
  Deno.test(`generateOpenAPI() ${why}`, () => {
    assertEquals(bodySchemas(validatorOf(given)), [told, schemas]);
  });
}

Deno.test("generateOpenAPI() asks for the input of requests, and for the output of responses", () => {
  assertEquals(bodySchemas(validatorOf(text, number)), [text, {}]);
  assertEquals(responseSchemas(validatorOf(text, number)), [number, {}]);
});

Deno.test("generateOpenAPI() leaves what is read-only out of requests, and what is write-only of responses", () => {
  const given = { properties: { a: { readOnly: true }, b: { writeOnly: true } } };
  assertEquals(bodySchemas(validatorOf(given)), [
    { properties: { a: {}, b: { writeOnly: true } } },
    {},
  ]);
  assertEquals(responseSchemas(validatorOf(given)), [
    { properties: { a: { readOnly: true }, b: {} } },
    {},
  ]);
});

Deno.test("generateOpenAPI() makes a parameter of a member that may be anything", () => {
  assertEquals(queryParameters(validatorOf({ properties: { a: true, b: {} } })), [
    { name: "a", in: "query", schema: {} },
    { name: "b", in: "query", schema: {} },
  ]);
});

Deno.test("generateOpenAPI() makes no parameter of a member that must not be there", () => {
  assertEquals(queryParameters(validatorOf({ properties: { a: false, b: text } })), [
    { name: "b", in: "query", schema: text },
  ]);
});

const REFUSED: readonly (readonly [why: string, given: SchemaObject, line: string])[] = [
  [
    "a reference to a definition that is not there",
    { items: { $ref: "#/$defs/Name" } },
    'its schema refers to "#/$defs/Name", which it does not define',
  ],
  [
    "an anchor, which no converter writes",
    { $defs: { Name: { $anchor: "name" } }, items: { $ref: "#name" } },
    'its schema refers to "#name", which it does not define',
  ],
  [
    "a reference to a schema that info does not have",
    { items: ref("Name") },
    "unresolved reference #/components/schemas/Name",
  ],
  [
    "a reference into a part that is not there",
    { properties: { a: { $ref: "#/properties/b" } } },
    "unresolved reference #/components/schemas/PostABody/properties/b",
  ],
];

for (const [why, given, line] of REFUSED) {
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
    const lines = refusalOf(() => bodySchemas(validatorOf(given)));
    assertEquals(lines.map((one) => one.replace(/^POST \/a: /, "")), [line]);
  });
}
