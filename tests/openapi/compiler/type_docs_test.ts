/** Documents of JSDoc: descriptions, and tags that are keywords of JSON Schema. */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  literal,
  NUMBER,
  objectOf,
  readMembers,
  ref,
  testSchemas,
  TEXT,
  type TypeResult,
} from "./_types.ts";

/** The documentation of a member, its type, and its schema. */
type MemberCase = readonly [why: string, lines: string, type: string, schema: SchemaObject];

const NULLABLE = { type: ["number", "null"] };
const BEFORE = `
interface Cat { name: string }
type Order = "asc" | "desc";
/**
 * An id of anything.
 * @minLength 3
 * @pattern ^[a-z]+$
 */
type Id = string;
/** A share. */
type Share = number;
/** An id of a note. */
type NoteId = Id;
/** When it was. */
type When = Date;
/** A label. */
type Label = \`l-\${string}\`;
`;
const ID = { ...TEXT, description: "An id of anything.", minLength: 3, pattern: "^[a-z]+$" };

const MEMBERS: readonly MemberCase[] = [
  ["a description", "The name.", "string", { ...TEXT, description: "The name." }],
  ["a description of several lines", "The\nname.\n\n- a\n- b", "string", {
    ...TEXT,
    description: "The\nname.\n\n- a\n- b",
  }],
  ["a description beyond ASCII", "Ünï 日本 😀 \"<&>'", "string", {
    ...TEXT,
    description: "Ünï 日本 😀 \"<&>'",
  }],
  [
    "links, by what people read",
    "A {@link Cat}, {@linkcode Cat|the cat}, {@link https://a.b site}.",
    "1",
    {
      ...literal(1),
      description: "A `Cat`, the cat, site.",
    },
  ],
  ["nothing of other tags", "Text.\n@see other\n@remarks more\n@internal", "string", {
    ...TEXT,
    description: "Text.",
  }],
  ["a description of a reference", "Its cat.", "Cat", {
    description: "Its cat.",
    allOf: [ref("Cat")],
  }],
  ["a description of what may be null", "Its cat.", "Cat | null", {
    description: "Its cat.",
    anyOf: [ref("Cat"), { type: "null" }],
  }],
  ["a description of a list", "All.", "Cat[]", {
    type: "array",
    items: ref("Cat"),
    description: "All.",
  }],
  ["limits of a number", "@minimum -1.5\n@maximum 1e3\n@multipleOf 0.5", "number", {
    ...NUMBER,
    minimum: -1.5,
    maximum: 1000,
    multipleOf: 0.5,
  }],
  ["limits in one line", "@minimum 0 @maximum 9", "number", { ...NUMBER, minimum: 0, maximum: 9 }],
  ["limits that are not reached", "@exclusiveMinimum 0\n@exclusiveMaximum 1_000", "number", {
    ...NUMBER,
    exclusiveMinimum: 0,
    exclusiveMaximum: 1000,
  }],
  ["limits of a number or null", "@minimum 1", "number | null", { ...NULLABLE, minimum: 1 }],
  ["limits of a number or a text", "@minimum 1\n@minLength 1", "string | number", {
    type: ["string", "number"],
    minimum: 1,
    minLength: 1,
  }],
  ["an integer", "@type integer", "number", { type: "integer" }],
  ["an integer in braces", "@type {integer}", "number", { type: "integer" }],
  ["an integer or null", "@type integer", "number | null", { type: ["integer", "null"] }],
  ["an integer by its format", "@format int32", "number", { type: "integer", format: "int32" }],
  ["an integer or null by its format", "@format int64", "number | null", {
    type: ["integer", "null"],
    format: "int64",
  }],
  ["lengths of a text", "@minLength 1\n@maxLength 1_000", "string", {
    ...TEXT,
    minLength: 1,
    maxLength: 1000,
  }],
  ["an expression", "@pattern ^[a-z]{2,3}\\d+$", "string", {
    ...TEXT,
    pattern: "^[a-z]{2,3}\\d+$",
  }],
  ["an expression with an @", "@pattern ^\\S+@\\S+$", "string", {
    ...TEXT,
    pattern: "^\\S+@\\S+$",
  }],
  ["an expression between slashes", "@pattern /^a+$/", "string", { ...TEXT, pattern: "^a+$" }],
  ["a format", "@format email", "string", { ...TEXT, format: "email" }],
  ["another format of a date", "@format date", "Date", { ...TEXT, format: "date" }],
  ["limits of a list", "@minItems 1\n@maxItems 3\n@uniqueItems", "number[]", {
    type: "array",
    items: NUMBER,
    minItems: 1,
    maxItems: 3,
    uniqueItems: true,
  }],
  ["limits of a record", "@minProperties 1\n@maxProperties 2", "Record<string, string>", {
    type: "object",
    additionalProperties: TEXT,
    minProperties: 1,
    maxProperties: 2,
  }],
  ["a title", "@title A name", "string", { ...TEXT, title: "A name" }],
  ["what is deprecated", "@deprecated", "string", { ...TEXT, deprecated: true }],
  ["a deprecated reference, and why", "@deprecated since 2", "Cat", {
    description: "Deprecated: since 2",
    deprecated: true,
    allOf: [ref("Cat")],
  }],
  ["a default text", "@default a b", "string", { ...TEXT, default: "a b" }],
  ["a default text in quotes", '@default "a"', "string", { ...TEXT, default: "a" }],
  ["a default text in single quotes", "@default 'a'", "string", { ...TEXT, default: "a" }],
  ["a default text in braces", '@default {"a"}', "string", { ...TEXT, default: "a" }],
  ["a default text that looks like a number", "@default 12", "string", { ...TEXT, default: "12" }],
  ["a default number in braces", "@default {1_000}", "number", { ...NUMBER, default: 1000 }],
  ["a default boolean", "@default false", "boolean", { type: "boolean", default: false }],
  ["a default null", "@default null", "string | null", {
    type: ["string", "null"],
    default: null,
  }],
  ["a default list", "@default []", "string[]", { type: "array", items: TEXT, default: [] }],
  ["a default object", '@default {"a": {"b": [1]}}', "{ a?: { b: number[] } }", {
    ...objectOf({ a: objectOf({ b: { type: "array", items: NUMBER } }) }, "a"),
    default: { a: { b: [1] } },
  }],
  ["a default of an enumeration", "@default asc", "Order", {
    default: "asc",
    allOf: [ref("Order")],
  }],
  ["a default of an enumeration in single quotes", "@default 'asc'", "Order", {
    default: "asc",
    allOf: [ref("Order")],
  }],
  ["an example", "@example ada@example.com", "string", { ...TEXT, examples: ["ada@example.com"] }],
  ["several examples", '@example "a"\n@example b', "string", { ...TEXT, examples: ["a", "b"] }],
  ["an example of a number", "@example 1_000", "number", { ...NUMBER, examples: [1000] }],
  ["an example of several lines", '@example {\n  "a": 1\n}', "{ a: number }", {
    ...objectOf({ a: NUMBER }),
    examples: [{ a: 1 }],
  }],
  ["an example in a block of JSON", '@example\n```json\n{"a": 1}\n```', "{ a: number }", {
    ...objectOf({ a: NUMBER }),
    examples: [{ a: 1 }],
  }],
  ["nothing of a block of code", "@example\n```ts\nconst x = 1;\n```", "string", TEXT],
  ["the documentation of an alias", "", "Id", ID],
  ["the documentation of an alias, completed", "The id.\n@minLength 9", "Id", {
    ...ID,
    description: "The id.",
    minLength: 9,
  }],
  ["the documentation of an alias of an alias", "", "NoteId", {
    ...ID,
    description: "An id of a note.",
  }],
  ["the documentation of an alias that may be null", "", "Id | null", {
    ...ID,
    type: ["string", "null"],
  }],
  ["the documentation of an alias in a list", "Ids.", "readonly Id[]", {
    type: "array",
    items: ID,
    description: "Ids.",
  }],
  ["the documentation of aliases in a tuple", "", "[Id, Share?]", {
    type: "array",
    prefixItems: [ID, { ...NUMBER, description: "A share." }],
    minItems: 1,
    maxItems: 2,
  }],
  ["the documentation of an alias in a record", "", "{ [name: string]: Id }", {
    type: "object",
    additionalProperties: ID,
  }],
  ["the documentation of an alias of a date", "", "When", {
    ...TEXT,
    format: "date-time",
    description: "When it was.",
  }],
  ["the documentation of an alias of a template", "", "Label", {
    ...TEXT,
    pattern: "^l-[\\s\\S]*$",
    description: "A label.",
  }],
];

