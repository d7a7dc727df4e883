/**
 * A schema with its definitions, their references, and which of them become components.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema, pointerToken, refsOf } from "./_json_schema.ts";

/** Prefix of a reference to a schema of the document. */
export const SCHEMA_REF = "#/components/schemas/";

/** Local name of the root schema beside those in its `$defs`. */
export const ROOT = "";

/** A schema and its definitions. */
export interface SchemaGraph {
  /** The root schema as {@linkcode ROOT}, and its definitions by their local names. */
  readonly definitions: ReadonlyMap<string, SchemaObject>;
  /** Definitions that become components: named, recursive, and those with references into them. */
  readonly named: ReadonlyMap<string, WantedName>;
}

/** Desired name of a definition, and whether the library gave it. */
export interface WantedName {
  readonly wanted: string;
  readonly given: boolean;
}

/** A reference to a local definition, and the pointer within it. */
export interface LocalRef {
  readonly local: string;
  readonly rest: string;
}

/** Options of {@linkcode readGraph}. */
export interface ReadGraphOptions {
  /** Base name of a definition that has no name and needs one. */
  readonly name: string;
  /** Whether all names of definitions are generated. */
  readonly generatedNames: boolean;
}

/** Names that converters generate: `__schema0` in Zod, `0` in Valibot. ArkType generates all of its names. */
const GENERATED_NAME_REGEXP = /^(?:__schema)?\d+$/;

/** Suffix that distinguishes definitions of the same name from different files. */
const NAME_SUFFIX_REGEXP = /@\d+$/;

/** Reads the definitions of a schema. @throws {TypeError} If it refers to a definition that it does not have. */
export function readGraph(
  schema: SchemaObject,
  { name, generatedNames }: ReadGraphOptions,
): SchemaGraph {
  const { $defs, definitions: older, ...root } = schema;
  const definitions = new Map<string, SchemaObject>([[ROOT, root]]);
  for (const [local, one] of Object.entries({ ...asMap($defs), ...asMap(older) })) {
    definitions.set(local, isObject(one) ? one : one === false ? { not: {} } : {});
  }
  const needed = new Set<string>([ROOT]);
  for (const local of needed) { // grows during iteration
    for (const ref of refsOf(definitions.get(local) ?? {})) {
      const found = localRef(ref)?.local ?? ROOT;
      if (!definitions.has(found)) {
        throw new TypeError(`its schema refers to "${ref}", which it does not define`);
      }
      needed.add(found);
    }
  }
  for (const local of definitions.keys()) if (!needed.has(local)) definitions.delete(local);
  const named = new Map<string, WantedName>();
  for (const local of definitions.keys()) {
    const given = local !== ROOT && !generatedNames && !GENERATED_NAME_REGEXP.test(local);
    if (given || reaches(definitions, local, local) || isPointedInto(definitions, local)) {
      named.set(local, { wanted: given ? local.replace(NAME_SUFFIX_REGEXP, "") : name, given });
    }
  }
  return { definitions, named };
}

/** A definition of a graph. */
export function definitionOf({ definitions }: SchemaGraph, local: string): SchemaObject {
  return definitions.get(local) ?? {};
}

/** Target of a reference; `undefined` if it is outside the schema. */
export function localRef(ref: string): LocalRef | undefined {
  if (!ref.startsWith("#") || ref.startsWith(SCHEMA_REF)) return undefined;
  const match = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/.exec(ref);
  if (match !== null) return { local: pointerToken(match[1] ?? ""), rest: match[2] ?? "" };
  if (ref === "#" || ref.startsWith("#/")) return { local: ROOT, rest: ref.slice(1) };
  return { local: ref, rest: "" }; // an anchor, which no converter writes
}

/** A text that is equal for equal schemas, whatever generated names they contain. */
export function canonicalText(local: string, graph: SchemaGraph): string {
  const order = [local];
  const numbered = (ref: string): string => {
    const found = localRef(ref);
    if (found === undefined) return ref;
    if (!order.includes(found.local)) order.push(found.local);
    return `${order.indexOf(found.local)}${found.rest}`;
  };
  const texts: string[] = [];
  for (const one of order) { // grows during iteration
    const named = graph.named.get(one);
    const schema = mapSchema(
      definitionOf(graph, one),
      (part) => typeof part.$ref === "string" ? { ...part, $ref: numbered(part.$ref) } : part,
    );
    texts.push((named?.given && one !== local ? named.wanted : "") + JSON.stringify(schema));
  }
  return texts.join("\n");
}

function reaches(
  definitions: ReadonlyMap<string, SchemaObject>,
  from: string,
  to: string,
  seen: Set<string> = new Set(),
): boolean {
  return refsOf(definitions.get(from) ?? {}).some((ref) => {
    const local = localRef(ref)?.local;
    if (local === undefined) return false;
    if (local === to) return true;
    if (seen.has(local)) return false;
    seen.add(local);
    return reaches(definitions, local, to, seen);
  });
}

/** Whether a reference points into a definition, which then has to be a component. */
function isPointedInto(definitions: ReadonlyMap<string, SchemaObject>, local: string): boolean {
  return [...definitions.values()].flatMap(refsOf).map(localRef)
    .some((found) => found?.local === local && found.rest !== "");
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The reference to a schema that has a number until it has a name. */
export function refTo(number: number): string {
  return `${SCHEMA_REF}@${number}`;
}

/** Replaces a local reference by a reference to the component, or by the definition itself. */
export function placeRef(
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
  return { ...beside, allOf: [placed, ...others] }; // many tools ignore siblings of $ref
}
