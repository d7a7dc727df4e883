/**
 * Fetching a JSON document from another server, which may be broken, slow or hostile: so many bytes, so many milliseconds,
 * from the address that was asked and from nowhere else.
 *
 * @module
 */

import { parseStrictJson } from "./_strict_json.ts";

/** The part of `fetch` that is used. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Options of {@linkcode fetchJson}. */
export interface FetchJsonOptions {
  /** Media types, as `Accept` lists them. */
  readonly accept: string;
  /** Largest document, in bytes, after decompression. */
  readonly maxBytes: number;
  /** For how long all of it may last, in milliseconds: to connect, to get an answer, and to read it. */
  readonly timeoutMs: number;
  /** Makes the request. @default {globalThis.fetch} */
  readonly fetch?: FetchFunction | undefined;
}

/** A document that was fetched. */
export interface FetchedJson {
  /** What it says. No object in it has a name twice, or the name `__proto__`. */
  readonly value: unknown;
  /** For how many seconds it may be kept, RFC 9111 §4.2; `undefined` if its server does not say. */
  readonly maxAge: number | undefined;
}

const MAX_AGE_REGEXP = /^max-age="?(\d{1,10})"?$/;

/** Directives of `Cache-Control` that keep nothing, and those of a time that is none, RFC 9111 §4.2.1. */
const NOT_KEPT_REGEXP = /^(?:no-store|no-cache|max-age)(?:=|$)/;

const SECONDS_REGEXP = /^\d{1,10}$/;

/**
 * Fetches a JSON document by GET. The caller has looked at the URL by `publicUrl`. No redirect is followed, and nothing is
 * sent that says who asks.
 *
 * @throws {Error} If there is no connection, no answer in time, another status than 200, a page, a document that is too
 * large, or one that is not JSON. Nothing of the answer but its status is in the message.
 */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<FetchedJson> {
  const { timeoutMs } = options;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The signal alone is not enough: a fetch that was given may not look at it
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure("it took too long")), timeoutMs);
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

/** All of it but the time. Whatever is open when the signal comes is closed. */
async function fetchDocument(
  url: string,
  { accept, maxBytes, fetch = globalThis.fetch }: FetchJsonOptions,
  signal: AbortSignal,
): Promise<FetchedJson> {
  // workerd throws at `redirect: "error"` and at `credentials`
  const init: RequestInit = { headers: { Accept: accept }, redirect: "manual", signal };
  const response = await connect(() => fetch(url, init));
  const reader = response.body?.getReader();
  const close = () => reader?.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  checkHead(response, maxBytes);
  const text = reader === undefined ? "" : await readText(reader, maxBytes);
  return { value: parse(text), maxAge: maxAgeOf(response.headers) };
}

async function connect(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    throw failure("there is no connection", { cause });
  }
}

/** Refuses by the head what need not be read. A redirect has a status of its own, or 0 in browsers. */
function checkHead({ status, redirected, headers }: Response, maxBytes: number): void {
  if (status !== 200) throw failure(`the answer's status is ${status}`);
  if (redirected) throw failure("the answer comes from another address");
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() === "text/html") throw failure("the answer is a page");
  if (Number(headers.get("content-length")) > maxBytes) throw failure("the answer is too large");
}

/** Counts what arrives, decompressed: what a server says of its length may be a lie. */
async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let size = 0;;) {
    const { done, value } = await readChunk(reader);
    if (done) break;
    size += value.byteLength;
    if (!(size <= maxBytes)) throw failure("the answer is too large");
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
    throw failure("the connection broke", { cause });
  }
}

function decode(bytes: () => string): string {
  try {
    return bytes();
  } catch {
    throw failure("the answer is not UTF-8");
  }
}

/** What the parser throws may quote the text, and is not passed on. */
function parse(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw failure("the answer is not JSON, or has a name twice");
  }
}

/** The smallest that is said, less the time for which a cache on the way has kept it. */
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

function failure(state: string, options?: ErrorOptions): Error {
  return new Error(`Cannot fetch JSON: ${state}`, options);
}
