/**
 * Documents of primitives, literals, lists, and of what the language and the runtime
 * bring along.
 */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  literal,
  NUMBER,
  objectOf,
  readMembers,
  readTypeTable,
  ref,
  type SchemaCase,
  testRefusals,
  testSchemas,
  TEXT,
  type TypeResult,
} from "./_types.ts";

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
  ["a readonly array", "readonly string[]", listOf(TEXT)],
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
  ["a readonly tuple", "readonly [string]", tuple([TEXT])],
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
  ["an optional blob", "{ a?: Blob }", objectOf({ a: BINARY }, "a")],
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

const BEFORE_EDGE = `
import type { Label } from "./labels.ts";
import Anonymous from "./labels.ts";
declare const brand: unique symbol;
/** A tag. @minLength 3 */
type Tag = string;
/** The order. */
type Order = "zeta" | "alpha";
/** @type integer */
type Count = number;
interface Pet { name: string }
interface Cat { kind: "cat" }
interface Dog { kind: "dog" }
interface Page<T> { items: T[] }
interface Chain<T> { value: T; next?: this }
type Rose = [Pet, ...Rose[]];
type Inner = (string | Inner)[];
type Outer = Inner[];
class Day extends Date { override toJSON(): string { return ""; } }
class Circle { readonly kind = "circle"; toJSON(): string { return ""; } }
class Square { readonly kind = "square"; toJSON(): number { return 1; } }
class Tagged { constructor(readonly tag: Tag) {} }
enum Rank { Zed = "z", Abc = "a" }
interface Sorted { order?: Order }
interface Counted {
  /** @minimum 1 */
  count: Count;
}
interface Serial {
  /** @format int64 */
  id: string;
}
interface Holder { tag: Tag }
const source = { at: { x: 1 as number } };
type PartOf<T> = T extends { at: infer Part } ? Part : never;
type Alpha = PartOf<typeof source>;
type Beta = PartOf<typeof source>;
namespace Api {
  const inside = { at: { y: "" as string } };
  export type Found = PartOf<typeof inside>;
}
`;

const FILES = {
  "labels.ts": `/** A label. */
export type Label = string;
export default class { a = 1; }
`,
};

const TAG = { ...TEXT, description: "A tag.", minLength: 3 };

const ANIMALS = {
  Cat: objectOf({ kind: { ...TEXT, const: "cat" } }),
  Dog: objectOf({ kind: { ...TEXT, const: "dog" } }),
};
const INNER = { type: "array", items: { anyOf: [TEXT, ref("Inner")] } };

