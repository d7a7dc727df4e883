/**
 * Putting another fetch application beneath a path.
 *
 * @module
 */

import type { Exchange } from "./_exchange.ts";
import { mountRemainder } from "./path.ts";
import type { Pattern } from "./pattern.ts";
import { HttpError } from "./problem.ts";

/** A fetch application, whatever extra arguments it takes. */
export interface AnyApp {
  fetch(request: Request, ...args: unknown[]): unknown;
}

/**
 * Makes the handler of a mount. It answers 404 where the path is malformed, and where the rest of it, made into a
 * request of its own, would become a path that no outer guard saw.
 */
export function createMountHandler(
  prefix: Pattern,
  app: AnyApp,
): (x: Exchange, ...args: unknown[]) => unknown {
  const depth = prefix.segments.length;
  return (x, ...args) => {
    const rest = x.target.bad ? undefined : mountRemainder(x.url, x.target, depth);
    if (rest === undefined) throw new HttpError(404, "not_found");
    // The new request takes the body over; where the application declines, later routes read it from there.
    x.source = new Request(
      x.url.slice(0, x.target.start) + rest + x.url.slice(x.target.end),
      x.source,
    );
    return app.fetch(x.source, ...args);
  };
}
