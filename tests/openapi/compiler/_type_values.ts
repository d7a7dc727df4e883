/**
 * Values that schemas of types allow, drawn by a seed, others that differ in one place, and which
 * of them are allowed.
 *
 * It supports the keywords that types become; another one is an error, so that none is ignored.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";
import type { Random } from "../../router/_helpers.ts";

/** Schemas by their names. */
export type Schemas = Readonly<Record<string, SchemaObject>>;

/** How deeply values are nested, unless their schema wants more. */
const DEPTH = 4;
const TEXTS = [
  "",
  "a",
  "b",
  "x y",
  "日本",
  "😀",
  "note-1",
  "note--2.5",
  "abc",
  "12",
  "2020-01-01T00:00:00Z",
];
const DATES = ["2020-01-01T00:00:00Z", "1999-12-31T23:59:59.999Z"];
const DATE_TIME_REGEXP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const NUMBERS = [0, 1, -1, 2, 3.5, 7, 100, -0.25, 1e9];
/** One of each type. */
const SAMPLES: readonly unknown[] = [
  "text",
  7.5,
  3,
  true,
  false,
  null,
  ["text"],
  { text: "text" },
  [],
  {},
];
const NAMES = ["k", "x-1", "日"];

const KNOWN = new Set(
  ("$ref additionalProperties allOf anyOf const description discriminator enum format items " +
    "maxItems maxLength maximum minItems minLength minimum not oneOf pattern " +
    "patternProperties prefixItems properties required type").split(" "),
);

