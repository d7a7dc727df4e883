/** Bodies that cost more than their length: many chunks, many parts, and clones that are not read. */

import {
  createRouter,
  json,
  type Middleware,
  type RouterOptions,
  type TypedRouter,
} from "@gatehouse/http";
import { fromHono } from "@gatehouse/http/hono";
import { assert, assertEquals } from "@std/assert";
import type { Context } from "hono";
import { rawBytes, within, withServer } from "./_raw.ts";

/** A JSON string in chunks of one byte, each a view on a separate 64 KiB buffer, as in Deno's server. */
function pieces(
  count: number,
): { stream: ReadableStream<Uint8Array<ArrayBuffer>>; taken: () => number } {
  let taken = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      const chunk = new Uint8Array(new ArrayBuffer(65_536), 0, 1);
      chunk[0] = taken === 0 || taken === count - 1 ? 0x22 : 0x61;
      controller.enqueue(chunk);
      if (++taken === count) controller.close();
    },
  });
  return { stream, taken: () => taken };
}

function post(body: BodyInit): Request {
  return new Request("http://localhost/", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
}

const echo = createRouter({ maxBodyBytes: 10_000_000 }).post(
  "/",
  (req) => json(String(req.content).length),
);

Deno.test("[neighbour] a body of a million single-byte chunks is rejected early", async () => {
  const { stream, taken } = pieces(1_000_000);
  const response = await echo.fetch(post(stream));
  assertEquals([response.status, (await response.json()).code], [400, "fragmented_body"]);
  assert(taken() < 10_000, `${taken()} chunks were read`);
});

Deno.test("[neighbour] a body of 4,000 single-byte chunks is accepted, and holds no more memory than its length", async () => {
  assertEquals(await (await echo.fetch(post(pieces(4000).stream))).json(), 3998);
});

Deno.test("[neighbour] a long body in small chunks does not block timers", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  try {
    assertEquals(await (await echo.fetch(post(pieces(4000).stream))).json(), 3998);
  } finally {
    clearInterval(timer);
  }
  assert(turns > 10, `${turns} turns of a timer`);
});

Deno.test("[neighbour] single-byte chunks over a socket do not starve other clients", async () => {
  const router = createRouter().post("/", (req) => json(req.content)).get("/", () => json("well"));
  await withServer(router.fetch, async (port) => {
    const attacker = await Deno.connect({ hostname: "127.0.0.1", port });
    const head =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    await attacker.write(new TextEncoder().encode(head + "1\r\n1\r\n".repeat(20_000)));
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assertEquals(await response.json(), "well");
    assert(performance.now() - started < 2000);
    attacker.close();
  });
});

Deno.test("[neighbour] a 413 does not wait for an unread clone of the body", async () => {
  const router = createRouter({ maxBodyBytes: 10, before: [(req) => void req.raw.clone()] })
    .post("/", (req) => json(req.content));
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(8).fill(0x20)),
  });
  assertEquals((await router.fetch(post(endless))).status, 413);
});

Deno.test("[neighbour] a form of more than 1,000 parts is rejected before it is parsed", async () => {
  const router = createRouter().post("/", (req) => json([...req.content.keys()].length), {
    multipart: true,
  });
  for (const [count, status] of [[1000, 200], [1001, 400]] as const) {
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    const response = await router.fetch(
      new Request("http://localhost/", {
        method: "POST",
        headers: { "Content-Type": "multipart/form-data; boundary=x" },
        body: part.repeat(count) + "--x--\r\n",
      }),
    );
    assertEquals(response.status, status);
    await response.body?.cancel();
  }
});

/** What Deno.serve passes to its handler with each request; the server frames these bodies. */
function serverInfo(): Deno.ServeHandlerInfo {
  return {
    remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
    completed: Promise.resolve(),
  };
}

const served = createRouter<[Deno.ServeHandlerInfo]>({ maxBodyBytes: 10 })
  .post("/", (req) => json(req.content))
  .post("/late", async (req) => json(await req.json()), { raw: true });

