/**
 * Responses that `serveNode` cannot send, or not to the end, and streams whose client leaves.
 *
 * @module
 */

import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  type Answer,
  ask,
  eventually,
  head,
  openWire,
  parse,
  sleep,
  streamOf,
  type TestServer,
  withServer,
} from "./node_server_wire.ts";

/** Handlers that fail before anything is sent. */
const FAILURES: readonly (readonly [why: string, answer: () => unknown, error: string])[] = [
  ["that throws", () => {
    throw new Error("secret");
  }, "Error: secret"],
  ["that rejects", () => Promise.reject(new Error("secret")), "Error: secret"],
  ["that rejects with no error", () => Promise.reject(undefined), "undefined"],
  [
    "that returns nothing",
    () => undefined,
    "TypeError: Cannot send: the application returned no Response",
  ],
  [
    "that resolves to something else",
    () => Promise.resolve({ status: 200 }),
    "TypeError: Cannot send: the application returned no Response",
  ],
  [
    "that returns an error",
    () => Response.error(),
    "TypeError: Cannot send: the application returned no Response",
  ],
  ["whose body was read", async () => {
    const response = new Response("a");
    await response.text();
    return response;
  }, "TypeError: Cannot send: the response's body was read before"],
  ["whose body is locked", () => {
    const response = new Response("a");
    response.body?.getReader();
    return response;
  }, "TypeError: Cannot send: the response's body is locked"],
  [
    "whose stream fails at once",
    () => new Response(streamOf(new Error("secret"))),
    "Error: secret",
  ],
  [
    "whose counted stream fails at once",
    () => new Response(streamOf(new Error("secret")), { headers: { "Content-Length": "3" } }),
    "Error: secret",
  ],
];

const failureCases: readonly RuntimeCase[] = FAILURES.map(([why, answer, error]) => ({
  name: `serveNode() answers 500 without details for an application ${why}`,
  run: () =>
    withServer(answer as Answer, async ({ port, errors }) => {
      const message = await ask(port, head("GET /"));
      // Streams that fail later than a turn of the event loop break the connection
      if (why.includes("stream fails") && message.startsWith("HTTP/1.1 200")) {
        assert(!message.endsWith("0\r\n\r\n"), "a clean end");
      } else {
        assertSame(parse(message).status, 500);
        assertSame(JSON.parse(parse(message).body).code, "internal_error");
      }
      assert(!message.includes("secret"), message);
      assertSame(errors.map(String), [error]);
    }),
}));

/** Streams that do not become a whole message. */
const BROKEN: readonly (readonly [why: string, answer: Answer, error: string])[] = [
  ["fails", () => new Response(streamOf("ab", new Error("secret"))), "Error: secret"],
  ["has a chunk that is no Uint8Array", () => new Response(streamOf("ab", 1)), "TypeError"],
  [
    "is longer than its Content-Length",
    () => new Response(streamOf("ab", "cd"), { headers: { "Content-Length": "3" } }),
    "longer",
  ],
  [
    "is shorter than its Content-Length",
    () => new Response(streamOf("ab"), { headers: { "Content-Length": "3" } }),
    "shorter",
  ],
];

const brokenCases: readonly RuntimeCase[] = BROKEN.map(([why, answer, error]) => ({
  name: `serveNode() breaks off a response whose stream ${why}`,
  run: () =>
    withServer(answer, async ({ port, errors }) => {
      for (const version of ["1.1", "1.0"]) {
        const wire = openWire(port);
        wire.send(`GET / HTTP/${version}\r\nHost: example.com\r\n\r\n`);
        const end = await wire.closed;
        const { received } = wire;
        assert(!received.includes("0\r\n\r\n") && !received.includes("secret"), received);
        if (version === "1.0") assertSame(end, "reset"); // there, the end of the connection is the end of the body
      }
      assert(errors.length === 2 && String(errors[0]).includes(error), errors.map(String).join());
    }),
}));

const streamCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() sends the header of a stream before its first chunk",
    run: () =>
      withServer(() => new Response(new ReadableStream()), async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /")}\r\n\r\n`);
        await wire.until("\r\n\r\n");
        wire.socket.destroy();
      }),
  },
  {
    name:
      "serveNode() pulls a stream no faster than the client reads, and cancels it when the client leaves",
    run: async () => {
      let [pulled, reason] = [0, undefined as unknown];
      const body = (): ReadableStream<Uint8Array<ArrayBuffer>> =>
        new ReadableStream({
          pull(controller) {
            pulled += 65_536;
            controller.enqueue(new Uint8Array(65_536));
          },
          cancel: (given) => void (reason = given),
        });
      await withServer(() => new Response(body()), async ({ port, errors }: TestServer) => {
        const wire = openWire(port);
        wire.socket.pause();
        wire.send(`${head("GET /")}\r\n\r\n`);
        await sleep(200);
        assert(pulled > 0 && pulled < 16 * 1024 * 1024, `${pulled} bytes`);
        wire.socket.destroy();
        await eventually(() => reason !== undefined, "the cancellation");
        assertSame([String(reason), errors], ["Error: The client disconnected", []]);
      });
    },
  },
  {
    name: "serveNode() cancels the body of a response to HEAD",
    run: async () => {
      let cancelled = false;
      const body = (): ReadableStream =>
        new ReadableStream({ cancel: () => void (cancelled = true) });
      await withServer(() => new Response(body()), async ({ port }) => {
        await ask(port, head("HEAD /"));
        assertSame(cancelled, true);
      });
    },
  },
  {
    name: "serveNode() cancels the body of a response whose client has left before",
    run: async () => {
      let [cancelled, proceed] = [false, (): void => {}];
      const gate = new Promise<void>((resolve) => proceed = resolve);
      const body = (): ReadableStream =>
        new ReadableStream({ cancel: () => void (cancelled = true) });
      await withServer(async ({ signal }) => {
        signal.addEventListener("abort", proceed);
        await gate;
        return new Response(body());
      }, async ({ port, errors }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /")}\r\n\r\n`);
        await sleep(30);
        wire.socket.destroy();
        await eventually(() => cancelled, "the cancellation");
        assertSame(errors, []);
      });
    },
  },
  {
    name: "serveNode() sends large bodies whole",
    run: () =>
      withServer((request) => {
        const bytes = new Uint8Array(3_000_000).fill(97);
        return new Response(request.url.endsWith("b") ? bytes : new Response(bytes).body);
      }, async ({ port }) => {
        for (const path of ["/b", "/s"]) {
          const response = await fetch(`http://127.0.0.1:${port}${path}`);
          assertSame((await response.arrayBuffer()).byteLength, 3_000_000);
        }
      }),
  },
];

/** Every case of responses that fail, and of streams. */
export const nodeFailureCases: readonly RuntimeCase[] = [
  ...failureCases,
  ...brokenCases,
  ...streamCases,
];
