/**
 * The schemas of a document: taken from Standard JSON Schema (https://standardschema.dev/json-schema), their
 * definitions hoisted to `#/components/schemas`.
 *
 * Names are given at the end, when all schemas are known, so that they do not depend on the order of routes. Until then
 * a reference carries a number.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema } from "./_json_schema.ts";
import {
  canonicalText,
  definitionOf,
  localRef,
  readGraph,
  ROOT,
  SCHEMA_REF,
  type SchemaGraph,
  type WantedName,
} from "./_schema_graph.ts";
import { jsonSchemaOf, vendorOf } from "./_standard_schema.ts";
import type { Side } from "./_normalize_schema.ts";

/** Where a schema comes from. */
export interface SchemaOrigin {
  /** The validator that it describes. */
  readonly validator: unknown;
  /** What describes the same where the validator cannot. */
  readonly orElse?: () => unknown;
  /** Which side of it. */
  readonly side: Side;
  /** What to call a part that has no name and needs one. */
  readonly name: string;
}

/** Collects schemas, each under a name of its own. */
export interface Components {
  /**
   * The schema of a validator, to put in place; what has a name in it, or refers to itself, is a reference.
   *
   * @throws {TypeError} If the validator gives no JSON Schema.
   */
  convert(origin: SchemaOrigin): SchemaObject;
  /** The same for a schema that a validator gave. @throws {TypeError} If it refers to what it does not have. */
  add(schema: SchemaObject, origin: SchemaOrigin): SchemaObject;
  /** Finds what a schema's own `$ref` refers to; a schema without one is returned as it is. */
  resolve(schema: SchemaObject): SchemaObject;
  /** A text with the schemas that it refers to, sorted by name, and with names in all references. */
  finish(text: string): FinishedText;
}

/** What {@linkcode Components.finish} gives. */
export interface FinishedText {
  readonly text: string;
  readonly schemas: Readonly<Record<string, SchemaObject>>;
}

/** A schema that gets a name. */
interface Entry {
  readonly wanted: Set<string>;
  readonly sides: Set<Side>;
  readonly given: boolean;
  /** The same for schemas that are the same, whatever they are called in their libraries. */
  readonly text: string;
  schema: SchemaObject | undefined;
}

/** What a reference carries until its schema has a name. */
const NUMBER_REGEXP = /"#\/components\/schemas\/@(\d+)/g;

/** Creates the collection. @param given Schemas that are there by hand; their names are taken. */
export function createComponents(given: Readonly<Record<string, SchemaObject>>): Components {
  const entries: Entry[] = [];
  const known = new Map<string, number>();
  const added = new WeakMap<object, number>();

  /** The number of a schema; the same schema has one number. */
  function numberOf(local: string, one: WantedName, graph: SchemaGraph, side: Side): number {
    const { wanted, given } = one;
    const text = canonicalText(local, graph);
    const key = given ? `${wanted}\n${text}` : text;
    const fresh = { wanted: new Set<string>(), sides: new Set<Side>(), schema: undefined };
    const number = known.get(key) ?? entries.push({ ...fresh, given, text }) - 1;
    known.set(key, number);
    entries[number]?.wanted.add(wanted);
    entries[number]?.sides.add(side);
    return number;
  }

  function add(schema: SchemaObject, origin: SchemaOrigin): SchemaObject {
    return addKnown(schema, origin.side) ?? addGraph(schema, origin);
  }

  /** A schema whose definitions have all been added before, each as the very same object. */
  function addKnown({ $defs, ...root }: SchemaObject, side: Side): SchemaObject | undefined {
    const numbers = new Map<string, number>();
    for (const [local, one] of Object.entries(isObject($defs) ? $defs : {})) {
      const number = isObject(one) ? added.get(one) : undefined;
      if (number === undefined) return undefined;
      numbers.set(local, number);
      entries[number]?.sides.add(side);
    }
    if (numbers.size === 0) return undefined;
    return mapSchema(root, (part) => placeRef(part, numbers, () => ({})));
  }

  function addGraph(
    schema: SchemaObject,
    { validator, side, name }: SchemaOrigin,
  ): SchemaObject {
    const graph = readGraph(schema, { name, madeUp: vendorOf(validator) === "arktype" });
    const numbers = new Map(
      [...graph.named].map(([local, one]) => [local, numberOf(local, one, graph, side)]),
    );
    const place = (one: SchemaObject): SchemaObject =>
      mapSchema(
        one,
        (part) => placeRef(part, numbers, (local) => place(definitionOf(graph, local))),
      );
    for (const [local, number] of numbers) {
      added.set(definitionOf(graph, local), number);
      const entry = entries[number];
      if (entry !== undefined) entry.schema ??= place(definitionOf(graph, local));
    }
    const root = numbers.get(ROOT);
    return root === undefined ? place(definitionOf(graph, ROOT)) : { $ref: refTo(root) };
  }

  function convert({ orElse, ...origin }: SchemaOrigin): SchemaObject {
    try {
      return add(jsonSchemaOf(origin.validator, origin.side), origin);
    } catch (error) {
      const validator = orElse?.();
      if (validator === undefined) throw error;
      return convert({ ...origin, validator });
    }
  }

  function find(ref: string): SchemaObject | undefined {
    const name = ref.slice(SCHEMA_REF.length);
    if (name.startsWith("@")) return entries[Number(name.slice(1))]?.schema;
    return Object.hasOwn(given, name) ? given[name] : undefined;
  }

  return {
    add,
    convert,
    resolve(schema) {
      const seen = new Set<string>();
      let found = schema;
      while (typeof found.$ref === "string" && !seen.has(found.$ref)) {
        seen.add(found.$ref);
        found = find(found.$ref) ?? {};
      }
      return found;
    },
    finish(text) {
      const used = usedBy(text, (ref) => find(ref));
      const names = nameEntries(
        entries.filter((_, number) => used.has(refTo(number))),
        new Set(Object.keys(given)),
      );
      const named = (one: string): string =>
        one.replace(NUMBER_REGEXP, (_, number: string) => {
          const entry = entries[Number(number)];
          return `"${SCHEMA_REF}${entry === undefined ? "" : names.get(entry)}`;
        });
      const schemas = [...used].map(([ref, schema]) =>
        [
          named(JSON.stringify(ref)).slice(SCHEMA_REF.length + 1, -1),
          JSON.parse(named(JSON.stringify(schema))) as SchemaObject,
        ] as const
      );
      return {
        text: named(text),
        schemas: Object.fromEntries(schemas.sort(([a], [b]) => a < b ? -1 : 1)),
      };
    },
  };
}

