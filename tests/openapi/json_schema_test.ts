/** DESIGN §6, "Schemas": what a validator of any library may give as JSON Schema 2020-12. */

import type {
  OpenApiDocument,
  RouteOptions,
  SchemaObject,
  StandardSchemaV1,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import {
  answer,
  bodyOf,
  bodySchemas,
  documentOf,
  jsonSchemaIn,
  queryParameters,
  refusalOf,
  responseOf,
  responseSchemas,
  schemasOf,
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
  ["keeps keywords beside a reference", {
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
  [
    "leaves out numbers that JSON cannot represent",
    { ...number, minimum: -Infinity, maximum: NaN },
    number,
  ],
];

for (const [why, given, told, schemas = {}] of CASES) {
  Deno.test(`generateOpenAPI() ${why}`, () => {
    assertEquals(bodySchemas(validatorOf(given)), [told, schemas]);
  });
}

Deno.test("generateOpenAPI() uses the input side for requests and the output side for responses", () => {
  assertEquals(bodySchemas(validatorOf(text, number)), [text, {}]);
  assertEquals(responseSchemas(validatorOf(text, number)), [number, {}]);
});

Deno.test("generateOpenAPI() removes readOnly from requests and writeOnly from responses", () => {
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

Deno.test("generateOpenAPI() creates a parameter for a property of any type", () => {
  assertEquals(queryParameters(validatorOf({ properties: { a: true, b: {} } })), [
    { name: "a", in: "query", schema: {} },
    { name: "b", in: "query", schema: {} },
  ]);
});

Deno.test("generateOpenAPI() creates no parameter for a property that must be absent", () => {
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
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    const lines = refusalOf(() => bodySchemas(validatorOf(given)));
    assertEquals(lines.map((one) => one.replace(/^POST \/a: /, "")), [line]);
  });
}

/** The document of routes `/0`, `/1`, … that take and give a schema each. */
function routesOf(
  schemas: readonly { readonly body?: StandardSchemaV1; readonly response?: StandardSchemaV1 }[],
): OpenApiDocument {
  return documentOf((router) => {
    for (const [i, schema] of schemas.entries()) router.post(`/${i}`, answer, { schema });
  });
}

const Author = z.object({ name: z.string() }).meta({ id: "Author", description: "Who wrote it" });
const author = {
  type: "object",
  description: "Who wrote it",
  properties: { name: text },
  required: ["name"],
};

Deno.test("generateOpenAPI() writes a reference to a named schema everywhere", () => {
  assertEquals(bodySchemas(Author), [ref("Author"), { Author: author }]);
  const [inside, schemas] = bodySchemas(z.object({
    one: Author,
    many: z.array(Author),
    none: Author.nullable(),
    missing: Author.optional(),
    other: Author.describe("Who corrected it"),
    usual: Author.default({ name: "Ada" }),
  }));
  assertEquals(inside?.properties, {
    one: ref("Author"),
    many: { type: "array", items: ref("Author") },
    none: { anyOf: [ref("Author"), { type: "null" }] },
    missing: ref("Author"),
    other: { description: "Who corrected it", allOf: [ref("Author")] }, // beside a $ref, many tools don't see it
    usual: { default: { name: "Ada" }, allOf: [ref("Author")] },
  });
  assertEquals(schemas, { Author: author });
});

Deno.test("generateOpenAPI() writes a shared schema once, and sorts schemas by name", () => {
  const Book = z.object({ author: Author }).meta({ id: "Book" });
  const document = routesOf([{ body: Book, response: z.array(Author) }, { body: Author }]);
  assertEquals(Object.keys(document.components.schemas ?? {}), [
    "Author",
    "Book",
    "ProblemDetails",
  ]);
});

Deno.test("generateOpenAPI() gives one name to a schema with equal sides, and two otherwise", () => {
  const Note = z.object({ text: z.string(), at: z.string().default("now") }).meta({ id: "Note" });
  const document = routesOf([{ body: Author, response: Author }, { body: Note, response: Note }]);
  assertEquals(Object.keys(schemasOf(document)), ["Author", "Note", "NoteInput"]);
  assertEquals(jsonSchemaIn(bodyOf(document, "POST /1")), ref("NoteInput"));
  assertEquals(jsonSchemaIn(responseOf(document, "POST /1", "200")), ref("Note"));
  const { NoteInput: taken, Note: given } = schemasOf(document);
  assertEquals([taken?.required, given?.required], [["text"], ["text", "at"]]);
});

Deno.test("generateOpenAPI() gives different schemas of the same name different names", () => {
  const named = (key: string) => z.object({ [key]: z.string() }).meta({ id: "Note" });
  const document = routesOf([
    { body: named("a") },
    { body: named("b") },
    { body: named("c") },
    { response: named("d") },
    { body: named("b"), response: named("a") },
  ]);
  const routes = ["POST /0", "POST /1", "POST /2", "POST /4"];
  assertEquals(
    routes.map((route) => jsonSchemaIn(bodyOf(document, route))),
    ["Note", "NoteInput", "NoteInput_2", "NoteInput"].map(ref),
  );
  assertEquals(
    ["POST /3", "POST /4"].map((route) => jsonSchemaIn(responseOf(document, route, "200"))),
    ["NoteOutput", "Note"].map(ref),
  );
});

const NAMES: readonly (readonly [id: string, name: string, why: string])[] = [
  ["Page<Note>", "Page_Note_", "names of components have few characters, OpenAPI 3.1 §4.8.7"],
  ["notes/Note", "notes_Note", "a slash is escaped in a pointer"],
  ["a~b", "a_b", "so is a tilde"],
  ["100%", "100_", "a percent sign is not an escape"],
  ["Größe", "Gr__e", "so are letters beyond ASCII"],
  ["v1.Note-2_x", "v1.Note-2_x", "these may be there"],
  ["__proto__", "__proto__", "an object's own words are names too"],
];

for (const [id, name, why] of NAMES) {
  Deno.test(`generateOpenAPI() names the schema ${id} ${name}: ${why}`, () => {
    const [schema, schemas] = bodySchemas(z.array(z.object({ a: z.string() }).meta({ id })));
    assertEquals(schema?.items, ref(name));
    assertEquals(Object.entries(schemas as object).map(([one]) => one), [name]);
  });
}

Deno.test("generateOpenAPI() distinguishes schemas whose names become equal", () => {
  const [schema, schemas] = bodySchemas(z.object({
    one: z.object({ a: z.string() }).meta({ id: "A B" }),
    other: z.object({ b: z.string() }).meta({ id: "A_B" }),
  }));
  assertEquals(schema?.properties, { one: ref("A_B"), other: ref("A_BInput") });
  assertEquals(Object.keys(schemas as object), ["A_B", "A_BInput"]);
});

Deno.test("generateOpenAPI() reserves the names of schemas in info", () => {
  const document = documentOf(
    (router) => router.post("/a", answer, { schema: { body: Author } }),
    { schemas: { Author: { type: "integer" } } },
  );
  assertEquals(jsonSchemaIn(bodyOf(document, "POST /a")), ref("AuthorInput"));
  assertEquals(schemasOf(document), { Author: { type: "integer" }, AuthorInput: author });
});

const Tree: z.ZodType = z.object({
  value: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Folder: z.ZodType = z.object({
  get entries() {
    return z.record(z.string(), Folder);
  },
}).meta({ id: "Folder" });
const Left: z.ZodType = z.object({
  get right() {
    return Right.optional();
  },
});
const Right: z.ZodType = z.object({
  get left() {
    return Left.optional();
  },
  get rights() {
    return z.array(Right);
  },
});

function tree(name: string): SchemaObject {
  return {
    type: "object",
    properties: { value: text, children: { type: "array", items: ref(name) } },
    required: ["value", "children"],
  };
}

Deno.test("generateOpenAPI() creates a component for a recursive schema", () => {
  assertEquals(bodySchemas(Tree), [ref("PostABody"), { PostABody: tree("PostABody") }]);
  assertEquals(bodySchemas(z.object({ left: Tree, right: Tree })), [
    {
      type: "object",
      properties: { left: ref("PostABody"), right: ref("PostABody") },
      required: ["left", "right"],
    },
    { PostABody: tree("PostABody") },
  ]);
});

Deno.test("generateOpenAPI() writes a reference to a named recursive schema", () => {
  const Entries = {
    type: "object",
    propertyNames: text,
    additionalProperties: ref("Folder"),
  };
  const folder = { type: "object", properties: { entries: Entries }, required: ["entries"] };
  assertEquals(bodySchemas(Folder), [ref("Folder"), { Folder: folder }]);
  assertEquals(bodySchemas(z.array(Folder)), [
    { type: "array", items: ref("Folder") },
    { Folder: folder },
  ]);
});

Deno.test("generateOpenAPI() distinguishes mutually recursive schemas", () => {
  const schemas = {
    PostABody: { type: "object", properties: { right: ref("PostABody_2") } },
    PostABody_2: {
      type: "object",
      properties: {
        left: ref("PostABody"),
        rights: { type: "array", items: ref("PostABody_2") },
      },
      required: ["rights"],
    },
  };
  assertEquals(bodySchemas(Left), [ref("PostABody"), schemas]);
  assertEquals(bodySchemas(z.array(Left)), [{ type: "array", items: ref("PostABody") }, schemas]);
});

Deno.test("generateOpenAPI() gives one name to a recursive schema of several routes", () => {
  const document = routesOf([{ body: Tree }, { response: Tree }, { body: z.array(Tree) }]);
  assertEquals(schemasOf(document), { Post0Body: tree("Post0Body") });
});

Deno.test("generateOpenAPI() distinguishes recursive schemas that differ only in a name", () => {
  const withPart = (id: string) => {
    const Self: z.ZodType = z.object({
      part: z.object({ a: z.string() }).meta({ id }),
      get self() {
        return Self.optional();
      },
    });
    return Self;
  };
  const document = routesOf([{ body: withPart("A") }, { body: withPart("B") }]);
  const parts = ["Post0Body", "Post1Body"].map((name) => schemasOf(document)[name]?.properties);
  assertEquals(parts, [
    { part: ref("A"), self: ref("Post0Body") },
    { part: ref("B"), self: ref("Post1Body") },
  ]);
});

Deno.test("generateOpenAPI() reserves a generated name for a schema that has it as its own", () => {
  const Self: z.ZodType = z.object({
    own: z.object({ a: z.string() }).meta({ id: "PostABody" }),
    get self() {
      return Self.optional();
    },
  });
  const [schema, schemas] = bodySchemas(Self);
  const { PostABody } = schemas as Readonly<Record<string, SchemaObject>>;
  assertEquals(PostABody?.properties, { a: text });
  assert(schema?.$ref !== ref("PostABody").$ref);
});

Deno.test("generateOpenAPI() converts Zod's JSON schema", () => {
  const [schema, schemas] = bodySchemas(z.object({ a: z.json(), b: z.json() }));
  assertEquals(schema?.properties, { a: ref("PostABody"), b: ref("PostABody") });
  assertEquals(Object.keys(schemas as object), ["PostABody"]);
});

const NO_JSON = z.object({ at: z.map(z.string(), z.string()) });

const PLACES: readonly (readonly [place: string, path: string, options: RouteOptions])[] = [
  ["path", "/:at", { schema: { params: NO_JSON } }],
  ["query", "/a", { schema: { query: NO_JSON } }],
  ["body", "/a", { schema: { body: NO_JSON } }],
  ["form", "/a", { schema: { body: NO_JSON }, multipart: true }],
  ["response", "/a", { schema: { response: NO_JSON } }],
  ["half-described path", "/:at/:b", {
    schema: { params: NO_JSON },
    openapi: { parameters: [{ name: "b", in: "path", schema: {} }] },
  }],
];

for (const [place, path, options] of PLACES) {
  Deno.test(`generateOpenAPI() rejects a ${place} whose schema is not JSON and names the fix`, () => {
    const lines = refusalOf(() => documentOf((router) => router.post(path, answer, options)));
    assertEquals(lines.length, 1);
    const [line = ""] = lines;
    assert(line.startsWith(`POST ${path}: its schema (zod) gives no JSON Schema: `), line);
    assertMatch(line, /; describe it .*in the metadata$/);
  });
}

const CONVERTERS: readonly (readonly [why: string, jsonSchema: unknown, line: string])[] = [
  [
    "a library without JSON Schema",
    undefined,
    "; wrap it in the library's converter, or describe it in the metadata",
  ],
  [
    "a converter that throws an error",
    { input: () => assert(false, "no way") },
    ": no way; describe it in the metadata",
  ],
  [
    "a converter that gives no schema",
    { input: () => true },
    ": the converter did not return a schema; describe it in the metadata",
  ],
];

for (const [why, jsonSchema, line] of CONVERTERS) {
  Deno.test(`generateOpenAPI() rejects ${why} and names the fix`, () => {
    const { "~standard": props } = validatorOf({});
    const body = { "~standard": { ...props, jsonSchema } };
    assertEquals(refusalOf(() => bodySchemas(body)), [
      `POST /a: its schema (test) gives no JSON Schema${line}`,
    ]);
  });
}
