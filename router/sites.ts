/**
 * Where in its source an application says each route, for tools that read its types. Nothing is noted before
 * {@linkcode noteSites}: a stack costs more than a route.
 *
 * @module
 */

const stacks: WeakMap<object, string> = new WeakMap();
let noting = false;

/** Notes from now on where routes are added and controllers defined. */
export function noteSites(): void {
  noting = true;
}

/** Notes where something is said, if that is asked for. @param what A controller, or what a router tells of a route. */
export function noteSite(what: object): void {
  if (!noting) return;
  const limits = Error as { stackTraceLimit?: number };
  const { stackTraceLimit = 10 } = limits;
  limits.stackTraceLimit = 100; // an application may add its routes through helpers
  stacks.set(what, new Error().stack ?? "");
  limits.stackTraceLimit = stackTraceLimit;
}

/** The stack of what was noted; `undefined` if it was not. */
export function stackOf(what: object): string | undefined {
  return stacks.get(what);
}