/** The schemas that a text refers to, and from there on, by reference. */
function usedBy(
  text: string,
  find: (ref: string) => SchemaObject | undefined,
): ReadonlyMap<string, SchemaObject> {
  const used = new Map<string, SchemaObject>();
  const visit = (source: string): void => {
    for (const [, ref = ""] of source.matchAll(/"(#\/components\/schemas\/[@\w.-]+)/g)) {
      const schema = used.has(ref) ? undefined : find(ref);
      if (schema !== undefined) used.set(ref, schema);
    }
  };
  visit(text);
  for (const schema of used.values()) visit(JSON.stringify(schema)); // a Map's loop visits what is added on the way
  return used;
}

/**
 * Names schemas. Those with names of their own come first, of one name those of responses before those of requests; a
 * second one has its side behind the name, or a number. The others are called by where they are used.
 */
function nameEntries(entries: readonly Entry[], taken: Set<string>): ReadonlyMap<Entry, string> {
  const names = new Map<Entry, string>();
  const name = (entry: Entry, wanted: string): void => {
    const base = wanted.replace(/[^\w.-]/g, "_");
    const side = entry.sides.has("output") ? "Output" : "Input";
    const stem = entry.given && taken.has(base) ? base + side : base;
    let found = stem;
    for (let n = 2; taken.has(found); n++) found = `${stem}_${n}`;
    taken.add(found);
    names.set(entry, found);
  };
  const own = entries.filter(({ given }) => given);
  for (const entry of inOrder(own, ({ sides, text }) => (sides.has("output") ? "0" : "1") + text)) {
    name(entry, [...entry.wanted][0] ?? "");
  }
  const smallest = ({ wanted }: Entry): string => [...wanted].sort()[0] ?? "";
  for (const entry of inOrder(entries.filter(({ given }) => !given), smallest)) {
    name(entry, smallest(entry));
  }
  return names;
}

/** Sorted by what stands for them; what has the same stays in order. */
function inOrder<T>(list: readonly T[], key: (one: T) => string): readonly T[] {
  return list.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

function refTo(number: number): string {
  return `${SCHEMA_REF}@${number}`;
}

/** Puts a reference to a component, or the definition itself, in the place of a local reference. */
function placeRef(
  schema: SchemaObject,
  numbers: ReadonlyMap<string, number>,
  inPlace: (local: string) => SchemaObject,
): SchemaObject {
  const { discriminator } = schema;
  if (isObject(discriminator) && isObject(discriminator.mapping)) {
    const mapping = Object.entries(discriminator.mapping).map(([value, target]) => [
      value,
      placeRef({ $ref: target }, numbers, inPlace).$ref ?? target,
    ]);
    return { ...schema, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } };
  }
  const found = typeof schema.$ref === "string" ? localRef(schema.$ref) : undefined;
  if (found === undefined) return schema;
  const { $ref: _, ...beside } = schema;
  const number = numbers.get(found.local);
  const placed = number === undefined ? inPlace(found.local) : { $ref: refTo(number) + found.rest };
  if (Object.keys(beside).length === 0) return placed;
  const others = Array.isArray(beside.allOf) ? beside.allOf : [];
  return { ...beside, allOf: [placed, ...others] }; // many tools ignore what stands beside a $ref
}
