/**
 * Fetches a JSON document from another server, which may be broken, slow or hostile: with limits of bytes and time, and
 * without redirects.
 *
 * @module
 */

import { parseStrictJson } from "./_strict_json.ts";

/** The used part of `fetch`. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Options of {@linkcode fetchJson}. */
export interface FetchJsonOptions {
  /** Value of `Accept`. */
  readonly accept: string;
  /** Maximum length of the document in bytes, after decompression. */
  readonly maxBytes: number;
  /** Timeout in milliseconds for all of it: connecting, the response, and its body. */
  readonly timeoutMs: number;
  /** Sends the request. @default {globalThis.fetch} */
  readonly fetch?: FetchFunction | undefined;
  /** Form to send by POST. @default {GET} */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** Header fields besides `Accept`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a fetch failed at: no answer in time, its status or a redirect, or its content. */
export type FetchFailure = "connection" | "status" | "content";

/** Why a document could not be fetched. The message contains nothing of the response but its status. */
export class FetchError extends Error {
  /** Name of the class. */
  override readonly name = "FetchError";
  /** What the fetch failed at. */
  readonly failure: FetchFailure;
  /** The message without its start. */
  readonly state: string;
  /** The status, if it is why the response was rejected. */
  readonly status: number | undefined;

  /** Creates the error. */
  constructor(
    failure: FetchFailure,
    state: string,
    { status, cause }: { status?: number; cause?: unknown } = {},
  ) {
    super(`Cannot fetch JSON: ${state}`, cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.state = state;
    this.status = status;
  }
}

/** A fetched document. */
export interface FetchedJson {
  /** The parsed document, without duplicate names and `__proto__`. */
  readonly value: unknown;
  /** Freshness lifetime in seconds, RFC 9111 §4.2; `undefined` if the server sets none. */
  readonly maxAge: number | undefined;
}

/** A fetched text. */
interface FetchedText {
  readonly text: string;
  readonly headers: Headers;
}

const MAX_AGE_REGEXP = /^max-age="?(\d{1,10})"?$/;

/** Directives of `Cache-Control` that forbid caching, and invalid `max-age`, RFC 9111 §4.2.1. */
const NOT_KEPT_REGEXP = /^(?:no-store|no-cache|max-age)(?:=|$)/;

const SECONDS_REGEXP = /^\d{1,10}$/;

/**
 * Fetches a JSON document. The caller has checked the URL by `publicUrl`. Redirects are not followed.
 *
 * @throws {FetchError} If the connection fails, the request times out, the status is not 200, or the document is HTML, too
 * large or not JSON.
 */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<FetchedJson> {
  const { text, headers } = await withTimeout(
    options.timeoutMs,
    (signal) => fetchText(url, options, signal),
  );
  return { value: parse(text), maxAge: maxAgeOf(headers) };
}

/**
 * Fetches a text in UTF-8, with the same limits.
 *
 * @throws {FetchError} As {@linkcode fetchJson}, except if the text is not JSON.
 */
export async function fetchLimitedText(url: string, options: FetchJsonOptions): Promise<string> {
  const { text } = await withTimeout(
    options.timeoutMs,
    (signal) => fetchText(url, options, signal),
  );
  return text;
}

/**
 * Sends a request of which only the status 200 matters: the body, if any, is not read.
 *
 * @throws {FetchError} If the connection fails, the request times out, or the status is not 200.
 */
export async function fetchStatus(url: string, options: FetchJsonOptions): Promise<void> {
  await withTimeout(options.timeoutMs, async (signal) => {
    const response = await connect(url, options, signal);
    response.body?.cancel().catch(() => {});
    checkStatus(response);
  });
}

/** Rejects, and aborts the signal, when the time is over. */
async function withTimeout<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The signal alone is not enough: a custom fetch may ignore it
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FetchError("connection", "timeout")), timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), expired]);
  } catch (error) {
    controller.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The body is cancelled when the signal aborts. */
async function fetchText(
  url: string,
  options: FetchJsonOptions,
  signal: AbortSignal,
): Promise<FetchedText> {
  const { maxBytes } = options;
  const response = await connect(url, options, signal);
  const reader = response.body?.getReader();
  const close = () => reader?.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  checkStatus(response);
  checkContent(response, maxBytes);
  const text = reader === undefined ? "" : await readText(reader, maxBytes);
  return { text, headers: response.headers };
}

async function connect(
  url: string,
  { accept, fetch = globalThis.fetch, form, headers }: FetchJsonOptions,
  signal: AbortSignal,
): Promise<Response> {
  // workerd throws at `redirect: "error"` and at `credentials`
  const init: RequestInit = {
    headers: { Accept: accept, ...headers },
    redirect: "manual",
    signal,
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  };
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new FetchError("connection", "no connection", { cause });
  }
}

/** A redirect has status 3xx, or 0 in browsers. */
function checkStatus({ status, redirected }: Response): void {
  if (status !== 200) throw new FetchError("status", `the status is ${status}`, { status });
  if (redirected) throw new FetchError("status", "the response was redirected");
}

/** Rejects by headers, before the body is read. */
function checkContent({ headers }: Response, maxBytes: number): void {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() === "text/html") throw badContent("the response is HTML");
  if (Number(headers.get("content-length")) > maxBytes) {
    throw badContent("the response is too large");
  }
}

/** Reads UTF-8 of limited length. Counts decompressed bytes: Content-Length may be wrong. @throws {FetchError} */
export async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let size = 0;;) {
    const { done, value } = await readChunk(reader);
    if (done) break;
    size += value.byteLength;
    if (!(size <= maxBytes)) throw badContent("the response is too large");
    text += decode(() => decoder.decode(value, { stream: true }));
  }
  return text + decode(() => decoder.decode());
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new FetchError("connection", "the connection was lost", { cause });
  }
}

function decode(bytes: () => string): string {
  try {
    return bytes();
  } catch {
    throw badContent("the response is not UTF-8");
  }
}

/** The parser's error is not passed on, because it may quote the document. */
function parse(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw badContent("the response is not JSON or has duplicate names");
  }
}

/** The smallest `max-age`, minus the `Age` of a shared cache. */
function maxAgeOf(headers: Headers): number | undefined {
  const directives = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  const ages = directives.map((text) => text.trim()).flatMap((directive) => {
    const [, seconds] = MAX_AGE_REGEXP.exec(directive) ?? [];
    if (seconds !== undefined) return [Number(seconds)];
    return NOT_KEPT_REGEXP.test(directive) ? [0] : [];
  });
  if (ages.length === 0) return undefined;
  const age = headers.get("age") ?? "";
  return Math.max(0, Math.min(...ages) - (SECONDS_REGEXP.test(age) ? Number(age) : 0));
}

function badContent(state: string): FetchError {
  return new FetchError("content", state);
}
