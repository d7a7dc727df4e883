/**
 * Connections that have the interface of the WHATWG's `WebSocket`: those of Deno, workerd and npm's `ws`.
 *
 * @module
 */

import type { Receiver } from "./types.ts";

/** The part of the interface that is used. */
export interface StandardSocket {
  binaryType?: string;
  readonly readyState: number;
  readonly bufferedAmount?: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  /** Of `ws` alone. */
  terminate?(): void;
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

/** The members of its events that are read. */
export interface SocketEvent {
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

const OPEN = 1;

/** Passes what happens on a connection to its receiver. */
export function attachSocket(socket: StandardSocket, receiver: Receiver): void {
  socket.binaryType = "arraybuffer"; // else blobs, whose bytes come later than the next message
  const open = () =>
    receiver.open({
      send: (data) => socket.send(data),
      close(code, reason) {
        if (socket.readyState === OPEN) socket.close(code, reason);
      },
      terminate: () => socket.terminate?.(),
      bufferedBytes: () => socket.bufferedAmount ?? 0,
    });
  socket.addEventListener("message", ({ data }) => receiver.message(data as string | ArrayBuffer));
  // Deno's code is 0 if the connection breaks
  socket.addEventListener("close", ({ code, reason = "" }) => receiver.close(code || 1006, reason));
  socket.addEventListener("error", () => {}); // an event without use: the connection closes as well
  if (socket.readyState === OPEN) queueMicrotask(open); // after the handler's own code
  else socket.addEventListener("open", open);
}
