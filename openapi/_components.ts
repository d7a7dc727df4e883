/**
 * The schemas of a document: taken from Standard JSON Schema (https://standardschema.dev/json-schema), their
 * definitions hoisted to `#/components/schemas`.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { mapSchema } from "./_json_schema.ts";
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
import { jsonSchemaOf, type JsonSchemaOptions, type Side } from "./_standard_schema.ts";

/** Collects schemas, each under a name of its own. */
export interface Components {
  /**
   * The schema of a validator, to put in place; what has a name in it, or refers to itself, is a reference.
   *
   * @param name What to call a part that has no name and needs one.
   * @throws {TypeError} If the validator gives no JSON Schema.
   */
  convert(validator: unknown, side: Side, name: string, options?: JsonSchemaOptions): SchemaObject;
  /** Finds what a schema's own `$ref` refers to; a schema without one is returned as it is. */
  resolve(schema: SchemaObject): SchemaObject;
  /** The schemas that are referred to from a text, and from there on, sorted by name. */
  used(text: string): Readonly<Record<string, SchemaObject>>;
}

/** Creates the collection. @param given Schemas that are there by hand; their names are taken. */
export function createComponents(given: Readonly<Record<string, SchemaObject>>): Components {
  const schemas = new Map<string, SchemaObject>(Object.entries(given));
  /** Canonical text of what a name stands for. */
  const texts = new Map<string, string>();

  /** A name for a schema: its own, unless another schema has it. The same schema has one name. */
  function claimName({ wanted, given }: WantedName, text: string, side: Side): string {
    const known = given ? undefined : [...texts].find(([, other]) => other === text);
    if (known !== undefined) return known[0];
    const base = wanted.replace(/[^\w.-]/g, "_");
    const taken = (name: string) =>
      (schemas.has(name) || texts.has(name)) && texts.get(name) !== text;
    let name = base;
    if (given && taken(name)) name = base + (side === "input" ? "Input" : "Output");
    for (let n = 2, stem = name; taken(name); n++) name = `${stem}_${n}`;
    texts.set(name, text);
    return name;
  }

  return {
    convert(validator, side, name, options) {
      const graph = readGraph(jsonSchemaOf(validator, side, options), {
        name,
        madeUp: isArkType(validator),
      });
      const names = new Map<string, string>();
      const named = [...graph.named].sort(([, a], [, b]) => Number(b.given) - Number(a.given)); // they keep their names
      for (const [local, one] of named) {
        names.set(local, claimName(one, canonicalText(local, graph), side));
      }
      const place = (schema: SchemaObject): SchemaObject =>
        mapSchema(schema, (one) => placeRef(one, names, graph, place));
      for (const local of graph.named.keys()) {
        const target = names.get(local) ?? local;
        if (!schemas.has(target)) schemas.set(target, place(definitionOf(graph, local)));
      }
      return graph.named.has(ROOT)
        ? { $ref: SCHEMA_REF + names.get(ROOT) }
        : place(definitionOf(graph, ROOT));
    },
    resolve(schema) {
      const seen = new Set<string>();
      let found = schema;
      while (typeof found.$ref === "string" && !seen.has(found.$ref)) {
        seen.add(found.$ref);
        found = schemas.get(found.$ref.slice(SCHEMA_REF.length)) ?? {};
      }
      return found;
    },
    used(text) {
      const names = new Set<string>();
      const add = (source: string) => {
        for (const [, name = ""] of source.matchAll(/"#\/components\/schemas\/([\w.-]+)/g)) {
          if (!names.has(name) && schemas.has(name)) names.add(name);
        }
      };
      add(text);
      for (const name of names) add(JSON.stringify(schemas.get(name))); // a Set's loop visits what is added on the way
      return Object.fromEntries([...names].sort().map((name) => [name, schemas.get(name) ?? {}]));
    },
  };
}

/** Puts a reference to a component, or the definition itself, in the place of a local reference. */
function placeRef(
  schema: SchemaObject,
  names: ReadonlyMap<string, string>,
  graph: SchemaGraph,
  place: (schema: SchemaObject) => SchemaObject,
): SchemaObject {
  const found = typeof schema.$ref === "string" ? localRef(schema.$ref) : undefined;
  if (found === undefined) return schema;
  const { $ref: _, ...beside } = schema;
  const name = names.get(found.local);
  const placed = name === undefined
    ? place(definitionOf(graph, found.local))
    : { $ref: SCHEMA_REF + name + found.rest };
  if (Object.keys(beside).length === 0) return placed;
  const others = Array.isArray(beside.allOf) ? beside.allOf : [];
  return { ...beside, allOf: [placed, ...others] }; // many tools ignore what stands beside a $ref
}

function isArkType(validator: unknown): boolean {
  return (validator as { "~standard": { vendor: string } })["~standard"].vendor === "arktype";
}
