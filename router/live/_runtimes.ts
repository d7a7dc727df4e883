/**
 * How each runtime opens a connection: one row per runtime.
 *
 * @module
 */

import { BUN_SOCKETS, type BunServer } from "./bun.ts";
import { attachSocket, type StandardSocket } from "./standard_socket.ts";
import type { Upgrade, WebSocketResponse } from "./types.ts";
import { switchingProtocols, upgraderOf } from "./upgrade.ts";

interface Globals {
  readonly Deno?: {
    readonly upgradeWebSocket?: (
      request: Request,
      options: { readonly idleTimeout: number },
    ) => { readonly socket: StandardSocket; readonly response: Response };
  };
  readonly WebSocketPair?: new () => { readonly 0: unknown; readonly 1: WorkerSocket };
}

/** workerd's WebSocket. */
interface WorkerSocket extends StandardSocket {
  accept(): void;
}

/** Opens a connection. @throws {TypeError} If the runtime cannot, or no server has delivered the request. */
export function upgrade(upgrade: Upgrade): WebSocketResponse {
  const upgrader = upgraderOf(upgrade.request);
  if (upgrader !== undefined) return upgrader(upgrade);
  const server = upgrade.args.find(isBunServer);
  if (server !== undefined) return upgradeBun(server, upgrade);
  const { Deno, WebSocketPair } = globalThis as Globals;
  if (Deno?.upgradeWebSocket !== undefined) return upgradeDeno(Deno.upgradeWebSocket, upgrade);
  if (WebSocketPair !== undefined) return upgradeWorker(WebSocketPair, upgrade);
  throw new TypeError(
    "Cannot open WebSocket: no server that can has delivered the request; on Bun, pass the server to fetch(), on Node, see webSocketUpgrade()",
  );
}

function upgradeDeno(
  upgradeWebSocket: NonNullable<NonNullable<Globals["Deno"]>["upgradeWebSocket"]>,
  { request, protocol, idleTimeout, receiver }: Upgrade,
): WebSocketResponse {
  const { socket, response } = upgradeWebSocket(request, { idleTimeout });
  // Deno looks for its name in a list that is written with a space after each comma
  if (protocol !== "") response.headers.set("Sec-WebSocket-Protocol", protocol);
  attachSocket(socket, receiver);
  return response as WebSocketResponse;
}

function upgradeWorker(
  WebSocketPair: NonNullable<Globals["WebSocketPair"]>,
  { protocol, receiver }: Upgrade,
): WebSocketResponse {
  const { 0: client, 1: socket } = new WebSocketPair();
  socket.accept();
  attachSocket(socket, receiver);
  socket.addEventListener("error", () => receiver.close(1006, "")); // no "close" follows here
  const headers = protocol === "" ? {} : { "Sec-WebSocket-Protocol": protocol };
  const init = { status: 101, headers, webSocket: client };
  return new Response(null, init) as WebSocketResponse;
}

function isBunServer(value: unknown): value is BunServer {
  return "Bun" in globalThis && typeof value === "object" && value !== null &&
    typeof (value as Partial<BunServer>).upgrade === "function";
}

function upgradeBun(
  server: BunServer,
  { request, protocol, receiver }: Upgrade,
): WebSocketResponse {
  const headers = protocol === "" ? {} : { "Sec-WebSocket-Protocol": protocol };
  const data = { [BUN_SOCKETS]: receiver };
  if (!server.upgrade(request, { data, headers })) {
    throw new TypeError("Cannot open WebSocket: Bun's server did not upgrade the connection");
  }
  return switchingProtocols();
}
