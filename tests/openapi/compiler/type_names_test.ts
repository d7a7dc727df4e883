/**
 * How a document calls types: by names of their own, in one file or in several, and of packages.
 */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { EXHAUSTIVE } from "../../_effort.ts";
import {
  assertWhole,
  literal,
  objectOf,
  readTypeTable,
  ref,
  type SchemaCase,
  testSchemas,
  TEXT,
  type TypeResult,
} from "./_types.ts";

const BEFORE = `
import { z } from "zod";
import * as v from "valibot";
import type { Pet as PetA, Shared } from "./a.ts";
import type { Pet as PetB } from "./b.ts";
import type { Passed } from "./a.ts";
import type Thing from "./default.ts";
interface Pet { name: string }
interface Page<T> { items: T[] }
interface Two<A, B> { a: A; b: B }
type Alias = Pet;
type Rest = Omit<Pet, "nothing">;
type Pretty<T> = { [K in keyof T]: T[K] } & {};
type Either<L, R> = { left: L } | { right: R };
type Maybe<T> = T | null;
type List<T> = T[];
type Wrapped<T> = { v: T };
namespace Space { export interface Note { n: 1 } export type Tag = { t: 1 } }
interface $Odd_Näme { a: 1 }
interface Née { a: 1 }
interface Nöe { b: 1 }
interface AVeryLongNameThatPeopleGiveToTheirTypes { a: 1 }
interface AnotherVeryLongNameThatPeopleGiveToTheirTypes { b: 1 }
const User = z.object({ id: z.string(), get friends() { return z.array(User); } });
type User = z.infer<typeof User>;
const Token = z.string().brand<"Token">();
const Loose = z.looseObject({ a: z.string() });
const Note = v.object({ title: v.string(), tag: v.optional(v.picklist(["a", "b"])) });
type Note = v.InferOutput<typeof Note>;
const Both = z.object({ at: z.date(), by: z.discriminatedUnion("by", [
  z.object({ by: z.literal("name"), name: z.string() }),
  z.object({ by: z.literal("key") }),
]) });
function local() { interface Inner { i: 1 } return null as unknown as Inner; }
`;
const FILES = {
  "a.ts": `export interface Pet { a: string }
export interface Shared { pet: Pet }
export type { Passed } from "./b.ts";`,
  "b.ts": "export interface Pet { b: string }\nexport interface Passed { pet: Pet }",
  "default.ts": "export default interface Thing { t: 1 }",
};

const PET = { Pet: objectOf({ name: TEXT }) };
const PAGE = objectOf({ items: { type: "array", items: ref("Pet") } });

/** A page of something without a name. */
function pageOf(name: string, items: SchemaObject): [SchemaObject, Record<string, SchemaObject>] {
  return [ref(name), { [name]: objectOf({ items: { type: "array", items } }) }];
}

/** So many members that the compiler does not print them all. */
const LONG = Array.from({ length: 30 }, (_, i) => `member${i}: string;`).join(" ");

