/**
 * HTTP over a plain socket: what is on the wire, byte for byte, where clients normalise paths and hide how a body was
 * framed.
 *
 * @module
 */

/** Milliseconds that an answer may take. */
const TIMEOUT_MS = 10_000;

/** An answer, as it came. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body, without its framing. */
  readonly body: Uint8Array;
  /** How the end of the body is told. */
  readonly framing: "length" | "chunked" | "none";
}

/** What is sent beside the target. */
export interface WireInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called between the head and the body of the answer. */
  readonly meanwhile?: () => Promise<void>;
}

/** Sends one request and reads its answer. */
export async function askWire(
  port: number,
  target: string,
  init: WireInit = {},
): Promise<WireResponse> {
  const [response] = await askAll(port, [[target, init]]);
  if (response === undefined) throw new Error(`There is no answer to ${target}`);
  return response;
}

/**
 * Sends requests down one connection, all at once, and reads their answers: a server that frames one wrongly confuses the
 * next.
 *
 * @throws {Error} If the server closes before, or takes too long.
 */
export async function askAll(
  port: number,
  requests: readonly (readonly [target: string, init?: WireInit])[],
): Promise<readonly WireResponse[]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const closing = setTimeout(() => connection.close(), TIMEOUT_MS);
  try {
    for (const [i, [target, init]] of requests.entries()) {
      await writeAll(connection, requestBytes(target, init, i === requests.length - 1));
    }
    const reader = makeReader(connection);
    const responses: WireResponse[] = [];
    for (const [, init] of requests) responses.push(await readResponse(reader, init));
    return responses;
  } finally {
    clearTimeout(closing);
  }
}

/** Sends a request, reads the beginning of its answer, and hangs up. @returns The number of bytes that were read. */
export async function hangUp(port: number, target: string): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, requestBytes(target, {}, false));
  return await connection.read(new Uint8Array(1024)) ?? 0;
}

/** The bytes of a request; each character of the target is one byte. */
export function requestBytes(
  target: string,
  { method = "GET", headers = {} }: WireInit = {},
  isLast = true,
): Uint8Array<ArrayBuffer> {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    ...(isLast ? ["Connection: close"] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Uint8Array.from(lines.join("\r\n") + "\r\n\r\n", (char) => char.charCodeAt(0));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Reads what is needed, and no more. */
interface Reader {
  /** The next bytes. */
  take(size: number): Promise<Uint8Array>;
  /** Everything up to a line end, without it. */
  takeLine(): Promise<string>;
  /** Everything up to the end. */
  takeRest(): Promise<Uint8Array>;
}

function makeReader(connection: Deno.Conn): Reader {
  let buffer: Uint8Array<ArrayBuffer> = new Uint8Array(64 * 1024);
  let start = 0;
  let end = 0;

  /** @returns Whether there was more. */
  async function fill(): Promise<boolean> {
    if (end === buffer.length) {
      const larger = new Uint8Array(Math.max(buffer.length, 2 * (end - start)));
      larger.set(buffer.subarray(start, end));
      [buffer, start, end] = [larger, 0, end - start];
    }
    const count = await connection.read(buffer.subarray(end));
    end += count ?? 0;
    return count !== null;
  }

  async function take(size: number): Promise<Uint8Array> {
    while (end - start < size) {
      if (!await fill()) {
        throw new Error(`The connection ends after ${end - start} of ${size} bytes`);
      }
    }
    start += size;
    return buffer.slice(start - size, start);
  }

  return {
    take,
    async takeLine() {
      for (;;) {
        const at = buffer.subarray(0, end).indexOf(10, start);
        if (at !== -1) return new TextDecoder().decode(await take(at + 1 - start)).trimEnd();
        if (!await fill()) throw new Error("The connection ends within a line");
      }
    },
    async takeRest() {
      while (await fill());
      return await take(end - start);
    },
  };
}

async function readResponse(
  reader: Reader,
  { method = "GET", meanwhile }: WireInit = {},
): Promise<WireResponse> {
  const status = Number((await reader.takeLine()).split(" ")[1]);
  const headers = new Headers();
  for (let line = await reader.takeLine(); line !== ""; line = await reader.takeLine()) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  await meanwhile?.();
  const length = headers.get("content-length");
  const isChunked = headers.get("transfer-encoding")?.toLowerCase() === "chunked";
  const framing = isChunked ? "chunked" : length === null ? "none" : "length";
  const bodyless = method === "HEAD" || status === 304 || status === 204;
  const body = bodyless
    ? new Uint8Array()
    : isChunked
    ? await readChunks(reader)
    : length === null
    ? await reader.takeRest()
    : await reader.take(Number(length));
  return { status, headers, framing, body };
}

/** Joins chunks, RFC 9112 §7.1. */
async function readChunks(reader: Reader): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const size = parseInt(await reader.takeLine(), 16);
    if (!(size >= 0)) throw new Error("There is no chunk where one should be");
    if (size > 0) parts.push(await reader.take(size));
    await reader.takeLine();
    if (size === 0) return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  }
}
