/**
 * TypeScript types as JSON Schema 2020-12: the schema of the output of `JSON.stringify`.
 *
 * Named types are definitions. Types that JSON cannot represent are marked, and become errors unless the metadata
 * describes them.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { refsOf } from "../_json_schema.ts";
import { localRef } from "../_schema_graph.ts";
import { unknownParts } from "../_standard_schema.ts";
import {
  markUnresolved,
  type TypeContext,
  type TypePlace,
  type TypeWriter,
  withoutNoInfer,
} from "./_type_context.ts";
import { documentationOf } from "./_type_docs.ts";
import { hintAt, readHint } from "./_type_hints.ts";
import { missingInTypes, unresolvedReason } from "./_unresolved_types.ts";
import { writeType } from "./_type_kinds.ts";
import { createTypeNames, type TypeName } from "./_type_names.ts";

/** Maximum nesting depth of anonymous types. */
const MAX_DEPTH = 200;
/** Maximum nesting of a named type in itself with other arguments: `Nest<T>` that contains `Nest<T[]>`. */
const MAX_OUTER = 20;

/** Stops the conversion of an infinite type. */
class InfiniteTypeError extends Error {}

/** A named type whose definition is to be written. */
interface Definition {
  readonly type: ts.Type;
  readonly symbol: ts.Symbol;
  /** Its key in `$defs`. */
  readonly local: string;
  readonly at: TypePlace;
  /** The definition in which it was found first. */
  readonly outer: Definition | undefined;
}

/** Writes the schema of a type, with `$defs`. */
export type SchemaWriter = (type: ts.Type, at: TypePlace) => SchemaObject;

