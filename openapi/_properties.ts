/**
 * The properties of an object schema, which become parameters, however the schema is composed.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import type { Components, SchemaOrigin } from "./_components.ts";
import { isObject } from "./_json_schema.ts";
import { localRef, readGraph, ROOT } from "./_schema_graph.ts";
import { jsonSchemaOf, unknownParts } from "./_standard_schema.ts";

/** The properties of a schema, by name. */
export interface Members {
  readonly properties: Readonly<Record<string, SchemaObject>>;
  readonly required: ReadonlySet<string>;
  /** Schema of additional properties, if it describes them. */
  readonly open: SchemaObject | undefined;
}

/** Resolves a reference. */
type Resolve = (schema: SchemaObject) => SchemaObject;

/**
 * Reads the properties of a validator's schema.
 *
 * @param written Names of properties that the metadata describes; the schema need not represent them.
 * @throws {TypeError} If the schema cannot represent one of the others.
 */
export function membersOf(
  origin: SchemaOrigin,
  components: Components,
  written: ReadonlySet<string>,
): Members {
  const { orElse, ...own } = origin;
  try {
    return readMembers(components.convert(own), components.resolve);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const others = written.size === 0 ? undefined : membersBeside(own, components, written);
    if (others !== undefined) return others;
    const validator = orElse?.();
    if (validator === undefined) throw error;
    return membersOf({ ...own, validator }, components, written);
  }
}

/**
 * The properties of a schema of which some are described in the metadata; `undefined` if the others are not
 * representable.
 */
function membersBeside(
  origin: SchemaOrigin,
  components: Components,
  written: ReadonlySet<string>,
): Members | undefined {
  const { $defs, ...root } = schemaIfAny(origin);
  const definitions = new Map(Object.entries(isObject($defs) ? $defs : {}));
  const resolve: Resolve = (schema) => {
    const found = typeof schema.$ref === "string" ? localRef(schema.$ref) : undefined;
    if (found === undefined) return schema;
    const target = found.local === ROOT ? root : definitions.get(found.local);
    return isObject(target) ? target : {};
  };
  const members = readMembers(root, resolve);
  const isKnown = (one: SchemaObject): boolean => {
    const graph = readGraph({ ...one, $defs }, { name: origin.name, generatedNames: true });
    return [...graph.definitions.values()].every((part) => unknownParts(part).length === 0);
  };
  const { open } = members;
  if (open !== undefined && !isKnown(open)) return undefined;
  const found = Object.entries(members.properties);
  if (found.some(([name, one]) => !written.has(name) && !isKnown(one))) return undefined;
  return {
    properties: Object.fromEntries(
      found.map(([name, one]) => [
        name,
        written.has(name) ? {} : components.add({ ...one, $defs }, origin),
      ]),
    ),
    required: members.required,
    open: open === undefined ? undefined : components.add({ ...open, $defs }, origin),
  };
}

/** A schema with unrepresentable parts marked; an empty one if its library cannot even do that. */
function schemaIfAny({ validator, side }: SchemaOrigin): SchemaObject {
  try {
    return jsonSchemaOf(validator, side, { markUnknown: true });
  } catch {
    return {};
  }
}

/**
 * The properties of an object schema. For alternatives: all properties, of which those required by all are required.
 */
function readMembers(
  schema: SchemaObject,
  resolve: Resolve,
  outer: ReadonlySet<SchemaObject> = new Set(),
): Members {
  const found = resolve(schema);
  const { properties, required, allOf, anyOf, oneOf, ...rest } = found;
  if (outer.has(found)) return { properties: {}, required: new Set(), open: undefined }; // a circular reference
  const seen = new Set([...outer, found]);
  const read = (one: SchemaObject) => readMembers(one, resolve, seen);
  const choices = [...schemasIn(anyOf), ...schemasIn(oneOf)].map(read);
  const parts: readonly Members[] = [
    {
      properties: isObject(properties) ? asSchemas(properties) : {},
      required: new Set(Array.isArray(required) ? required : []),
      open: isObject(rest.additionalProperties) || isObject(rest.patternProperties)
        ? rest
        : undefined,
    },
    ...schemasIn(allOf).map(read),
    ...(choices.length === 0 ? [] : [{
      properties: merged(choices, "anyOf"),
      required: requiredByAll(choices),
      open: choices.find((one) => one.open !== undefined)?.open,
    }]),
  ];
  return {
    properties: merged(parts, "allOf"),
    required: new Set(parts.flatMap((part) => [...part.required])),
    open: parts.find((part) => part.open !== undefined)?.open,
  };
}

/** Merges properties by name; different schemas for one name are combined by a keyword. */
function merged(parts: readonly Members[], keyword: "allOf" | "anyOf"): Members["properties"] {
  const byName = new Map<string, SchemaObject[]>();
  for (const [name, schema] of parts.flatMap(({ properties }) => Object.entries(properties))) {
    const known = byName.get(name) ?? [];
    if (known.every((one) => JSON.stringify(one) !== JSON.stringify(schema))) known.push(schema);
    byName.set(name, known);
  }
  return Object.fromEntries([...byName].map(([name, found]) => {
    const [first = {}] = found;
    return [name, found.length === 1 ? first : { [keyword]: found }];
  }));
}

function requiredByAll([first, ...others]: readonly Members[]): ReadonlySet<string> {
  const names = [...first?.required ?? []];
  return new Set(names.filter((name) => others.every(({ required }) => required.has(name))));
}

/** Properties that may be present: `true` accepts anything, `false` nothing. */
function asSchemas(properties: Readonly<Record<string, unknown>>): Members["properties"] {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) =>
      isObject(one) ? [[name, one]] : one === true ? [[name, {}]] : []
    ),
  );
}

/** The schemas in an array keyword. */
export function schemasIn(value: unknown): readonly SchemaObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
