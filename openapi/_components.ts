/**
 * The schemas of a document, taken from Standard JSON Schema (https://standardschema.dev/json-schema). Their
 * definitions are hoisted to `#/components/schemas`.
 *
 * Names are assigned at the end, when all schemas are known, so that they do not depend on the order of routes. Until
 * then a reference holds a number.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema } from "./_json_schema.ts";
import {
  canonicalText,
  definitionOf,
  placeRef,
  readGraph,
  refTo,
  ROOT,
  SCHEMA_REF,
  type SchemaGraph,
  type WantedName,
} from "./_schema_graph.ts";
import { jsonSchemaOf, vendorOf } from "./_standard_schema.ts";
import type { Side } from "./_normalize_schema.ts";

/** The source of a schema. */
export interface SchemaOrigin {
  /** The validator to convert. */
  readonly validator: unknown;
  /** Returns the source to use when the validator cannot be converted. */
  readonly orElse?: () => unknown;
  /** The side of the validator to convert. */
  readonly side: Side;
  /** Base name of a definition that has no name and needs one. */
  readonly name: string;
}

/** Collects schemas as named components. */
export interface Components {
  /**
   * Converts a validator to a schema that can be used in place. A named or recursive schema becomes a reference.
   *
   * @throws {TypeError} If the validator gives no JSON Schema.
   */
  convert(origin: SchemaOrigin): SchemaObject;
  /**
   * Adds a schema that was converted before. @throws {TypeError} If it refers to a definition that it does not have.
   */
  add(schema: SchemaObject, origin: SchemaOrigin): SchemaObject;
  /** Resolves the `$ref` of a schema; returns a schema without one unchanged. */
  resolve(schema: SchemaObject): SchemaObject;
  /** Replaces the numbers in all references by names; also returns the schemas that are referred to, sorted by name. */
  finish(text: string): FinishedText;
}

/** Result of {@linkcode Components.finish}. */
export interface FinishedText {
  readonly text: string;
  readonly schemas: Readonly<Record<string, SchemaObject>>;
}

/** A schema that becomes a component. */
interface Entry {
  readonly wanted: Set<string>;
  readonly sides: Set<Side>;
  readonly given: boolean;
  /** Canonical text: equal for equal schemas, whatever names their libraries use. */
  readonly text: string;
  schema: SchemaObject | undefined;
}

/** A reference that still holds a number. */
const NUMBER_REGEXP = /"#\/components\/schemas\/@(\d+)/g;

/** Creates a collection. @param given Schemas declared in `info`; their names are taken. */
export function createComponents(given: Readonly<Record<string, SchemaObject>>): Components {
  const entries: Entry[] = [];
  const known = new Map<string, number>();
  const added = new WeakMap<object, number>();

  /** The number of a schema. Equal schemas have the same number. */
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

  /** Handles a schema whose definitions were all added before, as the same objects. */
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
    const graph = readGraph(schema, { name, generatedNames: vendorOf(validator) === "arktype" });
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

/** The schemas that a text refers to, directly and transitively, by reference. */
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
  for (const schema of used.values()) visit(JSON.stringify(schema)); // iterating a Map includes entries that are added on the way
  return used;
}

/**
 * Names schemas. Schemas with their own names come first; of two with the same name, a response's schema comes before a
 * request's, and the second one gets its side or a number as suffix. Other schemas are named by where they are used.
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
  const firstName = ({ wanted }: Entry): string => [...wanted].sort()[0] ?? "";
  for (const entry of inOrder(entries.filter(({ given }) => !given), firstName)) {
    name(entry, firstName(entry));
  }
  return names;
}

/** Stable sort by key. */
function inOrder<T>(list: readonly T[], key: (one: T) => string): readonly T[] {
  return list.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
