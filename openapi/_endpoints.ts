/**
 * Normalizes the input of a document: endpoints from decorators or from a router.
 *
 * @module
 */

import type { EndpointMetadata } from "../router/openapi_types.ts";
import { joinPaths } from "../router/path.ts";
import { parsePattern, parsePrefix, type Pattern, type Segment } from "../router/pattern.ts";
import type {
  EndpointMethod,
  EndpointRegistry,
  EndpointTarget,
} from "../router/builder/registry.ts";
import type { RouteTypes, TypesOf } from "./_schema_sources.ts";
import type { RouteGuardInfo, RouteInfo, RouteOptions, RouteSource } from "../router/types.ts";

/** A route to document. */
export interface Endpoint {
  /** Identifies the route in messages: `NotesController.list (GET /notes)`. */
  readonly label: string;
  /** Controller class and handler method, if any. */
  readonly controller: string | undefined;
  readonly method: string | undefined;
  /** HTTP method in upper case, or `ALL`. */
  readonly verb: string;
  /** Segments of the prefixes that the route's router is mounted at. */
  readonly outer: readonly Segment[];
  /** Pattern of the route within its router. */
  readonly pattern: Pattern;
  readonly options: Readonly<RouteOptions<never[]>>;
  readonly metadata: EndpointMetadata;
  /** Types of its handler, if they were read. */
  readonly types: RouteTypes | undefined;
  /** Guards that a request has to pass; `undefined` if unknown because no router has one. */
  readonly guards: readonly RouteGuardInfo[] | undefined;
}

/**
 * Reads the endpoints to document. Mounted foreign applications and routes with `openapi: false` are skipped. Invalid
 * paths are added to `errors`.
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
