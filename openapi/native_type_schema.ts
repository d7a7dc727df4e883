/**
 * TypeScript types as JSON Schema 2020-12: the schema of what `JSON.stringify` makes of a value.
 *
 * Types with names are definitions. What JSON cannot carry is marked, and becomes an error unless it is described by
 * hand.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../router/openapi_types.ts";
import { refsOf } from "./_json_schema.ts";
import { localRef } from "./_schema_graph.ts";
import { unknownParts } from "./_standard_schema.ts";
import {
  isMissingType,
  markUnknown,
  type TypeContext,
  type TypePlace,
  withoutNoInfer,
} from "./native_type_context.ts";
import { documentationOf } from "./native_type_docs.ts";
import { hintAt, readHint } from "./native_type_hints.ts";
import { missingImports, missingInTypes, missingName, whyMissing } from "./native_type_missing.ts";
import { createTypeNames, type TypeName } from "./native_type_names.ts";
import { objectSchema } from "./native_type_object.ts";
import { templateSchema } from "./native_type_text.ts";
import { unionSchema } from "./native_type_union.ts";

/** Writes the schemas of types. */
export interface TypeWriter {
  readonly context: TypeContext;
  /** Whether values come in a form, which carries files, and not in JSON. */
  readonly form: boolean;
  /** The schema of a type, to put in place: a reference, if the type has a name. */
  place(type: ts.Type, at: TypePlace): SchemaObject;
  /** Adds what the documentation of a symbol says. */
  document(schema: SchemaObject, symbol: ts.Symbol, at: TypePlace): SchemaObject;
  /** Whether a type has a name of its own. */
  isNamed(type: ts.Type): boolean;
}

/** Types are nested less deeply than that, unless each makes another one: `Nest<T>` with a `Nest<T[]>` in it. */
const MAX_DEPTH = 50;

/** Ends the reading of a type that has no end. */
class EndlessType extends Error {}

/** Creates a writer. @returns A function that gives the schema of a type, with `$defs`. */
export function createSchemaWriter(
  context: TypeContext,
  { form }: { readonly form: boolean },
): (type: ts.Type, at: TypePlace) => SchemaObject {
  const names = createTypeNames(context);
  const locals = new Map<ts.Type, string>();
  let busy = new Map<ts.Type, string | undefined>();
  const definitions = new Map<string, SchemaObject>();
  const unfinished = new Set<string>();
  const links = new Map<string, readonly string[]>();

  const writer: TypeWriter = {
    context,
    form,
    isNamed: (type) => names.of(type) !== undefined,
    place(given, at) {
      const type = withoutNoInfer(context, given);
      if (at.depth > MAX_DEPTH) throw new EndlessType(at.path);
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
      return "wrong" in said ? markUnknown(at, said.wrong) : { ...schema, ...said.keywords };
    },
  };

  function define(type: ts.Type, { text, symbol }: TypeName, at: TypePlace): SchemaObject {
    const local = freeName(text);
    locals.set(type, local);
    definitions.set(local, {});
    const inner: TypePlace = {
      path: text,
      node: symbol.declarations?.[0] ?? at.node,
      root: at.root,
      depth: at.depth + 1,
    };
    const hint = hintAt(context, symbol);
    const outer = busy;
    busy = new Map(); // whatever comes again in there refers to this
    unfinished.add(local);
    const schema = writeType(writer, type, { ...inner, hint });
    busy = outer;
    unfinished.delete(local);
    const isWhole = context.checker.getPropertyOfType(type, "toJSON") === undefined; // else only that counts
    const missing = isWhole && unknownParts(schema).length === 0
      ? missingInTypes(context, symbol.declarations ?? [])
      : undefined;
    definitions.set(
      local,
      missing === undefined
        ? writer.document(schema, symbol, inner)
        : markUnknown(inner, whyMissing(missing)),
    );
    return refTo(local);
  }

  /** A type without a name needs one all the same where it is a part of itself. */
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
    const schema = writeType(writer, type, { ...at, depth: at.depth + 1 });
    const local = busy.get(type);
    busy.delete(type);
    if (local === undefined) return schema;
    locals.set(type, local);
    definitions.set(local, schema);
    return refTo(local);
  }

  /** A name that no other type has, with a number behind it that the document leaves out. */
  function freeName(text: string): string {
    let name = text;
    for (let n = 2; definitions.has(name); n++) name = `${text}@${n}`;
    return name;
  }

  /** The schema of a type that is no part of another one. */
  function placeRoot(type: ts.Type, at: TypePlace): SchemaObject {
    try {
      return writer.place(type, at);
    } catch (error) {
      if (!(error instanceof EndlessType)) throw error; // and nothing is written any more
      const mark = markUnknown(at, `holds ${error.message}, which is nested without end`);
      for (const local of unfinished) definitions.set(local, mark);
      unfinished.clear();
      busy = new Map();
      return mark;
    }
  }

  /** The definitions that another one refers to. What is finished stays as it is. */
  function linksOf(local: string): readonly string[] {
    const found = links.get(local) ?? localRefs(definitions.get(local) ?? {});
    if (!unfinished.has(local)) links.set(local, found);
    return found;
  }

  return (type, at) => {
    const root = placeRoot(type, at);
    const used = new Set(localRefs(root));
    for (const local of used) linksOf(local).forEach((one) => used.add(one)); // grows on the way
    if (used.size === 0) return root;
    return {
      ...root,
      $defs: Object.fromEntries([...used].map((one) => [one, definitions.get(one)])),
    };
  };
}

