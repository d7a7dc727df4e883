/**
 * WebSockets as handlers see them, and as runtimes offer them.
 *
 * @module
 */

import type { TypedResponse } from "../response.ts";

/** A message: text, or bytes. */
export type WebSocketMessage = string | Uint8Array<ArrayBuffer>;

/** The server's end of an open connection, the same on every runtime. */
export interface LiveSocket {
  /** The subprotocol that was selected, RFC 6455 §1.9; the empty string if there is none. */
  readonly protocol: string;
  /**
   * Bytes that were sent and that the client has not taken yet, as far as the runtime knows: workerd does not tell, and it is
   * always 0 there.
   */
  readonly bufferedBytes: number;
  /** Aborted when the connection closes. Pass it to what a handler waits for. */
  readonly signal: AbortSignal;
  /**
   * Sends a message. If more than `maxBufferedBytes` wait for the client already, the connection is closed with 1013 instead.
   *
   * @returns Whether it was sent: `false` once the connection is closing.
   * @throws {TypeError} If the message is neither a string nor bytes.
   */
  send(message: string | BufferSource): boolean;
  /**
   * Closes the connection. Received messages that were not handled yet are dropped. Nothing happens if it is closing already.
   *
   * @param code RFC 6455 §7.4: 1000 to 1003, 1007 to 1014, or 3000 to 4999. @default {1000}
   * @param reason At most 123 bytes of UTF-8, for the client.
   * @throws {RangeError} If the code may not be sent, or the reason is too long.
   */
  close(code?: number, reason?: string): void;
  /**
   * Runs the guards now, as it happens every `recheck` seconds: for example when an event says that the session was revoked.
   * A refusal closes the connection. The next run is due `recheck` seconds after this one.
   */
  recheck(): Promise<void>;
}

/**
 * What happens on a connection. The functions of one connection run one at a time: the next message waits until the promise
 * of the one before has settled. An error goes to the router's `onError` and closes the connection with 1011.
 */
export interface WebSocketHandlers {
  /** The connection is open. Messages are handled afterwards. */
  open?(socket: LiveSocket): void | Promise<void>;
  /** A message was received. */
  message?(socket: LiveSocket, data: WebSocketMessage): void | Promise<void>;
  /**
   * The connection is closed, in whatever way: called once if `open` was due. 1005 stands for a close frame without a code, 1006
   * for a connection that ended without one.
   */
  close?(socket: LiveSocket, code: number, reason: string): void | Promise<void>;
}

/** Options of {@linkcode websocket}. */
export interface WebSocketOptions {
  /** Subprotocols that the server speaks, RFC 6455 §1.9: the client's first one among them is selected. @default {[]} */
  readonly protocols?: readonly string[] | undefined;
  /** Other origins whose pages may connect: `https://app.example.com`. @default {[]}, the server's own only */
  readonly origins?: readonly string[] | undefined;
  /** Bytes of a received message, at most; a larger one closes the connection with 1009. @default {65_536} */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Bytes that may wait, in each direction: messages that the client does not take, and messages that wait for the handler,
   * each counted with 64 bytes more. Past it, the connection is closed with 1013. @default {1_048_576}
   */
  readonly maxBufferedBytes?: number | undefined;
  /** Seconds between two runs of the guards while the connection is open. @default {30} */
  readonly recheck?: number | undefined;
  /**
   * Seconds without a sign of life, messages and answers to pings, after which the connection is closed. Deno and Node ping by
   * it; Bun pings by the server's own `idleTimeout`, and workerd does not ping. @default {60}
   */
  readonly idleTimeout?: number | undefined;
  /** Closes the connection with 1001 when it is aborted: the signal that stops the server. */
  readonly signal?: AbortSignal | undefined;
}

/** The response that opens a connection, RFC 6455 §4.2.2. Created by {@linkcode websocket}. */
export type WebSocketResponse = TypedResponse<never, 101>;

/** An open connection of a runtime. */
export interface Transport {
  /** Sends a message. @returns `false` if the runtime dropped it. */
  send(message: WebSocketMessage): unknown;
  /** Starts the closing handshake. */
  close(code: number, reason: string): void;
  /** Ends the connection without a handshake, where the runtime can. */
  terminate?(): void;
  /** Bytes that wait for the client. */
  bufferedBytes(): number;
}

/** What a runtime calls for one connection. Calls before `open` and after `close` have no effect. */
export interface Receiver {
  /** The connection is open. */
  open(transport: Transport): void;
  /** A message was received. */
  message(data: string | ArrayBuffer | Uint8Array): void;
  /** The connection is closed. */
  close(code: number, reason: string): void;
}

/** A connection that is about to be opened. */
export interface Upgrade {
  /** The request that the server was called with. */
  readonly request: Request;
  /** Arguments that the server called `fetch` with after it. */
  readonly args: readonly unknown[];
  /** Selected subprotocol; the empty string if there is none. */
  readonly protocol: string;
  /** Bytes of a message, at most: for runtimes that check it before they have all of it. */
  readonly maxMessageBytes: number;
  /** Seconds. */
  readonly idleTimeout: number;
  readonly receiver: Receiver;
}
