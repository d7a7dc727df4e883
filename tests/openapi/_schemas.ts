/**
 * Schemas of common kinds, by names that are valid in a path.
 *
 * @module
 */

import type { StandardSchemaV1 } from "@gatehouse/http";
import { z } from "zod";
import { validatorOf } from "./_helpers.ts";

/** Schemas by name. */
export type Schemas = Readonly<Record<string, StandardSchemaV1>>;

const Tree: z.ZodType = z.object({
  value: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Husband: z.ZodType = z.object({
  name: z.string(),
  get wife() {
    return Wife.optional();
  },
});
const Wife: z.ZodType = z.object({
  get husband() {
    return Husband.optional();
  },
  get friends() {
    return z.array(Wife);
  },
});
const Folder: z.ZodType = z.object({
  get entries() {
    return z.record(z.string(), z.union([Folder, z.string()]));
  },
}).meta({ id: "Folder" });
const Expression: z.ZodType = z.lazy(() =>
  z.union([z.number(), z.tuple([z.literal("+"), Expression, Expression])])
);

/** Schemas that refer to themselves. */
export const RECURSIVE: Schemas = {
  self: Tree,
  array: z.array(Tree),
  twice: z.object({ left: Tree, right: Tree.optional() }),
  mutual: Husband,
  mutualInside: z.object({ husband: Husband, wife: Wife }),
  named: Folder,
  namedInside: z.object({ root: Folder, other: Folder.describe("Another one") }),
  lazy: Expression,
  json: z.json(),
  jsonInside: z.object({ a: z.json(), b: z.array(z.json()) }),
};

const Author = z.object({ name: z.string(), since: z.string().default("2026") }).meta({
  id: "Author",
  description: "Who wrote it",
});

/** Schemas with names of their own, which are not always names of components, and not always free. */
export const NAMED: Schemas = {
  itself: Author,
  inside: z.object({ author: Author, editors: z.array(Author) }),
  described: z.object({ editor: Author.describe("Who corrected it"), other: Author.nullable() }),
  clash: z.object({ author: z.object({ key: z.string() }).meta({ id: "Author" }) }),
  another: z.object({ author: z.object({ id: z.int() }).meta({ id: "Author" }) }),
  problem: z.object({ text: z.string() }).meta({ id: "ProblemDetails" }),
  generic: z.object({ items: z.array(z.string()) }).meta({ id: "Page<string>" }),
  slash: z.array(z.object({ a: z.string() }).meta({ id: "notes/Note" })),
  percent: z.array(z.object({ b: z.string() }).meta({ id: "100%" })),
  foreign: z.array(z.object({ c: z.string() }).meta({ id: "Größe" })),
  alike: z.object({
    one: z.object({ d: z.string() }).meta({ id: "A B" }),
    other: z.object({ e: z.string() }).meta({ id: "A_B" }),
  }),
};

const ByName = z.object({ by: z.literal("name"), name: z.string() });
const ByKey = z.object({ by: z.literal("key"), key: z.string() });

/** Zod schemas of a request. */
export const ZOD_INPUTS: Schemas = {
  any: z.any(),
  array: z.array(z.string().optional()).min(1).max(3),
  boolean: z.stringbool(),
  brand: z.string().brand("Id"),
  catch: z.object({ a: z.string().catch("a") }),
  catchall: z.object({ a: z.string() }).catchall(z.number()),
  codec: z.codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  }),
  coerce: z.object({ n: z.coerce.number().int().positive(), s: z.coerce.string() }),
  default: z.object({ a: z.string().default("a"), b: z.string().prefault("b") }),
  discriminated: z.discriminatedUnion("by", [ByName, ByKey]),
  discriminatedByName: z.discriminatedUnion("by", [
    ByName.meta({ id: "ByName" }),
    ByKey.meta({ id: "ByKey" }),
  ]),
  empty: z.object({}),
  enum: z.enum(["a", "b"]).nullable(),
  enumRecord: z.record(z.enum(["a", "b"]), z.number()),
  file: z.object({ picture: z.file().mime(["image/png", "image/jpeg"]).max(1000) }),
  formats: z.object({
    email: z.email(),
    uuid: z.uuid(),
    url: z.url(),
    ip: z.union([z.ipv4(), z.ipv6()]),
    date: z.iso.date(),
    time: z.iso.time(),
    duration: z.iso.duration(),
    base64: z.base64(),
    emoji: z.emoji(),
    phone: z.e164(),
  }),
  intersection: z.intersection(z.object({ a: z.string() }), z.record(z.string(), z.string())),
  literals: z.literal([1, "a", null, true]),
  loose: z.looseObject({ a: z.string() }),
  metadata: z.object({
    a: z.string().meta({ title: "A", examples: ["a"], deprecated: true, "x-b": 1, label: "Ours" }),
  }),
  never: z.object({ a: z.never().optional() }),
  nothing: z.null(),
  nullableAny: z.any().nullable(),
  nullish: z.object({ a: z.string().nullish(), b: z.object({ c: z.int() }).nullable() }),
  numbers: z.object({
    gt: z.number().gt(1).lt(9),
    step: z.number().multipleOf(0.5),
    int32: z.int32(),
    both: z.int().positive().min(1),
  }),
  partialRecord: z.partialRecord(z.enum(["a", "b"]), z.number()),
  pattern: z.string().regex(/^a/).regex(/b$/i).startsWith("x").includes("z"),
  pipe: z.string().transform(Number).pipe(z.int()),
  preprocess: z.preprocess((value) => [value].flat(), z.array(z.string())),
  readonly: z.object({ a: z.string().readonly(), list: z.array(z.string()).readonly() }),
  record: z.record(z.string(), z.number()),
  strict: z.strictObject({ a: z.string() }),
  template: z.templateLiteral(["note-", z.int()]),
  transform: z.object({ a: z.string() }).transform(({ a }) => a),
  tuple: z.tuple([z.string(), z.any()], z.number()),
  union: z.union([z.string(), z.number(), z.object({ a: z.string() })]),
  unionOfSame: z.union([z.object({ a: z.int() }), z.object({ a: z.int() }), z.string()]),
  unionWithAny: z.union([z.string(), z.any()]),
  words: z.object({
    type: z.string(),
    required: z.boolean(),
    nullable: z.boolean(),
    properties: z.string(),
    $ref: z.string(),
    $defs: z.string(),
  }),
};