/** [why, body, Content-Length, other fields, status] */
const FRAMED: readonly (readonly [
  why: string,
  body: string | Uint8Array<ArrayBuffer>,
  length: string,
  fields: Record<string, string>,
  status: number,
])[] = [
  ["a correct length", "[1,2]", "5", {}, 200],
  ["a length at the limit", '"12345678"', "10", {}, 200],
  ["a length over the limit", '"123456789"', "11", {}, 413],
  ["a false length, after the body was decompressed", '"123456789"', "5", {}, 413],
  [
    "a length and a transfer coding",
    '"123456789"',
    "5",
    { "Transfer-Encoding": "chunked" },
    413,
  ],
  ["a length and a content coding", "[1,2]", "5", { "Content-Encoding": "gzip" }, 200],
  ["a length that is not a number", "[1,2]", "x", {}, 200],
  ["malformed UTF-8", new Uint8Array([0x22, 0xf0, 0x9f, 0x98, 0x22]), "5", {}, 400],
  ["a nested __proto__", '{"__proto__":1}'.slice(0, 10), "10", {}, 400],
];

for (const [why, body, length, fields, status] of FRAMED) {
  Deno.test(`[neighbour] with Deno.serve, a body with ${why} is ${status}`, async () => {
    for (const path of ["/", "/late"]) {
      const request = new Request("http://localhost" + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Content-Length": length, ...fields },
        body,
      });
      const response = await served.fetch(request, serverInfo());
      assertEquals([path, response.status], [path, status]);
      await response.body?.cancel();
    }
  });
}

Deno.test("[neighbour] with Deno.serve, a length and a chunked coding get one response", async () => {
  await withServer(served.fetch, async (port) => {
    for (const fields of ["Content-Length: 3", "Content-Length: 9999999"]) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}\r\n` +
        `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nb\r\n"123456789"\r\n0\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head));
      const answer = await new Response(connection.readable).text();
      assertEquals(/^HTTP\/1\.1 (400|413) /.test(answer), true, answer.slice(0, 40));
      assertEquals(answer.split("HTTP/1.1 ").length, 2);
    }
  });
});

for (const field of ["Transfer-Encoding", "Content-Encoding"]) {
  Deno.test(`[neighbour] with Deno.serve, a length with ${field} is not trusted: reading stops at the limit`, async () => {
    const { stream, taken } = pieces(100_000);
    const headers = { "Content-Type": "application/json", "Content-Length": "5", [field]: "x" };
    const request = new Request("http://localhost/", { method: "POST", headers, body: stream });
    assertEquals((await served.fetch(request, serverInfo())).status, 413);
    assert(taken() < 100, `${taken()} chunks were read`);
  });
}

Deno.test("[neighbour] with Deno.serve, a body that a mount has declined is still measured", async () => {
  const { stream, taken } = pieces(100_000);
  const router = createRouter<[Deno.ServeHandlerInfo]>({ maxBodyBytes: 10 })
    .mount("/", { fetch: () => undefined }).post("/", (req) => json(req.content));
  const headers = { "Content-Type": "application/json", "Content-Length": "5" };
  const request = new Request("http://localhost/", { method: "POST", headers, body: stream });
  assertEquals((await router.fetch(request, serverInfo())).status, 413);
  assert(taken() < 100, `${taken()} chunks were read`);
});

type ServedRouter = Pick<TypedRouter<[Deno.ServeHandlerInfo]>, "fetch">;

/** Chunks that were read of a body of {@linkcode decompressed}. */
let taken = () => 0;

/** The request as decompression leaves it: a longer body, with the Content-Length of the compressed one. */
function decompressed(request: Request): Request {
  const long = pieces(100_000);
  taken = long.taken;
  return new Request(request, { body: long.stream });
}

const decompress: Middleware<unknown[]> = fromHono<Context>(async (c, next) => {
  c.req.raw = decompressed(c.req.raw);
  await next();
});

function servedRouter(
  options: RouterOptions<[Deno.ServeHandlerInfo]> = {},
): TypedRouter<[Deno.ServeHandlerInfo]> {
  return createRouter<[Deno.ServeHandlerInfo]>({ maxBodyBytes: 10, ...options });
}

/** Gets a body that something else has decompressed. */
const inner = servedRouter().post("/", (req) => json(req.content));
const before = [decompress];

/** [how the body is decompressed, what is served] */
const DECOMPRESSED: readonly (readonly [how: string, router: ServedRouter])[] = [
  ["by middleware", servedRouter({ before }).post("/", (req) => json(req.content))],
  ["by middleware, in front of a mount", servedRouter({ before }).mount("/", inner)],
  [
    "by middleware, in front of two mounts",
    servedRouter({ before }).mount("/", servedRouter().mount("/", inner)),
  ],
  [
    "by middleware that calls another router",
    servedRouter({ before: [(req, info) => inner.fetch(decompressed(req.raw), info)] }),
  ],
  [
    "by a handler that calls another router",
    servedRouter().post("/", (req, info) => inner.fetch(decompressed(req.raw), info), {
      raw: true,
    }),
  ],
  [
    "by a mounted application that calls another router",
    servedRouter().mount("/", {
      fetch: (request, info) => inner.fetch(decompressed(request), info),
    }),
  ],
  [
    "by an application that calls request()",
    { fetch: (request, info) => inner.request(decompressed(request), {}, info) },
  ],
];

