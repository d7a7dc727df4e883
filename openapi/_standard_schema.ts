/**
 * JSON Schema of validators through Standard JSON Schema (https://standardschema.dev/json-schema): Zod 4, ArkType, and
 * Valibot with its converter.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema, visitSchema } from "./_json_schema.ts";
import { normalizeSchema, type Side, UNKNOWN_PART } from "./_normalize_schema.ts";

/** Options of the standard's converters. */
interface ConverterOptions {
  readonly target: string;
  /** Options that a library accepts beyond the standard. */
  readonly libraryOptions?: Readonly<Record<string, unknown>>;
}

/** The part of the standard that is used here. */
type JsonSchemaConverter = Readonly<Record<Side, (options: ConverterOptions) => unknown>>;

/** A source of JSON Schema: a validator, or TypeScript types. */
export interface SchemaSource {
  /** The standard's properties. */
  readonly "~standard": { readonly vendor: string; readonly jsonSchema?: JsonSchemaConverter };
}

/** Vendor of schemas read from TypeScript types. Their marks are complete messages. */
export const TYPES_VENDOR = "typescript";

/** Options of {@linkcode jsonSchemaOf}. */
export interface JsonSchemaOptions {
  /**
   * Mark parts that JSON cannot represent by {@linkcode UNKNOWN_PART}, if the library reports them. @default {false}
   */
  readonly markUnknown?: boolean;
}

/** Name of the validator's library. */
export function vendorOf(validator: unknown): string {
  return (validator as SchemaSource)["~standard"].vendor;
}

/** Library-specific converter options, by vendor. */
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
 * @throws {TypeError} If the validator gives no JSON Schema.
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
    if (!isObject(schema)) throw new TypeError("the converter did not return a schema");
    return schema;
  };
  try {
    const schema = vendor === TYPES_VENDOR
      ? convert() // already normalized
      : mapSchema(convert(), (one) => normalizeSchema(one, side));
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

/** At most three messages, in one line: more usually have the same cause. */
function listed(messages: readonly string[]): string {
  const others = messages.length - 3;
  return messages.slice(0, 3).join("; ") + (others > 0 ? `; and ${others} more` : "");
}

/** The parts of a schema that JSON cannot represent. */
export function unknownParts(schema: SchemaObject): readonly string[] {
  const found = new Set<string>();
  visitSchema(schema, (one) => {
    if (typeof one[UNKNOWN_PART] === "string") found.add(one[UNKNOWN_PART]);
  });
  return [...found];
}

/** A node of a Zod schema, during conversion. */
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

/** Zod types that JSON cannot represent. */
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

/** A date is sent as a string, and accepted as one if it is coerced. Marks what JSON cannot represent. */
function representInJson({ zodSchema, jsonSchema }: ZodNode, side: Side): void {
  const { type, coerce, values = [] } = zodSchema._zod.def;
  if (type === "date" && (side === "output" || coerce === true)) {
    Object.assign(jsonSchema, { type: "string", format: "date-time" });
  } else if (NOT_IN_JSON.has(type)) {
    jsonSchema[UNKNOWN_PART] = type === "void" ? "undefined" : type;
  } else if (type === "literal" && !isInJson(values)) {
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]; // Zod writes a bigint as a number
    jsonSchema[UNKNOWN_PART] = type;
  }
}

/** Whether JSON can represent a literal. `undefined` stands for an absent property. */
function isInJson(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value !== "bigint") &&
    values.some((value) => value !== undefined);
}
