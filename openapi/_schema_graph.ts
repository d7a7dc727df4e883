/**
 * A schema with its definitions: what refers to what, and what of it needs a name of its own.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, mapSchema, pointerToken, refsOf } from "./_json_schema.ts";

/** Prefix of a reference to a schema of the document. */
export const SCHEMA_REF = "#/components/schemas/";

/** Local name of the schema itself beside those in its `$defs`. */
export const ROOT = "";

/** A schema and its definitions. */
export interface SchemaGraph {
  /** The schema as {@linkcode ROOT}, and its definitions by their local names. */
  readonly definitions: ReadonlyMap<string, SchemaObject>;
  /** What becomes a component: definitions with a name, what refers to itself, and what is referred into. */
  readonly named: ReadonlyMap<string, WantedName>;
}

/** What a definition is to be called, and whether that is its own name. */
export interface WantedName {
  readonly wanted: string;
  readonly given: boolean;
}

/** A reference to a local definition, and the pointer from there on. */
export interface LocalRef {
  readonly local: string;
  readonly rest: string;
}

/** Options of {@linkcode readGraph}. */
export interface ReadGraphOptions {
  /** What to call a part that has no name and needs one. */
  readonly name: string;
  /** Whether the names of all definitions are made up. */
  readonly madeUp: boolean;
}

/** Names that converters make up: `__schema0` in Zod, `0` in Valibot. ArkType makes up all of its names. */
const MADE_UP_NAME_REGEXP = /^(?:__schema)?\d+$/;

/** What tells definitions of one name apart, of which some have the same in another file. */
const SECOND_NAME_REGEXP = /@\d+$/;

/** Takes a schema apart. @throws {TypeError} If it refers to a definition that it does not have. */
export function readGraph(
  schema: SchemaObject,
  { name, madeUp }: ReadGraphOptions,
): SchemaGraph {
  const { $defs, definitions: older, ...root } = schema;
  const definitions = new Map<string, SchemaObject>([[ROOT, root]]);
  for (const [local, one] of Object.entries({ ...asMap($defs), ...asMap(older) })) {
    definitions.set(local, isObject(one) ? one : one === false ? { not: {} } : {});
  }
  const needed = new Set<string>([ROOT]);
  for (const local of needed) { // grows on the way
    for (const ref of refsOf(definitions.get(local) ?? {})) {
      const found = localRef(ref)?.local ?? ROOT;
      if (!definitions.has(found)) {
        throw new TypeError(`its schema refers to "${ref}", which it does not have`);
      }
      needed.add(found);
    }
  }
  for (const local of definitions.keys()) if (!needed.has(local)) definitions.delete(local);
  const named = new Map<string, WantedName>();
  for (const local of definitions.keys()) {
    const given = local !== ROOT && !madeUp && !MADE_UP_NAME_REGEXP.test(local);
    if (given || reaches(definitions, local, local) || isPointedInto(definitions, local)) {
      named.set(local, { wanted: given ? local.replace(SECOND_NAME_REGEXP, "") : name, given });
    }
  }
  return { definitions, named };
}

/** A definition of a graph. */
export function definitionOf({ definitions }: SchemaGraph, local: string): SchemaObject {
  return definitions.get(local) ?? {};
}

/** Where a reference leads to; `undefined` where that is outside of the schema. */
export function localRef(ref: string): LocalRef | undefined {
  if (!ref.startsWith("#") || ref.startsWith(SCHEMA_REF)) return undefined;
  const match = /^#\/(?:\$defs|definitions)\/([^/]+)(.*)$/.exec(ref);
  if (match !== null) return { local: pointerToken(match[1] ?? ""), rest: match[2] ?? "" };
  if (ref === "#" || ref.startsWith("#/")) return { local: ROOT, rest: ref.slice(1) };
  return { local: ref, rest: "" }; // an anchor, which no converter writes
}

/** A text that is the same for the same schema, whatever names were made up in it. */
export function canonicalText(local: string, graph: SchemaGraph): string {
  const order = [local];
  const numbered = (ref: string): string => {
    const found = localRef(ref);
    if (found === undefined) return ref;
    if (!order.includes(found.local)) order.push(found.local);
    return `${order.indexOf(found.local)}${found.rest}`;
  };
  const texts: string[] = [];
  for (const one of order) { // grows on the way
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

/** Whether a reference leads to a part of a definition, which then needs an address. */
function isPointedInto(definitions: ReadonlyMap<string, SchemaObject>, local: string): boolean {
  return [...definitions.values()].flatMap(refsOf).map(localRef)
    .some((found) => found?.local === local && found.rest !== "");
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
