/** Bodies that cost more than their length: many chunks, many parts, and clones that are not read. */

import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { withServer } from "./_raw.ts";

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

/** What Deno.serve passes to its handler with the request; the server frames these bodies. */
const INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
  completed: Promise.resolve(),
};

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
      const response = await served.fetch(request, INFO);
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
    assertEquals((await served.fetch(request, INFO)).status, 413);
    assert(taken() < 100, `${taken()} chunks were read`);
  });
}

Deno.test("[neighbour] with Deno.serve, a body that a mount has declined is still measured", async () => {
  const { stream, taken } = pieces(100_000);
  const router = createRouter<[Deno.ServeHandlerInfo]>({ maxBodyBytes: 10 })
    .mount("/", { fetch: () => undefined }).post("/", (req) => json(req.content));
  const headers = { "Content-Type": "application/json", "Content-Length": "5" };
  const request = new Request("http://localhost/", { method: "POST", headers, body: stream });
  assertEquals((await router.fetch(request, INFO)).status, 413);
  assert(taken() < 100, `${taken()} chunks were read`);
});
