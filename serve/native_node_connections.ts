/**
 * The connections of a server: what applications are told of them, and how they are closed without breaking off a response.
 *
 * @module
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The second argument of `fetch`: as of `Deno.serve`, and Node's own request. */
export interface NodeServeInfo {
  /** Address of the connected peer: the client, or a proxy. */
  readonly remoteAddr: {
    readonly transport: "tcp";
    readonly hostname: string;
    readonly port: number;
  };
  /** Resolves when the response was sent, and rejects if it could not be. */
  readonly completed: Promise<void>;
  /** Node's request, for its socket: a client's certificate, for example. Its body is the standard request's. */
  readonly incoming: IncomingMessage & {
    readonly socket: Partial<Pick<TLSSocket, "getPeerCertificate">>;
  };
}

/** Before an IPv4 address, where a socket takes both kinds: RFC 4291 §2.5.5.2. */
const MAPPED_REGEXP = /^::ffff:(?=[\d.]+$)/i;

/** The info of one request. A class, since its members are rarely read. The router adds to it that it was used. */
export class ServeInfo implements NodeServeInfo {
  readonly incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.#outgoing = outgoing;
  }

  get remoteAddr(): NodeServeInfo["remoteAddr"] {
    const { remoteAddress = "", remotePort = 0 } = this.incoming.socket;
    const hostname = remoteAddress.replace(MAPPED_REGEXP, "");
    return { transport: "tcp", hostname, port: remotePort };
  }

  get completed(): Promise<void> {
    const outgoing = this.#outgoing;
    const completed = new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        if (outgoing.writableFinished) resolve();
        else reject(new Error("Cannot send the response: the connection was closed"));
      };
      if (outgoing.writableFinished || outgoing.destroyed) settle();
      else outgoing.once("close", settle);
    });
    completed.catch(() => {}); // nobody has to look at it
    return completed;
  }
}

/** The connections of a server. */
export interface Connections {
  /** Records that a response goes to a connection. */
  begin(socket: Socket, outgoing: ServerResponse): void;
  /** Leaves a connection to somebody else. */
  release(socket: Socket): void;
  /** Whether the server stops. */
  isStopping(): boolean;
  /** Stops the server: closes connections as soon as no response is due on them. */
  stop(): void;
}

/** Last response of a connection: responses are sent in the order of their requests. */
const LAST: unique symbol = Symbol("gatehouse.lastResponse");
type Connection = Socket & { [LAST]?: ServerResponse };

/** Milliseconds between looks for connections that became idle. */
const INTERVAL_MS = 50;

/**
 * Tracks the connections of a server. Node's own `closeIdleConnections()` leaves those open that have not sent a whole header,
 * and a server that stops no longer limits their time.
 */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Connection>();
  let isStopping = false;

  function add(socket: Connection): void {
    void socket.remoteAddress; // Node remembers it, so that it is known although the client disconnects
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  }

  function closeIdle(): void {
    for (const socket of sockets) {
      const last = socket[LAST];
      if (last === undefined || last.writableFinished || last.destroyed) socket.destroySoon();
    }
  }

  server.on("connection", add);
  return {
    begin: (socket: Connection, outgoing) => socket[LAST] = outgoing,
    release: (socket) => sockets.delete(socket),
    isStopping: () => isStopping,
    stop(): void {
      if (isStopping) return;
      isStopping = true;
      server.close();
      closeIdle();
      const timer = setInterval(closeIdle, INTERVAL_MS);
      server.once("close", () => clearInterval(timer));
    },
  };
}
