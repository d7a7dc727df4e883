/**
 * Starting, options and stopping of `serveNode`, and what is around requests: upgrades, TLS, the client's address.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type NodeAddress, serveNode } from "../../serve/native_node.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  ask,
  failure,
  head,
  LOOPBACK,
  openWire,
  parse,
  sleep,
  within,
  withServer,
} from "./node_server_wire.ts";

const application = { fetch: (): Response => new Response("done") };

/** Responds with `[slow]`, after a while. */
async function slow(): Promise<Response> {
  await sleep(100);
  return new Response("[slow]");
}

const startCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() listens on a free port, and says where",
    async run() {
      let listening: NodeAddress | undefined;
      const options = { ...LOOPBACK, onListen: (given: NodeAddress) => void (listening = given) };
      const { port, hostname, origin, server, shutdown, finished } = await serveNode(
        application,
        options,
      );
      assert(port > 0 && server.listening, "not listening");
      assertSame([hostname, origin], ["127.0.0.1", `http://127.0.0.1:${port}`]);
      assertSame(listening, { hostname, port, origin });
      assertSame(await (await fetch(origin)).text(), "done");
      await within(shutdown(), "the end");
      await finished;
      assertSame(server.listening, false);
    },
  },
  {
    name: "serveNode() rejects if the port is taken, and for what cannot be served",
    run: () =>
      withServer(slow, async ({ port }) => {
        const taken = serveNode(application, { ...LOOPBACK, port });
        assertSame(await failure(taken), "Error EADDRINUSE");
        const nothing = serveNode({} as unknown as typeof application, LOOPBACK);
        assertSame(await failure(nothing), "TypeError ");
        const aborted = serveNode(application, { ...LOOPBACK, signal: AbortSignal.abort() });
        assertSame((await failure(aborted)).split(" ")[0], "AbortError");
      }),
  },
  {
    name: "serveNode() passes options to Node's server",
    run: () =>
      withServer(slow, async ({ server, port }) => {
        assertSame([server.keepAliveTimeout, server.headersTimeout], [1234, 2345]);
        assertSame(parse(await ask(port, head("GET /", `X-A: ${"a".repeat(2000)}`))).status, 431);
      }, { server: { keepAliveTimeout: 1234, headersTimeout: 2345, maxHeaderSize: 1024 } }),
  },
  {
    name: "serveNode() leaves Node's limits for slow clients",
    run: () =>
      withServer(slow, async ({ server }) => {
        const { keepAliveTimeout, headersTimeout, requestTimeout } = server;
        assert(keepAliveTimeout >= 5000 && headersTimeout === 60_000, "other defaults");
        assertSame([requestTimeout], [300_000]);
        await Promise.resolve();
      }),
  },
];

const stopCases: readonly RuntimeCase[] = [
  {
    name: "shutdown() lets running requests finish, and closes idle connections at once",
    async run() {
      const { port, shutdown } = await serveNode({ fetch: slow }, LOOPBACK);
      const [busy, idle, silent, partial] = [1, 2, 3, 4].map(() => openWire(port));
      assert(busy && idle && silent && partial, "four");
      idle.send(`${head("GET /")}\r\n\r\n`);
      partial.send("GET / HT");
      await idle.until("[slow]");
      busy.send(`${head("GET /")}\r\n\r\n`);
      await sleep(30);
      const stopped = shutdown();
      await Promise.all([idle.toEnd(), silent.toEnd(), partial.toEnd()]);
      assertSame(busy.received, "");
      assertSame(
        await failure(fetch(`http://127.0.0.1:${port}/`)).then((text) => text !== "no error"),
        true,
      );
      const text = await busy.toEnd();
      assert(text.includes("[slow]") && /connection: close/i.test(text), text);
      await within(stopped, "the end");
    },
  },
  {
    name: "shutdown() lets a stream finish that has begun, and closes its connection",
    async run() {
      const { port, shutdown } = await serveNode({
        fetch: () => {
          const body = new ReadableStream({
            async start(controller) {
              controller.enqueue(new TextEncoder().encode("begin"));
              await sleep(100);
              controller.enqueue(new TextEncoder().encode("finish"));
              controller.close();
            },
          });
          return new Response(body);
        },
      }, LOOPBACK);
      const wire = openWire(port);
      wire.send(`${head("GET /")}\r\n\r\n`);
      await wire.until("begin");
      const stopped = shutdown();
      assert((await wire.toEnd()).endsWith("finish\r\n0\r\n\r\n"), wire.received);
      await within(stopped, "the end");
    },
  },
  {
    name: "serveNode() stops when its signal is aborted, and by `await using`",
    async run() {
      const controller = new AbortController();
      const { finished } = await serveNode(application, { ...LOOPBACK, signal: controller.signal });
      controller.abort();
      await within(finished, "the end");
      const other = await serveNode(application, LOOPBACK);
      await within(other[Symbol.asyncDispose]() as Promise<void>, "the end");
      await Promise.all([other.shutdown(), other.shutdown()]); // once more changes nothing
    },
  },
];

/** The response to a handshake, RFC 6455 §4.2.2. */
function accept(key: string | undefined): string {
  const digest = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest(
    "base64",
  );
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Accept: ${digest}\r\n\r\n`;
}

const HANDSHAKE = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

const upgradeCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() ignores Upgrade, unless there is `upgrade`",
    run: () =>
      withServer(() => new Response("plain"), async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /", ...HANDSHAKE)}\r\n\r\n`);
        assert((await wire.until("plain")).startsWith("HTTP/1.1 200"), wire.received);
        wire.socket.destroy();
      }),
  },
  {
    name: "serveNode() hands a socket over for a WebSocket",
    async run() {
      const { port, shutdown } = await serveNode(application, {
        ...LOOPBACK,
        upgrade(request, socket, first) {
          socket.write(accept(request.headers["sec-websocket-key"]));
          if (first.length > 0) socket.write(first);
          socket.on("data", (chunk: Uint8Array) => socket.write(chunk));
          socket.on("end", () => socket.end());
        },
      });
      const wire = openWire(port);
      wire.send(`${head("GET /", ...HANDSHAKE)}\r\n\r\n`);
      await wire.until("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"); // of RFC 6455 §1.3
      wire.send("frame");
      await wire.until("frame");
      const stopped = shutdown(); // which leaves the socket to its owner
      await sleep(120);
      wire.send("another");
      await wire.until("another");
      wire.socket.end();
      await within(stopped, "the end");
    },
  },
  {
    name:
      "serveNode() refuses an upgrade of a malformed target, and closes the socket of one that fails",
    async run() {
      const errors: unknown[] = [];
      const { port, shutdown } = await serveNode(application, {
        ...LOOPBACK,
        onError: (error) => errors.push(error),
        upgrade: () => Promise.reject(new Error("no")),
      });
      const [bad, failing] = [openWire(port), openWire(port)];
      bad.send(`GET /a\\b HTTP/1.1\r\nHost: example.com\r\n${HANDSHAKE.join("\r\n")}\r\n\r\n`);
      assert((await bad.toEnd()).startsWith("HTTP/1.1 400"), bad.received);
      assertSame(errors, []);
      failing.send(`${head("GET /", ...HANDSHAKE)}\r\n\r\n`);
      assertSame(await failing.toEnd(), "");
      assertSame(errors.map(String), ["Error: no"]);
      bad.socket.destroy();
      await within(shutdown(), "the end");
    },
  },
];

/** Every case of the server as a whole. */
export const nodeLifecycleCases: readonly RuntimeCase[] = [
  ...startCases,
  ...stopCases,
  ...upgradeCases,
];