let results: Promise<readonly TypeResult[]> | undefined;
MEMBERS.forEach(([why, , , schema], i) => {
  Deno.test(`a document describes a documented property: ${why}`, async () => {
    results ??= readMembers(MEMBERS, BEFORE);
    const result = (await results)[i];
    assert(result !== undefined && "components" in result, JSON.stringify(result));
    assertEquals<unknown>(result.components[`M${i}`], objectOf({ a: schema }));
  });
});

const BEFORE_BRAND = `
declare const brand: unique symbol;
type UserId = string & { readonly [brand]: 1 };
type Amount = number & { readonly [brand]: 2 };
interface Pet { name: string }
type Order = "asc" | "desc";
`;

/** Keywords beside the reference to the type. */
const SAID:
  readonly (readonly [why: string, lines: string, type: string, keywords: SchemaObject])[] = [
    ["an example of a branded text", "@example 123", "UserId", { examples: ["123"] }],
    ["a default of a branded text", "@default 5", "UserId", { default: "5" }],
    ["a limit of a branded number", "@minimum 1", "Amount", { minimum: 1 }],
    ["a branded number that is an integer", "@type integer", "Amount", { type: "integer" }],
    ["an example of an object", '@example {"name":"Tom"}', "Pet", { examples: [{ name: "Tom" }] }],
    ["a default of an enumeration", "@default asc", "Order", { default: "asc" }],
  ];