for (const [how, router] of DECOMPRESSED) {
  Deno.test(`[neighbour] a body that is decompressed ${how} is counted: reading stops at the limit`, async () => {
    await withServer(router.fetch, async (port) => {
      const headers = { "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: "[1,2]" };
      const response = await fetch(`http://127.0.0.1:${port}/`, init);
      assertEquals([response.status, (await response.json()).code], [413, "payload_too_large"]);
      assert(taken() > 0 && taken() < 100, `${taken()} chunks were read`);
    });
  });
}

Deno.test("[neighbour] an info argument vouches for one request only, of whatever method that is", async () => {
  for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
    const info = serverInfo();
    await (await served.fetch(new Request("http://localhost/none", { method }), info)).body
      ?.cancel();
    const { stream, taken } = pieces(100_000);
    const headers = { "Content-Type": "application/json", "Content-Length": "5" };
    const request = new Request("http://localhost/", { method: "POST", headers, body: stream });
    assertEquals((await served.fetch(request, info)).status, 413);
    assert(taken() < 100, `${taken()} chunks were read`);
  }
});

/** [why, the argument] */
const NO_VOUCHERS: readonly (readonly [why: string, info: () => Promise<object>])[] = [
  [
    "the server, which every request gets on Bun",
    () => Promise.resolve({ requestIP: () => null, port: 1, hostname: "localhost" }),
  ],
  [
    "a frozen info, whose use cannot be recorded",
    () => Promise.resolve(Object.freeze(serverInfo())),
  ],
  ["a copy of a used info", async () => {
    const info = serverInfo();
    await (await served.fetch(new Request("http://localhost/"), info)).body?.cancel();
    return { ...info };
  }],
];

for (const [why, argument] of NO_VOUCHERS) {
  Deno.test(`[neighbour] ${why}, does not vouch for a body: reading stops at the limit`, async () => {
    const router = createRouter<[object]>({ maxBodyBytes: 10 })
      .post("/", (req) => json(req.content));
    const { stream, taken } = pieces(100_000);
    const headers = { "Content-Type": "application/json", "Content-Length": "5" };
    const request = new Request("http://localhost/", { method: "POST", headers, body: stream });
    assertEquals((await router.fetch(request, await argument())).status, 413);
    assert(taken() < 100, `${taken()} chunks were read`);
  });
}

const form = createRouter().post("/", (req) => json([...req.content.keys()].length), {
  multipart: true,
});

