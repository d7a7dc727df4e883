/**
 * Converts the types of a handler to schemas.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { isObject } from "../_json_schema.ts";
import { EVENT_STREAM_TYPE } from "../_responses.ts";
import type { RequestPart, RouteTypes } from "../_schema_sources.ts";
import { type SchemaSource, TYPES_VENDOR, unknownParts } from "../_standard_schema.ts";
import type { HandlerTypes, SentTypes } from "./_handlers.ts";
import { markUnresolved, type TypeContext, type TypePlace } from "./_type_context.ts";
import { libraryClassOf } from "./_type_library.ts";
import { unresolvedReason } from "./_unresolved_types.ts";
import { typeText } from "./_type_names.ts";
import type { SchemaWriter } from "./_type_schema.ts";
import { anyOf } from "./_type_union.ts";

/** The request's properties for its parts. */
const MEMBERS = { body: "content", params: "params", query: "query" } as const;

/** Writers for types that are sent as JSON and as forms. */
export type SchemaWriters = Readonly<
  Record<"json" | "form", SchemaWriter>
>;

/** Describes a route by the types of its handler. */
export function routeTypes(
  context: TypeContext,
  write: SchemaWriters,
  handler: HandlerTypes,
): RouteTypes {
  const { node } = handler;
  const { Never, Unknown } = context.ts.TypeFlags;
  const sent = once(() => handler.sent());
  const place = (path: string): TypePlace => ({ path, node, root: node, depth: 0 });

  const missing = once(() => handler.missing());

  function requestSource(part: RequestPart, validated: boolean): SchemaSource | undefined {
    const type = handler.request(MEMBERS[part]);
    const path = `req.${MEMBERS[part]}`;
    const form = part === "body" ? formOf(context, type) : undefined;
    const at = { ...place(path), optional: true };
    if (form !== undefined) return sourceOf(() => write.form(form, at));
    const described = validated ? handler.validated(part) : type;
    if (described === undefined || isUnspecified(context, part, described)) return undefined;
    return sourceOf(() => write.json(described, at));
  }

  function sentWith(status: string): readonly SentTypes[] {
    const exact = sent().filter((one) => one.status === status);
    if (exact.length > 0 || !status.startsWith("2")) return exact;
    return sent().filter((one) => one.status === undefined);
  }

  function responseSource(status: string): SchemaSource | undefined {
    const found = sentWith(status).map(({ data }) => data);
    if (found.some((one) => one === undefined || (one.flags & Unknown) !== 0)) return undefined;
    const types = found.flatMap((one) => one === undefined || (one.flags & Never) !== 0 ? [] : one);
    if (types.length === 0) return undefined;
    const texts = new Map(types.map((one) => [one, typeText(context, one)]));
    types.sort((a, b) => (texts.get(a) ?? "") < (texts.get(b) ?? "") ? -1 : 1);
    return sourceOf(() => eitherOf(types.map((one) => write.json(one, place("response")))));
  }

  /** The checker ignores some unresolved types; a schema must not be written without them. */
  function orMissing(source: SchemaSource | undefined): SchemaSource | undefined {
    const name = missing();
    if (name === undefined || (source !== undefined && hasMarks(source))) return source;
    return sourceOf(() => markUnresolved(place("its handler"), unresolvedReason(name)));
  }

  return {
    request: (part, validated) => orMissing(requestSource(part, validated)),
    statuses() {
      const statuses = new Set(sent().map(({ status }) => status));
      return statuses.size === 0 ? [undefined] : [...statuses];
    },
    mediaTypes(status) {
      const types = sentWith(status).map((one) =>
        one.isStream ? EVENT_STREAM_TYPE : "application/json"
      );
      return [...new Set(types)].sort();
    },
    response: (status) => orMissing(responseSource(status)),
    takesForm() {
      const type = handler.request("content");
      return type !== undefined && libraryClassOf(context, type) === "FormData";
    },
  };
}

/** The documented fields of a form; `undefined` if a type is not a form, or its fields are unspecified. */
function formOf({ ts, checker }: TypeContext, type: ts.Type | undefined): ts.Type | undefined {
  const member = type && checker.getPropertyOfType(type, "~form");
  if (member === undefined) return undefined;
  const fields = checker.getNonNullableType(checker.getTypeOfSymbol(member));
  return (fields.flags & ts.TypeFlags.Unknown) === 0 && !isEmptyObject(fields) ? fields : undefined;
}

/** `unknown` without `null` and `undefined` is `{}`. */
function isEmptyObject(type: ts.Type): boolean {
  return type.getProperties().length === 0 && type.aliasSymbol === undefined &&
    type.getStringIndexType() === undefined && type.symbol?.declarations === undefined;
}

/** Whether a part has its default type because no other was specified. */
function isUnspecified(context: TypeContext, part: RequestPart, type: ts.Type): boolean {
  const { Unknown, Undefined } = context.ts.TypeFlags;
  if ((type.flags & (Unknown | Undefined)) !== 0) return true;
  if (part === "body") return libraryClassOf(context, type) === "FormData";
  return part === "query" && isAnyQuery(context, type);
}

/** Whether a type is structurally `Query`: a string or an array of strings under any name. */
function isAnyQuery({ ts, checker }: TypeContext, type: ts.Type): boolean {
  const values = type.getStringIndexType();
  return type.getProperties().length === 0 && values?.isUnion() === true &&
    values.types.length === 3 && values.types.some((one) => checker.isArrayType(one)) &&
    values.types.some((one) => (one.flags & ts.TypeFlags.String) !== 0);
}

/** Combines schemas as alternatives. */
function eitherOf(schemas: readonly SchemaObject[]): SchemaObject {
  const [only = {}] = schemas;
  if (schemas.length === 1) return only;
  const parts = schemas.map(({ $defs: _, ...one }) => one);
  const $defs = Object.assign({}, ...schemas.map((one) => one.$defs ?? {}));
  return { ...anyOf(parts), ...(Object.keys($defs).length === 0 ? {} : { $defs }) };
}

function sourceOf(write: () => SchemaObject): SchemaSource {
  const convert = once(write);
  return {
    "~standard": { vendor: TYPES_VENDOR, jsonSchema: { input: convert, output: convert } },
  };
}

function hasMarks({ "~standard": { jsonSchema } }: SchemaSource): boolean {
  const schema = jsonSchema?.input({ target: "draft-2020-12" });
  return isObject(schema) && unknownParts(schema).length > 0;
}

/** Wraps a function so that it is called once, when the result is first needed. */
function once<T>(run: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: run() }).value;
}
