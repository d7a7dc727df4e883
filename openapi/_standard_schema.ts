/**
 * JSON Schema of validators, by Standard JSON Schema (https://standardschema.dev/json-schema): Zod 4, ArkType, Valibot
 * with its converter.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema, visitSchema } from "./_json_schema.ts";
import { type Side, tidySchema, UNKNOWN_PART } from "./_normalize_schema.ts";

/** What the standard's converters are told. */
interface ConverterOptions {
  readonly target: string;
  /** What a library takes beyond the standard. */
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
}

/** The part of the standard that is used here. */
type JsonSchemaConverter = Readonly<Record<Side, (options: ConverterOptions) => unknown>>;

/** What gives JSON Schema: a validator, or the reader of TypeScript types. */
export interface SchemaSource {
  /** The standard's properties. */
  readonly "~standard": { readonly vendor: string; readonly jsonSchema?: JsonSchemaConverter };
}

/** Vendor of what is read from types. Its marks are whole messages. */
export const TYPES_VENDOR = "typescript";

/** Options of {@linkcode jsonSchemaOf}. */
export interface JsonSchemaOptions {
  /** Mark a part that JSON has not by {@linkcode UNKNOWN_PART}, where the library says which it is. @default {false} */
  readonly markUnknown?: boolean;
}

/** Name of the library that a validator is of. */
export function vendorOf(validator: unknown): string {
  return (validator as SchemaSource)["~standard"].vendor;
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
  const { vendor, jsonSchema } = (validator as SchemaSource)["~standard"];
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
    const schema = vendor === TYPES_VENDOR
      ? convert() // which is tidy
      : mapSchema(convert(), (one) => tidySchema(one, side));
    const unknown = markUnknown ? [] : unknownParts(schema);
    if (unknown.length === 0) return schema;
    throw new TypeError(
      vendor === TYPES_VENDOR ? listed(unknown) : `${unknown[0]} cannot be represented in JSON`,
    );
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(
      vendor === TYPES_VENDOR
        ? why
        : `its schema (${vendor}) gives no JSON Schema: ${why}; describe it in the metadata`,
      { cause },
    );
  }
}

/** Messages in one line. More than three say the same of one cause, mostly. */
function listed(messages: readonly string[]): string {
  const others = messages.length - 3;
  return messages.slice(0, 3).join("; ") + (others > 0 ? `; and ${others} more` : "");
}

/** What a schema has that JSON has not. */
export function unknownParts(schema: SchemaObject): readonly string[] {
  const found = new Set<string>();
  visitSchema(schema, (one) => {
    if (typeof one[UNKNOWN_PART] === "string") found.add(one[UNKNOWN_PART]);
  });
  return [...found];
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
