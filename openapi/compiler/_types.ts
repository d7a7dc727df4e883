/**
 * Reads the TypeScript types of routes from their source when a document is written.
 *
 * The types of a route's request and data are specified by markers or inferred. The compiler knows them at the call
 * that adds the route, or at the controller's method; `_stacks.ts` has recorded where that is.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { RouteInfo } from "../../router/types.ts";
import type { TypesOf } from "../_schema_sources.ts";
import { handlerAt, type HandlerTypes, methodAt } from "./_handlers.ts";
import { loadProgram } from "./_program.ts";
import { routeTypes } from "./_route_types.ts";
import { applicationLocations, callAt, classAt } from "./_locations.ts";
import type { SourceLocation } from "./_stacks.ts";
import type { TypeContext } from "./_type_context.ts";
import { createSchemaWriter } from "./_type_schema.ts";

/** A route whose types are read: one of a router, or a controller's method. */
export type TypedRoute = Pick<RouteInfo, "origin"> & Partial<Pick<RouteInfo, "method" | "pattern">>;

/** Result of {@linkcode readTypes}. */
export interface TypesReading {
  readonly typesOf: TypesOf;
  /** Routes whose types were looked up and not found. */
  readonly notes: ReadonlySet<string>;
}

/**
 * Loads the program that defines the routes, and looks up their types there.
 *
 * @param entry URL of the file that imports the application.
 * @param routes Routes that were added after `recordLocations()`.
 * @param config Deno's configuration file, if it is not the one that Deno finds.
 * @throws {Error} If the compiler or the program cannot be loaded.
 */
export async function readTypes(
  entry: string,
  routes: readonly TypedRoute[],
  config?: string,
): Promise<TypesReading> {
  const notes = new Set<string>();
  const urls = routes.flatMap((one) => routeLocations(one).map(({ file }) => file));
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

/** Where a route may be defined, innermost location first. */
function routeLocations(route: TypedRoute): readonly SourceLocation[] {
  const locations = applicationLocations(route.origin?.target ?? route);
  return route.origin === undefined ? locations.slice(0, 1) : locations;
}

/** Looks up the definition of a route. @param classes The controllers that were found before. */
function findHandler(
  context: TypeContext,
  route: TypedRoute,
  classes: Map<object, ts.ClassLikeDeclaration | undefined>,
): HandlerTypes | undefined {
  const { origin } = route;
  const locations = routeLocations(route);
  if (origin !== undefined) {
    const { controller, method, target } = origin;
    if (!classes.has(target)) classes.set(target, classAt(context, locations, controller));
    const found = classes.get(target);
    return found && methodAt(context, found, method);
  }
  const [location] = locations;
  const call = location && callAt(context, location);
  return call && handlerAt(context, call);
}

function nameOf({ origin, method, pattern }: TypedRoute): string {
  const place = method === undefined ? "" : `${method} ${pattern}`;
  if (origin === undefined || origin.controller === "") return place;
  return `${origin.controller}.${origin.method}`;
}