let said: ReturnType<typeof readMembers> | undefined;
SAID.forEach(([why, , type, keywords], i) => {
  Deno.test(`a document describes a documented property of a named type: ${why}`, async () => {
    said ??= readMembers(SAID, BEFORE_BRAND);
    const result = (await said)[i];
    assert(result !== undefined && "components" in result, JSON.stringify(result));
    const { properties = {} } = result.components[`M${i}`] as {
      readonly properties?: Readonly<Record<string, unknown>>;
    };
    assertEquals<unknown>(properties.a, { ...keywords, allOf: [ref(type)] });
  });
});

const WRONG: readonly (readonly [why: string, lines: string, type: string])[] = [
  ["a limit of an object", "@minimum 3", "Pet"],
  ["a length of a branded number", "@minLength 3", "Amount"],
  ["an example of another type", "@example [1]", "Amount"],
  ["a default of another type", "@default 1", "Pet"],
];
let refused: ReturnType<typeof readMembers> | undefined;
WRONG.forEach(([why, lines, type], i) => {
  Deno.test(`a document rejects the documentation of a property of a named type: ${why}`, async () => {
    refused ??= readMembers(WRONG, BEFORE_BRAND);
    const result = (await refused)[i];
    assert(result !== undefined && "error" in result, JSON.stringify(result));
    assertMatch(result.error, new RegExp(`M${i}\\.a has the tag ${lines.split(" ")[0]}`), type);
  });
});

testSchemas([
  ["the documentation of an interface", "Doc", ref("Doc"), {
    Doc: { ...objectOf({ a: TEXT }), description: "A doc.\n\nMore.", title: "T", deprecated: true },
  }],
  ["the documentation of a union", "Sort", ref("Sort"), {
    Sort: { ...TEXT, enum: ["a", "b"], description: "A sort.", examples: ["a"], default: "a" },
  }],
  ["the documentation of an enum", "Kind", ref("Kind"), {
    Kind: { ...literal("a"), description: "A kind." },
  }],
  ["the documentation of a class", "Klass", ref("Klass"), {
    Klass: {
      ...objectOf({
        a: { ...NUMBER, description: "Its a." },
        b: { ...TEXT, description: "Its b." },
      }),
      description: "A class.",
    },
  }],
  ["the documentation of a generic", "Page<string>", ref("Page_string"), {
    Page_string: {
      ...objectOf({ items: { type: "array", items: TEXT, description: "The items." } }),
      description: "A page.",
    },
  }],
  ["the documentation of two declarations", "Merged", ref("Merged"), {
    Merged: { ...objectOf({ a: literal(1), b: literal(1) }), description: "First.\nSecond." },
  }],
  ...["Partial<Base>", "Pick<Base, 'a'>", "Readonly<Base>", "Base & { b: 1 }"].map((type) =>
    [`the documentation of members in ${type}`, type, {
      ...objectOf(
        {
          a: { ...TEXT, description: "The a.", minLength: 2 },
          ...(type.includes("&") ? { b: literal(1) } : {}),
        },
        ...(type.startsWith("Partial") ? ["a"] : []),
      ),
    }] as const
  ),
  ["the documentation of a member that another interface narrows", "Narrow", ref("Narrow"), {
    Narrow: objectOf({ a: { ...literal("xx"), description: "The a.", minLength: 2 } }),
  }],
], {
  before: `
/**
 * A doc.
 *
 * More.
 * @title T
 * @deprecated
 */
interface Doc { a: string }
/**
 * A sort.
 * @example "a"
 * @default a
 */
type Sort = "a" | "b";
/** A kind. */
enum Kind { A = "a", B = "a" }
/** A class. */
class Klass {
  /** Its a. */
  a = 1;
  constructor(/** Its b. */ public b: string) {}
}
/** A page. */
interface Page<T> {
  /** The items. */
  items: T[];
}
/** First. */
interface Merged { a: 1 }
/** Second. */
interface Merged { b: 1 }
interface Base {
  /**
   * The a.
   * @minLength 2
   */
  a: string;
}
interface Narrow extends Base {
  a: "xx";
}
`,
});
