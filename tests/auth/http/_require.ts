/**
 * Helpers for tests of guards as middleware: an API key, a manager, and routers without a guard.
 *
 * @module
 */

import {
  applyAuthHeaders,
  authorizationAllowed,
  authorizationDenied,
  createRouter,
  getPrincipal,
  json,
  type RouteRequest,
  type RouterOptions,
  type TypedRouter,
} from "@gatehouse/http";
import { createTestApp, type TestApp } from "./_app.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

export const GOOD: { readonly headers: Readonly<Record<string, string>> } = {
  headers: { "X-Key": "good" },
};

export interface App extends TestApp {
  readonly strategy: ReturnType<typeof keyStrategy>;
  readonly asked: ReturnType<typeof managerOf>["asked"];
}

export function createApp(): App {
  const strategy = keyStrategy();
  const manager = managerOf((metadata) =>
    metadata === "deny" ? authorizationDenied("denied here") : authorizationAllowed()
  );
  const app = createTestApp({ strategies: [strategy], authorization: manager });
  return { ...app, strategy, asked: manager.asked };
}

export function open(options: RouterOptions = {}): TypedRouter {
  return createRouter({ finally: [applyAuthHeaders], ...options });
}

export function showSub(req: RouteRequest): Response {
  return json({ sub: getPrincipal(req)?.sub ?? null });
}
