/**
 * The registry of controllers, which OpenAPI documents are generated from.
 *
 * @module
 */

import {
  collectedControllers,
  type Controller,
  mergeMetadata,
  methodNames,
} from "./_controller_metadata.ts";
import type { EndpointMetadata } from "../openapi_types.ts";
import type { RouteOptions } from "../handler.ts";

/** A method of a controller; one with several routes has an entry for each. */
export interface EndpointMethod {
  /** Name of the method. */
  readonly name: string;
  /** Whether a decorator gave it a route. */
  readonly isEndpoint: boolean;
  /** OpenAPI metadata from decorators. */
  readonly metadata: EndpointMetadata;
  /** HTTP method of the route, or `ALL`. */
  readonly method?: string;
  /** Path of the route, under the controller's. */
  readonly path?: string;
  /** Options of the route. */
  readonly options?: Readonly<RouteOptions<never[]>>;
}

/** A class with `@Controller`. */
export interface EndpointTarget {
  /** Name of the class. */
  readonly name: string;
  /** The class. */
  readonly target: object;
  /** Path of the controller, which prefixes its routes. */
  readonly path: string;
  /** Its methods, inherited ones last. */
  readonly methods: readonly EndpointMethod[];
}

/** Lists the controllers to document. */
export interface EndpointRegistry {
  /** Controllers in order of definition. @throws {TypeError} If a decorated method does not belong to one. */
  getTargets(): readonly EndpointTarget[];
}

/** The registry that `@Controller` adds classes to. Import the modules of controllers before reading it. */
export const defaultRegistry: EndpointRegistry = /* @__PURE__ */ Object.freeze({
  getTargets: (): readonly EndpointTarget[] =>
    collectedControllers().map((controller) => ({
      name: controller.target.name,
      target: controller.target,
      path: controller.path,
      methods: methodsOf(controller),
    })),
});

function methodsOf(controller: Controller): readonly EndpointMethod[] {
  return [...methodNames(controller)].flatMap((name): readonly EndpointMethod[] => {
    const record = controller.records.get(name);
    if (record === undefined) return [{ name, isEndpoint: false, metadata: {} }];
    return record.routes.map(({ method, path, options }) => ({
      name,
      isEndpoint: true,
      metadata: mergeMetadata(record.metadata, options.openapi || {}),
      method,
      path,
      options,
    }));
  });
}
