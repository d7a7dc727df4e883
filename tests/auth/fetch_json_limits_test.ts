/** How large documents of other servers may be, and how slow. */

import { assert, assertEquals } from "@std/assert";
import { LIMIT, refusal } from "./_fetch_json.ts";
import { closedOrigin, countingFetch, gzip, serveBytes, serveHttp, streamOf } from "./_servers.ts";

const TEXT = JSON.stringify({ keys: [1, 2, 3] });

Deno.test("fetchJson() reads no more of 50 MB than it may", async () => {
  const size = 50 * 1_024 * 1_024;
  for (const body of [() => new Response(streamOf(size)), () => gzip(streamOf(size))]) {
    await using server = serveHttp(body);
    const counted = countingFetch();
    assertEquals(await refusal(server.origin, counted), "the response is too large");
    assert(counted.read() > 0 && counted.read() < 5 * LIMIT, `read ${counted.read()} bytes`);
    assertEquals(counted.isCancelled(), true);
  }
});

Deno.test("fetchJson() reads nothing of an answer that says it is too large", async () => {
  await using server = serveBytes(
    `HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n`,
    " ".repeat(1_024),
    "",
  );
  const counted = countingFetch();
  assertEquals(await refusal(server.origin, counted), "the response is too large");
  assertEquals(counted.isCancelled(), true);
});

/** Raw answers whose length is not what they say. */
const LENGTHS: readonly (readonly [why: string, head: string, body: string, state: string])[] = [
  ["one that ends too early", "Content-Length: 100", TEXT, "the connection was lost"],
  [
    "one that goes on",
    "Content-Length: 5",
    TEXT,
    "the response is not JSON or has duplicate names",
  ],
  [
    "chunks without an end",
    "Transfer-Encoding: chunked",
    "3\r\n{  \r\n",
    "the connection was lost",
  ],
];
for (const [why, head, body, state] of LENGTHS) {
  Deno.test(`fetchJson() refuses an answer of a wrong length: ${why}`, async () => {
    await using server = serveBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, body);
    assertEquals(await refusal(server.origin), state);
  });
}

Deno.test("fetchJson() refuses what is not there", async () => {
  assertEquals(await refusal(closedOrigin()), "no connection");
  await using silent = serveBytes();
  assertEquals(await refusal(silent.origin), "no connection");
  await using other = serveBytes("SSH-2.0-OpenSSH_9.6\r\n");
  assertEquals(await refusal(other.origin), "no connection");
});

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** Raw answers that do not end; the last part of nothing keeps them open. */
const SLOW: readonly (readonly [why: string, parts: readonly string[]])[] = [
  ["no answer", [""]],
  ["half a head", ["HTTP/1.1 200 OK\r\nX: ", ""]],
  ["a head alone", [`${HEAD}Content-Length: ${TEXT.length}\r\n\r\n`, ""]],
  ["half a body", [`${HEAD}Content-Length: 100\r\n\r\n`, TEXT, ""]],
  ["half of the chunks", [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "2\r\n[1\r\n", ""]],
];
for (const [why, parts] of SLOW) {
  Deno.test(`fetchJson() does not wait for ever: ${why}`, async () => {
    await using server = serveBytes(...parts);
    assertEquals(await refusal(server.origin, { timeoutMs: 100 }), "timeout");
  });
}

Deno.test("fetchJson() does not wait for a body that comes in drops", async () => {
  await using server = serveHttp(() => new Response(drops()));
  const counted = countingFetch();
  assertEquals(
    await refusal(server.origin, { ...counted, timeoutMs: 200 }),
    "timeout",
  );
  // Twenty drops at most fall in this time; on a machine that is busy, fewer
  assert(counted.read() < 100, `read ${counted.read()} bytes`);
  assertEquals(counted.isCancelled(), true);
});

Deno.test("fetchJson() does not wait for a fetch that never answers and sees no signal", async () => {
  const fetch = () => new Promise<Response>(() => {});
  assertEquals(
    await refusal("https://id.example.com", { fetch, timeoutMs: 20 }),
    "timeout",
  );
});

Deno.test("fetchJson() closes an answer that comes too late", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
  const late = Promise.withResolvers<Response>();
  const message = await refusal("https://id.example.com", {
    fetch: () => late.promise,
    timeoutMs: 20,
  });
  assertEquals(message, "timeout");
  late.resolve(new Response(body));
  await cancelled;
});

Deno.test("fetchJson() closes a body that a fetch of the application's own does not end", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
  const fetch = () => Promise.resolve(new Response(body));
  assertEquals(
    await refusal("https://id.example.com", { fetch, timeoutMs: 20 }),
    "timeout",
  );
  await cancelled;
});

/** A blank every ten milliseconds. */
function drops(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(Uint8Array.of(0x20)), 10);
    },
    cancel: () => clearInterval(timer),
  });
}
