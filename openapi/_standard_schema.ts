/**
 * JSON Schema of validators, by Standard JSON Schema (https://standardschema.dev/json-schema): Zod 4, ArkType, Valibot
 * with its converter. What is only true of the validator, and not of the API, is left out.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, MAP_KEYWORDS, mapSchema, SCHEMA_KEYWORDS } from "./_json_schema.ts";

/** Which side of a schema: what it takes, or what it gives. */
export type Side = "input" | "output";

/** What the standard's converters are told. */
interface ConverterOptions {
  readonly target: string;
  /** What a library takes beyond the standard. */
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
}

/** The part of the standard that is used here. */
type JsonSchemaConverter = Readonly<Record<Side, (options: ConverterOptions) => unknown>>;

/** Options of {@linkcode jsonSchemaOf}. */
export interface JsonSchemaOptions {
  /** Mark a part that JSON has not by {@linkcode UNKNOWN_PART}, where the library says which it is. @default {false} */
  readonly markUnknown?: boolean;
}

/** Keyword of a part that JSON has not, for those that describe it by hand. */
export const UNKNOWN_PART = "x-gatehouse-unknown";

interface StandardValidator {
  readonly "~standard": { readonly vendor: string; readonly jsonSchema?: JsonSchemaConverter };
}

/** Name of the library that a validator is of. */
export function vendorOf(validator: unknown): string {
  return (validator as StandardValidator)["~standard"].vendor;
}

/** What libraries are told besides, by vendor: where they know more than they say by themselves. */
const LIBRARY_OPTIONS: Readonly<Record<string, (side: Side) => Readonly<Record<string, unknown>>>> =
  {
    zod: (side) => ({
      unrepresentable: "any",
      override: (node: ZodNode) => representInJson(node, side),
    }),
  };

/**
 * The JSON Schema of one side of a validator.
 *
 * @throws {TypeError} If the validator gives none.
 */
export function jsonSchemaOf(
  validator: unknown,
  side: Side,
  { markUnknown = false }: JsonSchemaOptions = {},
): SchemaObject {
  const { vendor, jsonSchema } = (validator as StandardValidator)["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `its schema (${vendor}) gives no JSON Schema; wrap it in the library's converter, or describe it in the metadata`,
    );
  }
  const convert = (): SchemaObject => {
    const libraryOptions = LIBRARY_OPTIONS[vendor]?.(side);
    const schema = jsonSchema[side]({
      target: "draft-2020-12",
      ...(libraryOptions === undefined ? {} : { libraryOptions }),
    });
    if (!isObject(schema)) throw new TypeError("what it gives is no schema");
    return schema;
  };
  try {
    const schema = mapSchema(convertAlike(convert), (one) => tidy(one, side));
    const unknown = markUnknown ? undefined : unknownPart(schema);
    if (unknown !== undefined) throw new TypeError(`${unknown} cannot be represented in JSON`);
    return schema;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(
      `its schema (${vendor}) gives no JSON Schema: ${why}; describe it in the metadata`,
      { cause },
    );
  }
}

/** What a schema has that JSON has not. */
export function unknownPart(schema: SchemaObject): string | undefined {
  let found: string | undefined;
  mapSchema(schema, (one) => {
    if (typeof one[UNKNOWN_PART] === "string") found ??= one[UNKNOWN_PART];
    return one;
  });
  return found;
}

/** A part of a Zod schema, on its way to JSON Schema. */
interface ZodNode {
  readonly zodSchema: {
    readonly _zod: {
      readonly def: {
        readonly type: string;
        readonly coerce?: boolean;
        readonly values?: readonly unknown[];
      };
    };
  };
  readonly jsonSchema: Record<string, unknown>;
}

/** Types of Zod that JSON has not. */
const NOT_IN_JSON: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "bigint",
  "custom",
  "date",
  "function",
  "map",
  "nan",
  "promise",
  "set",
  "symbol",
  "transform",
  "undefined",
  "void",
]);

/** Describes a date, which is sent as its text, and taken from one where it is coerced. Marks what JSON has not. */
function representInJson({ zodSchema, jsonSchema }: ZodNode, side: Side): void {
  const { type, coerce, values = [] } = zodSchema._zod.def;
  if (type === "date" && (side === "output" || coerce === true)) {
    Object.assign(jsonSchema, { type: "string", format: "date-time" });
  } else if (NOT_IN_JSON.has(type)) {
    jsonSchema[UNKNOWN_PART] = type === "void" ? "undefined" : type;
  } else if (type === "literal" && !isInJson(values)) {
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]; // it says the number for a bigint
    jsonSchema[UNKNOWN_PART] = type;
  }
}

/** Whether one of a literal's values can come in JSON, where `undefined` is a member that is not there. */
function isInJson(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value !== "bigint") &&
    values.some((value) => value !== undefined);
}

/** Whether a schema says what it takes; one that JSON has not may be described in its own metadata. */
function isDescribed(schema: SchemaObject): boolean {
  return ["type", "$ref", "allOf", "anyOf", "oneOf", "enum"].some((keyword) => keyword in schema);
}

