/**
 * Writes the code that checks a value by a schema, for the part of JSON Schema 2020-12 that types become.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import {
  type CheckContext,
  type Checked,
  elseBlock,
  fail,
  ifBlock,
  placeOf,
} from "./_check_context.ts";
import { containerChecks } from "./_container_checks.ts";
import {
  constraintsIn,
  definitionsOf,
  describe,
  flatten,
  JSON_TYPES,
  type JsonType,
  targetOf,
  typesOf,
  valuesOf,
} from "./_json_types.ts";
import { type CheckFunction, indented, type Lines, type ModuleParts } from "./_module_parts.ts";
import { is, isInteger, isNot, otherThan, scalarFaults } from "./_scalar_checks.ts";
import { alternativesChecks } from "./_union_checks.ts";

/** Keywords with checks. With another one nothing is written, so that no constraint is ignored. */
const KEYWORDS: ReadonlySet<string> = new Set(
  ("$ref additionalProperties anyOf const enum exclusiveMaximum exclusiveMinimum format items maximum maxItems maxLength " +
    "maxProperties minimum minItems minLength minProperties multipleOf not oneOf pattern patternProperties prefixItems " +
    "properties required type uniqueItems").split(" "),
);

/** Creates what the code of a schema and of its subschemas is written with. */
export function createCheckContext(schema: SchemaObject, parts: ModuleParts): CheckContext {
  const context: CheckContext = {
    parts,
    defs: definitionsOf(schema),
    checks: (one, checked) => schemaChecks(one, checked, context),
    checksOfType: (one, type, checked) => checksOfType(one, type, checked, context),
    functionOf: (one, name) => checkFunction(one, name, context),
  };
  return context;
}

/** The function that checks a schema. */
function checkFunction(
  schema: SchemaObject,
  name: string,
  context: CheckContext,
): CheckFunction {
  const target = constraintsIn(schema).length === 1 ? targetOf(schema, context.defs) : undefined;
  if (target !== undefined) return definitionCheck(schema, context);
  return context.parts.functionOf(
    JSON.stringify(schema),
    `check${name}`,
    () => schemaChecks(schema, { value: "value", at: "at", keys: [] }, context),
  );
}

/** The function of the definition that a schema refers to. */
function definitionCheck(schema: SchemaObject, context: CheckContext): CheckFunction {
  const target = targetOf(schema, context.defs) ?? {};
  const [, name = ""] = /([^/]+)$/.exec(String(schema.$ref)) ?? [];
  return context.parts.functionOf(
    target,
    `check${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    () => schemaChecks(target, { value: "value", at: "at", keys: [] }, context),
  );
}

/** The code that checks a value by a schema. */
function schemaChecks(schema: SchemaObject, checked: Checked, context: CheckContext): Lines {
  const unknown = constraintsIn(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) {
    throw new TypeError(`its schema has ${unknown}, which is not supported`);
  }
  const { $ref, anyOf, oneOf, not, type, ...others } = schema;
  if (not !== undefined) return [fail(checked, "is not allowed", context)];
  const values = valuesOf(schema);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) {
    return [
      ...typeChecks(flatten(choices, context.defs), checked, context),
      ...guardedChecks(others, checked, context),
    ];
  }
  if ($ref !== undefined) {
    return [...callOf(schema, checked, context), ...guardedChecks(others, checked, context)];
  }
  if (values !== undefined) {
    const { const: _, enum: __, ...beside } = others;
    return [...valueChecks(values, checked, context), ...guardedChecks(beside, checked, context)];
  }
  return type === undefined
    ? guardedChecks(others, checked, context)
    : typeChecks([schema], checked, context);
}

function callOf(schema: SchemaObject, checked: Checked, context: CheckContext): Lines {
  const name = context.parts.call(definitionCheck(schema, context));
  return name === undefined ? [] : [`${name}(${checked.value}, ${placeOf(checked)}, issues);`];
}

function valueChecks(values: readonly unknown[], checked: Checked, context: CheckContext): Lines {
  const message = `must be ${describe([{ enum: values }], context.defs)}`;
  return [
    `if (${otherThan(values, checked.value, context.parts)}) ${fail(checked, message, context)}`,
  ];
}

/** Constraints of a value whose type something else checks. */
function guardedChecks(schema: SchemaObject, checked: Checked, context: CheckContext): Lines {
  return JSON_TYPES.flatMap((type) => {
    const lines = checksOfType(schema, type, checked, context);
    return ifBlock(is(type, checked.value, context.parts), lines);
  });
}

/** Checks of a value whose type decides which alternatives may accept it. */
function typeChecks(
  choices: readonly SchemaObject[],
  checked: Checked,
  context: CheckContext,
): Lines {
  const { value } = checked;
  const message = `must be ${describe(choices, context.defs)}`;
  const branches = JSON_TYPES.flatMap((type) => {
    const members = choices.filter((one) => typesOf(one, context.defs).has(type));
    if (members.length === 0) return [];
    const lines = members.length === 1
      ? checksOfType(members[0] ?? {}, type, checked, context)
      : alternativesChecks(members, type, checked, context);
    return { type, integer: members.every(isInteger), lines };
  });
  const plain = branches.filter(({ lines }) => lines.length === 0);
  if (plain.length === JSON_TYPES.length) return [];
  const [only] = branches;
  if (only === undefined) return [fail(checked, message, context)];
  const none = (rest: typeof branches) =>
    rest.map(({ type, integer }) => {
      const wrong = isNot(type, value, context.parts, integer);
      return rest.length > 1 && wrong.includes("||") ? `(${wrong})` : wrong;
    }).join(" && ");
  if (branches.length === 1 || plain.length === branches.length) {
    const { lines } = only;
    return [`if (${none(branches)}) ${fail(checked, message, context)}`, ...elseBlock(lines)];
  }
  const chain = branches.filter(({ lines }) => lines.length > 0).flatMap(
    ({ type, integer, lines }, i) => [
      `${i === 0 ? "" : "} else "}if (${is(type, value, context.parts, integer)}) {`,
      ...indented(lines),
    ],
  );
  const end = plain.length === 0 ? "} else {" : `} else if (${none(plain)}) {`;
  const isOpen = branches.length === JSON_TYPES.length;
  return [...chain, ...(isOpen ? [] : [end, `  ${fail(checked, message, context)}`]), "}"];
}

/** The code that checks a value of a type. */
function checksOfType(
  schema: SchemaObject,
  type: JsonType,
  checked: Checked,
  context: CheckContext,
): Lines {
  const { $ref, anyOf, oneOf } = schema;
  if ((anyOf ?? oneOf ?? $ref) !== undefined) return schemaChecks(schema, checked, context);
  const values = valuesOf(schema);
  if (type === "array" || type === "object") return containerChecks(schema, type, checked, context);
  return [
    ...(values === undefined ? [] : valueChecks(values, checked, context)),
    ...scalarFaults(schema, type, checked.value, context.parts).map(({ when, message }) =>
      `if (${when}) ${fail(checked, message, context)}`
    ),
  ];
}
