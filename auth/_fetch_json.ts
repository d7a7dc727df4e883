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

/** Why a document could not be fetched. The message contains nothing of the response but its status. */
export class FetchError extends Error {
  /** Name of the class. */
  override readonly name = "FetchError";
  /** The status, if it is why the response was rejected. */
  readonly status: number | undefined;

  /** Creates the error. */
  constructor(state: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(`Cannot fetch JSON: ${state}`, cause === undefined ? undefined : { cause });
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
  const { text, headers } = await fetchText(url, options);
  return { value: parse(text), maxAge: maxAgeOf(headers) };
}

/** Fetches a text of any type but HTML, with the limits of {@linkcode fetchJson}. @throws {FetchError} */
export async function fetchText(url: string, options: FetchJsonOptions): Promise<FetchedText> {
  const { timeoutMs } = options;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The signal alone is not enough: a custom fetch may ignore it
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure("timeout")), timeoutMs);
  });
  try {
    return await Promise.race([fetchDocument(url, options, controller.signal), expired]);
  } catch (error) {
    controller.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Everything but the timeout. The body is cancelled when the signal aborts. */
async function fetchDocument(
  url: string,
  { accept, maxBytes, fetch = globalThis.fetch, form, headers }: FetchJsonOptions,
  signal: AbortSignal,
): Promise<FetchedText> {
  // workerd throws at `redirect: "error"` and at `credentials`
  const init: RequestInit = {
    headers: { Accept: accept, ...headers },
    redirect: "manual",
    signal,
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  };
  const response = await connect(() => fetch(url, init));
  const reader = response.body?.getReader();
  const close = () => reader?.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  checkHead(response, maxBytes);
  const text = reader === undefined ? "" : await readText(reader, maxBytes);
  return { text, headers: response.headers };
}

async function connect(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    throw failure("no connection", { cause });
  }
}

/** Rejects by status and headers, before the body is read. A redirect has status 3xx, or 0 in browsers. */
function checkHead({ status, redirected, headers }: Response, maxBytes: number): void {
  if (status !== 200) throw failure(`the status is ${status}`, { status });
  if (redirected) throw failure("the response was redirected");
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() === "text/html") throw failure("the response is HTML");
  if (Number(headers.get("content-length")) > maxBytes) throw failure("the response is too large");
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
    if (!(size <= maxBytes)) throw failure("the response is too large");
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
    throw failure("the connection was lost", { cause });
  }
}

function decode(bytes: () => string): string {
  try {
    return bytes();
  } catch {
    throw failure("the response is not UTF-8");
  }
}

/** The parser's error is not passed on, because it may quote the document. */
function parse(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw failure("the response is not JSON or has duplicate names");
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

function failure(
  state: string,
  options?: { readonly status?: number; readonly cause?: unknown },
): FetchError {
  return new FetchError(state, options);
}
