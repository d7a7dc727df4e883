/**
 * Where routes come from: the controller's method behind a handler, and the place in the source that defines a route.
 *
 * @module
 */

import type { RouteOrigin } from "./types.ts";

/** By handler rather than in the route's options, which belong to the application. */
const ORIGINS: WeakMap<object, RouteOrigin> = new WeakMap();

/** Records the controller's method that a handler calls. */
export function setOrigin(handler: object, origin: RouteOrigin): void {
  ORIGINS.set(handler, origin);
}

/** The controller's method that a handler calls; `undefined` for a handler of the application. */
export function originOf(handler: object): RouteOrigin | undefined {
  return ORIGINS.get(handler);
}

/** Key of the listener, shared by all copies of this package in a process. */
const LISTENER: unique symbol = Symbol.for("gatehouse.reportDefinition") as never;

/**
 * Notifies the OpenAPI compiler, which reads the call's source location from the stack. Applications have no listener.
 *
 * @param definition The controller, or the route that is being added.
 */
export function reportDefinition(definition: object): void {
  (globalThis as { readonly [LISTENER]?: (definition: object) => void })[LISTENER]?.(definition);
}
