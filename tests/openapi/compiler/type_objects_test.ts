/**
 * Documents of objects: members, index signatures, classes, mapped types, and types that
 * hold themselves.
 */

import type { SchemaObject } from "@gatehouse/http";
import {
  literal,
  NUMBER,
  objectOf,
  oneOf,
  ref,
  type SchemaCase,
  testSchemas,
  TEXT,
} from "./_types.ts";

const NULL: SchemaObject = { type: "null" };
const BOOLEAN: SchemaObject = { type: "boolean" };
const DATE = { ...TEXT, format: "date-time" };
const PET = { Pet: objectOf({ name: TEXT, age: NUMBER }, "age") };

/** A list of one kind. */
function listOf(items: SchemaObject): SchemaObject {
  return { type: "array", items };
}

/** An object whose members have other names. */
function mapOf(additionalProperties: SchemaObject | false): SchemaObject {
  return { type: "object", additionalProperties };
}

/** A component that is referred to. */
function named(name: string, schema: SchemaObject): [SchemaObject, Record<string, SchemaObject>] {
  return [ref(name), { [name]: schema }];
}

const MEMBERS: readonly SchemaCase[] = [
  ["an interface", "Pet", ref("Pet"), PET],
  ["an object without a name", "{ a: string; b?: number }", objectOf({ a: TEXT, b: NUMBER }, "b")],
  ["an object without members", "Empty", ...named("Empty", { type: "object" })],
  [
    "a member that may be null or missing",
    "{ a?: Pet | null }",
    objectOf({ a: { anyOf: [ref("Pet"), NULL] } }, "a"),
    PET,
  ],
  ["a member that may be undefined", "{ a: string | undefined }", objectOf({ a: TEXT }, "a")],
  ["a member by an alias that may be undefined", "{ a: Maybe; b?: Maybe }", {
    ...objectOf({ a: TEXT, b: TEXT }, "a", "b"),
  }],
  ["a member by a generic alias that may be undefined", "{ a: MaybeOf<Pet> }", {
    ...objectOf({ a: ref("Pet") }, "a"),
  }, PET],
  ["a member that is null", "{ a: null }", objectOf({ a: NULL })],
  ["a member that is undefined, which is never written", "{ a: undefined }", { type: "object" }],
  ["a member that is anything", "{ a: unknown; b?: unknown }", objectOf({ a: {}, b: {} }, "b")],
  ["a member that must not be there", "{ a?: never }", objectOf({ a: { not: {} } }, "a")],
  [
    "names that keywords have",
    `{ $ref: string; default: 1; type: string; properties: 1; "~standard": 1 }`,
    objectOf({
      $ref: TEXT,
      default: literal(1),
      type: TEXT,
      properties: literal(1),
      "~standard": literal(1),
    }),
  ],
  [
    "names that objects have already",
    "{ constructor: string; toString: string; hasOwnProperty: 1 }",
    objectOf({ constructor: TEXT, toString: TEXT, hasOwnProperty: literal(1) }),
  ],
  [
    "names that are no identifiers",
    `{ 7: 1; "a/b": 1; "a~b": 1; "x y": 1; "": 1; "日": 1 }`,
    objectOf(Object.fromEntries(["7", "a/b", "a~b", "x y", "", "日"].map((x) => [x, literal(1)]))),
  ],
  ["symbols, which are never written", "{ [brand]: string; a: string }", objectOf({ a: TEXT })],
  ["nothing but a symbol", "{ [brand]: string }", { type: "object" }],
  ["an object that can be iterated", "{ [Symbol.iterator]: string; a: 1 }", {
    ...objectOf({ a: literal(1) }),
  }],
  ["an accessor of an object", "typeof withAccessor", objectOf({ a: TEXT, b: NUMBER })],
  ["accessors of an interface", "{ get a(): string; set a(v: string) }", objectOf({ a: TEXT })],
  [
    "two hundred members",
    "Wide",
    ...named(
      "Wide",
      objectOf(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, NUMBER]))),
    ),
  ],
  [
    "thirty objects in one another",
    "{ a: ".repeat(30) + "1" + " }".repeat(30),
    Array.from({ length: 30 }).reduce<SchemaObject>((a) => objectOf({ a }), literal(1)),
  ],
];

