/**
 * Types, and their twins in Zod.
 *
 * @module
 */

import { z } from "zod";

/** A type, and its twin in Zod. */
export type Pair = readonly [why: string, type: string, twin: z.ZodType];

const Pet = z.object({ name: z.string(), age: z.number().optional() });
const Cat = z.object({ kind: z.literal("cat"), meow: z.number() });
const Dog = z.object({ kind: z.literal("dog"), bark: z.string().nullable() });
const Bird = z.object({ kind: z.enum(["bird", "fowl"]), fly: z.boolean() });
const Tree = z.object({
  v: z.number(),
  get children() {
    return z.array(Tree);
  },
});
const First = z.object({
  get second() {
    return Second.optional();
  },
});
const Second: z.ZodType = z.object({
  get first() {
    return First.nullable();
  },
  n: z.literal(1),
});
const List: z.ZodType = z.lazy(() => z.object({ head: z.string(), tail: List }).nullable());

/** The types. */
export const PAIRS: readonly Pair[] = [
  [
    "primitives",
    "{ a: string; b: number; c: boolean; d: null }",
    z.object({ a: z.string(), b: z.number(), c: z.boolean(), d: z.null() }),
  ],
  [
    "members that may be missing or null",
    "{ a?: string; b: number | null; c?: boolean | null; d: string | undefined }",
    z.object({
      a: z.string().optional(),
      b: z.number().nullable(),
      c: z.boolean().nullish(),
      d: z.string().optional(),
    }),
  ],
  ["literals", `"a" | "b" | 1 | true | null`, z.literal(["a", "b", 1, true, null])],
  [
    "an enum",
    "{ a: Kind; b?: Level }",
    z.object({ a: z.enum(["x", "y"]), b: z.literal([0, 1]).optional() }),
  ],
  [
    "lists of unions",
    "(string | number | boolean[])[]",
    z.array(z.union([z.string(), z.number(), z.array(z.boolean())])),
  ],
  [
    "a tuple",
    "[string, number?, ...boolean[]]",
    z.tuple([z.string(), z.number().optional()]).rest(z.boolean()),
  ],
  [
    "a tuple of a length",
    "readonly [1, Pet, string | null]",
    z.tuple([z.literal(1), Pet, z.string().nullable()]),
  ],
  ["a record", "Record<string, number | null>", z.record(z.string(), z.number().nullable())],
  ["a record of an enum", "Partial<Record<Kind, Pet>>", z.object({ x: Pet, y: Pet }).partial()],
  [
    "members and others",
    "{ [name: string]: string; a: string }",
    z.object({ a: z.string() }).catchall(z.string()),
  ],
  ["a discriminated union", "Cat | Dog | Bird", z.discriminatedUnion("kind", [Cat, Dog, Bird])],
  [
    "a union in a union",
    "(Animal | Bird)[]",
    z.array(z.discriminatedUnion("kind", [Cat, Dog, Bird])),
  ],
  [
    "a result or an error",
    "{ ok: true; value: Pet } | { ok: false; error: string }",
    z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), value: Pet }),
      z.object({ ok: z.literal(false), error: z.string() }),
    ]),
  ],
  [
    "members that exclude each other",
    "{ a: string; b?: never } | { a?: never; b: string }",
    z.union([
      z.object({ a: z.string(), b: z.never().optional() }),
      z.object({ a: z.never().optional(), b: z.string() }),
    ]),
  ],
  ["a tree", "Tree", Tree],
  ["two types in one another", "First", First],
  ["a list that ends in null", "List", List],
  ["any JSON", "{ json: Json }", z.object({ json: z.json() })],
  ["a page", "Page<Pet>", z.object({ items: z.array(Pet), next: z.string().nullable() })],
  [
    "an intersection",
    "Pet & { tags: string[]; age: number }",
    z.object({ name: z.string(), age: z.number(), tags: z.array(z.string()) }),
  ],
  [
    "an intersection of a union",
    "(Cat | Dog) & { id: string }",
    z.intersection(z.union([Cat, Dog]), z.object({ id: z.string() })),
  ],
  ["some members", `Pick<Pet, "age"> & Required<Omit<Pet, "name">>`, z.object({ age: z.number() })],
  ["optional properties", "Partial<Pet>", Pet.partial()],
  [
    "members with other names",
    "{ [K in keyof Pet as `get${Capitalize<K>}`]: Pet[K] }",
    z.object({ getName: z.string(), getAge: z.number().optional() }),
  ],
  [
    "a class",
    "Account",
    z.object({ id: z.number(), note: z.string().optional(), pets: z.array(Pet) }),
  ],
  [
    "a template",
    "{ id: `note-${number}` }",
    z.object({ id: z.templateLiteral(["note-", z.number()]) }),
  ],
  [
    "a date",
    "{ at: Date; until?: Date | null }",
    z.object({ at: z.iso.datetime(), until: z.iso.datetime().nullish() }),
  ],
  ["brands", "{ id: UserId; of: Pet }", z.object({ id: z.string().brand<"UserId">(), of: Pet })],
  [
    "documented limits",
    "Limited",
    z.object({
      size: z.int().min(0).max(7),
      text: z.string().min(1).max(3),
      pattern: z.string().regex(/^[a-z]*$/).optional(),
      share: z.number().min(-0.5).max(100).nullable(),
    }),
  ],
];

/** Code before them in their file. */
export const BEFORE = `
declare const brand: unique symbol;
interface Pet { name: string; age?: number }
interface Cat { kind: "cat"; meow: number }
interface Dog { kind: "dog"; bark: string | null }
interface Bird { kind: "bird" | "fowl"; fly: boolean }
type Animal = Cat | Dog;
enum Kind { X = "x", Y = "y" }
enum Level { Low, High }
interface Tree { v: number; children: Tree[] }
interface First { second?: Second }
interface Second { first: First | null; n: 1 }
type List = { head: string; tail: List } | null;
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
interface Page<T> { items: T[]; next: string | null }
class Account { id = 1; declare note?: string; pets: Pet[] = [];
  get first(): Pet | undefined { return this.pets[0]; } }
type UserId = string & { readonly [brand]: "UserId" };
interface Limited {
  /**
   * @type integer
   * @minimum 0
   * @maximum 7
   */
  size: number;
  /**
   * @minLength 1
   * @maxLength 3
   */
  text: string;
  /** @pattern ^[a-z]*$ */
  pattern?: string;
  /**
   * @minimum -0.5
   * @maximum 100
   */
  share: number | null;
}
`;
