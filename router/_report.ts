/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

import type { RouteRequest } from "./request.ts";

/** Default of `onError`: the error and the route that met it. Not the path, which may carry a secret. */
export function reportError(error: unknown, req: RouteRequest): void {
  // deno-lint-ignore no-console -- this is the default that `onError` replaces
  console.error(`Cannot answer ${req.method} ${req.route || "(no route)"}:`, error);
}