const INDEXED: readonly SchemaCase[] = [
  ["a record", "Record<string, number>", mapOf(NUMBER)],
  ["a record of anything", "Record<string, unknown>", mapOf({})],
  ["a record of what has a name", "Record<string, Pet>", mapOf(ref("Pet")), PET],
  ["a record of nothing", "Record<string, never>", mapOf(false)],
  ["a record whose values may be missing", "Record<string, string | undefined>", mapOf(TEXT)],
  ["a record of records", "Record<string, Record<string, number[]>>", mapOf(mapOf(listOf(NUMBER)))],
  ["an index", "{ [name: string]: string | null }", mapOf({ type: ["string", "null"] })],
  ["an index and a member", "{ [name: string]: unknown; a: string }", {
    ...objectOf({ a: TEXT }),
    additionalProperties: {},
  }],
  ["an index of numbers", "{ [at: number]: string; length: number }", {
    ...objectOf({ length: NUMBER }),
    patternProperties: { "^-?\\d+(?:\\.\\d+)?$": TEXT },
  }],
  ["an index of a template", "{ [name: `x-${string}`]: number; id: string }", {
    ...objectOf({ id: TEXT }),
    patternProperties: { "^x-[\\s\\S]*$": NUMBER },
  }],
  ["an index of symbols, which are never written", "{ [name: symbol]: number; a: 1 }", {
    ...objectOf({ a: literal(1) }),
  }],
  ["a record of literals", `Record<"a" | "b", number>`, objectOf({ a: NUMBER, b: NUMBER })],
  ["a record of an enum", "Record<Kind, number>", objectOf({ x: NUMBER, y: NUMBER })],
  ["a record of an enum of numbers", "Record<Level, number>", objectOf({ 0: NUMBER, 1: NUMBER })],
  [
    "some of a record of an enum",
    "Partial<Record<Kind, number>>",
    objectOf({ x: NUMBER, y: NUMBER }, "x", "y"),
  ],
];

const CLASSES: readonly SchemaCase[] = [
  ["a class, without methods, accessors and statics", "Account", {
    ...ref("Account"),
  }, {
    Account: objectOf(
      { name: TEXT, secret: TEXT, inner: NUMBER, note: TEXT, count: NUMBER },
      "note",
    ),
  }],
  [
    "a class of another",
    "Derived",
    ...named("Derived", objectOf({ more: BOOLEAN, id: TEXT, kept: NUMBER })),
  ],
  [
    "an interface of a class",
    "Extended",
    ...named("Extended", objectOf({ own: literal(1), v: NUMBER })),
  ],
  ["a class of a generic", "Box<Pet>", ref("Box_Pet"), {
    ...PET,
    Box_Pet: objectOf({ v: ref("Pet") }),
  }],
  ["a class that is a value by toJSON()", "Money", ...named("Money", TEXT)],
  ["a class of such a class", "Price", ...named("Price", TEXT)],
  ["a class whose toJSON() gives an object", "Stored", ref("Stored"), {
    Stored: ref("StoredJson"),
    StoredJson: objectOf({ id: TEXT }),
  }],
  ["a class whose toJSON() gives itself", "Self", ...named("Self", objectOf({ a: NUMBER }))],
  ["an object with toJSON()", "{ toJSON(): { x: number }; y: string }", objectOf({ x: NUMBER })],
  [
    "a class in a variable",
    "InstanceType<typeof Inline>",
    ...named("Inline", objectOf({ a: NUMBER })),
  ],
];

