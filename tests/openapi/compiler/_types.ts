/**
 * What the tests of schemas from TypeScript types share: one program for a whole table of types.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Side } from "../../../openapi/_normalize_schema.ts";
import { type Files, withProject } from "../_cli.ts";
import { readTable } from "./_process.ts";
import { CASES, type TypeRequest, type TypeResult, type TypeResults } from "./_type_requests.ts";

export type { TypeResult } from "./_type_requests.ts";

/** Types and their file. */
export interface TypeTable {
  /** Types, each as it is written. */
  readonly types: readonly string[];
  /** Code before them in their file. */
  readonly before?: string;
  /** Other files. */
  readonly files?: Files;
  /** Side of the schemas. @default {"input"} */
  readonly side?: Side;
  /** Whether values come in a form. @default {false} */
  readonly form?: boolean;
  /** Whether the schemas are wanted as the compiler writes them, too. @default {false} */
  readonly local?: boolean;
  /** Whether the compiler may find something wrong in the types. @default {false} */
  readonly mayBeWrong?: boolean;
}

/** Reads the types of a table. */
export async function readTypeTable(
  table: TypeTable,
): Promise<readonly TypeResult[]> {
  const { types, before = "", files = {}, side = "input", form = false, local = false } = table;
  const request: TypeRequest = { side, form, count: types.length, local };
  const cases = types.map((type, i) => `export declare const case${i}: ${type};\n`);
  let printed: TypeResults | undefined;
  await withProject({
    ...files,
    [CASES]: `${before}\n${cases.join("")}`,
  }, async ({ folder }) => {
    const text = JSON.stringify(await readTable(folder, request));
    printed = JSON.parse(text.replaceAll(folder, ""));
  });
  assert(printed !== undefined);
  if (!table.mayBeWrong) assertEquals(printed.problems, []);
  return printed.results;
}

/** The schema of a text. */
export const TEXT: SchemaObject = { type: "string" };
/** The schema of a number. */
export const NUMBER: SchemaObject = { type: "number" };

/** A reference to a component. */
export function ref(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of a literal. */
export function literal(value: string | number | boolean): SchemaObject {
  return { type: typeof value, const: value };
}

/** The schema of an object. @param optional Names of the members that are optional. */
export function objectOf(
  properties: Readonly<Record<string, SchemaObject>>,
  ...optional: readonly string[]
): SchemaObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

/**
 * The schema of alternatives with a discriminator. @param names Components, by the values of
 * that member.
 */
export function oneOf(
  propertyName: string,
  names: Readonly<Record<string, string>>,
): SchemaObject {
  const mapping = Object.fromEntries(
    Object.entries(names).map(([value, name]) => [value, ref(name).$ref]),
  );
  return {
    oneOf: [...new Set(Object.values(names))].map(ref),
    discriminator: { propertyName, mapping },
  };
}

/** A type, and the expected documentation. */
export type SchemaCase = readonly [
  why: string,
  type: string,
  schema: SchemaObject,
  components?: Readonly<Record<string, SchemaObject>>,
];

/** Tests that each type of a table has its schema. All are read in one program. */
export function testSchemas(
  cases: readonly SchemaCase[],
  table: Omit<TypeTable, "types"> = {},
): void {
  let results: Promise<readonly TypeResult[]> | undefined;
  cases.forEach(([why, type, schema, components = {}], i) => {
    Deno.test(`a document describes a type: ${why}`, async () => {
      results ??= readTypeTable({ ...table, types: cases.map(([, one]) => one) });
      const result = (await results)[i];
      assertEquals<unknown>(result, { schema, components }, type);
      assertWhole({ schema, components });
    });
  });
}

/** A type that has no schema, and its message without the location. */
export type RefusalCase = readonly [why: string, type: string, told: RegExp];

/** Tests that each type of a table is refused, with a message that names its location. */
export function testRefusals(
  cases: readonly RefusalCase[],
  table: Omit<TypeTable, "types"> = {},
): void {
  let results: Promise<readonly TypeResult[]> | undefined;
  cases.forEach(([why, type, told], i) => {
    Deno.test(`a document rejects a type: ${why}`, async () => {
      results ??= readTypeTable({ ...table, types: cases.map(([, one]) => one) });
      const result = (await results)[i];
      assert(result !== undefined && "error" in result, `${type} gives ${JSON.stringify(result)}`);
      assertMatch(result.error, /^\/?types\.ts:\d+:\d+: /, type);
      assertMatch(result.error, told, type);
    });
  });
}

/**
 * Checks that a schema refers only to what there is, and that names are as OpenAPI 3.1 §4.8.7 has
 * them.
 */
export function assertWhole(
  { schema, components }: Exclude<TypeResult, { readonly error: string }>,
): void {
  const names = Object.keys(components);
  for (const name of names) assert(/^[a-zA-Z0-9._-]+$/.test(name), name);
  const text = JSON.stringify([schema, components]);
  for (const [, ref = ""] of text.matchAll(/"#\/components\/schemas\/([^"]*)"/g)) {
    assert(names.includes(ref), `${ref} is not one of ${names.join(", ")}`);
  }
  assert(!text.includes('"#/$defs'), "a local reference is left");
}

/** A documented member: the lines of its documentation, and its type. */
export type DocumentedMember = readonly [why: string, lines: string, type: string, ...unknown[]];

/** Reads interfaces `M0`, `M1`, ... with one member `a` each. */
export function readMembers(
  members: readonly DocumentedMember[],
  before: string,
): Promise<readonly TypeResult[]> {
  const interfaces = members.map(([, lines, type], i) => {
    const text = lines === "" ? "" : `  /**\n${lines.replace(/^/gm, "   * ")}\n   */\n`;
    return `interface M${i} {\n${text}  a: ${type};\n}\n`;
  });
  return readTypeTable({
    before: before + interfaces.join(""),
    types: members.map((_, i) => `M${i}`),
  });
}
