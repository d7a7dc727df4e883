/**
 * An application with one route, whose answer a test makes.
 *
 * @module
 */

import type { RouteRequest } from "@gatehouse/http";
import { createTestApp, type TestApp } from "./http/_app.ts";
import { keyStrategy } from "./_strategies.ts";

/** An application whose `/made` answers by a handler. */
export function createApp(handler: (req: RouteRequest) => Response | Promise<Response>): TestApp {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/made", handler);
  return app;
}

/** Throws, where a handler has to be an expression. */
export function fail(error: Error): never {
  throw error;
}