const MAPPED: readonly SchemaCase[] = [
  ["some members", `Pick<Pet, "name">`, objectOf({ name: TEXT })],
  ["all but some members", `Omit<Pet, "name">`, objectOf({ age: NUMBER }, "age")],
  ["optional properties", "Partial<Pet>", {
    ...objectOf({ name: TEXT, age: NUMBER }, "name", "age"),
  }],
  ["members that have to be there", "Required<Pet>", objectOf({ name: TEXT, age: NUMBER })],
  ["readonly properties", "Readonly<Pet>", objectOf({ name: TEXT, age: NUMBER }, "age")],
  ["members that may be null", "Nullable<{ a: string }>", ref("Nullable_a_string"), {
    Nullable_a_string: objectOf({ a: { type: ["string", "null"] } }),
  }],
  ["members with other names", "Getters<Pet>", ref("Getters_Pet"), {
    Getters_Pet: objectOf({ getName: TEXT, getAge: NUMBER }, "getAge"),
  }],
  ["members of some types", "Texts<{ a: string; b: number }>", ref("Texts_a_string_b_number"), {
    Texts_a_string_b_number: objectOf({ a: TEXT }),
  }],
  [
    "what another interface adds to",
    "Sub",
    ...named("Sub", {
      ...objectOf({ at: DATE, name: TEXT, age: NUMBER }, "age"),
    }),
  ],
  [
    "what another interface narrows",
    "Older",
    ...named("Older", objectOf({ age: NUMBER, name: TEXT })),
  ],
  ["two declarations of one interface", "Both", ...named("Both", objectOf({ a: TEXT, b: NUMBER }))],
  ["an intersection", "Pet & { tags: string[] }", {
    ...objectOf({ name: TEXT, age: NUMBER, tags: listOf(TEXT) }, "age"),
  }],
  [
    "an intersection of the same member",
    `{ a: string } & { a: "x" }`,
    objectOf({ a: literal("x") }),
  ],
  ["an intersection where a member has to be there", "{ a?: string } & { a: string }", {
    ...objectOf({ a: TEXT }),
  }],
  ["an intersection with an index", "{ [name: string]: string } & { a: string }", {
    ...objectOf({ a: TEXT }),
    additionalProperties: TEXT,
  }],
  ["an intersection with a brand of a symbol", "Pet & { readonly [brand]: 1 }", {
    ...objectOf({ name: TEXT, age: NUMBER }, "age"),
  }],
  ["an intersection that may be null", "(Pet & { id: string }) | null", {
    ...objectOf({ name: TEXT, age: NUMBER, id: TEXT }, "age"),
    type: ["object", "null"],
  }],
  ["what a condition gives", "Inner<Pet[]>", ref("Pet"), PET],
];

const RECURSIVE: readonly SchemaCase[] = [
  ["an interface in a list of itself", "Tree", {
    ...ref("Tree"),
  }, { Tree: objectOf({ v: NUMBER, children: listOf(ref("Tree")) }) }],
  ["two interfaces in one another", "First", ref("First"), {
    First: objectOf({ second: ref("Second") }, "second"),
    Second: objectOf({ first: { anyOf: [ref("First"), NULL] } }),
  }],
  ["a generic in itself", "Node<string>", ref("Node_string"), {
    Node_string: objectOf({ v: TEXT, next: { anyOf: [ref("Node_string"), NULL] } }),
  }],
  ["an alias that may be null in itself", "List", ref("List"), {
    List: { ...objectOf({ head: TEXT, tail: ref("List") }), type: ["object", "null"] },
  }],
  ["any JSON", "Json", ref("Json"), {
    Json: {
      anyOf: [TEXT, NUMBER, listOf(ref("Json")), mapOf(ref("Json")), BOOLEAN, NULL],
    },
  }],
  ["this", "Chain", ...named("Chain", objectOf({ next: ref("Chain") }, "next"))],
  ["some of each member and of theirs", "Deep<{ a: { b: Pet } }>", ref("Deep_a_b_Pet"), {
    Deep_a_b_Pet: objectOf({ a: ref("Deep_b_Pet") }, "a"),
    Deep_b_Pet: objectOf({ b: ref("Deep_Pet") }, "b"),
    Deep_Pet: objectOf({ name: TEXT, age: NUMBER }, "name", "age"),
  }],
];

