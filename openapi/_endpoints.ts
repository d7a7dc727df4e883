/**
 * What a document is made from, in one form, whether it comes from decorators or from a router.
 *
 * @module
 */

import type { EndpointMetadata } from "../router/openapi_types.ts";
import { joinPaths } from "../router/path.ts";
import { parsePattern, parsePrefix, type Pattern, type Segment } from "../router/pattern.ts";
import type { EndpointMethod, EndpointRegistry, EndpointTarget } from "../router/registry.ts";
import type { RouteTypes, TypesOf } from "./_schema_sources.ts";
import type { RouteGuardInfo, RouteInfo, RouteOptions, RouteSource } from "../router/types.ts";

/** A route that is to be documented. */
export interface Endpoint {
  /** Names the route in messages: `NotesController.list (GET /notes)`. */
  readonly label: string;
  /** Class and method that answer, where there are any. */
  readonly controller: string | undefined;
  readonly method: string | undefined;
  /** HTTP method in upper case, or `ALL`. */
  readonly verb: string;
  /** Segments of the prefixes that the route's router is mounted at. */
  readonly outer: readonly Segment[];
  /** Pattern of the route in its router. */
  readonly pattern: Pattern;
  readonly options: Readonly<RouteOptions<never[]>>;
  readonly metadata: EndpointMetadata;
  /** What its types say, where someone has read them. */
  readonly types: RouteTypes | undefined;
  /** The guards that a request has to pass; `undefined` where nothing says, since no router has one. */
  readonly guards: readonly RouteGuardInfo[] | undefined;
}

/**
 * Reads what can be documented. Mounts of other people's applications can't, and `openapi: false` won't. A path that is
 * none goes to `errors`.
 */
export function readEndpoints(
  source: EndpointRegistry | RouteSource,
  errors: Set<string>,
  typesOf: TypesOf,
): readonly Endpoint[] {
  if ("getTargets" in source) {
    return source.getTargets().flatMap((target) => targetEndpoints(target, errors, typesOf));
  }
  const place = { text: "", segments: [], guards: [], typesOf };
  const endpoints = source.routes.flatMap((route) => routeEndpoints(route, place));
  const guarded = endpoints.some(({ guards = [] }) => guards.length > 0);
  return guarded ? endpoints : endpoints.map((one) => ({ ...one, guards: undefined }));
}

function targetEndpoints(
  { name, target, path: prefix, methods }: EndpointTarget,
  errors: Set<string>,
  typesOf: TypesOf,
): readonly Endpoint[] {
  return methods.flatMap((found: EndpointMethod) => {
    const { isEndpoint, method, path, options = {}, metadata } = found;
    if (!isEndpoint || method === undefined || path === undefined || options.openapi === false) {
      return [];
    }
    const verb = method.toUpperCase();
    let pattern: Pattern;
    try {
      pattern = parsePattern(joinPaths(prefix, path));
    } catch (error) {
      errors.add(`${name}.${found.name}: ${error instanceof Error ? error.message : error}`);
      return [];
    }
    return [{
      label: `${name}.${found.name} (${verb} ${pattern.source})`,
      controller: name === "" ? undefined : name,
      method: found.name,
      verb,
      outer: [],
      pattern,
      options,
      metadata,
      types: typesOf({ origin: { controller: name, method: found.name, target } }),
      guards: undefined,
    }];
  });
}

/** Where a router is mounted. */
interface Place {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly guards: readonly RouteGuardInfo[];
  readonly typesOf: TypesOf;
}

function routeEndpoints(route: RouteInfo, place: Place): readonly Endpoint[] {
  const { method: verb, options, app, mounted, guard, origin } = route;
  if (options.openapi === false) return [];
  const guards = guard === undefined ? place.guards : [...place.guards, guard];
  if (app !== undefined) {
    const prefix = route.pattern.slice(0, -"/*".length);
    const segments = prefix === "" ? [] : parsePrefix(prefix).segments;
    const inner = {
      ...place,
      text: place.text + prefix,
      segments: [...place.segments, ...segments],
      guards,
    };
    return app.routes.flatMap((one) => routeEndpoints(one, inner));
  }
  if (mounted) return [];
  const name = `${verb} ${
    place.text === "" ? route.pattern : joinPaths(place.text, route.pattern)
  }`;
  return [{
    label: origin === undefined ? name : `${origin.controller}.${origin.method} (${name})`,
    controller: origin?.controller === "" ? undefined : origin?.controller,
    method: origin?.method,
    verb,
    outer: place.segments,
    pattern: parsePattern(route.pattern),
    options,
    metadata: options.openapi ?? {},
    types: place.typesOf(route),
    guards,
  }];
}
