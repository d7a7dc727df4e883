/**
 * What a document says of primitives, literals, lists, and of what the language and the runtime
 * bring along.
 */

import type { SchemaObject } from "@gatehouse/http";
import { literal, NUMBER, objectOf, ref, type SchemaCase, testSchemas, TEXT } from "./_types.ts";

const BEFORE = `
declare const brand: unique symbol;
interface Pet { name: string }
type UserId = string & { readonly [brand]: "UserId" };
type Age = number & { readonly __brand: "Age" };
type Tags = string[] & { readonly __brand: "Tags" };
type Names = Pet[];
type Pair = [Pet, number?];
type More = readonly [string, ...Pair];
type Plain = string;
const list = ["a", 1, { b: true }] as const;
const shape = { a: 1, b: { c: "x" }, d: [1, 2] } as const;
const plain = { a: 1, b: "x", c: [1, 2], d: null as null, e: true };
const checked = { a: "x" } satisfies { a: string };
const keys = { one: 1, two: 2 } as const;
type Loop = [string, Loop?];
type Nested = Nested[];
type Items = Array<Items | string>;
interface Box<T> { v: T }
`;

const NUMBER_PATTERN = "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const PET = { Pet: objectOf({ name: TEXT }) };
const DATE = { ...TEXT, format: "date-time" };

/** A list of a given length. */
function tuple(prefixItems: readonly SchemaObject[], minItems = prefixItems.length): SchemaObject {
  return {
    type: "array",
    prefixItems,
    ...(minItems === 0 ? {} : { minItems }),
    maxItems: prefixItems.length,
  };
}

/** A list of one kind. */
function listOf(items: SchemaObject): SchemaObject {
  return { type: "array", items };
}

const PRIMITIVES: readonly SchemaCase[] = [
  ["a text", "string", TEXT],
  ["a number", "number", NUMBER],
  ["a boolean", "boolean", { type: "boolean" }],
  ["null", "null", { type: "null" }],
  ["anything", "unknown", {}],
  ["nothing", "never", { not: {} }],
  ["any object", "object", { type: "object" }],
  ["the empty type", "{}", { type: "object" }],
  ["a boxed text", "String", TEXT],
  ["a boxed number", "Number", NUMBER],
  ["a boxed boolean", "Boolean", { type: "boolean" }],
  ["a literal text", `"a"`, literal("a")],
  ["an empty literal", `""`, literal("")],
  ["a literal text with quotes and line breaks", `"\\n\\"'\\\\"`, literal("\n\"'\\")],
  ["a literal text beyond ASCII", `"日本😀"`, literal("日本😀")],
  ["a literal number", "1", literal(1)],
  ["a literal below zero", "-1", literal(-1)],
  ["a literal with a fraction", "0.1", literal(0.1)],
  ["a large literal", "1e21", literal(1e21)],
  ["a literal boolean", "true", literal(true)],
  ["an alias of a primitive, in place", "Plain", TEXT],
  ["a branded text, by its name", "UserId", ref("UserId"), { UserId: TEXT }],
  ["a branded number that may be null", "Age | null", {
    anyOf: [ref("Age"), { type: "null" }],
  }, { Age: NUMBER }],
  ["a text that keeps its literals for editors", "string & {}", TEXT],
  ["a number that keeps its literals for editors", "number & {}", NUMBER],
  ["what is not null", "{} & (string | null)", TEXT],
  ["what is both, which is nothing", "string & number", { not: {} }],
  ["literals that are both, which is nothing", `"a" & "b"`, { not: {} }],
  ["a text in capitals", "Uppercase<string>", TEXT],
  ["a literal in capitals", `Uppercase<"ab">`, literal("AB")],
];
testSchemas(PRIMITIVES, { before: BEFORE });

