/**
 * Requests over a plain socket: byte for byte, because client libraries normalise what attackers do not.
 *
 * @module
 */

/** A response, as received. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Body with chunks joined; the rest of the stream if there is no length. */
  readonly body: string;
  /** All received text, head and body. */
  readonly text: string;
}

/** What is sent in addition to the request line. */
export interface RawInit {
  readonly method?: string;
  /** Header lines. `Host` is added if missing. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly version?: string;
}

const ENCODER = new TextEncoder();

/** Runs a server on a free local port while `use` runs. */
export async function withServer(
  handler: Deno.ServeHandler,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const options = { hostname: "127.0.0.1", port: 0, signal, onListen: () => {} };
  const server = Deno.serve(options, handler);
  let ended = false;
  try {
    await use(server.addr.port);
    await within(server.shutdown(), "server shutdown: a request was never finished");
    ended = true;
  } finally {
    if (ended) await server.finished;
    else controller.abort(); // a request that hangs would block the server and the test
  }
}

/** Fails a test that would hang. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Timed out: ${what}`)), 5000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of a request. */
export function rawBytes(target: string, init: RawInit = {}): Uint8Array<ArrayBuffer> {
  const { method = "GET", headers = [], body = "", version = "HTTP/1.1" } = init;
  const host = headers.some((line) => /^host:/i.test(line)) || version === "HTTP/1.0"
    ? []
    : ["Host: localhost"];
  const head = [`${method} ${target} ${version}`, ...host, "Connection: close", ...headers, "", ""]
    .join("\r\n");
  const parts = [ENCODER.encode(head), typeof body === "string" ? ENCODER.encode(body) : body];
  const bytes = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  bytes.set(parts[0] as Uint8Array);
  bytes.set(parts[1] as Uint8Array, parts[0]?.length);
  return bytes;
}

/** Sends bytes and reads until the server closes. */
export async function exchange(port: number, bytes: Uint8Array<ArrayBuffer>): Promise<RawResponse> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writer = connection.writable.getWriter();
  // A server that responds early may close before everything is written.
  const writing = writer.write(bytes).catch(() => {});
  const text = await within(readAll(connection), "the response");
  await writing;
  writer.releaseLock();
  return parseResponse(text);
}

/** Sends one request and reads the response. */
export function rawFetch(port: number, target: string, init: RawInit = {}): Promise<RawResponse> {
  return exchange(port, rawBytes(target, init));
}

async function readAll(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  try {
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) return text + decoder.decode();
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  } catch {
    return text; // the server reset the connection: keep what was received before
  }
}

function parseResponse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end === -1 ? text.length : end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const rest = end === -1 ? "" : text.slice(end + 4);
  const body = headers.get("Transfer-Encoding") === "chunked" ? dechunk(rest) : rest;
  return { status: Number(statusLine.split(" ")[1] ?? 0), headers, body, text };
}

/** Joins chunks. Counts characters, so only for ASCII bodies. */
function dechunk(text: string): string {
  let body = "";
  for (let at = 0;;) {
    const line = text.indexOf("\r\n", at);
    const size = parseInt(text.slice(at, line), 16);
    if (line === -1 || !(size > 0)) return body;
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
