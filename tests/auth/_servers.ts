/**
 * Local servers with scripted responses, valid and invalid.
 *
 * @module
 */

/** A server that is closed at the end of its block. */
export interface TestServer extends AsyncDisposable {
  /** Prefix of its URLs. */
  readonly origin: string;
  /** Requests that it has received over HTTP. */
  readonly requests: readonly SeenRequest[];
}

/** A received request. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

/** Serves HTTP. */
export function serveHttp(
  answer: (request: Request) => Response | Promise<Response>,
): TestServer {
  const requests: SeenRequest[] = [];
  const stop = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen() {}, onError: () => gone() },
    (request) => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers: new Headers(headers) });
      return answer(request);
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.finished;
    },
  };
}

/**
 * Sends bytes to each connection after the request's head, and closes it; if the last part is empty, once the client has
 * closed it.
 */
export function serveBytes(...parts: readonly (string | Uint8Array)[]): TestServer {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const serving = (async () => {
    for await (const connection of listener) {
      await talk(connection, parts).catch(() => {}); // the client has closed the connection
    }
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    requests: [],
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

/** A port on which nothing listens. */
export function closedOrigin(): string {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return `http://127.0.0.1:${port}`;
}

/** A body of that many bytes, without a known length. */
export function streamOf(size: number, byte = 0x20): ReadableStream<Uint8Array<ArrayBuffer>> {
  let rest = size;
  return new ReadableStream({
    pull(controller) {
      const length = Math.min(rest, 16_384);
      if (length === 0) return controller.close();
      rest -= length;
      controller.enqueue(new Uint8Array(length).fill(byte));
    },
  });
}

/** A compressed response. */
export function gzip(body: ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  return new Response(body.pipeThrough(new CompressionStream("gzip")), {
    headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
  });
}

/** A fetch that is observed. */
export interface CountingFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly read: () => number;
  readonly isCancelled: () => boolean;
}

/** Fetches, counts the bytes that are read, and records whether the rest is canceled. */
export function countingFetch(): CountingFetch {
  let read = 0;
  let isCancelled = false;
  return {
    read: () => read,
    isCancelled: () => isCancelled,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const reader = response.body?.getReader();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done = true } = await reader?.read() ?? {};
          if (done || value === undefined) return controller.close();
          read += value.length;
          controller.enqueue(value);
        },
        async cancel(reason) {
          isCancelled = true;
          await reader?.cancel(reason);
        },
      });
      return new Response(body, response);
    },
  };
}

/** A fetch that records whether its requests are aborted. */
export interface WatchedFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Outcome of each request. */
  readonly ends: readonly ("open" | "given up" | "late")[];
}

/**
 * Fetches, and records which requests are aborted within a time. Timers of one process fire in order, however busy the
 * machine is: nothing here depends on wall-clock time.
 */
export function watchedFetch(withinMs: number): WatchedFetch {
  const ends: WatchedFetch["ends"][number][] = [];
  return {
    ends,
    fetch(url, init) {
      const index = ends.push("open") - 1;
      const timer = setTimeout(() => ends[index] = "late", withinMs);
      init.signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        if (ends[index] === "open") ends[index] = "given up";
      });
      return fetch(url, init);
    },
  };
}

async function talk(connection: Deno.TcpConn, parts: readonly (string | Uint8Array)[]) {
  const buffer = new Uint8Array(8_192);
  try {
    await connection.read(buffer);
    for (const part of parts) {
      const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
      await connection.write(bytes);
    }
    if (parts.at(-1) !== "") return;
    while (await connection.read(buffer) !== null);
  } finally {
    connection.close();
  }
}

function gone(): Response {
  return new Response(null, { status: 500 });
}