function localRefs(schema: SchemaObject): readonly string[] {
  return refsOf(schema).flatMap((ref) => localRef(ref)?.local ?? []);
}

/** The schema of a type, whatever it is called. */
function writeType(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject {
  const { context: { ts, checker } } = writer;
  const is = (flags: ts.TypeFlags): boolean => (type.flags & flags) !== 0;
  const flags = ts.TypeFlags;
  if (is(flags.Any)) return markUnknown(at, whyAny(writer.context, type, at));
  if (is(flags.Unknown)) return {};
  if (is(flags.Never)) return { not: {} };
  if (is(flags.Null)) return { type: "null" };
  if (is(flags.Undefined | flags.Void)) {
    return markUnknown(at, "is undefined, which JSON cannot carry");
  }
  if (is(flags.BooleanLiteral)) {
    return { type: "boolean", const: checker.typeToString(type) === "true" };
  }
  if (is(flags.BigIntLike)) return markUnknown(at, "is a bigint, which JSON cannot carry");
  if (is(flags.ESSymbolLike)) return markUnknown(at, "is a symbol, which JSON cannot carry");
  if (is(flags.Union)) return unionSchema(writer, type as ts.UnionType, at);
  if (type.isStringLiteral() || type.isNumberLiteral()) return literalSchema(type);
  if (is(flags.String | flags.StringMapping)) return { type: "string" };
  if (is(flags.Number | flags.Enum)) return { type: "number" };
  if (is(flags.Boolean)) return { type: "boolean" };
  if (is(flags.TemplateLiteral)) return templateSchema(ts, type as ts.TemplateLiteralType);
  if (is(flags.NonPrimitive)) return { type: "object" };
  if (is(flags.Intersection)) return intersectionSchema(writer, type as ts.IntersectionType, at);
  if (is(flags.Object)) return objectSchema(writer, type, at);
  return markUnknown(
    at,
    `is ${checker.typeToString(type)}, which is not known here; describe it in "openapi"`,
  );
}

function literalSchema({ value }: ts.StringLiteralType | ts.NumberLiteralType): SchemaObject {
  return { type: typeof value, const: value };
}

/** A primitive with a brand is the primitive, and so is a list; objects are joined. */
function intersectionSchema(
  writer: TypeWriter,
  type: ts.IntersectionType,
  at: TypePlace,
): SchemaObject {
  const { context: { ts, checker } } = writer;
  const primitive = type.types.find((one) =>
    (one.flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive | ts.TypeFlags.Instantiable)) ===
      0 ||
    (one.flags & ts.TypeFlags.StringMapping) !== 0 ||
    (one.flags & ts.TypeFlags.TemplateLiteral) !== 0
  );
  const list = type.types.find((one) => checker.isArrayType(one) || checker.isTupleType(one));
  const carrier = primitive ?? list;
  if (carrier !== undefined) return writer.place(carrier, { ...at, hint: undefined });
  if (checker.typeToString(type) === "never") return { not: {} }; // their members exclude each other
  const open = type.types.find((one) => (one.flags & ts.TypeFlags.Instantiable) !== 0);
  return open === undefined ? objectSchema(writer, type, at) : writeType(writer, open, at);
}

/** Why a type is `any`: it could not be found, or somebody said so. */
function whyAny(context: TypeContext, type: ts.Type, { node, root }: TypePlace): string {
  if (!isMissingType(type)) return 'is any, which says nothing; say "unknown" for any JSON';
  const name = missingName(context, node) ?? missingName(context, root);
  if (name !== undefined) return whyMissing(name);
  const imports = missingImports(context, root.getSourceFile()).join(", ");
  return "has a type that was not found" +
    (imports === "" ? "" : `; nor was ${imports}, which its file imports`);
}

function isComposed({ ts }: TypeContext, type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)) !== 0;
}

function refTo(local: string): SchemaObject {
  return { $ref: `#/$defs/${local}` };
}
