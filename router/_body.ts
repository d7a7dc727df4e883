/**
 * Reading bodies with a limit that is counted on the stream: Content-Length may lie or be absent, and a body that was
 * unpacked on the way is longer than it says.
 *
 * @module
 */

import { HttpError } from "./problem.ts";

/** Bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a body to its end.
 *
 * @param framed Whether a server has delivered the body, and so enforces its Content-Length.
 * @throws {HttpError} 413 `payload_too_large` past the limit; reading stops there. 400 `incomplete_body` if the client
 * went away, `fragmented_body` if it sends next to nothing at a time.
 * @throws {TypeError} If somebody else reads the body, or has.
 */
export function readBody(request: Request, limit: number, framed: boolean): Promise<Bytes> {
  return framed && hasTrustedLength(request, limit)
    ? readFramed(request)
    : readCounted(request, limit);
}

async function readCounted(request: Request, limit: number): Promise<Bytes> {
  const reader = openBody(request, limit)?.getReader();
  let bytes = new Uint8Array(0);
  if (reader === undefined) return bytes;
  let total = 0;
  for (let reads = 1;; reads++) {
    let chunk: Bytes | undefined;
    try {
      chunk = (await reader.read()).value;
    } catch (cause) {
      throw incomplete(cause);
    }
    if (chunk === undefined) return bytes.length === total ? bytes : bytes.slice(0, total);
    total += chunk.length;
    if (total > limit) throw stop(reader, limitError(limit));
    bytes = append(bytes, total, chunk);
    if (reads % READS_PER_TURN === 0) {
      if (reads > FREE_READS && total < reads * MIN_AVERAGE_CHUNK) throw stop(reader, fragmented());
      await nextTurn();
    }
  }
}

/** Whether an extra argument of `fetch` is what Deno.serve calls its handler with: then the request came from it. */
export function isServed(info: unknown): boolean {
  return typeof info === "object" && info !== null && "remoteAddr" in info && "completed" in info;
}

/**
 * Whether a body's length may be trusted where a server enforces it: HTTP/1.1 ends a body at Content-Length and HTTP/2
 * refuses another length (RFC 9112 §6.3, RFC 9113 §8.1.1), but not beside a coding, which makes the field worthless.
 */
function hasTrustedLength({ bodyUsed, headers }: Request, limit: number): boolean {
  const declared = headers.get("content-length");
  return declared !== null && Number(declared) <= limit && !bodyUsed &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

/** Reads a body by the runtime's own means, which take half the time of a reader. */
function readFramed(request: Request): Promise<Bytes> {
  return request.arrayBuffer().then((buffer) => new Uint8Array(buffer), (cause) => {
    throw incomplete(cause);
  });
}

/** The body as a stream that fails with 413 past the limit; `null` without a body. Nothing is read until it is. */
export function limitedStream(request: Request, limit: number): ReadableStream<Bytes> | null {
  if (request.body === null) return null;
  let reader: BodyReader | undefined;
  let total = 0;
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      reader ??= openBody(request, limit)?.getReader();
      const chunk = (await reader?.read().catch((cause) => {
        throw incomplete(cause);
      }))?.value;
      if (chunk === undefined) return controller.close();
      total += chunk.length;
      if (total > limit && reader !== undefined) throw stop(reader, limitError(limit));
      controller.enqueue(chunk);
    },
    cancel: (reason) => reader === undefined ? request.body?.cancel(reason) : reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Refuses a body that was read already, now that another limit holds. @throws {HttpError} 413 past the limit. */
export function checkLength(bytes: Bytes, limit: number): Bytes {
  if (bytes.length > limit) throw limitError(limit);
  return bytes;
}

/**
 * Decodes UTF-8.
 *
 * @returns `undefined` if the bytes are not well formed.
 */
export function decodeUtf8(bytes: Bytes): string | undefined {
  const text = LENIENT_UTF8.decode(bytes);
  if (!text.includes("\uFFFD")) return text; // the strict decoder costs three times as much on Deno
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads after which other requests get a turn. */
const READS_PER_TURN = 64;
/** Bytes that reads must bring on average, after the first ones: a client that sends single bytes costs more than it pays. */
const MIN_AVERAGE_CHUNK = 16;
const FREE_READS = 4096;

const LENIENT_UTF8 = new TextDecoder();
const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });

type BodyReader = ReadableStreamDefaultReader<Bytes>;

function openBody(request: Request, limit: number): ReadableStream<Bytes> | null {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw limitError(limit);
  if (request.bodyUsed) throw new TypeError("Cannot read the body: it was read before");
  return request.body;
}

function incomplete(cause: unknown): HttpError {
  return new HttpError(400, "incomplete_body", { detail: "The body ended early", cause });
}

/**
 * Ends reading. Its settling is not awaited: on a clone's branch, `cancel()` waits for the other branch, for ever if
 * nobody reads that.
 */
function stop(reader: BodyReader, error: HttpError): HttpError {
  reader.cancel().catch(() => {});
  return error;
}

function fragmented(): HttpError {
  return new HttpError(400, "fragmented_body", { detail: "The body arrives in too small pieces" });
}

/** Lets other requests have a turn: reads that are there at once would starve them. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function limitError(limit: number): HttpError {
  return new HttpError(413, "payload_too_large", { detail: `The body exceeds ${limit} bytes` });
}

/**
 * Puts a chunk behind the bytes so far, in a buffer that doubles. Chunks are not kept: on Deno each is a view on 64 KiB of
 * its own, so that a million of one byte each would hold 64 GiB.
 */
function append(bytes: Bytes, total: number, chunk: Bytes): Bytes {
  const used = total - chunk.length;
  if (used === 0) return chunk;
  const target = total <= bytes.length ? bytes : new Uint8Array(Math.max(total, 2 * bytes.length));
  if (target !== bytes) target.set(bytes.subarray(0, used));
  target.set(chunk, used);
  return target;
}
