/**
 * Sends standard responses over Node's.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers";
import type { IncomingBody } from "./native_node_body.ts";
import { type KnownBody, KnownResponse } from "./native_node_known.ts";
import { discardBody, isResponse } from "../router/response.ts";

/** One request with its response. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The request's body, if it has one. */
  readonly body: IncomingBody | undefined;
  /** Whether the server stops, and its connections with it. */
  isStopping(): boolean;
}

/** The response cannot be sent as it is; nothing was sent. */
export class UnsendableError extends TypeError {}

/** Statuses without content, RFC 9110 §15.3.5 and §15.4.5. */
const isWithoutContent = (status: number): boolean => status === 204 || status === 304;

/** Bytes of a stream that are collected at most, while it has them, before anything is sent. */
const MAX_COLLECTED = 65_536;

/**
 * Sends a response.
 *
 * @returns A promise only if the body is a stream.
 * @throws {UnsendableError} If it is no response, or its body was read before.
 * @throws {Error} If the body fails; what was sent of it is then not a complete message, see {@linkcode breakOff}.
 */
export function sendResponse(exchange: Exchange, response: unknown): void | Promise<void> {
  if (!isResponse(response) || response.status < 200) {
    throw new UnsendableError("Cannot send: the application returned no Response");
  }
  if (exchange.outgoing.destroyed) return discardBody(response);
  const { status } = response;
  if (exchange.incoming.method === "HEAD" || isWithoutContent(status)) {
    return sendHead(exchange, response);
  }
  if (response.bodyUsed) {
    throw new UnsendableError("Cannot send: the response's body was read before");
  }
  const known = KnownResponse.take(response);
  if (known !== undefined) return sendWhole(exchange, response, known);
  const { body } = response;
  if (body === null) return sendWhole(exchange, response, "");
  if (body.locked) throw new UnsendableError("Cannot send: the response's body is locked");
  return sendStream(exchange, response, body);
}

/** Ends a message so that no client takes it for complete. */
export function breakOff({ incoming: { socket }, outgoing }: Exchange): void {
  // Before HTTP/1.1 the end of a connection is the end of the message: only a reset says that it failed.
  if (!("encrypted" in socket) && !socket.destroyed) socket.resetAndDestroy();
  outgoing.destroy();
  socket.destroy();
}

/** The header of a response. */
interface Head {
  readonly response: Response;
  /** Names and values in turn. */
  readonly fields: string[];
  /** The given Content-Length, if it is valid. */
  readonly length: number | undefined;
  readonly isAscii: boolean;
}

const LENGTH_REGEXP = /^\d{1,15}$/;
const CLOSE_REGEXP = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const UPGRADE_REGEXP = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i;
// deno-lint-ignore no-control-regex -- ASCII
const ASCII_REGEXP = /^[\x00-\x7f]*$/;

/** Reads the header. Fields of the connection (RFC 9110 §7.6.1) are the server's: of `Connection`, only `close` counts. */
function readHead(exchange: Exchange, response: Response): Head {
  const fields: string[] = [];
  let length: number | undefined;
  let isAscii = true;
  let closes = exchange.isStopping() || exchange.body?.blocksConnection === true;
  const type = KnownResponse.typeOf(response);
  if (type !== undefined) fields.push("content-type", type);
  else {for (const [name, value] of response.headers) {
      switch (name) {
        case "content-length":
          if (LENGTH_REGEXP.test(value)) length = Number(value);
          continue;
        case "transfer-encoding":
        case "keep-alive":
        case "trailer":
          continue;
        case "connection":
          closes ||= CLOSE_REGEXP.test(value);
          if (UPGRADE_REGEXP.test(value) && !closes) fields.push(name, value); // for 426, RFC 9110 §7.8
          continue;
      }
      isAscii &&= ASCII_REGEXP.test(value);
      fields.push(name, value);
    }}
  if (closes) fields.push("connection", "close");
  return { response, fields, length, isAscii };
}

function writeHead({ outgoing }: Exchange, head: Head, length: number | undefined): void {
  const { response: { status, statusText }, fields } = head;
  if (length !== undefined) fields.push("content-length", String(length));
  if (statusText === "") outgoing.writeHead(status, fields);
  else outgoing.writeHead(status, statusText, fields);
}

function sendHead(exchange: Exchange, response: Response): void {
  const known = KnownResponse.take(response);
  const head = readHead(exchange, response);
  const length = known === undefined ? head.length : lengthOf(known);
  writeHead(exchange, head, response.status === 204 ? undefined : length);
  if (known === undefined) discardBody(response);
  finish(exchange);
}

function sendWhole(exchange: Exchange, response: Response, content: KnownBody): void {
  const head = readHead(exchange, response);
  writeHead(exchange, head, lengthOf(content));
  // Node would write a header together with a text, both as UTF-8.
  finish(exchange, head.isAscii || typeof content !== "string" ? content : UTF8.encode(content));
}

