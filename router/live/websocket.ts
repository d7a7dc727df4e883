/**
 * WebSockets, RFC 6455: a route like any other, whose guards run before the connection is opened and while it is open.
 *
 * @module
 */

import type { RequestContext } from "../_context.ts";
import {
  checkFunction,
  checkTimeout,
  type OptionNames,
  rejectUnknownOptions,
} from "../_options.ts";
import type { RouteRequest } from "../request.ts";
import { createConnection } from "./_connection.ts";
import { checkHandshake, checkProtocols } from "./_handshake.ts";
import { guardRecheck } from "./_recheck.ts";
import { upgrade } from "./_runtimes.ts";
import type { WebSocketHandlers, WebSocketOptions, WebSocketResponse } from "./types.ts";

/**
 * Opens a WebSocket, on Deno, Bun, Node and workerd: a GET route's handler returns the response. Bun needs
 * {@linkcode bunWebSocket}, and Node `webSocketUpgrade()` of `@gatehouse/http/node`.
 *
 * Whatever guards the route has run first, and refuse with a normal response. Then the handshake is checked: a request that is
 * none is a 426, and one of a page of another origin a 403 (RFC 6455 §10.2). While the connection is open, the guards run again
 * every `recheck` seconds with the same credential, and a refusal closes it with 1008; so does what `withAuth()` of the routers
 * around a mounted one requires. The inactivity limit of a session goes on: neither messages nor these checks prolong it.
 *
 * @param req The request that the handler got. On Deno, its header fields cannot be read once the connection is open.
 * @throws {HttpError} 426 `upgrade_required`, 400 `invalid_handshake` or `unknown_subprotocol`, 403 `cross_origin`
 * @throws {TypeError | RangeError} If a handler or an option is invalid, or the runtime cannot open the connection.
 *
 * @example
 * ```ts
 * import { createRouter, websocket } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/echo", (req) =>
 *   websocket(req, {
 *     message: (socket, data) => void socket.send(data),
 *   }));
 *
 * const response = await router.request("/echo");
 * assertEquals([response.status, response.headers.get("Upgrade")], [426, "websocket"]);
 * ```
 */
export function websocket(
  req: RouteRequest<unknown, unknown, unknown>,
  handlers: WebSocketHandlers,
  options: WebSocketOptions = {},
): WebSocketResponse {
  rejectUnknownOptions(ACTION, handlers, HANDLERS);
  rejectUnknownOptions(ACTION, options, OPTIONS);
  const { protocols = [], origins = [], maxMessageBytes = 65_536, recheck = 30, signal } = options;
  const { maxBufferedBytes = 1_048_576, idleTimeout = 60 } = options;
  for (const name of ["open", "message", "close"] as const) {
    checkFunction(handlers[name], "WebSocket", name, true);
  }
  checkProtocols(protocols);
  checkBytes(maxMessageBytes, "maxMessageBytes");
  checkBytes(maxBufferedBytes, "maxBufferedBytes");
  checkTimeout(recheck, "open WebSocket", "recheck");
  checkTimeout(idleTimeout, "open WebSocket", "idleTimeout");

  const ctx = req as RequestContext;
  const protocol = checkHandshake(ctx, { protocols, origins });
  const receiver = createConnection({
    handlers,
    protocol,
    maxMessageBytes,
    maxBufferedBytes,
    recheckMs: recheck * 1000,
    signal,
    runGuards: guardRecheck(ctx),
    report: (error) => ctx.report(error),
  });
  const { original: request, args } = ctx;
  return upgrade({ request, args, protocol, maxMessageBytes, idleTimeout, receiver });
}

const ACTION = "Cannot open WebSocket";

const HANDLERS: OptionNames<WebSocketHandlers> = { open: true, message: true, close: true };

const OPTIONS: OptionNames<WebSocketOptions> = {
  protocols: true,
  origins: true,
  maxMessageBytes: true,
  maxBufferedBytes: true,
  recheck: true,
  idleTimeout: true,
  signal: true,
};

function checkBytes(bytes: number, name: string): void {
  if (Number.isSafeInteger(bytes) && bytes > 0) return;
  throw new RangeError(`${ACTION}: ${name} must be a positive integer`);
}
