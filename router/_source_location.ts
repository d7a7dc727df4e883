/**
 * Tells a tool that reads an application's types where its routes are said. Nobody listens in an application that serves.
 *
 * @module
 */

/** Where a listener stands, for all copies of this package in a process. */
const LISTENER: unique symbol = Symbol.for("gatehouse.reportDefinition") as never;

/** Says that a route is added or a controller defined, right now. @param what The controller, or what is known of the route. */
export function reportDefinition(what: object): void {
  (globalThis as { readonly [LISTENER]?: (what: object) => void })[LISTENER]?.(what);
}