const NAMES: readonly SchemaCase[] = [
  ["another name of an interface, which is the interface", "Alias", ref("Pet"), PET],
  ["an alias of what the language makes of a type", "Rest", ref("Rest"), {
    Rest: objectOf({ name: TEXT }),
  }],
  ["a type of a namespace", "Space.Note", ref("Note"), { Note: objectOf({ n: literal(1) }) }],
  ["an alias of a namespace", "Space.Tag", ref("Tag"), { Tag: objectOf({ t: literal(1) }) }],
  ["a type of a function", "ReturnType<typeof local>", ref("Inner"), {
    Inner: objectOf({ i: literal(1) }),
  }],
  ["a default export", "Thing", ref("Thing"), { Thing: objectOf({ t: literal(1) }) }],
  ["a type that another file passes on", "Passed", ref("Passed"), {
    Passed: objectOf({ pet: ref("Pet") }),
    Pet: objectOf({ b: TEXT }),
  }],
  ["a name with letters that a component's may not have", "$Odd_Näme", ref("_Odd_N_me"), {
    _Odd_N_me: objectOf({ a: literal(1) }),
  }],
  ["a generic", "Page<Pet>", ref("Page_Pet"), { ...PET, Page_Pet: PAGE }],
  ["a generic of a list", "Page<Pet[]>", ref("Page_PetArray"), {
    ...PET,
    Page_PetArray: objectOf({
      items: { type: "array", items: { type: "array", items: ref("Pet") } },
    }),
  }],
  ["a generic of a generic", "Page<Page<Pet>>", ref("Page_Page_Pet"), {
    ...PET,
    Page_Pet: PAGE,
    Page_Page_Pet: objectOf({ items: { type: "array", items: ref("Page_Pet") } }),
  }],
  ["a generic of two types", "Two<string, Pet>", ref("Two_string_Pet"), {
    ...PET,
    Two_string_Pet: objectOf({ a: TEXT, b: ref("Pet") }),
  }],
  ["a generic of a primitive", "Page<string>", ...pageOf("Page_string", TEXT)],
  [
    "a generic of literals",
    `Page<"a" | "b">`,
    ...pageOf("Page_a_b", {
      ...TEXT,
      enum: ["a", "b"],
    }),
  ],
  [
    "a generic of what may be null",
    "Page<string | null>",
    ...pageOf("Page_null_string", {
      type: ["string", "null"],
    }),
  ],
  ["a generic of an object", "Page<{ a: 1 }>", ...pageOf("Page_a_1", objectOf({ a: literal(1) }))],
  ["a generic of a date", "Page<Date>", ...pageOf("Page_Date", { ...TEXT, format: "date-time" })],
  ["a generic of anything", "Page<unknown>", ...pageOf("Page_unknown", {})],
  ["an alias with parameters", "Wrapped<Pet>", ref("Wrapped_Pet"), {
    ...PET,
    Wrapped_Pet: objectOf({ v: ref("Pet") }),
  }],
  ["a union with parameters", "Either<string, Pet>", ref("Either_string_Pet"), {
    ...PET,
    Either_string_Pet: { anyOf: [objectOf({ left: TEXT }), objectOf({ right: ref("Pet") })] },
  }],
  ["what may be null, with parameters", "Maybe<Pet>", ref("Maybe_Pet"), {
    ...PET,
    Maybe_Pet: { anyOf: [ref("Pet"), { type: "null" }] },
  }],
  ["a list with parameters, in place", "List<Pet>", { type: "array", items: ref("Pet") }, PET],
  ["what the language makes of a type, in place", "Readonly<Pet>", objectOf({ name: TEXT })],
  ["what joins members of two types, in place", "Pretty<Pet & { x: 1 }>", {
    ...objectOf({ name: TEXT, x: literal(1) }),
  }],
  ["what Zod infers, by the application's alias", "User", ref("User"), {
    User: objectOf({ id: TEXT, friends: { type: "array", items: ref("User") } }),
  }],
  ["what Zod infers without an alias there", "z.infer<typeof User>[]", {
    type: "array",
    items: ref("User"),
  }, { User: objectOf({ id: TEXT, friends: { type: "array", items: ref("User") } }) }],
  ["what Zod infers without any alias", "z.infer<typeof Loose>", {
    ...objectOf({ a: TEXT }),
    additionalProperties: {},
  }],
  ["a brand of Zod", "z.infer<typeof Token>", TEXT],
  ["a discriminated union of Zod", "z.infer<typeof Both>", {
    ...objectOf({
      at: { ...TEXT, format: "date-time" },
      by: {
        oneOf: [
          objectOf({ by: literal("key") }),
          objectOf({ by: literal("name"), name: TEXT }),
        ],
      },
    }),
  }],
  ["what Valibot infers", "Note", ref("Note"), {
    Note: objectOf({ title: TEXT, tag: { ...TEXT, enum: ["a", "b"] } }, "tag"),
  }],
];
testSchemas(NAMES, { before: BEFORE, files: FILES });

/** Types of which several want the same name. */
const CLASHES: readonly (readonly [why: string, type: string, members: readonly SchemaObject[]])[] =
  [
    ["of two files", "{ a: PetA; b: PetB }", [objectOf({ a: TEXT }), objectOf({ b: TEXT })]],
    ["of three files", "{ a: PetA; b: PetB; c: Pet }", [
      objectOf({ a: TEXT }),
      objectOf({ b: TEXT }),
      objectOf({ name: TEXT }),
    ]],
    ["of a namespace", "{ a: Space.Note; b: Note }", [
      objectOf({ n: literal(1) }),
      objectOf({ title: TEXT, tag: { ...TEXT, enum: ["a", "b"] } }, "tag"),
    ]],
    ["that only differ in what names may not have", "{ a: Née; b: Nöe }", [
      objectOf({ a: literal(1) }),
      objectOf({ b: literal(1) }),
    ]],
    ["of generics of such types", "{ a: Page<Née>; b: Page<Nöe> }", []],
    ["of generics of literals that only differ so", `{ a: Page<"a b">; b: Page<"a-b"> }`, [
      objectOf({ items: { type: "array", items: literal("a b") } }),
      objectOf({ items: { type: "array", items: literal("a-b") } }),
    ]],
    ["of generics of numbers", "{ a: Page<1>; b: Page<-1> }", [
      objectOf({ items: { type: "array", items: literal(1) } }),
      objectOf({ items: { type: "array", items: literal(-1) } }),
    ]],
    [
      "of generics with long names",
      `{ ${
        ["string", "number"].map((type, i) =>
          `x${i}: Two<AVeryLongNameThatPeopleGiveToTheirTypes,
            Two<AnotherVeryLongNameThatPeopleGiveToTheirTypes, ${type}>>`
        ).join("; ")
      } }`,
      [],
    ],
  ];

