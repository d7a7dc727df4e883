/**
 * WebSockets on Node, with the class of npm's `ws`, which frames the messages.
 *
 * @module
 */

import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { attachSocket, type StandardSocket } from "../router/live/standard_socket.ts";
import type { Upgrade } from "../router/live/types.ts";
import { setUpgrader, switchingProtocols } from "../router/live/upgrade.ts";
import { problem } from "../router/problem.ts";
import { type NodeServeInfo, ServeInfo } from "./native_node_connections.ts";
import { readHeaders } from "./native_node_headers.ts";
import { type Exchange, sendResponse } from "./native_node_response.ts";
import { urlReader } from "./native_node_target.ts";

/** The class `WebSocketServer` of `ws` 8. */
export interface WebSocketServerClass {
  /** Creates a server for one connection. */
  new (options: {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly perMessageDeflate: false;
    readonly maxPayload: number;
    readonly handleProtocols: () => string | false;
  }): {
    /** Completes the handshake. */
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Uint8Array,
      callback: (socket: unknown) => void,
    ): void;
  };
}

/** The part of its `WebSocket` that is used. */
interface NodeWebSocket extends StandardSocket {
  ping(): void;
  terminate(): void;
  on(event: "pong" | "message", listener: () => void): unknown;
}

/**
 * Creates the option `upgrade` of {@linkcode serveNode}, so that `websocket()` of a route works on Node: the application
 * answers the handshake as it answers any request, and what it refuses is sent as usual. Limits are those of the
 * route; messages are not compressed.
 *
 * @param application What is served.
 * @param WebSocketServer The class of npm's `ws`.
 *
 * @example
 * ```ts ignore
 * import { createRouter, websocket } from "@gatehouse/http";
 * import { serveNode, webSocketUpgrade } from "@gatehouse/http/node";
 * import { WebSocketServer } from "ws";
 *
 * const router = createRouter().get("/echo", (req) =>
 *   websocket(req, { message: (socket, data) => void socket.send(data) }));
 *
 * await serveNode(router, { upgrade: webSocketUpgrade(router, WebSocketServer) });
 * ```
 */
export function webSocketUpgrade(
  application: { fetch(request: Request, info: NodeServeInfo): Response | Promise<Response> },
  WebSocketServer: WebSocketServerClass,
): (request: IncomingMessage, socket: Duplex, head: Uint8Array) => Promise<void> {
  if (typeof application?.fetch !== "function" || typeof WebSocketServer !== "function") {
    throw new TypeError("Cannot upgrade to WebSockets: pass the application and the class of ws");
  }
  const readUrl = { http: urlReader("http"), https: urlReader("https") };
  return async (incoming, socket, head) => {
    const outgoing = new ServerResponse(incoming);
    const url = readUrl["encrypted" in incoming.socket ? "https" : "http"](incoming);
    const { response, upgrade } = await answer(application, { incoming, outgoing, url });
    if (response.status === 101 && upgrade !== undefined) {
      open(WebSocketServer, upgrade, { incoming, socket, head });
    } else await refuse({ incoming, outgoing, socket }, response);
  };
}

interface Handshake {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly url: string | undefined;
}

/** Has the application answer, and remembers the connection that it wants to open. */
async function answer(
  application: Parameters<typeof webSocketUpgrade>[0],
  { incoming, outgoing, url }: Handshake,
): Promise<{ readonly response: Response; readonly upgrade?: Upgrade | undefined }> {
  const { method = "GET", rawHeaders, headers } = incoming;
  // Node has stopped to read the message, so that its content is lost; a body-less TRACE is no Request
  const hasContent = Number(headers["content-length"] ?? 0) !== 0 || "transfer-encoding" in headers;
  if (url === undefined || hasContent || method === "TRACE") {
    return { response: problem(400, "invalid_handshake") };
  }
  let upgrade: Upgrade | undefined;
  const request = new Request(url, { method, headers: readHeaders(rawHeaders) });
  setUpgrader(request, (asked) => {
    upgrade = asked;
    return switchingProtocols();
  });
  const response = await application.fetch(request, new ServeInfo(incoming, outgoing));
  return { response, upgrade };
}

function open(
  WebSocketServer: WebSocketServerClass,
  { receiver, protocol, maxMessageBytes, idleTimeout }: Upgrade,
  { incoming, socket, head }: {
    readonly incoming: IncomingMessage;
    readonly socket: Duplex;
    readonly head: Uint8Array;
  },
): void {
  const server = new WebSocketServer({ // of this connection: the limits are those of its route
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false, // a small message could become a large one
    maxPayload: maxMessageBytes,
    handleProtocols: () => protocol === "" ? false : protocol,
  });
  server.handleUpgrade(incoming, socket, head, (opened) => {
    attachSocket(opened as NodeWebSocket, receiver);
    keepAlive(opened as NodeWebSocket, idleTimeout * 500);
  });
}

/** Pings twice in the time that a connection may be silent, and ends it if nothing was received for that time. */
function keepAlive(socket: NodeWebSocket, intervalMs: number): void {
  let silent = 0;
  const isAlive = (): void => void (silent = 0);
  socket.on("pong", isAlive);
  socket.on("message", isAlive);
  const timer = setInterval(() => {
    if (silent++ >= 2) socket.terminate();
    else socket.ping();
  }, intervalMs);
  socket.addEventListener("close", () => clearInterval(timer));
}

/** Sends a response over the socket that Node has given away, and closes it. */
async function refuse(
  { incoming, outgoing, socket }: Omit<Handshake, "url"> & { readonly socket: Duplex },
  response: Response,
): Promise<void> {
  outgoing.assignSocket(socket as Socket);
  outgoing.once("finish", () => {
    outgoing.detachSocket(socket as Socket);
    socket.end();
    socket.once("end", () => socket.destroy()).resume(); // the client's own data would reset the connection
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  const exchange: Exchange = { incoming, outgoing, body: undefined, isStopping: () => true };
  await sendResponse(exchange, response);
}

/** Milliseconds in which a client can read a refusal. */
const LINGER_MS = 1000;
