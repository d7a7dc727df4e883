/**
 * Serves applications on Node, over `node:http`.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { serveNode } from "@gatehouse/http/node";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/hello", () => json("world"));
 * const server = await serveNode(router, { port: 0, hostname: "127.0.0.1" });
 *
 * const response = await fetch(`${server.origin}/hello`);
 * assertEquals(await response.json(), "world");
 * await server.shutdown();
 * ```
 *
 * @module
 */

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import {
  createServer as createTlsServer,
  type ServerOptions as TlsServerOptions,
} from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { reportError } from "./_report.ts";
import { declaredLength, IncomingBody } from "./native_node_body.ts";
import { replaceGlobals, useKnownResponses } from "./native_node_known.ts";
import { requestFactory } from "./native_node_request.ts";
import { breakOff, type Exchange, sendResponse } from "./native_node_response.ts";
import { type NodeServeInfo, ServeInfo, trackConnections } from "./native_node_connections.ts";
import { urlReader } from "./native_node_target.ts";
import { problem } from "../router/problem.ts";

export type { NodeServeInfo };
export { webSocketUpgrade } from "./native_node_websocket.ts";
export type { WebSocketServerClass } from "./native_node_websocket.ts";

/** What can be served: a router, or anything else with `fetch`. */
export interface NodeApplication {
  /** Responds to a request. */
  fetch(request: Request, info: NodeServeInfo): Response | Promise<Response>;
}

/** Options of {@linkcode serveNode}. */
export interface ServeNodeOptions {
  /** Port; 0 for any that is free. @default {8000} as with Deno.serve */
  port?: number;
  /** Address or name to listen on. @default {"::"} all addresses, of IPv4 and IPv6 */
  hostname?: string;
  /** Shuts the server down, as `shutdown()` does. */
  signal?: AbortSignal;
  /** Called once the server listens. */
  onListen?: (address: NodeAddress) => void;
  /** Called with errors that the client sees as a 500 or as a broken connection. @default {console.error} */
  onError?: (error: unknown, request: Pick<Request, "method">) => void;
  /**
   * Options of Node's server. Its defaults limit slow clients: `headersTimeout` (60 seconds), `requestTimeout` (300 seconds for
   * a whole request), `keepAliveTimeout` (5 seconds) and `maxHeaderSize` (16 KiB); all times are in milliseconds.
   */
  server?: ServerOptions;
  /** Certificate and key, as of `node:https`: serves https. @default http */
  tls?: TlsServerOptions;
  /**
   * Called for each request with `Upgrade` instead of the application, for WebSockets by {@linkcode webSocketUpgrade}; its URL
   * was checked.
   * The socket is the callee's from then on, also when the server is shut down. @default `Upgrade` is ignored
   */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Uint8Array) => unknown;
  /**
   * Replaces `globalThis.Response` in this process, on Node alone, by a subclass that keeps a string or bytes until they are
   * read: Node makes a stream of every body, which takes more time than all else that is done for a request. From Node 24 on,
   * `Request` and `fetch` are replaced as well, to accept requests that are not created completely before they are used.
   * `false` leaves them alone, and is slower. @default {true}
   */
  replaceGlobals?: boolean;
}

/** Where a server listens. */
export interface NodeAddress {
  /** The address. */
  readonly hostname: string;
  /** The port. */
  readonly port: number;
  /** A URL of the server on this machine, without a path. */
  readonly origin: string;
}

/** A server that listens. */
export interface NodeServer extends NodeAddress, AsyncDisposable {
  /** Resolves when the server and all connections are closed. */
  readonly finished: Promise<void>;
  /** Node's server. */
  readonly server: Server;
  /**
   * Stops accepting connections, closes idle ones, and each other one after its response. It waits as long as responses take:
   * to end sooner, call `server.closeAllConnections()`.
   */
  shutdown(): Promise<void>;
  /** Keeps the process running, which is the default. */
  ref(): void;
  /** Lets the process end although the server listens. */
  unref(): void;
}

/**
 * Serves an application with HTTP/1.1, or with HTTPS if there is `tls`. A request whose target or `Host` is malformed is a 400,
 * and TRACE, which is no standard request, a 501, both without the application. If the application throws or returns no
 * response, the response is a 500 without details, and `onError` gets the error.
 *
 * `fetch` gets the client's address as its second argument, in the form that `Deno.serve` uses.
 *
 * @returns The server, once it listens.
 * @throws {TypeError} If the application has no `fetch()`.
 * @throws {Error} If the server cannot listen there.
 */