/** So many parts, and the closing delimiter. */
function parts(boundary: string, count: number): string {
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`;
  return part.repeat(count) + `--${boundary}--\r\n`;
}

const MANY = 190_000; // about 10 MiB
const FIELD = 'Content-Disposition: form-data; name="a"\r\n';

/** [why, Content-Type, body] */
const COSTLY_FORMS: readonly (readonly [why: string, type: string, body: () => string])[] = [
  ["many parts", "multipart/form-data; boundary=a", () => parts("a", MANY)],
  [
    "two boundaries, of which the second one is counted",
    "multipart/form-data; boundary=a; boundary=zz",
    () => parts("a", MANY) + parts("zz", 1),
  ],
  [
    "two boundaries, of which the first one is counted",
    "multipart/form-data; boundary=zz; boundary=a",
    () => parts("a", MANY) + parts("zz", 1),
  ],
  [
    "two boundaries in one quoted string",
    'multipart/form-data; x="; boundary=zz; "; boundary=a',
    () => parts("a", MANY) + parts("zz", 1),
  ],
  [
    "an escaped boundary",
    'multipart/form-data; boundary="\\a"',
    () => parts("a", MANY) + parts("\\a", 1),
  ],
  [
    "a boundary in capitals",
    "multipart/form-data; BOUNDARY=a",
    () => parts("a", MANY),
  ],
  [
    "a boundary that is the start of another",
    "multipart/form-data; boundary=a",
    () => parts("ab", MANY) + parts("a", 1),
  ],
  ["parts in the preamble", "multipart/form-data; boundary=a", () => "junk" + parts("a", MANY)],
  [
    "parts after the end",
    "multipart/form-data; boundary=a",
    () => parts("a", 1) + parts("a", MANY),
  ],
  [
    "header fields of 10 MB",
    "multipart/form-data; boundary=a",
    () => `--a\r\n${FIELD}${"X: a\r\n".repeat(1_700_000)}\r\n1\r\n--a--\r\n`,
  ],
  [
    "1,000 parts with header fields of 10 kB",
    "multipart/form-data; boundary=a",
    () => `--a\r\n${FIELD}X: ${"a".repeat(10_000)}\r\n\r\n1\r\n`.repeat(1000) + "--a--\r\n",
  ],
  [
    "a boundary of 71 characters",
    `multipart/form-data; boundary=${"a".repeat(71)}`,
    () => parts("a".repeat(71), 1),
  ],
  [
    "a truncated part, and what looks like the closing delimiter inside a line",
    "multipart/form-data; boundary=a",
    () => `--a\r\n${FIELD}\r\nx--a--y\r\n--a\r\n${FIELD}\r\ntrunc`,
  ],
  ["an empty boundary", 'multipart/form-data; boundary=""', () => parts("", MANY)],
];

for (const [why, type, body] of COSTLY_FORMS) {
  Deno.test(`[neighbour] a form with ${why} is rejected before it is parsed`, async () => {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "Content-Type": type },
      body: body(),
    });
    const response = await form.fetch(request);
    assertEquals([response.status, (await response.json()).code], [400, "invalid_form"]);
  });
}

Deno.test("[neighbour] an urlencoded form of more than 1,000 fields is rejected before it is parsed", async () => {
  const router = createRouter().post("/", async (req) => json([...await req.formData()].length), {
    raw: true,
  });
  for (const [count, status] of [[1000, 200], [1001, 400], [500_000, 400]] as const) {
    const body = new Array(count).fill("a").join("&");
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const response = await router.request("/", { method: "POST", headers, body });
    assertEquals([count, response.status], [count, status]);
    await response.body?.cancel();
  }
});

/** [how it is framed, header fields, first bytes, each later piece] */
const SLOW: readonly (readonly [
  how: string,
  headers: readonly string[],
  first: string,
  piece: string,
])[] = [
  ["Content-Length", ["Content-Length: 1000"], '"', "a"],
  ["chunks", ["Transfer-Encoding: chunked"], '1\r\n"\r\n', "1\r\na\r\n"],
  ["a Content-Length and nothing else", ["Content-Length: 1000"], "", ""],
];

for (const [how, headers, first, piece] of SLOW) {
  for (const type of ["application/json", "multipart/form-data; boundary=a"]) {
    Deno.test(`[neighbour] a client that sends ${type} byte by byte (${how}) gets a 408`, async () => {
      const multipart = type !== "application/json";
      const router = createRouter({ bodyTimeout: 0.3 }).post("/", () => json(1), { multipart });
      await withServer(router.fetch, async (port) => {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port });
        const fields = [`Content-Type: ${type}`, ...headers];
        await connection.write(rawBytes("/", { method: "POST", headers: fields, body: first }));
        const timer = setInterval(() => {
          connection.write(new TextEncoder().encode(piece)).catch(() => {});
        }, 50);
        const started = performance.now();
        try {
          const buffer = new Uint8Array(4096);
          const count = await within(connection.read(buffer), "the response") ?? 0;
          const text = new TextDecoder().decode(buffer.subarray(0, count));
          assertEquals(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1], "408", text);
          assert(text.includes('"code":"body_timeout"'), text);
          assert(performance.now() - started >= 250);
        } finally {
          clearInterval(timer);
        }
      });
    });
  }
}

Deno.test("[neighbour] a body that stalls is cancelled after bodyTimeout, and what arrives in time is read", async () => {
  const router = createRouter({ bodyTimeout: 0.2 }).post("/", (req) => json(req.content));
  const reason = Promise.withResolvers<void>();
  const stalled = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new Uint8Array([0x22])),
    cancel: () => reason.resolve(),
  });
  const response = await within(Promise.resolve(router.fetch(post(stalled))), "the response");
  assertEquals([response.status, (await response.json()).code], [408, "body_timeout"]);
  await within(reason.promise, "the stream's cancel()");
  const late = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller): Promise<void> {
      await new Promise((done) => setTimeout(done, 50));
      controller.enqueue(new Uint8Array([0x31]));
      controller.close();
    },
  });
  assertEquals(await (await router.fetch(post(late))).json(), 1);
});