/** A schema without the defaults that are made anew each time, such as an id or the time. */
function convertAlike(convert: () => SchemaObject): SchemaObject {
  const one = convert();
  return JSON.stringify(one).includes('"default":')
    ? withoutMadeUp(one, atAnotherTime(convert))
    : one;
}

/** Another year, day, hour, minute, second and millisecond. */
const SHIFT_MS = 400 * 86_400_000 + 3_661_001;

/** Runs with a clock that is ahead, so that whatever is made of the time comes out different. */
function atAnotherTime<T>(run: () => T): T {
  const clock = globalThis.Date;
  globalThis.Date = new Proxy(clock, {
    construct: (target, args, caller) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + SHIFT_MS] : args, caller),
    get: (target, name) =>
      name === "now" ? () => target.now() + SHIFT_MS : Reflect.get(target, name),
  });
  try {
    return run();
  } finally {
    globalThis.Date = clock;
  }
}

function withoutMadeUp(one: SchemaObject, other: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(one)
      .filter(([keyword, value]) => keyword !== "default" || isSame(value, other[keyword]))
      .map(([keyword, value]) => {
        if (!MAP_KEYWORDS.has(keyword) || !isObject(value)) {
          return [keyword, alike(value, other[keyword])];
        }
        const others = other[keyword];
        const named = Object.entries(value).map(([name, schema]) => [
          name,
          alike(schema, isObject(others) ? others[name] : undefined),
        ]);
        return [keyword, Object.fromEntries(named)];
      }),
  );
}

function alike(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.map((part, i) => alike(part, other[i]));
  }
  return isObject(one) && isObject(other) ? withoutMadeUp(one, other) : one;
}

/** Keywords of JSON Schema 2020-12 and of OpenAPI's vocabulary; libraries add others, and so do their users. */
const KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...SCHEMA_KEYWORDS,
  ..."$anchor $comment $defs $dynamicAnchor $dynamicRef $ref const contentEncoding contentMediaType"
    .split(" "),
  ..."default definitions dependentRequired dependentSchemas deprecated description discriminator enum"
    .split(" "),
  ..."example examples exclusiveMaximum exclusiveMinimum externalDocs format maxContains maxItems maxLength"
    .split(" "),
  ..."maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern"
    .split(" "),
  ..."patternProperties properties readOnly required title type uniqueItems writeOnly xml".split(
    " ",
  ),
]);

function tidy({ [UNKNOWN_PART]: unknown, ...given }: SchemaObject, side: Side): SchemaObject {
  const schema = unknown === undefined || isDescribed(given)
    ? given
    : { ...given, [UNKNOWN_PART]: unknown };
  const known = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) =>
      (KEYWORDS.has(keyword) || keyword.startsWith("x-")) &&
      (typeof value !== "number" || Number.isFinite(value))
    ),
  );
  const sided = side === "input" ? asInput(known) : asOutput(known);
  return withProperties(withoutEmptyChoice(withoutBooleans(sided)));
}

/** Keywords where tools take `true` and `false` for schemas. Elsewhere they want objects. */
const BOOLEAN_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "additionalProperties",
  "items",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

function withoutBooleans(schema: SchemaObject): SchemaObject {
  const asObject = (one: unknown): unknown => one === true ? {} : one === false ? { not: {} } : one;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (!SCHEMA_KEYWORDS.has(keyword) || BOOLEAN_KEYWORDS.has(keyword)) return [keyword, value];
      return [keyword, Array.isArray(value) ? value.map(asObject) : asObject(value)];
    }),
  );
}

/** What a request may hold is not read-only, JSON Schema Validation §9.4. */
function asInput({ readOnly: _, ...schema }: SchemaObject): SchemaObject {
  return schema;
}

/** Responses are not checked, so no schema may promise that nothing else is in them. */
function asOutput({ writeOnly: _, ...schema }: SchemaObject): SchemaObject {
  if (schema.additionalProperties !== false) return schema;
  const { additionalProperties: _closed, ...open } = schema;
  return open;
}

/** Choices without their repetitions, and without `undefined`. One of several that takes anything leaves no choice. */
function withoutEmptyChoice(schema: SchemaObject): SchemaObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = anyOf.filter((one, i) =>
    anyOf.findIndex((other) => isSame(one, other)) === i &&
    !(isObject(one) && one[UNKNOWN_PART] === "undefined") // a member that need not be there
  );
  if (choices.some((one) => isObject(one) && isEmpty(one))) return rest;
  const [only] = choices;
  if (choices.length > 1) return { ...rest, anyOf: choices };
  if (!isObject(only)) return rest;
  return isEmpty(rest) ? only : { ...rest, allOf: [only] };
}

/** Says of each required member what it is, where the schema only says so of all members. */
function withProperties(schema: SchemaObject): SchemaObject {
  const { required, properties = {}, additionalProperties } = schema;
  if (!Array.isArray(required) || !isObject(properties) || !isObject(additionalProperties)) {
    return schema;
  }
  const missing = required.filter((name) => !Object.hasOwn(properties, name));
  if (missing.length === 0) return schema;
  const added = missing.map((name) => [name, additionalProperties]);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