const TEMPLATES: readonly SchemaCase[] = [
  ["a template with a number", "`note-${number}`", {
    ...TEXT,
    pattern: `^note-${NUMBER_PATTERN}$`,
  }],
  ["a template with a brand of numbers", "`a${number & { brand: 1 }}`", {
    ...TEXT,
    pattern: "^a-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$",
  }],
  ["a template with a text", "`a${string}`", { ...TEXT, pattern: "^a[\\s\\S]*$" }],
  ["a template with a bigint", "`${bigint}n`", { ...TEXT, pattern: "^-?\\d+n$" }],
  ["a template with a boolean", "`is-${boolean}`", { ...TEXT, enum: ["is-false", "is-true"] }],
  ["a template that is a literal", "`a`", literal("a")],
  ["a template of literals, which is an enumeration", '`${"a" | "b"}-${1 | 2}`', {
    ...TEXT,
    enum: ["a-1", "a-2", "b-1", "b-2"],
  }],
  ["a template with choices of texts", '`${"a" | "b"}-${string}`', {
    anyOf: [
      { ...TEXT, pattern: "^a-[\\s\\S]*$" },
      { ...TEXT, pattern: "^b-[\\s\\S]*$" },
    ],
  }],
  ["a template with what means something in expressions", "`^a.b*(c)[d]{e}|\\\\/$${number}`", {
    ...TEXT,
    pattern: "^\\^a\\.b\\*\\(c\\)\\[d\\]\\{e\\}\\|\\\\\\/\\$" + NUMBER_PATTERN + "$",
  }],
  ["a template in a template", "`a-${`b-${number}`}`", {
    ...TEXT,
    pattern: `^a-b-${NUMBER_PATTERN}$`,
  }],
  ["a template that may be null", "`a${number}` | null", {
    type: ["string", "null"],
    pattern: `^a${NUMBER_PATTERN}$`,
  }],
];
testSchemas(TEMPLATES);

const LISTS: readonly SchemaCase[] = [
  ["a list", "string[]", listOf(TEXT)],
  ["a list by its interface", "Array<string>", listOf(TEXT)],
  ["a list that nobody changes", "readonly string[]", listOf(TEXT)],
  ["a list by its read-only interface", "ReadonlyArray<Pet>", listOf(ref("Pet")), PET],
  ["a list of lists", "string[][]", listOf(listOf(TEXT))],
  ["a list of anything", "unknown[]", listOf({})],
  ["a list of what may be null", "(string | null)[]", listOf({ type: ["string", "null"] })],
  ["a list of nothing", "never[]", { type: "array", maxItems: 0 }],
  ["an alias of a list, in place", "Names", listOf(ref("Pet")), PET],
  ["an alias of a tuple, in place", "Pair", tuple([ref("Pet"), NUMBER], 1), PET],
  ["a branded list", "Tags", ref("Tags"), { Tags: listOf(TEXT) }],
  ["a tuple", "[string, number]", tuple([TEXT, NUMBER])],
  ["an empty tuple", "[]", { type: "array", maxItems: 0 }],
  ["a tuple that nobody changes", "readonly [string]", tuple([TEXT])],
  ["a tuple with an optional member", "[string, number?]", tuple([TEXT, NUMBER], 1)],
  ["a tuple of optional members", "[string?, number?]", tuple([TEXT, NUMBER], 0)],
  ["a tuple with names", "[from: string, to?: number]", tuple([TEXT, NUMBER], 1)],
  [
    "a tuple whose optional member may be null",
    "[(string | null)?]",
    tuple([{ type: ["string", "null"] }], 0),
  ],
  ["a tuple with a rest", "[string, ...number[]]", {
    type: "array",
    prefixItems: [TEXT],
    items: NUMBER,
    minItems: 1,
  }],
  ["a tuple with names and a rest", "[a: string, b?: number, ...c: boolean[]]", {
    type: "array",
    prefixItems: [TEXT, NUMBER],
    items: { type: "boolean" },
    minItems: 1,
  }],
  ["a tuple whose rest comes first", "[...string[], number]", {
    type: "array",
    items: { anyOf: [TEXT, NUMBER] },
    minItems: 1,
  }],
  ["a tuple with its rest between", "[string, ...number[], boolean]", {
    type: "array",
    prefixItems: [TEXT],
    items: { anyOf: [NUMBER, { type: "boolean" }] },
    minItems: 2,
  }],
  ["a tuple in a tuple", "More", tuple([TEXT, ref("Pet"), NUMBER], 2), PET],
  ["a tuple that takes itself", "Loop", ref("Loop"), { Loop: tuple([TEXT, ref("Loop")], 1) }],
  ["a list of itself or a text", "{ a: Items }", objectOf({ a: ref("Items") }), {
    Items: listOf({ anyOf: [ref("Items"), TEXT] }),
  }],
  ["a generic of such a list", "Box<Items>", ref("Box_Items"), {
    Box_Items: objectOf({ v: ref("Items") }),
    Items: listOf({ anyOf: [ref("Items"), TEXT] }),
  }],
  ["a list of itself", "Nested", ref("Nested"), { Nested: listOf(ref("Nested")) }],
];
testSchemas(LISTS, { before: BEFORE });