const CASES: readonly SchemaCase[] = [
  // Unions
  [
    "a text beside objects that a member tells apart",
    `"none" | Cat | Dog`,
    { anyOf: [ref("Cat"), ref("Dog"), { ...TEXT, const: "none" }] },
    ANIMALS,
  ],
  [
    "classes with a member that toJSON does not write",
    "Circle | Square",
    { anyOf: [ref("Circle"), ref("Square")] },
    { Circle: TEXT, Square: NUMBER },
  ],
  ["an enum in its own order", "Rank", ref("Rank"), { Rank: { ...TEXT, enum: ["z", "a"] } }],
  [
    "a union in parentheses, in place",
    `{ a: ("yak" | "zebra") | "ant" }`,
    objectOf({ a: { ...TEXT, enum: ["yak", "zebra", "ant"] } }),
  ],
  ["numbers by their value", "Exclude<100 | 10 | 9, 100>", { ...NUMBER, enum: [9, 10] }],
  [
    "a union with a documented name, which a member need not have",
    "Sorted",
    ref("Sorted"),
    {
      Order: { ...TEXT, enum: ["zeta", "alpha"], description: "The order." },
      Sorted: objectOf({ order: ref("Order") }, "order"),
    },
  ],
  // Objects
  ["any object", "Object", { type: "object" }],
  [
    "a date with a brand",
    "{ at: Date & { readonly [brand]: 1 } }",
    objectOf({ at: { ...TEXT, format: "date-time" } }),
  ],
  ["a date that writes itself", "Day", ref("Day"), { Day: TEXT }],
  [
    "a list of a named type and of itself",
    "Rose",
    ref("Rose"),
    {
      ...PET,
      Rose: { type: "array", prefixItems: [ref("Pet")], items: ref("Rose"), minItems: 1 },
    },
  ],
  [
    "a list in which another one holds itself",
    "Page<Outer>",
    ref("Page_InnerArray"),
    {
      Inner: INNER,
      Page_InnerArray: objectOf({
        items: { type: "array", items: { type: "array", items: ref("Inner") } },
      }),
    },
  ],
  // Names
  ["a class without a name", "Anonymous", objectOf({ a: NUMBER })],
  [
    "a generic that refers to itself as this",
    "Chain<string>",
    ref("Chain_string"),
    { Chain_string: objectOf({ value: TEXT, next: ref("Chain_string") }, "next") },
  ],
  [
    "a generic of a union, however that is written",
    `Page<"zz9" | "aa9">`,
    ref("Page_aa9_zz9"),
    {
      Page_aa9_zz9: objectOf({
        items: { type: "array", items: { ...TEXT, enum: ["aa9", "zz9"] } },
      }),
    },
  ],
  [
    "a generic of an object with a union in it",
    `Page<{ k: "zz8" | "aa8" }>`,
    ref("Page_aa8_k_zz8"),
    {
      Page_aa8_k_zz8: objectOf({
        items: { type: "array", items: objectOf({ k: { ...TEXT, enum: ["zz8", "aa8"] } }) },
      }),
    },
  ],
  [
    "a generic with a name that is too long",
    `Page<{ ${"long_".repeat(30)}: string }>`,
    ref(`Page_${"long_".repeat(30)}`.slice(0, 100)),
    {
      [`Page_${"long_".repeat(30)}`.slice(0, 100)]: objectOf({
        items: { type: "array", items: objectOf({ ["long_".repeat(30)]: TEXT }) },
      }),
    },
  ],
  ["two aliases of one inferred type", "Beta", ref("Alpha"), { Alpha: objectOf({ x: NUMBER }) }],
  ["an alias in a namespace", "Api.Found", ref("Found"), { Found: objectOf({ y: TEXT }) }],
  // Documentation of aliases
  [
    "values of a record",
    "{ a: Record<string, Tag> }",
    objectOf({ a: { type: "object", additionalProperties: TAG } }),
  ],
  [
    "elements of a ReadonlyArray",
    "{ a: ReadonlyArray<Tag> }",
    objectOf({ a: { type: "array", items: TAG } }),
  ],
  [
    "an alias of another file",
    "{ a: Label }",
    objectOf({ a: { ...TEXT, description: "A label." } }),
  ],
  ["a parameter property", "Tagged", ref("Tagged"), { Tagged: objectOf({ tag: TAG }) }],
  [
    "a member that is mapped to another type",
    "{ [K in keyof Holder]: number }",
    objectOf({ tag: NUMBER }),
  ],
  [
    "a limit of an alias of integers",
    "Counted",
    ref("Counted"),
    { Counted: objectOf({ count: { type: "integer", minimum: 1 } }) },
  ],
  [
    "a text with a format of integers",
    "Serial",
    ref("Serial"),
    { Serial: objectOf({ id: { ...TEXT, format: "int64" } }) },
  ],
];
testSchemas(CASES, { before: BEFORE_EDGE, files: FILES });

const BEFORE_AFTER = `
interface Pet { name: string }
interface Grow<T> { v: T; more?: Grow<T[]> }
interface Half { pet: Pet; more: Grow<string> }
type Nest<T> = { v: T; more?: Nest<T[]> }[];
interface Holder { gone: Gone }
interface Page<T> { items: T[] }
class Stamp { gone?: Gone; toJSON(): string { return ""; } }
type Self = Self;
`;
const GONE = `import type { Gone } from "./gone.ts";\n`;

