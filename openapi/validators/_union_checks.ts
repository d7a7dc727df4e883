/**
 * Writes the code for alternatives of the same JSON type.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { isObject } from "../_json_schema.ts";
import { type CheckContext, type Checked, fail, placeOf } from "./_check_context.ts";
import {
  constraintsIn,
  type Definitions,
  describe,
  flatten,
  type JsonType,
  targetOf,
  valuesOf,
} from "./_json_types.ts";
import { indented, type Lines, literal } from "./_module_parts.ts";
import { isInteger, otherThan, scalarFaults } from "./_scalar_checks.ts";

/** The code that checks a value of a type by several alternatives. */
export function alternativesChecks(
  members: readonly SchemaObject[],
  type: JsonType,
  checked: Checked,
  context: CheckContext,
): Lines {
  if (type === "object" || type === "array") {
    const tagged = type === "object" ? taggedChecks(members, checked, context) : undefined;
    return tagged ?? trialChecks(members, type, checked, context);
  }
  const conditions = members.map((one) => conditionOf(one, type, checked.value, context));
  if (conditions.includes("true")) return [];
  const message = `must be ${describe(members, context.defs)}`;
  return [`if (!(${conditions.join(" || ")})) ${fail(checked, message, context)}`];
}

/** The condition under which a schema accepts a string, number, boolean or null. */
function conditionOf(
  schema: SchemaObject,
  type: JsonType,
  value: string,
  context: CheckContext,
): string {
  const { parts, defs } = context;
  const target = targetOf(schema, defs);
  const choices = schema.anyOf ?? schema.oneOf;
  const values = valuesOf(schema);
  const wrong = [
    ...(values === undefined ? [] : [otherThan(values, value, parts)]),
    ...(type === "number" && isInteger(schema) ? [`!Number.isInteger(${value})`] : []),
    ...scalarFaults(schema, type, value, parts).map(({ when }) => when),
  ];
  const all = [
    ...(target === undefined ? [] : [conditionOf(target, type, value, context)]),
    ...(Array.isArray(choices)
      ? [eitherOf(choices.map((one) => conditionOf(one, type, value, context)))]
      : []),
    ...wrong.map((one) => `!(${one})`),
  ].filter((one) => one !== "true");
  return all.length === 0 ? "true" : all.length === 1 ? all.join() : `(${all.join(" && ")})`;
}

function eitherOf(conditions: readonly string[]): string {
  return conditions.includes("true") ? "true" : `(${conditions.join(" || ")})`;
}

/** Tries all alternatives, unless one accepts every value of the type. */
function trialChecks(
  members: readonly SchemaObject[],
  type: JsonType,
  checked: Checked,
  context: CheckContext,
): Lines {
  const { parts } = context;
  const functions = members.map((one) => {
    const own = constraintsIn(one).length === 1 && one.$ref !== undefined ? one : { ...one, type };
    return parts.call(context.functionOf(own, "Alternative"));
  });
  if (functions.includes(undefined)) return [];
  parts.noteTrial();
  const args = [checked.value, placeOf(checked), "issues", ...functions];
  return [`${parts.use("either")}(${args.join(", ")});`];
}

/** Checks the one alternative that a property selects; `undefined` if none of them selects one. */
function taggedChecks(
  members: readonly SchemaObject[],
  checked: Checked,
  context: CheckContext,
): Lines | undefined {
  const { defs, parts } = context;
  const targets = flatten(members, defs).map((one) => resolve(one, defs));
  const name = tagOf(targets, defs);
  if (name === undefined) return undefined;
  const tag = { ...checked, keys: [...checked.keys, literal(name)] };
  const values: unknown[] = [];
  const cases = flatten(members, defs).flatMap((one, i) => {
    const own = tagValues(targets[i] ?? {}, name, defs);
    values.push(...own);
    return [
      ...own.map((value, n) => `case ${literal(value)}:${n < own.length - 1 ? "" : " {"}`),
      ...indented([...context.checksOfType(one, "object", checked), "break;"]),
      "}",
    ];
  });
  const message = `must be ${describe([{ enum: values }], defs)}`;
  const tagValue = propertyOf(checked.value, name, context);
  return [
    `switch (${tagValue}) {`,
    ...indented([...cases, "default:", `  ${fail(tag, message, { ...context, parts })}`]),
    "}",
  ];
}

/** The property whose values differ in all alternatives, each of which requires it. */
function tagOf(targets: readonly SchemaObject[], defs: Definitions): string | undefined {
  const [first] = targets;
  const { properties } = first ?? {};
  return Object.keys(isObject(properties) ? properties : {}).find((name) => {
    const values = targets.map((one) => tagValues(one, name, defs));
    const all = values.flat();
    return values.every(({ length }) => length > 0) && new Set(all).size === all.length;
  });
}

/** The values of a required property with nothing but an enumeration; empty for others. */
function tagValues(schema: SchemaObject, name: string, defs: Definitions): readonly unknown[] {
  const { properties, required } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return [];
  if (!Array.isArray(required) || !required.includes(name)) return [];
  return valuesOf(resolve(properties[name] as SchemaObject, defs)) ?? [];
}

function resolve(schema: SchemaObject, defs: Definitions): SchemaObject {
  const target = constraintsIn(schema).length === 1 ? targetOf(schema, defs) : undefined;
  return target === undefined ? schema : resolve(target, defs);
}

/** Code that reads a property. What objects inherit is no property of JSON. */
export function propertyOf(value: string, name: string, { parts }: CheckContext): string {
  return name in Object.prototype
    ? `${parts.use("own")}(${value}, ${literal(name)})`
    : `${value}[${literal(name)}]`;
}
