/**
 * Adds the routes of controllers to a router.
 *
 * @module
 */

import { controllerOf, mergeMetadata, nameOf } from "./_controller_metadata.ts";
import type { AnyFunction } from "../_route.ts";
import { setOrigin } from "../_origin.ts";
import type { Class, Container } from "./container.ts";
import { joinPaths } from "../path.ts";
import type { EndpointMetadata } from "../openapi_types.ts";
import type { RouteOptions } from "../handler.ts";
import type { TypedRouter } from "../types.ts";

type Verb = "get" | "head" | "options" | "delete" | "all" | "post" | "put" | "patch";

/** The part of a router that adds routes of any kind. */
type Target = Readonly<
  Record<Verb, (path: string, handler: AnyFunction, options: RouteOptions<never[]>) => unknown>
>;

/**
 * Adds the routes of controllers, each resolved when a request needs it. A class that the container lacks is registered
 * in it, with the lifetime that its decorator defines.
 *
 * @throws {TypeError} If a class is not a controller, or a decorated method does not belong to one.
 */
export function addControllers<Args extends unknown[], Subject>(
  router: TypedRouter<Args, Subject>,
  classes: readonly Class<object>[],
  given?: Container,
): void {
  const target = router as unknown as Target;
  for (const one of classes) {
    const { path, container, singleton, records } = controllerOf(one);
    if (given?.has(one) === false) given.register(one, { useClass: one, singleton });
    for (const { name, metadata, routes } of records.values()) {
      for (const route of routes) {
        const handler = methodHandler(given ?? container, one, name);
        setOrigin(handler, { controller: one.name, method: name, target: one });
        const verb = route.method.toLowerCase() as Verb;
        target[verb](joinPaths(path, route.path), handler, withMetadata(route.options, metadata));
      }
    }
  }
}

/** Calls a controller's method on the controller. A missing method must not be mistaken for `pass()`. */
function methodHandler(container: Container, target: Class<object>, name: string): AnyFunction {
  return (req, ...args) => {
    const controller = container.resolve(target) as Readonly<Record<string, AnyFunction>>;
    if (typeof controller[name] !== "function") {
      throw new TypeError(
        `Cannot call ${nameOf(target)}.${name}: the container's instance has no such method`,
      );
    }
    return controller[name](req, ...args);
  };
}

function withMetadata(
  options: Readonly<RouteOptions<never[]>>,
  metadata: EndpointMetadata,
): RouteOptions<never[]> {
  if (options.openapi === false) return options;
  return { ...options, openapi: mergeMetadata(metadata, options.openapi ?? {}) };
}
