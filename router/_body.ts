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
 * @throws {HttpError} 413 `payload_too_large` past the limit; reading stops there. 400 `incomplete_body` if the client
 * went away.
 * @throws {TypeError} If the body was read before.
 */
export async function readBytes(request: Request, limit: number): Promise<Bytes> {
  const reader = openBody(request, limit)?.getReader();
  const chunks: Bytes[] = [];
  if (reader === undefined) return concat(chunks, 0);
  for (let total = 0; total <= limit;) {
    let chunk: Bytes | undefined;
    try {
      chunk = (await reader.read()).value;
    } catch (cause) {
      throw incomplete(cause);
    }
    if (chunk === undefined) return concat(chunks, total);
    chunks.push(chunk);
    total += chunk.length;
  }
  throw await tooLarge(reader, limit);
}

/** The body as a stream that fails with 413 past the limit; `null` without a body. */
export function limitedStream(request: Request, limit: number): ReadableStream<Bytes> | null {
  const reader = openBody(request, limit)?.getReader();
  if (reader === undefined) return null;
  let total = 0;
  return new ReadableStream<Bytes>({
    async pull(controller): Promise<void> {
      const { value: chunk } = await reader.read().catch((cause) => {
        throw incomplete(cause);
      });
      if (chunk === undefined) return controller.close();
      total += chunk.length;
      if (total > limit) throw await tooLarge(reader, limit);
      controller.enqueue(chunk);
    },
    cancel: (reason) => reader.cancel(reason),
  });
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

async function tooLarge(reader: BodyReader, limit: number): Promise<HttpError> {
  await reader.cancel().catch(() => {}); // the answer is 413 however the stream takes it
  return limitError(limit);
}

function limitError(limit: number): HttpError {
  return new HttpError(413, "payload_too_large", { detail: `The body exceeds ${limit} bytes` });
}

function concat(chunks: readonly Bytes[], total: number): Bytes {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
