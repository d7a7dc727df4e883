/**
 * Checks of strings, numbers and other values without parts, as conditions.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { templateOf } from "../_template_pattern.ts";
import { FORMATS } from "./_formats.ts";
import type { JsonType } from "./_json_types.ts";
import { literal, type ModuleParts } from "./_module_parts.ts";

/** A condition under which a value is wrong, and what it must be. */
export interface Fault {
  readonly when: string;
  readonly message: string;
}

/** More values than these are looked up in a set. */
const MAX_COMPARED = 8;

/** The condition under which a value is none of some values. */
export function otherThan(values: readonly unknown[], value: string, parts: ModuleParts): string {
  if (values.length > MAX_COMPARED) {
    return `!${parts.constant("VALUES", `new Set<unknown>(${literal(values)})`)}.has(${value})`;
  }
  return values.map((one) => `${value} !== ${literal(one)}`).join(" && ") || "true";
}

/** The condition under which a value is not of a type. @param integer Whether numbers must be integers. */
export function isNot(type: JsonType, value: string, parts: ModuleParts, integer = false): string {
  switch (type) {
    case "null":
      return `${value} !== null`;
    case "array":
      return `!Array.isArray(${value})`;
    case "object":
      return `!${parts.use("isObject")}(${value})`;
    case "number":
      return `typeof ${value} !== "number" || !Number.${
        integer ? "isInteger" : "isFinite"
      }(${value})`;
    default:
      return `typeof ${value} !== "${type}"`;
  }
}

/** The condition under which a value is of a type. */
export function is(type: JsonType, value: string, parts: ModuleParts, integer = false): string {
  switch (type) {
    case "null":
      return `${value} === null`;
    case "array":
      return `Array.isArray(${value})`;
    case "object":
      return `${parts.use("isObject")}(${value})`;
    case "number":
      return `typeof ${value} === "number" && Number.${
        integer ? "isInteger" : "isFinite"
      }(${value})`;
    default:
      return `typeof ${value} === "${type}"`;
  }
}

/** Whether a schema accepts no other numbers than integers. */
export function isInteger({ type }: SchemaObject): boolean {
  const types: readonly unknown[] = [type].flat();
  return types.includes("integer") && !types.includes("number");
}

/** The faults of a value of a type, by the keywords for that type. */
export function scalarFaults(
  schema: SchemaObject,
  type: JsonType,
  value: string,
  parts: ModuleParts,
): readonly Fault[] {
  if (type === "string") return stringFaults(schema, value, parts);
  return type === "number" ? numberFaults(schema, value, parts) : [];
}

function stringFaults(schema: SchemaObject, value: string, parts: ModuleParts): readonly Fault[] {
  const { minLength: min = 0, maxLength: max, pattern, format } = schema as {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly format?: string;
  };
  const faults: Fault[] = [];
  if (min > 0) { // a character has one or two code units
    const few = min === 1
      ? `${value} === ""`
      : `${value}.length < ${2 * min} && ${parts.use("characters")}(${value}) < ${min}`;
    faults.push({ when: few, message: `must have at least ${counted(min, "character")}` });
  }
  if (max !== undefined) {
    const many = `${value}.length > ${max} && ${parts.use("characters")}(${value}) > ${max}`;
    faults.push({ when: many, message: `must have at most ${counted(max, "character")}` });
  }
  if (pattern !== undefined) {
    faults.push({ when: `!${matches(pattern, value, parts)}`, message: `must match ${pattern}` });
  }
  if (format !== undefined && Object.hasOwn(FORMATS, format)) {
    const { regexp = "", noun = "" } = FORMATS[format] ?? {};
    const name = parts.constant(format.toUpperCase().replace("-", "_"), regexp);
    faults.push({ when: `!${name}.test(${value})`, message: `must be ${noun}` });
  }
  return faults;
}

/** The condition under which a string matches a pattern. Templates with several placeholders are matched without backtracking. */
export function matches(pattern: string, value: string, parts: ModuleParts): string {
  const template = templateOf(pattern) ?? [];
  if (template.filter((part) => "placeholder" in part).length < 2) {
    const name = parts.constant("PATTERN", `new RegExp(${literal(pattern)}, "u")`);
    return `${name}.test(${value})`;
  }
  const places = template.map((part) =>
    "text" in part ? literal(part.text) : ["string", "number", "bigint"].indexOf(part.placeholder)
  );
  return `${parts.use("isTemplate")}(${[value, ...places].join(", ")})`;
}

/** Keywords that compare numbers: the comparison that is wrong, and the message. */
const BOUNDS = {
  minimum: ["<", "must be at least"],
  exclusiveMinimum: ["<=", "must be more than"],
  maximum: [">", "must be at most"],
  exclusiveMaximum: [">=", "must be less than"],
} as const;

function numberFaults(schema: SchemaObject, value: string, parts: ModuleParts): readonly Fault[] {
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, [operator, message]]) => {
    const bound = schema[keyword];
    return bound === undefined
      ? []
      : [{ when: `${value} ${operator} ${literal(bound)}`, message: `${message} ${bound}` }];
  });
  const { multipleOf: divisor } = schema;
  if (divisor === undefined) return bounds;
  const when = Number.isInteger(divisor)
    ? `${value} % ${divisor} !== 0`
    : `!${parts.use("isMultipleOf")}(${value}, ${divisor})`;
  return [...bounds, { when, message: `must be a multiple of ${divisor}` }];
}

/** A number with its noun: `1 character`, `2 characters`. */
export function counted(count: number, noun: string, nouns: string = noun + "s"): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
