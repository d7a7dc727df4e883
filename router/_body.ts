/**
 * Reads bodies with a limit that is counted on the stream: Content-Length may be wrong or absent, and a decompressed body
 * is longer than declared.
 *
 * @module
 */

import { HOST } from "./internals.ts";
import { HttpError } from "./problem.ts";

/** Bytes of a body. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** What a body may take. */
export interface BodyRules {
  readonly maxBodyBytes: number;
  /** Seconds. */
  readonly bodyTimeout: number;
}

/**
 * Reads a body to its end.
 *
 * @param delivered Whether a server has delivered this very request, and so enforces its Content-Length.
 * @throws {HttpError} 413 `payload_too_large` past the limit; reading stops there. 400 `incomplete_body` if the client
 * disconnected, `fragmented_body` if it sends tiny chunks. 408 `body_timeout` if it takes too long.
 * @throws {TypeError} If the body was read elsewhere.
 */
export function readBody(request: Request, rules: BodyRules, delivered: boolean): Promise<Bytes> {
  return delivered && hasTrustedLength(request, rules.maxBodyBytes)
    ? readDelivered(request, rules)
    : readCounted(request, rules);
}

async function readCounted(request: Request, rules: BodyRules): Promise<Bytes> {
  const { maxBodyBytes: limit, bodyTimeout } = rules;
  const reader = openBody(request, limit)?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  const deadline = startDeadline(bodyTimeout, () => cancel(reader)); // which ends the pending read
  let bytes: Bytes | undefined;
  let total = 0;
  try {
    for (let reads = 1;; reads++) {
      const { value: chunk } = await reader.read();
      if (deadline.passed) throw timeoutError(bodyTimeout);
      if (chunk === undefined) break;
      total += chunk.length;
      if (total > limit) throw stop(reader, limitError(limit));
      bytes = bytes === undefined ? chunk : append(bytes, total, chunk);
      if (reads % READS_PER_TURN === 0) {
        if (reads > FREE_READS && total < reads * MIN_AVERAGE_CHUNK) {
          throw stop(reader, fragmented());
        }
        await nextTurn();
      }
    }
  } catch (cause) {
    throw cause instanceof HttpError ? cause : incomplete(cause);
  } finally {
    endDeadline(deadline);
  }
  if (bytes === undefined) return new Uint8Array(0);
  return bytes.length === total ? bytes : bytes.slice(0, total);
}

/** Property of an info object that was used. A WeakSet takes ten times as long. */
const USED: unique symbol = Symbol("gatehouse.usedInfo");

/**
 * Whether an extra argument of `fetch` is the info object of Deno.serve or of serveNode, and this the first `fetch` that gets it: only that
 * request is the server's. A later one, in a mount or by a handler, may have another body under the same header fields.
 */
export function isDelivery(info: unknown): boolean {
  if (typeof info !== "object" || info === null || USED in info) return false;
  if (!("remoteAddr" in info && "completed" in info && Object.isExtensible(info))) return false;
  (info as { [USED]?: true })[USED] = true;
  return true;
}

/**
 * Whether the declared length of a delivered body is reliable: HTTP/1.1 ends a body at Content-Length and HTTP/2 rejects a
 * mismatch (RFC 9112 §6.3, RFC 9113 §8.1.1), but with a coding the field means nothing.
 */
function hasTrustedLength({ bodyUsed, headers }: Request, limit: number): boolean {
  const declared = headers.get("content-length");
  return declared !== null && Number(declared) <= limit && !bodyUsed &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

/** Reads a body with the runtime's own method, in half the time of a reader. It cannot be cancelled. */
function readDelivered(request: Request, { bodyTimeout }: BodyRules): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline(bodyTimeout, () => reject(timeoutError(bodyTimeout)));
    const finish = (bytes: Bytes): void => {
      endDeadline(deadline);
      resolve(bytes);
    };
    const fail = (cause: unknown): void => {
      endDeadline(deadline);
      reject(cause instanceof TypeError ? cause : incomplete(cause)); // a TypeError: the stream is locked
    };
    const read = HOST.readBytes?.(request);
    if (read !== undefined) read.then(finish, fail);
    else request.arrayBuffer().then((buffer) => finish(new Uint8Array(buffer)), fail);
  });
}

/** The deadline of a read. */
interface Deadline {
  ended: boolean;
  passed: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Microtasks within which a body that has arrived is read. */
const FREE_MICROTASKS = 16;
const RESOLVED = Promise.resolve();

/** On Deno, setting a timer takes a tenth of a request's time; on Node, a tenth of what it takes to put it off. */
const HAS_SLOW_TIMERS: boolean = "Deno" in globalThis;

/** Starts a deadline. Where timers are slow, one is set once the read has to wait. */
function startDeadline(seconds: number, onPassed: () => void): Deadline {
  const deadline: Deadline = { ended: false, passed: false, timer: undefined };
  if (HAS_SLOW_TIMERS) void setTimerLater(deadline, seconds, onPassed);
  else setTimer(deadline, seconds, onPassed);
  return deadline;
}

async function setTimerLater(...args: Parameters<typeof setTimer>): Promise<void> {
  for (let i = 0; i < FREE_MICROTASKS; i++) {
    await RESOLVED;
    if (args[0].ended) return;
  }
  setTimer(...args);
}

function setTimer(deadline: Deadline, seconds: number, onPassed: () => void): void {
  deadline.timer = setTimeout(() => {
    deadline.passed = true;
    onPassed();
  }, seconds * 1000);
  unref(deadline.timer);
}

function endDeadline(deadline: Deadline): void {
  deadline.ended = true;
  if (deadline.timer !== undefined) clearTimeout(deadline.timer);
}

/** Lets the process end although a timer is set: on Deno a timer is a number, on Node and Bun an object. */
function unref(timer: unknown): void {
  const { Deno } = globalThis as { Deno?: { unrefTimer?(timer: unknown): void } };
  if (typeof timer === "number") Deno?.unrefTimer?.(timer);
  else (timer as { unref?(): void }).unref?.();
}

/**
 * The body as a stream that fails with 413 past the limit; `null` without a body. Nothing is read in advance.
 *
 * @param limitOf The limit at that moment: another route may read a stream that the one before has passed on.
 */
export function limitedStream(
  request: Request,
  limitOf: () => number,
): ReadableStream<Bytes> | null {
  if (request.body === null) return null;
  let reader: BodyReader | undefined;
  let total = 0;
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      const limit = limitOf();
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
  cancel(reader);
  return error;
}

function cancel(reader: BodyReader): void {
  reader.cancel().catch(() => {});
}

function timeoutError(seconds: number): HttpError {
  const detail = `The body did not arrive within ${seconds} seconds`;
  return new HttpError(408, "body_timeout", { detail });
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
  const target = total <= bytes.length ? bytes : new Uint8Array(Math.max(total, 2 * bytes.length));
  if (target !== bytes) target.set(bytes.subarray(0, used));
  target.set(chunk, used);
  return target;
}