export async function serveNode(
  application: NodeApplication,
  options: ServeNodeOptions = {},
): Promise<NodeServer> {
  if (typeof application?.fetch !== "function") {
    throw new TypeError("Cannot serve application: it has no fetch()");
  }
  const { port = 8000, hostname, signal, onListen, onError = reportFailure, upgrade } = options;
  signal?.throwIfAborted();
  const { tls } = options;
  const scheme = tls === undefined ? "http" : "https";
  const replaces = useKnownResponses() && options.replaceGlobals !== false;
  if (replaces) replaceGlobals();
  const server = tls === undefined
    ? createServer({ ...SERVER_DEFAULTS, ...options.server })
    : createTlsServer({ ...SERVER_DEFAULTS, ...options.server, ...tls });
  server.maxHeadersCount = 0; // Node drops what is above; maxHeaderSize is the limit
  const connections = trackConnections(server);
  const readUrl = urlReader(scheme);
  const createRequest = requestFactory(replaces);

  function handle(incoming: IncomingMessage, outgoing: ServerResponse, awaited: boolean): void {
    const { socket, method = "GET" } = incoming;
    if (socket.writableEnded) return; // the response before was the last one
    connections.begin(socket, outgoing);
    const length = declaredLength(incoming);
    const body = length === 0 ? undefined : new IncomingBody(incoming, outgoing, length, awaited);
    const exchange: Exchange = { incoming, outgoing, body, isStopping: connections.isStopping };

    function fail(error: unknown): void {
      report(error, method);
      if (outgoing.headersSent) breakOff(exchange);
      else send(problem(500, "internal_error"));
    }

    function send(response: unknown): void {
      try {
        sendResponse(exchange, response)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    }

    const url = readUrl(incoming);
    if (url === undefined) return send(malformed());
    if (method === "TRACE") return send(problem(501, "not_implemented"));
    try {
      const given = method === "GET" || method === "HEAD" ? undefined : body;
      const parts = { method, url, rawHeaders: incoming.rawHeaders, body: given, outgoing };
      const response = application.fetch(createRequest(parts), new ServeInfo(incoming, outgoing));
      if (isThenable(response)) response.then(send, fail);
      else send(response);
    } catch (error) {
      fail(error);
    }
  }

  function report(error: unknown, method: string): void {
    try {
      onError(error, { method });
    } catch {
      // A reporter that throws must not affect the response.
    }
  }

  server.on("request", (incoming, outgoing) => handle(incoming, outgoing, false));
  server.on("checkContinue", (incoming, outgoing) => handle(incoming, outgoing, true));
  if (upgrade !== undefined) {
    server.on("upgrade", (incoming, socket, head) => {
      connections.release(socket as Socket);
      socket.on("error", () => {}); // without a listener, it would end the process
      if (readUrl(incoming) === undefined) {
        socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      void (async () => await upgrade(incoming, socket, head))().catch((error) => {
        report(error, "GET");
        socket.destroy();
      });
    });
  }

  await listen(server, port, hostname);
  server.on("error", (error) => report(error, "CONNECT"));
  const finished = new Promise<void>((resolve) => server.once("close", resolve));
  const address = addressOf(server, hostname, scheme);
  function shutdown(): Promise<void> {
    connections.stop();
    return finished;
  }
  signal?.addEventListener("abort", shutdown, { once: true });
  if (signal?.aborted) void shutdown();
  onListen?.(address);
  return {
    ...address,
    finished,
    server,
    shutdown,
    ref: () => void server.ref(),
    unref: () => void server.unref(),
    [Symbol.asyncDispose]: shutdown,
  };
}

/**
 * Node 24 makes no events of the end of a body that no request has: nobody listens for them, since {@linkcode declaredLength}
 * says that there is none. Earlier versions ignore the option.
 */
const SERVER_DEFAULTS: Readonly<Record<string, unknown>> = { optimizeEmptyRequests: true };

function malformed(): Response {
  return problem(400, "invalid_target", { detail: "The request target is malformed" });
}

function reportFailure(error: unknown, { method }: Pick<Request, "method">): void {
  reportError(error, { method });
}

function listen(server: Server, port: number, hostname: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(hostname === undefined ? {} : { host: hostname }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server, hostname: string | undefined, scheme: string): NodeAddress {
  const { address, port } = server.address() as AddressInfo;
  const isAny = address === "::" || address === "0.0.0.0";
  const host = isAny ? "localhost" : hostname ?? address;
  const origin = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { hostname: address, port, origin };
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { readonly then?: unknown } | undefined | null)?.then === "function";
}
