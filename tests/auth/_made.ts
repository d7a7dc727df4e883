/**
 * An application with one route, whose handler the test passes.
 *
 * @module
 */

import type { RouteRequest } from "@gatehouse/http";
import { createTestApp, type TestApp } from "./http/_app.ts";
import { keyStrategy } from "./_strategies.ts";

/** An application with a handler for `/made`. */
export function createApp(handler: (req: RouteRequest) => Response | Promise<Response>): TestApp {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/made", handler);
  return app;
}

/** Throws, for handlers that are expressions. */
export function fail(error: Error): never {
  throw error;
}
