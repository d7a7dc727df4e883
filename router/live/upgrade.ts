/**
 * How hosts without an interface of their own open connections: `serve/native_node_websocket.ts`.
 *
 * @module
 */

import type { Upgrade, WebSocketResponse } from "./types.ts";

/** Opens a connection, once the application has answered. */
export type Upgrader = (upgrade: Upgrade) => WebSocketResponse;

const UPGRADERS: WeakMap<Request, Upgrader> = /* @__PURE__ */ new WeakMap();

/** Has a request's connection opened by a function. */
export function setUpgrader(request: Request, upgrader: Upgrader): void {
  UPGRADERS.set(request, upgrader);
}

/** The function that opens a request's connection, if a host has set it. */
export function upgraderOf(request: Request): Upgrader | undefined {
  return UPGRADERS.get(request);
}

/** A 101 for hosts that send it themselves. Fetch §5.5 does not let it be constructed. */
export function switchingProtocols(): WebSocketResponse {
  return Object.defineProperty(new Response(null), "status", { value: 101 }) as WebSocketResponse;
}