const SHARED = ["{ a: Shared; b: PetA[] }", `import("./a.ts").Shared`];
let clashes: Promise<readonly TypeResult[]> | undefined;

/** The results of all types of one name, then of {@linkcode SHARED}. */
function readClashes(): Promise<readonly TypeResult[]> {
  const types = [...CLASHES.map(([, type]) => type), ...SHARED];
  return clashes ??= readTypeTable({ types, before: BEFORE, files: FILES });
}

CLASHES.forEach(([why, , expected], i) => {
  Deno.test(`a document has a component for each of several types of the same name ${why}`, async () => {
    const result = (await readClashes())[i];
    assert(result !== undefined && "schema" in result, JSON.stringify(result));
    assertWhole(result);
    const { schema: { properties }, components } = result;
    const members = Object.values(properties as Record<string, { readonly $ref: string }>)
      .map(({ $ref }) => components[$ref.replace("#/components/schemas/", "")]);
    assertEquals(new Set(members.map((one) => JSON.stringify(one))).size, members.length);
    if (expected.length > 0) assertEquals<unknown>(members, expected);
  });
});

Deno.test("a document uses the same name for a type from several files", async () => {
  const results = (await readClashes()).slice(CLASHES.length);
  const components = { Pet: objectOf({ a: TEXT }), Shared: objectOf({ pet: ref("Pet") }) };
  assertEquals(results.length, SHARED.length);
  for (const one of results) assertEquals("components" in one && one.components, components);
});

/** Types whose parts the compiler sorts by when it first saw them. */
const UNSORTED = [
  `Page<"a" | "b">`,
  `Page<"a" | "b" | 1 | null>`,
  `Two<"a" | null, Page<1 | "b">>`,
  `Page<"a" | "b"> | Page<"b" | "c"> | { items: "a" | 1 } | { items: "b" | null }`,
  `Page<{ k: "a" | "b" }>`,
  `Page<["a" | "b", 1 | null]>`,
  `{ k: "b" | "a"; x: 1 } | { k: "a" | "b"; y: 1 }`,
  `"b" | "a" | 1 | null | { items: string[] } | string[]`,
  "keyof Zoo",
  "Zoo[keyof Zoo]",
  "Partial<Record<keyof Zoo, Zoo[keyof Zoo]>>",
  ...["x", "y"].map((last) => `{ [K in "${last}" | "w"]: Zoo } | { [K in "w" | "v"]: Zoo }`),
  `{ ${LONG} x: 1 | "b" } | { ${LONG} x: "a" | "b" } | { ${LONG} w: 1 }`,
];
const ZOO = "interface Zoo { zebra: 1; ape: 'a'; b: null }\n";

const ALL_TYPES = [...NAMES.map(([, type]) => type), ...UNSORTED];
let baseline: Promise<readonly string[]> | undefined;

/** What a document has of each type, in a separate program. */
async function textsWith(before: string, types = ALL_TYPES): Promise<readonly string[]> {
  const results = await readTypeTable({ types, before, files: FILES });
  return results.map((one) => JSON.stringify(one));
}

Deno.test("a document has the same bytes, whatever else is declared before its types", async () => {
  const texts = await (baseline ??= textsWith(BEFORE + ZOO));
  const more = `interface Zebra { pet: "none"; kind: "zebra"; items: "b" | "a" | 1 | null }
    type Strange = Zebra | { items: "b" | null } | { key: 1 } | Date | string[] | "w" | "b" | "a";
    type Keys = "b" | "ape" | "zebra"; type Last = { w: 1 | "y" | "x" | "v" };
    export const strange = (one: Strange): Last | Keys | 1n => one === "b" ? "b" : 1n;\n`;
  const variants = [more + BEFORE + ZOO, BEFORE + ZOO + more, BEFORE + ZOO];
  for (const before of EXHAUSTIVE ? variants : variants.slice(0, 1)) {
    const others = await textsWith(before);
    ALL_TYPES.forEach((type, i) => assertEquals(others[i], texts[i], type));
  }
});

Deno.test("a document has the same bytes, in whatever order its types are read", async () => {
  const texts = await (baseline ??= textsWith(BEFORE + ZOO));
  const back = (await textsWith(BEFORE + ZOO, ALL_TYPES.toReversed())).toReversed();
  ALL_TYPES.forEach((type, i) => assertEquals(back[i], texts[i], type));
});