const VALUES: readonly SchemaCase[] = [
  [
    "a list of constants",
    "typeof list",
    tuple([literal("a"), literal(1), objectOf({ b: literal(true) })]),
  ],
  ["one of a list of constants", "typeof list[0 | 1]", {
    type: ["number", "string"],
    enum: [1, "a"],
  }],
  [
    "an object of constants",
    "typeof shape",
    objectOf({
      a: literal(1),
      b: objectOf({ c: literal("x") }),
      d: tuple([literal(1), literal(2)]),
    }),
  ],
  [
    "an object that may change",
    "typeof plain",
    objectOf({
      a: NUMBER,
      b: TEXT,
      c: listOf(NUMBER),
      d: { type: "null" },
      e: { type: "boolean" },
    }),
  ],
  ["an object that was checked", "typeof checked", objectOf({ a: TEXT })],
  ["names of constants", "keyof typeof keys", { ...TEXT, enum: ["one", "two"] }],
  ["values of constants", "typeof keys[keyof typeof keys]", { ...NUMBER, enum: [1, 2] }],
  ["a type in another", `Pet["name"]`, TEXT],
  ["what is not inferred from", "{ a: NoInfer<Pet> }", objectOf({ a: ref("Pet") }), PET],
  ["what a promise gives", "Awaited<Promise<Pet>>", ref("Pet"), PET],
];
testSchemas(VALUES, { before: BEFORE });

const BUILT_IN: readonly SchemaCase[] = [
  ["a date", "Date", DATE],
  ["a date or null", "Date | null", { ...DATE, type: ["string", "null"] }],
  ["dates", "Date[]", listOf(DATE)],
  ["an address", "URL", { ...TEXT, format: "uri" }],
  ["an instant", "Temporal.Instant", DATE],
  ["what a helper makes of a date, which stays one", "Some<{ at: Date }>", ref("Some_at_Date"), {
    Some_at_Date: objectOf({ at: ref("Some_Date") }, "at"),
    Some_Date: DATE,
  }],
  ["a class of a date", "Moment", ref("Moment"), { Moment: DATE }],
  ["a day", "Temporal.PlainDate", { ...TEXT, format: "date" }],
  ["a span", "Temporal.Duration", { ...TEXT, format: "duration" }],
  ["a time that has no place", "Temporal.PlainTime", TEXT],
  ["a time of a zone", "Temporal.ZonedDateTime", TEXT],
];
testSchemas(BUILT_IN, {
  before: `class Moment extends Date { more = 1; }
    type Some<T> = { [K in keyof T]?: T[K] extends object ? Some<T[K]> : T[K] };`,
});

const BINARY = { ...TEXT, format: "binary" };
const FORMS: readonly SchemaCase[] = [
  ["a file", "{ a: File }", objectOf({ a: BINARY })],
  ["a blob that need not be there", "{ a?: Blob }", objectOf({ a: BINARY }, "a")],
  ["files", "{ a: File[]; b: string }", objectOf({ a: listOf(BINARY), b: TEXT })],
  ["a file or a text", "{ a: File | string }", objectOf({ a: { anyOf: [BINARY, TEXT] } })],
  ["a file of Zod", "z.infer<typeof Scan>", objectOf({ a: BINARY })],
  ["a form with a name", "Upload", ref("Upload"), { Upload: objectOf({ a: BINARY }) }],
];
testSchemas(FORMS, {
  form: true,
  before: `import { z } from "zod";
    interface Upload { a: File }
    const Scan = z.object({ a: z.file() });`,
});
