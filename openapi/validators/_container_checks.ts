/**
 * Writes the code that checks arrays and objects.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { isObject } from "../_json_schema.ts";
import {
  type CheckContext,
  type Checked,
  elseBlock,
  fail,
  ifBlock,
  placeOf,
} from "./_check_context.ts";
import { indented, type Lines, literal } from "./_module_parts.ts";
import { counted, matches } from "./_scalar_checks.ts";
import { propertyOf } from "./_union_checks.ts";

/** Keywords of arrays and objects. */
interface ContainerKeywords {
  readonly prefixItems?: readonly SchemaObject[];
  readonly items?: SchemaObject;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, SchemaObject>>;
  readonly additionalProperties?: SchemaObject | false;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The code that checks a value that is an array, or an object. */
export function containerChecks(
  schema: SchemaObject,
  type: "array" | "object",
  checked: Checked,
  context: CheckContext,
): Lines {
  const keywords: ContainerKeywords = schema;
  return type === "array"
    ? arrayChecks(keywords, checked, context)
    : objectChecks(keywords, checked, context);
}

/** A value in the value that is checked. */
function inside({ at, keys }: Checked, value: string, key: string): Checked {
  return { value, at, keys: [...keys, key] };
}

function sizeChecks(
  size: string,
  [min = 0, max = Infinity]: readonly [min?: number | undefined, max?: number | undefined],
  nouns: readonly [one: string, more: string],
  report: (message: string) => string,
): Lines {
  return [
    ...(min > 0
      ? [`if (${size} < ${min}) ${report(`must have at least ${counted(min, ...nouns)}`)}`]
      : []),
    ...(max < Infinity
      ? [`if (${size} > ${max}) ${report(`must have at most ${counted(max, ...nouns)}`)}`]
      : []),
  ];
}

function arrayChecks(
  { prefixItems = [], items, minItems, maxItems, uniqueItems }: ContainerKeywords,
  checked: Checked,
  context: CheckContext,
): Lines {
  const { value } = checked;
  const { parts } = context;
  const report = (message: string) => fail(checked, message, context);
  const first = prefixItems.flatMap((one, i): Lines => {
    const item = parts.variable("item");
    const lines = context.checks(one, inside(checked, item, String(i)));
    if (lines.length === 0) return [];
    return [
      `if (${value}.length > ${i}) {`,
      `  const ${item}: unknown = ${value}[${i}];`,
      ...indented(lines),
      "}",
    ];
  });
  return [
    ...sizeChecks(`${value}.length`, [minItems, maxItems], ["item", "items"], report),
    ...first,
    ...(items === undefined ? [] : itemChecks(items, prefixItems.length, checked, context)),
    ...(uniqueItems
      ? [
        `if (new Set(${value}.map(${parts.use("canonical")})).size < ${value}.length) ${
          report("must not have equal items")
        }`,
      ]
      : []),
  ];
}

function itemChecks(
  items: SchemaObject,
  from: number,
  checked: Checked,
  context: CheckContext,
): Lines {
  const { parts } = context;
  const [item, index, at] = ["item", "i", "place"].map((name) => parts.variable(name));
  const lines = context.checks(items, {
    value: item ?? "",
    at: checked.keys.length === 0 ? checked.at : at ?? "",
    keys: [index ?? ""],
  });
  if (lines.length === 0) return [];
  parts.use("LIMIT");
  return [
    ...(checked.keys.length === 0 ? [] : [`const ${at} = ${placeOf(checked)};`]),
    `for (let ${index} = ${from}; ${index} < ${checked.value}.length && issues.length < LIMIT; ${index}++) {`,
    `  const ${item}: unknown = ${checked.value}[${index}];`,
    ...indented(lines),
    "}",
  ];
}

function objectChecks(keywords: ContainerKeywords, checked: Checked, context: CheckContext): Lines {
  const { properties = {}, required = [], minProperties, maxProperties } = keywords;
  const report = (message: string) => fail(checked, message, context);
  const names = [...new Set([...Object.keys(properties), ...required])];
  return [
    ...names.flatMap((name) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return propertyChecks(name, schema ?? {}, required.includes(name), checked, context);
    }),
    ...sizeChecks(
      `Object.keys(${checked.value}).length`,
      [minProperties, maxProperties],
      ["property", "properties"],
      report,
    ),
    ...otherChecks(keywords, checked, context),
  ];
}

function propertyChecks(
  name: string,
  schema: SchemaObject,
  isRequired: boolean,
  checked: Checked,
  context: CheckContext,
): Lines {
  const variable = context.parts.variable(name);
  const own = inside(checked, variable, literal(name));
  const lines = context.checks(schema, own);
  if (lines.length === 0 && !isRequired) return [];
  const read = `const ${variable} = ${propertyOf(checked.value, name, context)};`;
  return isRequired
    ? [
      read,
      `if (${variable} === undefined) ${fail(own, "is required", context)}`,
      ...elseBlock(lines),
    ]
    : [read, ...ifBlock(`${variable} !== undefined`, lines)];
}

/** Checks of properties by their names: those that match patterns, and additional ones. */
function otherChecks(
  { properties = {}, patternProperties = {}, additionalProperties }: ContainerKeywords,
  checked: Checked,
  context: CheckContext,
): Lines {
  const { parts } = context;
  const patterns = Object.entries(patternProperties);
  const rest = additionalProperties === false ? { not: {} } : additionalProperties;
  if (patterns.length === 0 && !isObject(rest)) return [];
  const [key, item, at] = ["name", "property", "place"].map((name) => parts.variable(name));
  const own = {
    value: item ?? "",
    at: checked.keys.length === 0 ? checked.at : at ?? "",
    keys: [key ?? ""],
  };
  const conditions = patterns.map(([pattern]) => matches(pattern, key ?? "", parts));
  const matching = patterns.flatMap(([, schema], i): Lines => {
    const lines = context.checks(schema, own);
    return ifBlock(conditions[i] ?? "", lines);
  });
  const lines = isObject(rest) ? context.checks(rest, own) : [];
  const known = Object.keys(properties);
  const isOther = [
    ...(known.length === 0
      ? []
      : [`!${parts.constant("NAMES", `new Set<unknown>(${literal(known)})`)}.has(${key})`]),
    ...conditions.map((one) => `!${one}`),
  ].join(" && ");
  const additional = isOther === "" ? lines : ifBlock(isOther, lines);
  if (matching.length + additional.length === 0) return [];
  return [
    ...(checked.keys.length === 0 ? [] : [`const ${at} = ${placeOf(checked)};`]),
    `for (const ${key} of Object.keys(${checked.value})) {`,
    `  const ${item} = ${checked.value}[${key}];`,
    ...indented([...matching, ...additional]),
    "}",
  ];
}
