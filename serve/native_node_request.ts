/**
 * The standard request that an application gets on Node. Creating one of Node's takes as long as the rest of the server, so
 * this one creates it, and its header fields and its signal, when they are used.
 *
 * @module
 */

import type { ServerResponse } from "node:http";
import { HOST } from "../router/internals.ts";
import type { IncomingBody } from "./native_node_body.ts";
import { NodeHeaders, readHeaders, standFor } from "./native_node_headers.ts";

/** What a request is made of. */
export interface RequestParts {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** The body; `undefined` for GET and HEAD, and where there is none. */
  readonly body: IncomingBody | undefined;
  /** Where the response goes. */
  readonly outgoing: ServerResponse | undefined;
}

/** Creates the requests of a server. */
export type RequestFactory = (parts: RequestParts) => Request;

/**
 * Chooses how requests are created: lazily if the platform's `Request` and `fetch()` accept such a request, as those of Node 20
 * and 22 do, or if they were replaced by others that do; else completely.
 */
export function requestFactory(areReplaced: boolean): RequestFactory {
  return isAccepted() || areReplaced
    ? (parts) => new NodeRequest(parts) as unknown as Request
    : (parts) => nativeOf(new NodeRequest(parts));
}

/** Whether the platform accepts lazy requests as its own. */
export function isAccepted(): boolean {
  return accepted ??= prepareClasses();
}

let accepted: boolean | undefined;

/** The platform's request in place of a lazy one. */
export function unwrap<T>(input: T): T | Request {
  return input instanceof NodeRequest ? nativeOf(input) : input;
}

/** Creates, or returns, the platform's request. */
let nativeOf: (request: NodeRequest) => Request;

/** A `Request` by its prototype. What is not defined here, {@linkcode standFor} passes on to the platform's request. */
class NodeRequest {
  readonly method: string;
  readonly url: string;
  readonly #parts: RequestParts;
  #headers: NodeHeaders | undefined = undefined;
  #signal: AbortSignal | undefined = undefined;
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined = undefined;
  #native: Request | undefined = undefined;

  static {
    nativeOf = (request) => request.#native ??= request.#createNative();
  }

  /** Reads the body for the router, without a copy; `undefined` if it may have been given away. */
  static readBytes(request: Request): Promise<Uint8Array<ArrayBuffer>> | undefined {
    if (!(#parts in request)) return undefined;
    const own = request as NodeRequest;
    return own.#isWhole ? own.#bytes() : undefined;
  }

  constructor(parts: RequestParts) {
    this.method = parts.method;
    this.url = parts.url;
    this.#parts = parts;
  }

  get headers(): Headers {
    if (this.#headers === undefined && this.#native !== undefined) return this.#native.headers;
    return (this.#headers ??= new NodeHeaders(this.#parts.rawHeaders)) as unknown as Headers;
  }

  get signal(): AbortSignal {
    return this.#signal ??= disconnectSignal(this.#parts.outgoing);
  }

  /** Mounts read it of every request. */
  get redirect(): RequestRedirect {
    return "follow";
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#parts.body === undefined) return null;
    return this.#native === undefined
      ? this.#stream ??= this.#parts.body.stream()
      : this.#native.body;
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? this.#parts.body?.isUsed ?? false;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#isWhole
      ? (await this.#bytes()).slice().buffer
      : await nativeOf(this).arrayBuffer();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.arrayBuffer());
  }

  async text(): Promise<string> {
    return this.#isWhole ? UTF8.decode(await this.#bytes()) : await nativeOf(this).text();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** Whether nobody else can read the body: neither its stream nor the platform's request was given away. */
  get #isWhole(): boolean {
    return this.#native === undefined && this.#stream === undefined;
  }

  #bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { body } = this.#parts;
    if (body === undefined) return Promise.resolve(new Uint8Array(0));
    if (body.isUsed) {
      return Promise.reject(new TypeError("Cannot read the body: it was read before"));
    }
    return body.bytes();
  }

  #createNative(): Request {
    const { method, url, body: source } = this.#parts;
    const wasUsed = source?.isUsed === true && this.#stream === undefined;
    const { signal, body } = this;
    const headers = this.#headers === undefined
      ? readHeaders(this.#parts.rawHeaders)
      : NodeHeaders.nativeOf(this.#headers);
    const init = { method, headers, signal, body, duplex: "half" };
    const request = new Request(url, init as RequestInit);
    if (wasUsed) request.body?.cancel().catch(() => {}); // so that it is used there, too
    return request;
  }
}

const UTF8 = new TextDecoder();

/** Completes the classes. @returns Whether the platform accepts their instances for its own. */
function prepareClasses(): boolean {
  standFor(NodeHeaders, Headers, new Headers(), NodeHeaders.nativeOf);
  standFor(NodeRequest, Request, new Request("http://localhost/"), nativeOf);
  HOST.readBytes = NodeRequest.readBytes;
  return passesProbe();
}

function passesProbe(): boolean {
  const probe = new NodeRequest({
    method: "DELETE",
    url: "http://localhost/probe",
    rawHeaders: ["X-Probe", "1"],
    body: undefined,
    outgoing: undefined,
  });
  try {
    const request = new Request(probe as unknown as Request);
    const fields = new Headers(new NodeHeaders(["X-Probe", "2"]) as unknown as Headers);
    return request.method === probe.method && request.url === probe.url &&
      request.headers.get("X-Probe") === "1" && fields.get("X-Probe") === "2";
  } catch {
    return false;
  }
}

/** Aborted when the connection is closed before the response was sent. */
function disconnectSignal(outgoing: ServerResponse | undefined): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (outgoing?.writableFinished) return;
    controller.abort(new DOMException("The client disconnected", "AbortError"));
  };
  if (outgoing?.destroyed) abort();
  else outgoing?.once("close", abort);
  return controller.signal;
}
