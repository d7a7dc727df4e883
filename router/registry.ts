/**
 * What decorators have said of classes: the registry that documents and routers are made from.
 *
 * @module
 */

import {
  collectedControllers,
  type Controller,
  mergeMetadata,
  methodNames,
} from "./_controller_metadata.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import type { RouteOptions } from "./handler.ts";

/** A method of a controller; one with several routes stands here once for each. */
export interface EndpointMethod {
  /** Name of the method. */
  readonly name: string;
  /** Whether a decorator gave it a route. */
  readonly isEndpoint: boolean;
  /** What decorators say of it. */
  readonly metadata: EndpointMetadata;
  /** HTTP method of the route, or `ALL`. */
  readonly method?: string;
  /** Path of the route, beneath that of the controller. */
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
  /** Path that its routes are beneath. */
  readonly path: string;
  /** Its methods, inherited ones last. */
  readonly methods: readonly EndpointMethod[];
}

/** Lists what can be documented. */
export interface EndpointRegistry {
  /** Controllers in order of definition. @throws {TypeError} If a decorated method belongs to none. */
  getTargets(): readonly EndpointTarget[];
}

/** The registry that `@Controller` enters classes into. Import a controller's module before it is read. */
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
