/**
 * WebSockets on Bun, whose handlers belong to the server.
 *
 * @module
 */

import type { Receiver, WebSocketMessage } from "./types.ts";

/** Key of a connection's receiver in its `data`. */
export const BUN_SOCKETS: unique symbol = /* @__PURE__ */ Symbol("gatehouse.receiver");

/** The part of Bun's server that is used. */
export interface BunServer {
  upgrade(request: Request, options: {
    readonly data: unknown;
    readonly headers: Readonly<Record<string, string>>;
  }): boolean;
}

/** The part of Bun's `ServerWebSocket` that is used. */
export interface BunSocket {
  /** What the connection was opened with. */
  readonly data: unknown;
  /** Sends a message: 0 if it was dropped. */
  send(data: WebSocketMessage): number;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
  /** Ends the connection. */
  terminate(): void;
  /** Bytes that wait for the client. */
  getBufferedAmount(): number;
}

/** Bun's `WebSocketHandler`, as {@linkcode bunWebSocket} has it. */
export interface BunWebSocketHandler {
  /** Bytes of a message, at most, for the whole server. */
  readonly maxPayloadLength: number;
  /** Bytes that may wait for a client, at most, for the whole server: Bun drops messages past it. */
  readonly backpressureLimit: number;
  /** Seconds. */
  readonly idleTimeout: number;
  /** Whether Bun pings. */
  readonly sendPings: boolean;
  /** Without compression: a small message cannot become a large one. */
  readonly perMessageDeflate: boolean;
  /** Called by Bun. */
  open(socket: BunSocket): void;
  /** Called by Bun. */
  message(socket: BunSocket, data: string | Uint8Array): void;
  /** Called by Bun. */
  close(socket: BunSocket, code: number, reason: string): void;
}

/**
 * What `Bun.serve` needs for {@linkcode websocket}: `export default { fetch: router.fetch, websocket: bunWebSocket }`. Bun has
 * its limits for the server as a whole; to change one, spread it: `{ ...bunWebSocket, idleTimeout: 30 }`.
 */
export const bunWebSocket: BunWebSocketHandler = {
  maxPayloadLength: 16_777_216,
  backpressureLimit: 16_777_216,
  idleTimeout: 60,
  sendPings: true,
  perMessageDeflate: false,
  open: (socket) =>
    receiverOf(socket)?.open({
      send: (data) => socket.send(data) !== 0 || data.length === 0, // bytes, or 0 if it was dropped
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      bufferedBytes: () => socket.getBufferedAmount(),
    }),
  message: (socket, data) => receiverOf(socket)?.message(data),
  close: (socket, code, reason) => receiverOf(socket)?.close(code || 1006, reason),
};

function receiverOf({ data }: BunSocket): Receiver | undefined {
  return (data as { readonly [BUN_SOCKETS]?: Receiver } | undefined)?.[BUN_SOCKETS];
}