testSchemas([...MEMBERS, ...INDEXED, ...CLASSES, ...MAPPED, ...RECURSIVE], {
  before: `
declare const brand: unique symbol;
interface Pet { name: string; age?: number }
interface Empty {}
interface Wide { ${Array.from({ length: 200 }, (_, i) => `m${i}: number`).join("; ")} }
type Maybe = string | undefined;
type MaybeOf<T> = T | undefined;
const withAccessor = { get a(): string { return ""; }, b: 1 };
enum Kind { X = "x", Y = "y" }
enum Level { Low, High }
class Account {
  static made = 1;
  name = "";
  private secret = "";
  protected inner = 1;
  #hidden = 1;
  declare note?: string;
  accessor auto = 1;
  count: number;
  constructor(count: number) { this.count = count + this.#hidden; }
  get full(): string { return this.secret; }
  set full(_: string) {}
  method(): void {}
}
abstract class Abstract { abstract id: string; abstract go(): void; kept = 1; }
class Derived extends Abstract { more = true; id = ""; go(): void {} }
class Plain { v = 1; m(): void {} get g(): number { return 1; } }
interface Extended extends Plain { own: 1 }
class Box<T> { v!: T; }
class Money { amount = 1; toJSON(): string { return ""; } }
class Price extends Money { other = 1; }
interface StoredJson { id: string }
class Stored { id = 1n; toJSON(): StoredJson { return { id: "" }; } }
class Self { a = 1; toJSON(): this { return this; } }
const Inline = class { a = 1; };
type Nullable<T> = { [K in keyof T]: T[K] | null };
type Getters<T> = { [K in keyof T as \`get\${Capitalize<string & K>}\`]: T[K] };
type Texts<T> = { [K in keyof T as T[K] extends string ? K : never]: T[K] };
interface Sub extends Pet { at: Date }
interface Older extends Pet { age: number }
interface Both { a: string }
interface Both { b: number }
type Inner<T> = T extends (infer U)[] ? U : never;
interface Tree { v: number; children: Tree[] }
interface First { second?: Second }
interface Second { first: First | null }
interface Node<T> { v: T; next: Node<T> | null }
type List = { head: string; tail: List } | null;
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
interface Chain { next?: this }
type Deep<T> = { [K in keyof T]?: T[K] extends object ? Deep<T[K]> : T[K] };
`,
});

const AB = { ...TEXT, enum: ["a", "b"] };

