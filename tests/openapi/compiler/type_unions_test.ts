/**
 * What a document says of unions: enumerations, nullable types, and alternatives that a member
 * tells apart.
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

const BOOLEAN: SchemaObject = { type: "boolean" };
const NULL: SchemaObject = { type: "null" };
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
  ["anything, whatever stands beside it", "unknown | string", {}],
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
  ["an enum that need not be there", "{ a?: Text }", objectOf({ a: ref("Text") }, "a"), {
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
  ["objects whose member need not be there, which tells nothing", "{ a: Cat | Open }", {
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
