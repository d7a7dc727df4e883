/**
 * Objects and arrays, as `JSON.stringify` writes them.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import {
  declarationOf,
  isUndefined,
  markUnresolved,
  mayBeUndefined,
  symbolOrigin,
  type TypeContext,
  type TypePlace,
  type TypeWriter,
} from "./_type_context.ts";
import { libraryClassOf } from "./_type_library.ts";
import { argumentHint, elementHint, memberHint, readHint } from "./_type_hints.ts";

/** Formats of library classes with `toJSON`, RFC 3339 and RFC 3986. */
const FORMATS: Readonly<Record<string, string>> = {
  Date: "date-time",
  Duration: "duration",
  Instant: "date-time",
  PlainDate: "date",
  URL: "uri",
};

/** A file in a form, as most tools expect it; JSON Schema has no keyword for binary data outside of JSON. */
const BINARY: SchemaObject = { type: "string", format: "binary" };
const RECORD_REGEXP = /^Record$/;
const NUMERIC_KEY = "^-?\\d+(?:\\.\\d+)?$";

/** The schema of an object type, or of an intersection of object types. */
export function objectSchema(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject {
  const { checker } = writer.context;
  if (checker.isTupleType(type)) return tupleSchema(writer, type as ts.TupleTypeReference, at);
  if (checker.isArrayType(type)) return arraySchema(writer, type as ts.TypeReference, at);
  const builtIn = builtInSchema(writer, type, at);
  if (builtIn !== undefined) return builtIn;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    return markUnresolved(at, "is a function, which JSON cannot represent");
  }
  return membersSchema(writer, type, at);
}