/** Creates a writer. */
export function createSchemaWriter(
  context: TypeContext,
  { form }: { readonly form: boolean },
): SchemaWriter {
  const names = createTypeNames(context);
  const locals = new Map<ts.Type, string>();
  const definitions = new Map<string, SchemaObject>();
  const links = new Map<string, readonly string[]>();
  const pending: Definition[] = []; // a queue, not recursion: types may form chains of hundreds
  let current: Definition | undefined;
  let busy = new Map<ts.Type, string | undefined>();

  const writer: TypeWriter = {
    context,
    form,
    isNamed: (type) => names.of(type) !== undefined,
    place(given, at) {
      const type = withoutNoInfer(context, given);
      if (at.depth > MAX_DEPTH) throw new InfiniteTypeError(at.path);
      const local = locals.get(type);
      if (local !== undefined) return refTo(local);
      const name = names.of(type);
      if (name !== undefined) return define(type, name, at);
      const aliases = (readHint(context, at.hint)?.aliases ?? []).filter((one) =>
        names.of(context.checker.getDeclaredTypeOfSymbol(one)) === undefined
      );
      return aliases.reduceRight(
        (schema, alias) => writer.document(schema, alias, at),
        placeUnnamed(type, at),
      );
    },
    document(schema, symbol, at) {
      const local = typeof schema.$ref === "string" ? localRef(schema.$ref)?.local : undefined;
      const said = documentationOf(context, symbol, definitions.get(local ?? "") ?? schema);
      return "wrong" in said ? markUnresolved(at, said.wrong) : { ...schema, ...said.keywords };
    },
  };

  function define(type: ts.Type, { text, symbol }: TypeName, at: TypePlace): SchemaObject {
    const local = freeName(text);
    locals.set(type, local);
    definitions.set(local, isPlainObject(context, type) ? { type: "object" } : {}); // until it is written
    const node = symbol.declarations?.[0] ?? at.node;
    const definition: Definition = {
      type,
      symbol,
      local,
      at: { path: text, node, root: at.root, depth: 0, hint: hintAt(context, symbol) },
      outer: current,
    };
    if (selfNesting(definition) > MAX_OUTER) throw new InfiniteTypeError(text);
    if (isLeaf(context, type)) finish(definition); // references to it may add keywords
    else pending.push(definition);
    return refTo(local);
  }

  /** Writes a definition. */
  function finish(definition: Definition): void {
    const { type, symbol, local, at } = definition;
    const before = [current, busy] as const;
    current = definition;
    busy = new Map(); // recursion within it refers to this definition
    const schema = writer.document(writeType(writer, type, at), symbol, at);
    const isWhole = context.checker.getPropertyOfType(type, "toJSON") === undefined; // otherwise only toJSON counts
    const missing = isWhole && unknownParts(schema).length === 0
      ? missingInTypes(context, symbol.declarations ?? [])
      : undefined;
    definitions.set(
      local,
      missing === undefined ? schema : markUnresolved(at, unresolvedReason(missing)),
    );
    [current, busy] = before;
  }

  /** An anonymous type needs a name if it is recursive. */
  function placeUnnamed(type: ts.Type, at: TypePlace): SchemaObject {
    if (busy.has(type)) {
      const local = busy.get(type) ??
        freeName(names.ofList(type) ?? `__schema${definitions.size}`);
      busy.set(type, local);
      definitions.set(local, definitions.get(local) ?? {});
      return refTo(local);
    }
    if (!isComposed(context, type)) return writeType(writer, type, at);
    busy.set(type, undefined);
    const alias = names.ofList(type) === undefined ? undefined : type.aliasSymbol;
    const hint = alias === undefined ? at.hint : hintAt(context, alias); // the same wherever it is used
    const schema = writeType(writer, type, { ...at, hint, depth: at.depth + 1 });
    const local = busy.get(type);
    busy.delete(type);
    if (local === undefined) return schema;
    locals.set(type, local);
    definitions.set(local, schema);
    return refTo(local);
  }

  /** A unique key for `$defs`. Its number is not part of the name in the document. */
  function freeName(text: string): string {
    let name = text;
    for (let n = 2; definitions.has(name); n++) name = `${text}@${n}`;
    return name;
  }

  /** The schema of a root type, with all definitions that it refers to. */
  function placeRoot(type: ts.Type, at: TypePlace): SchemaObject {
    try {
      const schema = writer.place(type, at);
      for (let one = pending.pop(); one !== undefined; one = pending.pop()) finish(one);
      return schema;
    } catch (error) {
      if (!(error instanceof InfiniteTypeError)) throw error; // and no further schema is written
      const mark = markUnresolved(at, `holds ${error.message}, which is infinitely nested`);
      for (const { local } of pending) definitions.set(local, mark);
      for (let one = current; one !== undefined; one = one.outer) definitions.set(one.local, mark);
      pending.length = 0;
      [current, busy] = [undefined, new Map()];
      return mark;
    }
  }

  /** The definitions that a definition refers to. */
  function linksOf(local: string): readonly string[] {
    const found = links.get(local) ?? localRefs(definitions.get(local) ?? {});
    links.set(local, found);
    return found;
  }

  return (type, at) => {
    const root = placeRoot(type, at);
    const used = new Set(localRefs(root));
    for (const local of used) linksOf(local).forEach((one) => used.add(one)); // grows during iteration
    if (used.size === 0) return root;
    return {
      ...root,
      $defs: Object.fromEntries([...used].map((one) => [one, definitions.get(one)])),
    };
  };
}

/** The number of definitions of the same symbol that contain a definition. */
function selfNesting({ symbol, outer }: Definition): number {
  let count = 0;
  for (let one = outer; one !== undefined; one = one.outer) if (one.symbol === symbol) count++;
  return count;
}

/** Whether a type refers to no other types: an enumeration, or a brand. */
function isLeaf(context: TypeContext, type: ts.Type): boolean {
  const { Object: object, Instantiable } = context.ts.TypeFlags;
  if (type.isUnion()) return type.types.every((one) => isLeaf(context, one));
  if (type.isIntersection()) return type.types.some((one) => isLeaf(context, one));
  return (type.flags & (object | Instantiable)) === 0;
}

function isPlainObject({ ts, checker }: TypeContext, type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0 &&
    checker.getPropertyOfType(type, "toJSON") === undefined;
}

function localRefs(schema: SchemaObject): readonly string[] {
  return refsOf(schema).flatMap((ref) => localRef(ref)?.local ?? []);
}

function isComposed({ ts }: TypeContext, type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)) !== 0;
}

function refTo(local: string): SchemaObject {
  return { $ref: `#/$defs/${local}` };
}
