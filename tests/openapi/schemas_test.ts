/** DESIGN §6, "Schemas": what has a name is a component, under a name of its own, and recursion is one too. */

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
  refusalOf,
  responseOf,
  schemasOf,
  validatorOf,
} from "./_helpers.ts";

const text = { type: "string" };

function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
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

Deno.test("generateOpenAPI() refers to a schema with a name, wherever it stands", () => {
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

Deno.test("generateOpenAPI() gives one name to a schema whose sides are the same, two where not", () => {
  const Note = z.object({ text: z.string(), at: z.string().default("now") }).meta({ id: "Note" });
  const document = routesOf([{ body: Author, response: Author }, { body: Note, response: Note }]);
  assertEquals(Object.keys(schemasOf(document)), ["Author", "Note", "NoteInput"]);
  assertEquals(jsonSchemaIn(bodyOf(document, "POST /1")), ref("NoteInput"));
  assertEquals(jsonSchemaIn(responseOf(document, "POST /1", "200")), ref("Note"));
  const { NoteInput: taken, Note: given } = schemasOf(document);
  assertEquals([taken?.required, given?.required], [["text"], ["text", "at"]]);
});

Deno.test("generateOpenAPI() gives different schemas of one name different names", () => {
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
  ["100%", "100_", "a percent sign is no escape"],
  ["Größe", "Gr__e", "so are letters beyond ASCII"],
  ["v1.Note-2_x", "v1.Note-2_x", "these may be there"],
  ["__proto__", "__proto__", "an object's own words are names too"],
];

for (const [id, name, why] of NAMES) {
  Deno.test(`generateOpenAPI() calls the schema ${id} ${name}: ${why}`, () => {
    const [schema, schemas] = bodySchemas(z.array(z.object({ a: z.string() }).meta({ id })));
    assertEquals(schema?.items, ref(name));
    assertEquals(Object.entries(schemas as object).map(([one]) => one), [name]);
  });
}

Deno.test("generateOpenAPI() tells schemas apart whose names become the same", () => {
  const [schema, schemas] = bodySchemas(z.object({
    one: z.object({ a: z.string() }).meta({ id: "A B" }),
    other: z.object({ b: z.string() }).meta({ id: "A_B" }),
  }));
  assertEquals(schema?.properties, { one: ref("A_B"), other: ref("A_BInput") });
  assertEquals(Object.keys(schemas as object), ["A_B", "A_BInput"]);
});

Deno.test("generateOpenAPI() leaves the name of a schema that info has to that one", () => {
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

Deno.test("generateOpenAPI() makes a component of a schema that refers to itself", () => {
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

Deno.test("generateOpenAPI() refers to a schema with a name that refers to itself", () => {
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

Deno.test("generateOpenAPI() keeps apart schemas that refer to each other", () => {
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

Deno.test("generateOpenAPI() keeps apart recursive schemas that differ in a name alone", () => {
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

Deno.test("generateOpenAPI() leaves a made-up name to a schema that has it as its own", () => {
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

Deno.test("generateOpenAPI() writes what Zod takes for JSON", () => {
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
  Deno.test(`generateOpenAPI() refuses a ${place} whose schema is no JSON, and says what to do`, () => {
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
  Deno.test(`generateOpenAPI() refuses ${why}, and says what to do`, () => {
    const { "~standard": props } = validatorOf({});
    const body = { "~standard": { ...props, jsonSchema } };
    assertEquals(refusalOf(() => bodySchemas(body)), [
      `POST /a: its schema (test) gives no JSON Schema${line}`,
    ]);
  });
}