/** The schema of an object that is not plain: a library class, or one with `toJSON`. */
function builtInSchema(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject | undefined {
  const { context, form } = writer;
  const { ts, checker } = context;
  const library = libraryClassOf(context, type) ?? "";
  if (form && (library === "File" || library === "Blob")) return BINARY;
  const method = checker.getPropertyOfType(type, "toJSON");
  const isOwn = method !== undefined && symbolOrigin(context, method) !== "library";
  if (!isOwn && Object.hasOwn(FORMATS, library)) {
    return { type: "string", format: FORMATS[library] };
  }
  const signatures = method && checker.getTypeOfSymbol(method).getCallSignatures();
  if (signatures?.[0] !== undefined) {
    const written = checker.getReturnTypeOfSignature(signatures[0]);
    const again = (written.flags & ts.TypeFlags.Object) !== 0 &&
      checker.getPropertyOfType(written, "toJSON") !== undefined;
    // JSON.stringify calls toJSON once, ECMA-262 §25.5.2.2
    return again
      ? membersSchema(writer, written, at)
      : writer.place(written, { ...at, hint: undefined });
  }
  switch (library) {
    case "":
      return undefined;
    case "Object":
      return { type: "object" };
    case "String":
    case "Number":
    case "Boolean":
      return { type: library.toLowerCase() };
    default:
      return markUnresolved(
        at,
        `is of the type ${library}, which ${form ? "a form" : "JSON"} cannot represent`,
      );
  }
}

function arraySchema(writer: TypeWriter, type: ts.TypeReference, at: TypePlace): SchemaObject {
  const { context, context: { ts, checker } } = writer;
  const [element] = checker.getTypeArguments(type);
  if (element === undefined) return { type: "array" };
  if ((element.flags & ts.TypeFlags.Never) !== 0) return { type: "array", maxItems: 0 };
  return {
    type: "array",
    items: writer.place(element, partOf(at, "[]", elementHint(context, at.hint))),
  };
}

/** A tuple, JSON Schema §10.3.1.1. Elements after a rest element may be at any position after those before it. */
function tupleSchema(writer: TypeWriter, type: ts.TupleTypeReference, at: TypePlace): SchemaObject {
  const { context, context: { ts, checker } } = writer;
  const { elementFlags } = type.target;
  const node = readHint(context, at.hint)?.node;
  const elements = node !== undefined && ts.isTupleTypeNode(node) ? node.elements : [];
  const nodes = elements.some((one) => isSpread(context, one)) ? [] : elements; // the positions would differ
  const items = checker.getTypeArguments(type).map((element, i) => {
    const flags = elementFlags[i] ?? ts.ElementFlags.Required;
    const optional = (flags & ts.ElementFlags.Optional) !== 0;
    const inner = { ...partOf(at, `[${i}]`, elementNode(context, nodes[i])), optional };
    return {
      isFixed: (flags & ts.ElementFlags.Fixed) !== 0,
      flags,
      schema: writer.place(element, inner),
    };
  });
  const rest = items.findIndex(({ isFixed }) => !isFixed);
  const fixed = rest === -1 ? items : items.slice(0, rest);
  const others = rest === -1 ? [] : items.slice(rest).map(({ schema }) => schema);
  const required = items.filter(({ flags }) => (flags & ts.ElementFlags.Required) !== 0).length;
  const [only] = others;
  return {
    type: "array",
    ...(fixed.length === 0 ? {} : { prefixItems: fixed.map(({ schema }) => schema) }),
    ...(only === undefined ? {} : { items: others.length === 1 ? only : { anyOf: others } }),
    ...(required === 0 ? {} : { minItems: required }),
    ...(rest === -1 ? { maxItems: fixed.length } : {}),
  };
}

function isSpread({ ts }: TypeContext, node: ts.Node): boolean {
  return ts.isRestTypeNode(node) ||
    (ts.isNamedTupleMember(node) && node.dotDotDotToken !== undefined);
}

/** The type node of a tuple element, without its name and its question mark. */
function elementNode({ ts }: TypeContext, node: ts.Node | undefined): ts.TypeNode | undefined {
  if (node === undefined || !ts.isTypeNode(node)) return undefined;
  if (ts.isNamedTupleMember(node) || ts.isOptionalTypeNode(node)) return node.type;
  return ts.isRestTypeNode(node) ? undefined : node;
}

function membersSchema(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject {
  const members = membersInOrder(writer.context, type).flatMap((member) => {
    const found = memberSchema(writer, member, at);
    return found === undefined ? [] : [{ name: member.name, ...found }];
  });
  const required = members.filter((one) => one.required).map(({ name }) => name);
  return {
    type: "object",
    ...(members.length === 0 ? {} : {
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    }),
    ...(required.length === 0 ? {} : { required }),
    ...indexSchema(writer, type, at),
  };
}

/**
 * Properties in source order. The order of a mapped type is not defined: its properties are sorted by declaration, and
 * those without one by name.
 */
function membersInOrder({ ts, checker }: TypeContext, type: ts.Type): readonly ts.Symbol[] {
  const members = checker.getPropertiesOfType(type);
  const { objectFlags = 0 } = type as Partial<ts.ObjectType>;
  if ((objectFlags & ts.ObjectFlags.Mapped) === 0) return members;
  const placeOf = (member: ts.Symbol): readonly [string, number, string] => {
    const declaration = declarationOf(member);
    return declaration === undefined
      ? ["\uffff", 0, member.name]
      : [declaration.getSourceFile().fileName, declaration.pos, member.name];
  };
  return members
    .map((member) => ({ member, place: placeOf(member) }))
    .sort((a, b) => {
      const at = a.place.findIndex((one, i) => one !== b.place[i]);
      return (a.place[at] ?? 0) < (b.place[at] ?? 0) ? -1 : 1;
    })
    .map(({ member }) => member);
}

/** The schema of a property; `undefined` for one that is never serialized. */
function memberSchema(
  writer: TypeWriter,
  member: ts.Symbol,
  at: TypePlace,
): { readonly schema: SchemaObject; readonly required: boolean } | undefined {
  const { context, context: { ts, checker } } = writer;
  if (!isWritten(context, member)) return undefined;
  const declaration = declarationOf(member);
  const type = checker.getTypeOfSymbol(member);
  const optional = (member.flags & ts.SymbolFlags.Optional) !== 0;
  if (isUndefined(context, type)) {
    return optional ? { schema: { not: {} }, required: false } : undefined; // `x?: never` distinguishes alternatives
  }
  const hint = memberHint(context, member, type);
  const inner: TypePlace = {
    ...partOf(at, `.${member.name}`, hint),
    node: symbolOrigin(context, member) === "module" ? declaration ?? at.node : at.node,
    optional: true,
  };
  const schema = writer.document(writer.place(type, inner), member, inner);
  return { schema, required: !optional && !mayBeUndefined(context, type) };
}

/** Whether `JSON.stringify` writes a property: not if its key is a symbol, or it is on the prototype of a class. */
export function isWritten({ ts }: TypeContext, member: ts.Symbol): boolean {
  const declaration = declarationOf(member);
  if (/^__[@#]/.test(String(member.escapedName))) return false;
  return declaration === undefined || !ts.isClassLike(declaration.parent) ||
    !(ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration) ||
      ts.isAutoAccessorPropertyDeclaration(declaration));
}

/** Index signatures: of strings, of template literals, or of numbers. */
function indexSchema(writer: TypeWriter, type: ts.Type, at: TypePlace): SchemaObject {
  const { context, context: { ts, checker } } = writer;
  const patterns: Record<string, SchemaObject> = {};
  let additional: unknown;
  for (const { keyType, type: value, declaration } of checker.getIndexInfosOfType(type)) {
    if ((keyType.flags & ts.TypeFlags.ESSymbolLike) !== 0) continue;
    const hint = declaration?.type ?? argumentHint(context, at.hint, RECORD_REGEXP, 1);
    const schema = writer.place(value, { ...partOf(at, "[]", hint), optional: true });
    const { pattern } = writer.place(keyType, partOf(at, "[]", undefined));
    if ((keyType.flags & ts.TypeFlags.Number) !== 0) patterns[NUMERIC_KEY] = schema;
    else if (typeof pattern === "string") patterns[pattern] = schema;
    else additional = (value.flags & ts.TypeFlags.Never) !== 0 ? false : schema;
  }
  return {
    ...(Object.keys(patterns).length === 0 ? {} : { patternProperties: patterns }),
    ...(additional === undefined ? {} : { additionalProperties: additional }),
  };
}

/** A part of a type: its path is appended to that of the whole. */
function partOf(at: TypePlace, path: string, hint: ts.TypeNode | undefined): TypePlace {
  return { path: at.path + path, node: at.node, root: at.root, depth: at.depth, hint };
}
