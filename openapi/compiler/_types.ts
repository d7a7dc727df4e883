/**
 * What the TypeScript types of routes say, read from their source when a document is written.
 *
 * A route's request and its data have types, stated by markers or inferred. The compiler knows them at the call that
 * adds the route, or at the controller's method; `native_stacks.ts` has noted where that is.
 *
 * @module
 */

import type ts from "typescript";
import type { RouteInfo } from "../../router/types.ts";
import type { TypesOf } from "../_schema_sources.ts";
import { handlerAt, type HandlerTypes, methodAt } from "./_handlers.ts";
import { loadProgram } from "./_program.ts";
import { routeTypes } from "./_route_types.ts";
import { applicationLocations, callAt, classAt } from "./_locations.ts";
import type { SourceLocation } from "./_stacks.ts";
import type { TypeContext } from "./_type_context.ts";
import { createSchemaWriter } from "./_type_schema.ts";

/** A route whose types are wanted: one of a router, or a controller's method. */
export type TypedRoute = Pick<RouteInfo, "origin"> & Partial<Pick<RouteInfo, "method" | "pattern">>;

/** What {@linkcode readTypes} gives. */
export interface TypesReading {
  readonly typesOf: TypesOf;
  /** Routes whose types could not be found, once they were asked for, and why. */
  readonly notes: ReadonlySet<string>;
}

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
function sitesOf(route: TypedRoute): readonly SourceLocation[] {
  const sites = applicationLocations(route.origin?.target ?? route);
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
