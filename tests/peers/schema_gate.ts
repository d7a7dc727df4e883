/**
 * The JSON Schema of OpenAPI 3.1, https://spec.openapis.org/oas/3.1/schema-base: the document's
 * fields, and the keywords of every Schema Object in it.
 *
 * @module
 */

import type { Problem } from "./problem.ts";
import { HYPERJUMP_OPENAPI } from "./versions.ts";

/** The part of `@hyperjump/json-schema` that is used here. */
interface Hyperjump {
  validate(schema: string): Promise<
    (document: unknown, format: "BASIC") => {
      readonly valid: boolean;
      readonly errors?: readonly {
        readonly absoluteKeywordLocation: string;
        readonly instanceLocation: string;
      }[];
    }
  >;
}

/** `schema` checks the document's own fields alone, `schema-base` the Schema Objects too. */
export type SchemaName = "schema" | "schema-base";

/** Validates a document. Of what fails in one place, only the outermost keyword is reported. */
export async function findSchemaProblems(
  document: unknown,
  name: SchemaName = "schema-base",
): Promise<readonly Problem[]> {
  const { validate }: Hyperjump = await import(HYPERJUMP_OPENAPI);
  const check = await validate(`https://spec.openapis.org/oas/3.1/${name}`);
  const { valid, errors = [] } = check(document, "BASIC");
  const problems = new Map<string, Problem>();
  for (const { absoluteKeywordLocation, instanceLocation } of errors) {
    const pointer = decodeURIComponent(instanceLocation).replace("#*", "#"); // * is for a name
    const keyword = decodeURIComponent(absoluteKeywordLocation);
    const rule = keyword.slice(keyword.lastIndexOf("/") + 1);
    const message = `fails ${keyword}`;
    if (!problems.has(pointer)) problems.set(pointer, { gate: "schema", rule, pointer, message });
  }
  if (valid !== (problems.size === 0)) throw new Error("Cannot tell where a document is invalid");
  return [...problems.values()];
}
