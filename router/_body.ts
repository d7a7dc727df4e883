/**
 * Reads bodies with a limit that is counted on the stream: Content-Length may be wrong or absent, and a decompressed body
 * is longer than declared.
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
 * disconnected, `fragmented_body` if it sends tiny chunks.
 * @throws {TypeError} If the body was read elsewhere.
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

/** Whether an extra argument of `fetch` is the info object of Deno.serve, which then delivered the request. */
export function isServed(info: unknown): boolean {
  return typeof info === "object" && info !== null && "remoteAddr" in info && "completed" in info;
}

/**
 * Whether the declared length of a served body is reliable: HTTP/1.1 ends a body at Content-Length and HTTP/2 rejects a
 * mismatch (RFC 9112 §6.3, RFC 9113 §8.1.1), but with a coding the field means nothing.
 */
function hasTrustedLength({ bodyUsed, headers }: Request, limit: number): boolean {
  const declared = headers.get("content-length");
  return declared !== null && Number(declared) <= limit && !bodyUsed &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

/** Reads a body with the runtime's own method, in half the time of a reader. */
function readFramed(request: Request): Promise<Bytes> {
  return request.arrayBuffer().then((buffer) => new Uint8Array(buffer), (cause) => {
    throw incomplete(cause);
  });
}

/** The body as a stream that fails with 413 past the limit; `null` without a body. Nothing is read in advance. */
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

/** Checks a body that was read before against the current limit. @throws {HttpError} 413 past the limit. */
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

/** Reads before yielding to other requests. */
const READS_PER_TURN = 64;
/** Minimum average bytes of a read, after the first ones: a client that sends single bytes is expensive. */
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
 * Cancels reading without awaiting it: on a branch of a cloned body, `cancel()` waits for the other branch, which may
 * never be read.
 */
function stop(reader: BodyReader, error: HttpError): HttpError {
  reader.cancel().catch(() => {});
  return error;
}

function fragmented(): HttpError {
  return new HttpError(400, "fragmented_body", { detail: "The body arrives in too small pieces" });
}

/** Yields to other requests, which immediately available reads would starve. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function limitError(limit: number): HttpError {
  return new HttpError(413, "payload_too_large", { detail: `The body exceeds ${limit} bytes` });
}

/**
 * Appends a chunk to the bytes so far, in a buffer that doubles. Chunks are not retained: on Deno each is a view of its own
 * 64 KiB, so a million chunks of one byte would hold 64 GiB.
 */
function append(bytes: Bytes, total: number, chunk: Bytes): Bytes {
  const used = total - chunk.length;
  if (used === 0) return chunk;
  const target = total <= bytes.length ? bytes : new Uint8Array(Math.max(total, 2 * bytes.length));
  if (target !== bytes) target.set(bytes.subarray(0, used));
  target.set(chunk, used);
  return target;
}
