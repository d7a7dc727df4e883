/**
 * What the TypeScript types of routes say, read from their source when a document is written.
 *
 * A route's request and its data have types, stated by markers or inferred. The compiler knows them at the call that
 * adds the route, or at the controller's method; `router/sites.ts` has noted where that is.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../router/openapi_types.ts";
import type { Site } from "../router/sites.ts";
import type { RouteInfo } from "../router/types.ts";
import type { RequestPart, RouteTypes, TypesOf } from "./_sources.ts";
import { type SchemaSource, TYPES_VENDOR } from "./_standard_schema.ts";
import { handlerAt, type HandlerTypes, methodAt } from "./native_handlers.ts";
import { loadProgram } from "./native_program.ts";
import { applicationSites, callAt, classAt } from "./native_sites.ts";
import type { TypeContext, TypePlace } from "./native_type_context.ts";
import { wordsOf } from "./native_type_names.ts";
import { createSchemaWriter } from "./native_type_schema.ts";
import { anyOf } from "./native_type_union.ts";

/** A route whose types are wanted: one of a router, or a controller's method. */
export type TypedRoute = Pick<RouteInfo, "origin"> & Partial<Pick<RouteInfo, "method" | "pattern">>;

/** What {@linkcode readTypes} gives. */
export interface TypesReading {
  readonly typesOf: TypesOf;
  /** Routes whose types could not be found, once they were asked for, and why. */
  readonly notes: ReadonlySet<string>;
}

/** Parts of a request as handlers get them. */
const MEMBERS = { body: "content", params: "params", query: "query" } as const;

/**
 * Loads the program that routes are said in, and finds their types there.
 *
 * @param entry URL of the file that leads to the application.
 * @param routes Routes that were added while `noteSites()` was on.
 * @param config Deno's configuration, if it is another one than Deno finds by itself.
 * @throws {Error} If the compiler or the program cannot be loaded.
 */
export async function readTypes(
  entry: string,
  routes: readonly TypedRoute[],
  config?: string,
): Promise<TypesReading> {
  const notes = new Set<string>();
  const urls = routes.flatMap((one) => sitesOf(one).map(({ file }) => file));
  const files = [entry, ...urls].filter((url) => /^(?:file|https?):/.test(url));
  const context = await loadProgram([...new Set(files)], config);
  const write = {
    json: createSchemaWriter(context, { form: false }),
    form: createSchemaWriter(context, { form: true }),
  };
  const classes = new Map<object, ts.ClassLikeDeclaration | undefined>();
  return {
    notes,
    typesOf(route: TypedRoute) {
      const handler = findHandler(context, route, classes);
      if (handler === undefined) notes.add(`the types of ${nameOf(route)} were not found`);
      return handler && routeTypes(context, write, handler);
    },
  };
}

/** Where a route may be said, the innermost place first. */
function sitesOf(route: TypedRoute): readonly Site[] {
  const sites = applicationSites(route.origin?.target ?? route);
  return route.origin === undefined ? sites.slice(0, 1) : sites;
}

/** Finds where a route is said. @param classes The controllers that were found before. */
function findHandler(
  context: TypeContext,
  route: TypedRoute,
  classes: Map<object, ts.ClassLikeDeclaration | undefined>,
): HandlerTypes | undefined {
  const { origin } = route;
  const sites = sitesOf(route);
  if (origin !== undefined) {
    const { controller, method, target } = origin;
    if (!classes.has(target)) classes.set(target, classAt(context, sites, controller));
    const found = classes.get(target);
    return found && methodAt(context, found, method);
  }
  const [site] = sites;
  const call = site && callAt(context, site);
  return call && handlerAt(context, call);
}

function nameOf({ origin, method, pattern }: TypedRoute): string {
  const place = method === undefined ? "" : `${method} ${pattern}`;
  if (origin === undefined || origin.controller === "") return place;
  return `${origin.controller}.${origin.method}`;
}

type Write = Readonly<Record<"json" | "form", ReturnType<typeof createSchemaWriter>>>;

function routeTypes(context: TypeContext, write: Write, handler: HandlerTypes): RouteTypes {
  const { node } = handler;
  const { Never, Unknown } = context.ts.TypeFlags;
  const place = (path: string): TypePlace => ({ path, node, root: node, depth: 0, optional: true });
  return {
    request(part, validated) {
      const type = handler.request(MEMBERS[part]);
      const path = `req.${MEMBERS[part]}`;
      const form = part === "body" ? formOf(context, type) : undefined;
      if (form !== undefined) return sourceOf(() => write.form(form, place(path)));
      const described = validated ? handler.validated(part) : type;
      if (described === undefined || saysNothing(context, part, described)) return undefined;
      return sourceOf(() => write.json(described, place(path)));
    },
    statuses() {
      const statuses = new Set(handler.sent().map(({ status }) => status));
      return statuses.size === 0 ? [undefined] : [...statuses];
    },
    response(status) {
      const sent = handler.sent();
      const exact = sent.filter((one) => one.status === status);
      const open = status.startsWith("2") ? sent.filter((one) => one.status === undefined) : [];
      const found = (exact.length > 0 ? exact : open).map(({ data }) => data);
      if (found.some((one) => one === undefined || (one.flags & Unknown) !== 0)) return undefined;
      const types = found.flatMap((one) =>
        one === undefined || (one.flags & Never) !== 0 ? [] : one
      );
      if (types.length === 0) return undefined;
      const words = new Map(types.map((one) => [one, wordsOf(context, one)]));
      types.sort((a, b) => (words.get(a) ?? "") < (words.get(b) ?? "") ? -1 : 1);
      return sourceOf(() => eitherOf(types.map((one) => write.json(one, place("response")))));
    },
  };
}

/** The documented fields of a form; `undefined` if a type is no form, or says nothing of them. */
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

/** Whether a type is the one that a part has which nobody stated. */
function saysNothing({ ts, checker }: TypeContext, part: RequestPart, type: ts.Type): boolean {
  const { Unknown, Undefined } = ts.TypeFlags;
  if ((type.flags & (Unknown | Undefined)) !== 0) return true;
  if (part === "body") return checker.getPropertyOfType(type, "getAll") !== undefined; // a form
  return part === "query" && isAnyQuery({ ts, checker }, type);
}

/** Whether a type is `Query`, whatever the checker calls it: any names, each with a text or several. */
function isAnyQuery(
  { ts, checker }: Pick<TypeContext, "ts" | "checker">,
  type: ts.Type,
): boolean {
  const values = type.getStringIndexType();
  return type.getProperties().length === 0 && values?.isUnion() === true &&
    values.types.length === 3 && values.types.some((one) => checker.isArrayType(one)) &&
    values.types.some((one) => (one.flags & ts.TypeFlags.String) !== 0);
}

/** Schemas as alternatives. */
function eitherOf(schemas: readonly SchemaObject[]): SchemaObject {
  const [only = {}] = schemas;
  if (schemas.length === 1) return only;
  const parts = schemas.map(({ $defs: _, ...one }) => one);
  const $defs = Object.assign({}, ...schemas.map((one) => one.$defs ?? {}));
  return { ...anyOf(parts), ...(Object.keys($defs).length === 0 ? {} : { $defs }) };
}

function sourceOf(write: () => SchemaObject): SchemaSource {
  let schema: SchemaObject | undefined;
  const convert = (): SchemaObject => schema ??= write();
  return {
    "~standard": { vendor: TYPES_VENDOR, jsonSchema: { input: convert, output: convert } },
  };
}