/** Zod schemas of a response. */
export const ZOD_OUTPUTS: Schemas = {
  any: z.unknown(),
  default: z.object({ a: z.string().default("a"), b: z.string().prefault("b") }),
  discriminated: z.discriminatedUnion("by", [ByName, ByKey]),
  enumRecord: z.record(z.enum(["a", "b"]), z.boolean()),
  list: z.array(z.object({ id: z.uuid(), tags: z.array(z.string()).readonly() })).readonly(),
  nothing: z.null(),
  pipe: z.string().transform(Number).pipe(z.int()),
  strict: z.strictObject({ a: z.strictObject({ b: z.string() }) }),
  text: z.string(),
};

/** Queries, of which each member becomes a parameter. */
export const QUERIES: Schemas = {
  alternatives: z.union([z.object({ id: z.string() }), z.object({ name: z.string() })]),
  boolean: z.object({ on: z.stringbool().optional() }),
  coerce: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  discriminated: z.discriminatedUnion("by", [ByName, ByKey]),
  enum: z.object({ sort: z.enum(["asc", "desc"]).meta({ id: "Sort", description: "Order" }) }),
  enumDescribed: z.object({
    sort: z.enum(["asc", "desc"]).meta({ id: "Sort", description: "Order" }).describe("By age"),
  }),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string().optional() })),
  list: z.object({ tag: z.preprocess((value) => [value].flat(), z.array(z.string())) }),
  loose: z.looseObject({ query: z.string() }),
  nested: z.object({ filter: z.object({ a: z.string() }) }),
  object: z.object({ q: z.string().optional().describe("What to look for") }),
  record: z.record(z.string(), z.string()),
  recordOfEnum: z.record(z.enum(["a", "b"]), z.string()),
  strict: z.strictObject({ a: z.string() }),
};

/** Schemas that no library writes today, and one may tomorrow. */
export const MADE_SCHEMAS: Schemas = {
  booleans: validatorOf({
    type: "array",
    prefixItems: [true, { not: false }],
    contains: true,
    items: false,
  }),
  members: validatorOf({ type: "object", properties: { a: true, b: false } }),
  dynamic: validatorOf({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://schemas.test/a",
    type: "object",
    if: { properties: { a: { const: 1 } } },
    then: { required: ["a"], properties: { a: true } },
    dependentRequired: { a: ["b"] },
    patternProperties: { "^x-": { type: "string" } },
  }),
  definitions: validatorOf({
    definitions: { Name: { type: "string" } },
    type: "object",
    properties: { name: { $ref: "#/definitions/Name" } },
  }),
  pointer: validatorOf({
    type: "object",
    properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } },
  }),
  beside: validatorOf({
    $defs: { Short: { type: "string", maxLength: 9 } },
    type: "object",
    properties: {
      a: { $ref: "#/$defs/Short", allOf: [{ minLength: 3 }], description: "Not too short" },
    },
  }),
  values: validatorOf({
    type: "object",
    properties: { a: { default: { $ref: "#/nowhere" } }, b: { const: { $ref: "#/nowhere" } } },
    examples: [{ a: { $ref: "#/nowhere" } }],
  }),
};