const SIMPLE: readonly SchemaCase[] = [
  ["several primitives", "{ a: string | number }", objectOf({ a: { type: ["string", "number"] } })],
  ["a text or null", "string | null", { type: ["string", "null"] }],
  ["several primitives or null", "{ a: string | number | null }", {
    ...objectOf({ a: { type: ["string", "number", "null"] } }),
  }],
  ["a boolean or null", "boolean | null", { type: ["boolean", "null"] }],
  ["a boolean or a text", "{ a: boolean | string }", {
    ...objectOf({ a: { type: ["string", "boolean"] } }),
  }],
  ["literals in the order they are written", `{ a: "b" | "a" }`, {
    ...objectOf({ a: { ...TEXT, enum: ["b", "a"] } }),
  }],
  ["numbers in the order they are written", "{ a: 3 | 1 | 2 }", {
    ...objectOf({ a: { ...NUMBER, enum: [3, 1, 2] } }),
  }],
  ["literals of several types", `{ a: "x" | 1 }`, {
    ...objectOf({ a: { type: ["string", "number"], enum: ["x", 1] } }),
  }],
  ["literals or null", `"a" | "b" | null`, { type: ["string", "null"], enum: ["a", "b", null] }],
  ["a literal or null", `"a" | null`, { type: ["string", "null"], enum: ["a", null] }],
  ["true or null", "true | null", { type: ["boolean", "null"], enum: [true, null] }],
  ["true or a text", "true | string", { anyOf: [TEXT, literal(true)] }],
  ["true or one", "true | 1", { type: ["number", "boolean"], enum: [1, true] }],
  ["literals of all types, or null", `{ a: boolean | "a" | 1 | null }`, {
    ...objectOf({
      a: {
        anyOf: [BOOLEAN, { type: ["string", "number"], enum: ["a", 1] }, NULL],
      },
    }),
  }],
  ["a text that has the literals beside it", `"a" | string`, TEXT],
  ["literals, and any text besides", `"a" | (string & {})`, TEXT],
  ["a list or one", "Cat | Cat[]", {
    anyOf: [ref("Cat"), { type: "array", items: ref("Cat") }],
  }, { Cat: objectOf({ kind: literal("cat"), meow: NUMBER }) }],
  ["anything, whatever its alternatives", "unknown | string", {}],
  ["what is left of a union", `Exclude<"a" | "b" | "c", "c">`, AB],
  ["what is taken of a union", `Extract<Cat | Dog, { kind: "cat" }>`, ref("Cat"), {
    Cat: objectOf({ kind: literal("cat"), meow: NUMBER }),
  }],
  ["what is not null", "NonNullable<string | null | undefined>", TEXT],
  ["a union with a name", "{ a: Order; b: Order | null; c?: Order }", {
    ...objectOf({ a: ref("Order"), b: { anyOf: [ref("Order"), NULL] }, c: ref("Order") }, "c"),
  }, { Order: { ...TEXT, enum: ["desc", "asc"] } }],
  ["a union with a name that may be null", "MaybeCat", ref("MaybeCat"), {
    Cat: objectOf({ kind: literal("cat"), meow: NUMBER }),
    MaybeCat: { anyOf: [ref("Cat"), NULL] },
  }],
  ["a union with a name in another", `{ a: Order | "none" }`, {
    ...objectOf({ a: { anyOf: [ref("Order"), literal("none")] } }),
  }, { Order: { ...TEXT, enum: ["desc", "asc"] } }],
  ["five hundred literals", "Many", ref("Many"), {
    Many: { ...TEXT, enum: Array.from({ length: 500 }, (_, i) => `v${i}`) },
  }],
];

const ENUMS: readonly SchemaCase[] = [
  ["an enum of texts", "Text", ref("Text"), { Text: AB }],
  ["an enum of numbers", "Count", ref("Count"), { Count: { ...NUMBER, enum: [0, 1] } }],
  ["an enum of numbers below zero and with fractions", "Odd", ref("Odd"), {
    Odd: { ...NUMBER, enum: [-1, 1.5] },
  }],
  ["an enum that is not there at run time", "Const", ref("Const"), {
    Const: { ...TEXT, enum: ["x", "y"] },
  }],
  ["an enum of texts and numbers", "Both", ref("Both"), {
    Both: { type: ["number", "string"], enum: [0, "b"] },
  }],
  ["an enum of flags", "Flags", ref("Flags"), { Flags: { ...NUMBER, enum: [1, 2, 3] } }],
  ["an enum of one member", "Single", ref("Single"), { Single: literal("only") }],
  ["an enum of computed members", "Computed", ref("Computed"), { Computed: NUMBER }],
  ["a member of an enum", "Text.A", literal("a")],
  ["some members of an enum", "Flags.A | Flags.B", { ...NUMBER, enum: [1, 2] }],
  ["all members of an enum, one by one", "Text.A | Text.B", ref("Text"), { Text: AB }],
  ["an enum or null", "Text | null", { anyOf: [ref("Text"), NULL] }, { Text: AB }],
  ["a member of an enum or null", "Text.A | null", { type: ["string", "null"], enum: ["a", null] }],
  ["an optional enum", "{ a?: Text }", objectOf({ a: ref("Text") }, "a"), {
    Text: AB,
  }],
  ["an enum or a literal", `Text | "c"`, { anyOf: [ref("Text"), literal("c")] }, { Text: AB }],
  ["two enums", "{ a: Text | Count }", objectOf({ a: { anyOf: [ref("Text"), ref("Count")] } }), {
    Text: AB,
    Count: { ...NUMBER, enum: [0, 1] },
  }],
  ["texts of an enum", "`${Text}`", AB],
];

