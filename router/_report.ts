/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

import type { RouteRequest } from "./request.ts";

/** Default of `onError`: logs the error and the route, but not the path, which may contain a secret. */
export function reportError(error: unknown, req: Pick<RouteRequest, "method" | "route">): void {
  // deno-lint-ignore no-console -- the default of `onError`
  console.error(`Cannot answer ${req.method} ${req.route || "(no route)"}:`, error);
}
