/**
 * Which controller's method a handler calls. Kept beside the handlers, since a route's options are the application's.
 *
 * @module
 */

import type { RouteOrigin } from "./types.ts";

const ORIGINS: WeakMap<object, RouteOrigin> = new WeakMap();

/** Notes what a handler calls. */
export function setOrigin(handler: object, origin: RouteOrigin): void {
  ORIGINS.set(handler, origin);
}

/** What a handler was made from; `undefined` for one that the application wrote. */
export function originOf(handler: object): RouteOrigin | undefined {
  return ORIGINS.get(handler);
}