const CAT = objectOf({ kind: literal("cat"), meow: NUMBER });
const DOG = objectOf({ kind: literal("dog"), bark: TEXT });
const BIRD = objectOf({ kind: { ...TEXT, enum: ["bird", "fowl"] }, fly: BOOLEAN });
const PETS = { Cat: CAT, Dog: DOG };
const BY_KIND = oneOf("kind", { cat: "Cat", dog: "Dog" });

const DISCRIMINATED: readonly SchemaCase[] = [
  ["two objects that a text tells apart", "Cat | Dog", BY_KIND, PETS],
  ["such objects in the order they are written", "{ a: Dog | Cat }", {
    ...objectOf({ a: oneOf("kind", { dog: "Dog", cat: "Cat" }) }),
  }, PETS],
  ["such objects in a list", "(Cat | Dog)[]", { type: "array", items: BY_KIND }, PETS],
  ["such objects or null", "Cat | Dog | null", { anyOf: [BY_KIND, NULL] }, PETS],
  ["such objects with a name", "Animal", ref("Animal"), { ...PETS, Animal: BY_KIND }],
  ["an object with two such values", "{ a: Cat | Bird }", {
    ...objectOf({ a: oneOf("kind", { cat: "Cat", bird: "Bird", fowl: "Bird" }) }),
  }, { Cat: CAT, Bird: BIRD }],
  ["objects that a member of an enum tells apart", "{ a: WithA | WithB }", {
    ...objectOf({ a: oneOf("kind", { a: "WithA", b: "WithB" }) }),
  }, {
    WithA: objectOf({ kind: literal("a") }),
    WithB: objectOf({ kind: literal("b"), x: NUMBER }),
  }],
  ["objects of a generic", `{ a: Of<"a"> | Of<"b"> }`, {
    ...objectOf({ a: oneOf("kind", { a: "Of_a", b: "Of_b" }) }),
  }, {
    Of_a: objectOf({ kind: literal("a"), v: NUMBER }),
    Of_b: objectOf({ kind: literal("b"), v: NUMBER }),
  }],
  ["objects that a number tells apart, of which tools know no mapping", "{ a: One | Two }", {
    ...objectOf({ a: { oneOf: [ref("One"), ref("Two")] } }),
  }, { One: objectOf({ t: literal(1) }), Two: objectOf({ t: literal(2), b: TEXT }) }],
  ["objects that a boolean tells apart", "{ a: Good | Bad }", {
    ...objectOf({ a: { oneOf: [ref("Good"), ref("Bad")] } }),
  }, {
    Good: objectOf({ ok: literal(true), value: TEXT }),
    Bad: objectOf({ ok: literal(false), error: TEXT }),
  }],
  ["objects without names", `{ a: { k: "x"; y: 1 } | { k: "z" } }`, {
    ...objectOf({
      a: { oneOf: [objectOf({ k: literal("x"), y: literal(1) }), objectOf({ k: literal("z") })] },
    }),
  }],
  ["objects of which one has a name", `{ a: Cat | { kind: "x" } }`, {
    ...objectOf({ a: { oneOf: [ref("Cat"), objectOf({ kind: literal("x") })] } }),
  }, { Cat: CAT }],
  ["the first of two members that tell apart", "{ a: Left | Right }", {
    ...objectOf({ a: oneOf("kind", { a: "Left", b: "Right" }) }),
  }, {
    Left: objectOf({ kind: literal("a"), type: literal("x") }),
    Right: objectOf({ kind: literal("b"), type: literal("y") }),
  }],
  ["objects whose discriminator is optional, which distinguishes nothing", "{ a: Cat | Open }", {
    ...objectOf({ a: { anyOf: [ref("Cat"), ref("Open")] } }),
  }, { Cat: CAT, Open: objectOf({ kind: literal("open"), x: NUMBER }, "kind") }],
  ["objects whose member has some values in common", "{ a: Bird | Fowl }", {
    ...objectOf({ a: { anyOf: [ref("Bird"), ref("Fowl")] } }),
  }, { Bird: BIRD, Fowl: objectOf({ kind: literal("fowl") }) }],
  ["such objects and a text", "{ a: Cat | Dog | string }", {
    ...objectOf({ a: { anyOf: [ref("Cat"), ref("Dog"), TEXT] } }),
  }, PETS],
  ["a union of such objects in another", "{ a: Animal | Bird }", {
    ...objectOf({ a: oneOf("kind", { cat: "Cat", dog: "Dog", bird: "Bird", fowl: "Bird" }) }),
  }, { ...PETS, Bird: BIRD }],
  ["such objects with more members", "(Cat | Dog) & { id: string }", {
    oneOf: [
      objectOf({ kind: literal("cat"), meow: NUMBER, id: TEXT }),
      objectOf({ kind: literal("dog"), bark: TEXT, id: TEXT }),
    ],
  }],
  ["one of such objects, by its member", `(Cat | Dog) & { kind: "cat" }`, CAT],
  ["an object that is two of them, which is nothing", "Cat & Dog", { not: {} }],
  ["objects that a brand tells apart, which is never written", "{ a: BrandA | BrandB }", {
    ...objectOf({ a: { anyOf: [ref("BrandA"), ref("BrandB")] } }),
  }, { BrandA: objectOf({ id: TEXT }), BrandB: objectOf({ id: TEXT }) }],
  ["objects that an accessor tells apart, which is never written", "{ a: ByA | ByB }", {
    ...objectOf({ a: { anyOf: [ref("ByA"), ref("ByB")] } }),
  }, { ByA: objectOf({ x: NUMBER }), ByB: objectOf({ y: NUMBER }) }],
  [
    "members that exclude each other",
    "{ x: { a: string; b?: never } | { a?: never; b: string } }",
    {
      ...objectOf({
        x: {
          anyOf: [
            objectOf({ a: TEXT, b: { not: {} } }, "b"),
            objectOf({ a: { not: {} }, b: TEXT }, "a"),
          ],
        },
      }),
    },
  ],
  ["tuples that their first member tells apart", `{ a: ["x", string] | ["y", number] }`, {
    ...objectOf({
      a: {
        oneOf: [[literal("x"), TEXT], [literal("y"), NUMBER]].map((prefixItems) => ({
          type: "array",
          prefixItems,
          minItems: 2,
          maxItems: 2,
        })),
      },
    }),
  }],
];

