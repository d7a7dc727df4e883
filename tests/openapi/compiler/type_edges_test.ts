/**
 * What a document says of types at the edges: where a rule has to give way to another one.
 */

import { NUMBER, objectOf, ref, type SchemaCase, testSchemas, TEXT } from "./_types.ts";

const BEFORE = `
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
const PET = { Pet: objectOf({ name: TEXT }) };
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
    "a union in parentheses, where it stands",
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
testSchemas(CASES, { before: BEFORE, files: FILES });