/** Works with the schemas of one document. */
export function createValues(schemas: Schemas): {
  readonly draw: (schema: SchemaObject, random: Random) => unknown;
  readonly allows: (schema: SchemaObject, value: unknown) => boolean;
} {
  function resolve(schema: SchemaObject): SchemaObject {
    const other = Object.keys(schema).find((name) => !KNOWN.has(name));
    if (other !== undefined) throw new TypeError(`Cannot make a value: ${other} is not known`);
    if (typeof schema.$ref !== "string") return schema;
    const found = schemas[schema.$ref.replace("#/components/schemas/", "")];
    if (found === undefined) throw new TypeError(`${schema.$ref} is not there`);
    return resolve(found);
  }

  function draw(given: SchemaObject, random: Random, depth = DEPTH): unknown {
    const schema = resolve(given);
    const choices = listOf(schema.anyOf) ?? listOf(schema.oneOf) ?? listOf(schema.allOf);
    if (choices !== undefined) {
      const flat = choices.filter((one) =>
        depth > 0 || !["object", "array"].includes(`${resolve(one).type}`)
      );
      return draw(random.pick(flat.length === 0 ? choices : flat), random, depth);
    }
    if ("const" in schema) return schema.const;
    if (Array.isArray(schema.enum)) return random.pick(schema.enum);
    const types = typesOf(schema);
    const shallow = depth > 0 ? types : types.filter((one) => one !== "object" && one !== "array");
    const type = random.pick(shallow.length === 0 ? types : shallow);
    switch (type) {
      case "string":
        return fitting(schema, schema.format === "date-time" ? DATES : TEXTS, random);
      case "number":
      case "integer":
        return fitting({ ...schema, type }, NUMBERS, random);
      case "boolean":
        return random.below(2) === 0;
      case "array":
        return drawList(schema, random, depth - 1);
      case "object":
        return drawObject(schema, random, depth - 1);
      case "null":
        return null;
      default:
        return random.pick(SAMPLES);
    }
  }

  function fitting(schema: SchemaObject, values: readonly unknown[], random: Random): unknown {
    const found = values.filter((one) => allows({ ...schema, type: schema.type }, one));
    if (found.length === 0) throw new TypeError(`Nothing fits ${JSON.stringify(schema)}`);
    return random.pick(found);
  }

  function drawList(schema: SchemaObject, random: Random, depth: number): unknown[] {
    const { minItems: min = 0, maxItems = depth > 0 ? 3 : 0 } = schema as {
      minItems?: number;
      maxItems?: number;
    };
    const first = listOf(schema.prefixItems) ?? [];
    const length = min + random.below(Math.max(maxItems, first.length, min) - min + 1);
    return Array.from({ length }, (_, i) => {
      const items = first[i] ?? schemaOf(schema.items) ?? {};
      return draw(items, random, depth);
    });
  }

  function drawObject(schema: SchemaObject, random: Random, depth: number): unknown {
    const required = (schema.required ?? []) as readonly string[];
    const members = Object.entries(mapOf(schema.properties)).filter(([name, one]) =>
      required.includes(name) ||
      (depth >= 0 && random.below(2) === 0 && resolve(one).not === undefined)
    );
    const others = schemaOf(schema.additionalProperties);
    const more = others === undefined || depth < 0
      ? []
      : random.list(0, 2, () => random.pick(NAMES));
    return Object.fromEntries([
      ...members.map(([name, one]) => [name, draw(one, random, depth)]),
      ...more.map((name) => [name, draw(others ?? {}, random, depth)]),
    ]);
  }

  function allows(given: SchemaObject, value: unknown): boolean {
    const schema = resolve(given);
    const all = (key: string) => listOf(schema[key])?.filter((one) => allows(one, value)).length;
    const { not, minimum, maximum, minLength, maxLength, pattern } = schema as Limits;
    if (not !== undefined && allows(not, value)) return false;
    if (all("anyOf") === 0 || (all("oneOf") ?? 1) !== 1) return false;
    if (all("allOf") !== listOf(schema.allOf)?.length) return false;
    if ("const" in schema && schema.const !== value) return false;
    if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
    const types = typesOf(schema);
    if (types.length > 0 && !types.some((type) => isOf(type, value))) return false;
    if (typeof value === "number") {
      return !(value < (minimum ?? -Infinity) || value > (maximum ?? Infinity));
    }
    if (typeof value === "string") {
      const { length } = [...value];
      return !(length < (minLength ?? 0) || length > (maxLength ?? Infinity)) &&
        (schema.format !== "date-time" || DATE_TIME_REGEXP.test(value)) &&
        (pattern === undefined || new RegExp(pattern, "u").test(value));
    }
    if (Array.isArray(value)) return allowsList(schema, value);
    return typeof value !== "object" || value === null || allowsObject(schema, value);
  }

  function allowsList(schema: SchemaObject, value: readonly unknown[]): boolean {
    const { minItems = 0, maxItems = Infinity } = schema as {
      minItems?: number;
      maxItems?: number;
    };
    const first = listOf(schema.prefixItems) ?? [];
    return value.length >= minItems && value.length <= maxItems &&
      value.every((one, i) => allows(first[i] ?? schemaOf(schema.items) ?? {}, one));
  }

  function allowsObject(schema: SchemaObject, value: object): boolean {
    const properties = mapOf(schema.properties);
    const patterns = Object.entries(mapOf(schema.patternProperties));
    const required = (schema.required ?? []) as readonly string[];
    return required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, one]) => {
        const found = [
          ...(Object.hasOwn(properties, name) ? [properties[name] ?? {}] : []),
          ...patterns.filter(([regexp]) => new RegExp(regexp, "u").test(name)).map(([, other]) =>
            other
          ),
        ];
        if (found.length > 0) return found.every((other) => allows(other, one));
        return schema.additionalProperties !== false &&
          allows(schemaOf(schema.additionalProperties) ?? {}, one);
      });
  }

  return { draw, allows };
}

/** Values like another, but for one place: a member less, or a value of another type there. */
export function variantsOf(value: unknown): readonly unknown[] {
  const others = SAMPLES.filter((one) => JSON.stringify(one) !== JSON.stringify(value));
  if (Array.isArray(value)) {
    return [
      ...others,
      value.slice(1),
      ...value.flatMap((one, i) => variantsOf(one).map((other) => value.with(i, other))),
    ];
  }
  if (typeof value !== "object" || value === null) return others;
  return [
    ...others,
    ...Object.keys(value).map((name) =>
      Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
    ),
    ...Object.entries(value).flatMap(([name, one]) =>
      variantsOf(one).map((other) => ({ ...value, [name]: other }))
    ),
  ];
}

interface Limits {
  readonly not?: SchemaObject;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

function typesOf({ type }: SchemaObject): readonly string[] {
  return Array.isArray(type) ? type : typeof type === "string" ? [type] : [];
}

function isOf(type: string, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (value === null) return type === "null";
  return type === (Array.isArray(value) ? "array" : typeof value);
}

function listOf(value: unknown): readonly SchemaObject[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function schemaOf(value: unknown): SchemaObject | undefined {
  return typeof value === "object" && value !== null ? value as SchemaObject : undefined;
}

function mapOf(value: unknown): Schemas {
  return (schemaOf(value) ?? {}) as Schemas;
}