const UTF8 = new TextEncoder();

function lengthOf(content: KnownBody): number {
  return typeof content === "string" ? Buffer.byteLength(content) : content.byteLength;
}

type Chunk = Uint8Array<ArrayBuffer>;

async function sendStream(
  exchange: Exchange,
  response: Response,
  body: ReadableStream<Chunk>,
): Promise<void> {
  const { outgoing } = exchange;
  const reader = body.getReader();
  const cancel = (): void =>
    void reader.cancel(new Error("The client disconnected")).catch(() => {});
  outgoing.once("close", cancel);
  try {
    const head = readHead(exchange, response);
    if (head.length === undefined) await sendUnknown(exchange, head, reader);
    else await sendCounted(exchange, head, reader, head.length);
    if (outgoing.destroyed) return;
    outgoing.off("close", cancel);
    finish(exchange);
  } catch (error) {
    outgoing.off("close", cancel);
    if (outgoing.destroyed) return; // the client went away, which is why reading failed
    cancel();
    throw error;
  }
}

type Reader = ReadableStreamDefaultReader<Chunk>;

/** Sends a stream of unknown length; with a length, if it has ended within a turn of the event loop. */
async function sendUnknown(exchange: Exchange, head: Head, reader: Reader): Promise<void> {
  const { outgoing } = exchange;
  const turn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  const chunks: Chunk[] = [];
  let total = 0;
  let pending = reader.read();
  for (;;) {
    const result = await Promise.race([pending, turn]);
    if (outgoing.destroyed) return;
    if (result?.done) {
      writeHead(exchange, head, total);
      chunks.forEach((chunk) => outgoing.write(chunk));
      return;
    }
    if (result !== undefined) {
      total += lengthOf(checkChunk(result.value));
      chunks.push(result.value);
      pending = reader.read();
    }
    if (result === undefined || total >= MAX_COLLECTED) break;
  }
  writeHead(exchange, head, undefined);
  if (chunks.length === 0) outgoing.flushHeaders(); // a stream of events begins long before its first one
  for (const chunk of chunks) await write(outgoing, chunk);
  await pump(outgoing, reader, pending, () => {});
}

/** @throws {Error} If the body is longer or shorter. */
async function sendCounted(
  exchange: Exchange,
  head: Head,
  reader: Reader,
  length: number,
): Promise<void> {
  const { outgoing } = exchange;
  let left = length;
  const first = await reader.read(); // which may fail before anything was sent
  if (outgoing.destroyed) return;
  writeHead(exchange, head, length);
  await pump(outgoing, reader, Promise.resolve(first), (chunk) => {
    left -= chunk.byteLength;
    if (left < 0) throw new Error("Cannot send: the body is longer than its Content-Length");
  });
  if (left > 0 && !outgoing.destroyed) {
    throw new Error("Cannot send: the body is shorter than its Content-Length");
  }
}

/** Writes chunks until the stream ends or the client is gone. */
async function pump(
  outgoing: ServerResponse,
  reader: Reader,
  first: ReturnType<Reader["read"]>,
  check: (chunk: Chunk) => void,
): Promise<void> {
  for (let pending = first;; pending = reader.read()) {
    const { done, value } = await pending;
    if (done || outgoing.destroyed) return;
    check(checkChunk(value));
    await write(outgoing, value);
  }
}

function checkChunk(chunk: unknown): Chunk {
  if (chunk instanceof Uint8Array) return chunk as Chunk;
  throw new TypeError("Cannot send: the body's stream has a chunk that is no Uint8Array");
}

/** Writes a chunk, and waits while the client does not read. */
function write(outgoing: ServerResponse, chunk: Chunk): Promise<void> | void {
  if (outgoing.destroyed || outgoing.write(chunk)) return;
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off("drain", go).off("close", go);
      resolve();
    };
    outgoing.on("drain", go).on("close", go);
  });
}

/** Milliseconds for which a connection that will be closed still takes what the client sends. */
const LINGER_MS = 1000;

function finish({ incoming, outgoing, body }: Exchange, content?: KnownBody): void {
  if (body?.blocksConnection) linger(incoming, outgoing);
  if (content === undefined || content.length === 0) outgoing.end();
  else outgoing.end(content);
  body?.end();
}

/**
 * Has a connection closed in two steps: closed at once with bytes of the client unread, it would be reset, and the client
 * might not see the response (RFC 9112 §9.6).
 */
function linger(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  const close = (): void => {
    if (socket.writableEnded) return;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    incoming.once("end", () => socket.destroy());
    socket.once("close", () => clearTimeout(timer));
  };
  socket.destroySoon = close; // which Node calls after a response with Connection: close
  outgoing.once("finish", close);
}