function errorOf(result: TypeResult | undefined): string {
  assert(result !== undefined && "error" in result, JSON.stringify(result));
  return result.error;
}

Deno.test("a document rejects an infinite type again in another type", async () => {
  const types = ["{ a: Half }", "{ b: Half }", "Nest<string>", "{ c: Nest<string> }"];
  for (const one of await readTypeTable({ types, before: BEFORE_AFTER, mayBeWrong: true })) {
    assertMatch(errorOf(one), /infinitely nested/);
  }
});

Deno.test("a document describes a type in the same way before and after an infinite type", async () => {
  const types = ["Page<Pet>", "Grow<string>", "Page<Pet>", "Half", "Pet"];
  const [page, , again, , pet] = await readTypeTable({
    types,
    before: BEFORE_AFTER,
    mayBeWrong: true,
  });
  assertEquals<unknown>(page, {
    schema: ref("Page_Pet"),
    components: {
      Page_Pet: objectOf({ items: { type: "array", items: ref("Pet") } }),
      Pet: objectOf({ name: TEXT }),
    },
  });
  assertEquals(again, page);
  assertEquals<unknown>(pet, { schema: ref("Pet"), components: { Pet: objectOf({ name: TEXT }) } });
});

Deno.test("a document names an unresolved type argument", async () => {
  const [result] = await readTypeTable({
    types: ["Page<Gone>"],
    before: GONE + BEFORE_AFTER,
    mayBeWrong: true,
  });
  assertMatch(errorOf(result), /has the type Gone of "\.\/gone\.ts", which was not found/);
});

Deno.test("a document ignores unresolved properties that toJSON does not write", async () => {
  const [result] = await readTypeTable({
    types: ["Stamp"],
    before: GONE + BEFORE_AFTER,
    mayBeWrong: true,
  });
  assertEquals<unknown>(result, { schema: ref("Stamp"), components: { Stamp: TEXT } });
});

Deno.test("a document rejects a type alias of itself", async () => {
  const [result] = await readTypeTable({
    types: ["{ a: Self }"],
    before: BEFORE_AFTER,
    mayBeWrong: true,
  });
  errorOf(result);
});

Deno.test("a document sorts the properties of a mapped type by name", async () => {
  const [result] = await readTypeTable({
    types: [`{ [K in "zulu" | "mike" | "alpha"]: K }`],
  });
  assert(result !== undefined && "schema" in result);
  const { properties = {} } = result.schema as { readonly properties?: object };
  assertEquals(Object.keys(properties), ["alpha", "mike", "zulu"]);
});

testRefusals([
  ["a constructor", "new () => string", /response is a function/],
  ["options of the runtime", "{ a: RequestInit }", /response\.a\.\w+ .*cannot represent/],
], { before: BEFORE_AFTER, mayBeWrong: true });

/** Documentation that only looks right. */
const WRONG: readonly (readonly [why: string, lines: string, type: string])[] = [
  ["a limit that ends in an underscore", "@minimum 1_", "number"],
  ["an expression that is invalid with the flag u", String.raw`@pattern ^\-$`, "string"],
  ["a text in quotes for a number", "@default 'a'", "number"],
  ["a list that does not end", "@default [1", "string | number"],
];
let refusals: Promise<readonly TypeResult[]> | undefined;
WRONG.forEach(([why, lines, type], i) => {
  Deno.test(`a document rejects the documentation of a property: ${why}`, async () => {
    refusals ??= readMembers(WRONG, "");
    const [tag = ""] = lines.split(" ");
    assertMatch(errorOf((await refusals)[i]), new RegExp(`M${i}\\.a has the tag ${tag}`), type);
  });
});
