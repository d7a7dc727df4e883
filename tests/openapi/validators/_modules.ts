/**
 * Modules of validators, written and loaded.
 *
 * @module
 */

import type { RouteValidators, SchemaObject, StandardIssue } from "@gatehouse/http";
import { assert } from "@std/assert";
import { writeValidators } from "../../../openapi/validators/write_validators.ts";

/** The parts of a route, and their schemas. */
export type PartSchemas = Readonly<Partial<Record<"body" | "params" | "query", SchemaObject>>>;

/** The text of the module for routes with these schemas. */
export function moduleText(routes: Readonly<Record<string, PartSchemas>>): string {
  return writeValidators(
    Object.entries(routes).map(([key, schemas]) => ({ key, schemaOf: (part) => schemas[part] })),
  ).text;
}

/** Loads a module. */
export async function loadModule(text: string): Promise<RouteValidators> {
  const { validators } = await import(`data:application/typescript,${encodeURIComponent(text)}`);
  return validators;
}

/** Loads validators of bodies. @returns For each schema, what is wrong with a value: `/path message`. */
export async function bodyChecks(
  schemas: readonly SchemaObject[],
): Promise<readonly ((value: unknown) => readonly string[])[]> {
  const routes = schemas.map((body, i) => [`POST /${i}`, { body }] as const);
  const validators = await loadModule(moduleText(Object.fromEntries(routes)));
  return schemas.map((_, i) => (value) => faultsOf(validators, `POST /${i}`, "body", value).faults);
}

/** What a validator says of a value: its output, and what is wrong. A part without a validator accepts everything. */
export function faultsOf(
  validators: RouteValidators,
  key: string,
  part: "body" | "params" | "query",
  value: unknown,
): { readonly output: unknown; readonly faults: readonly string[] } {
  const schema = validators[key]?.[part];
  if (schema === undefined) return { output: value, faults: [] };
  const result = schema["~standard"].validate(value);
  assert(!(result instanceof Promise));
  return result.issues === undefined
    ? { output: result.value, faults: [] }
    : { output: undefined, faults: result.issues.map(textOf) };
}

function textOf({ path = [], message }: StandardIssue): string {
  return path.map((key) => `/${String(key)}`).join("") + ` ${message}`;
}
