/**
 * What the code of checks is written with, by the modules that write it for each kind of schema.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import type { Definitions, JsonType } from "./_json_types.ts";
import {
  type CheckFunction,
  indented,
  type Lines,
  literal,
  type ModuleParts,
} from "./_module_parts.ts";

/** What the code of a schema and of its subschemas is written with. */
export interface CheckContext {
  readonly parts: ModuleParts;
  readonly defs: Definitions;
  /** The code that checks a value by a schema. */
  checks(schema: SchemaObject, checked: Checked): Lines;
  /** The code that checks a value of a type by a schema. */
  checksOfType(schema: SchemaObject, type: JsonType, checked: Checked): Lines;
  /** The function that checks a value by a schema. @param name Its name, unless the schema has one. */
  functionOf(schema: SchemaObject, name: string): CheckFunction;
}

/** A value that is checked: the variable that has it, and its place. */
export interface Checked {
  readonly value: string;
  /** Code for the place of a value that contains it. */
  readonly at: string;
  /** Code for the keys that lead from there to this value. */
  readonly keys: readonly string[];
}

/** The code that reports an issue. */
export function fail({ at, keys }: Checked, message: string, { parts }: CheckContext): string {
  return `${parts.use("fail")}(${["issues", at, literal(message), ...keys].join(", ")});`;
}

/** Code for the place of a value. */
export function placeOf({ at, keys }: Checked): string {
  return keys.reduce((of, key) => `{ of: ${of}, key: ${key} }`, at);
}

/** The lines in the branch of a condition. */
export function ifBlock(condition: string, lines: Lines): Lines {
  if (lines.length === 0) return [];
  return lines.length === 1 && !lines[0]?.startsWith("if (")
    ? [`if (${condition}) ${lines[0]}`]
    : [`if (${condition}) {`, ...indented(lines), "}"];
}

/** The lines in the branch of a condition that does not hold. */
export function elseBlock(lines: Lines): Lines {
  if (lines.length === 0) return [];
  return lines.length === 1 ? [`else ${lines[0]}`] : ["else {", ...indented(lines), "}"];
}