testSchemas([...SIMPLE, ...ENUMS, ...DISCRIMINATED], {
  before: `
declare const brand: unique symbol;
interface Cat { kind: "cat"; meow: number }
interface Dog { kind: "dog"; bark: string }
interface Bird { kind: "bird" | "fowl"; fly: boolean }
interface Fowl { kind: "fowl" }
interface Open { kind?: "open"; x: number }
type Animal = Cat | Dog;
type MaybeCat = Cat | null;
type Order = "desc" | "asc";
type Many = ${Array.from({ length: 500 }, (_, i) => `"v${i}"`).join(" | ")};
enum Text { A = "a", B = "b" }
enum Count { Zero, One }
enum Odd { A = -1, B = 1.5 }
const enum Const { X = "x", Y = "y" }
enum Both { A = 0, B = "b" }
enum Flags { A = 1 << 0, B = 1 << 1, AB = A | B }
enum Single { Only = "only" }
enum Computed { A = "abc".length, B = 2 }
interface WithA { kind: Text.A }
interface WithB { kind: Text.B; x: number }
interface Of<T extends string> { kind: T; v: number }
interface One { t: 1 }
interface Two { t: 2; b: string }
interface Good { ok: true; value: string }
interface Bad { ok: false; error: string }
interface Left { kind: "a"; type: "x" }
interface Right { kind: "b"; type: "y" }
interface BrandA { readonly [brand]: "A"; id: string }
interface BrandB { readonly [brand]: "B"; id: string }
class ByA { get kind(): "a" { return "a"; } x = 1; }
class ByB { get kind(): "b" { return "b"; } y = 1; }
`,
});
