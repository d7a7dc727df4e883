/** WebSockets over sockets: handshake, messages, limits, closing. */

import {
  createRouter,
  type LiveSocket,
  websocket,
  type WebSocketHandlers,
  type WebSocketOptions,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { withServer } from "../../attacks/_raw.ts";
import { untyped } from "../_helpers.ts";
import {
  BINARY,
  CLOSE,
  handshake,
  type HandshakeOptions,
  open,
  PING,
  type SocketClient,
  TEXT,
} from "./_client.ts";

/** What happened at the server: closes as `<code> <reason>`, and errors. */
interface Log {
  readonly closes: string[];
  readonly errors: unknown[];
  /** Resolves once there are so many closes. */
  closed(count?: number): Promise<void>;
}

/** Serves one WebSocket at `/`. */
async function withSocket(
  handlers: WebSocketHandlers,
  options: WebSocketOptions,
  use: (port: number, log: Log) => Promise<void>,
): Promise<void> {
  const closes: string[] = [];
  const errors: unknown[] = [];
  const log: Log = {
    closes,
    errors,
    async closed(count = 1) {
      while (closes.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
  const router = createRouter({ onError: (error) => void errors.push(error) })
    .get("/", (req) =>
      websocket(req, {
        ...handlers,
        close(socket, code, reason) {
          closes.push(`${code} ${reason}`.trim());
          return handlers.close?.(socket, code, reason);
        },
      }, options));
  await withServer((request) => router.fetch(request), (port) => use(port, log));
}

const ECHO: WebSocketHandlers = { message: (socket, data) => void socket.send(data) };

/** A handshake, and its status and code. */
const REFUSED: readonly (readonly [
  why: string,
  options: HandshakeOptions,
  status: number,
  code: string,
])[] = [
  ["a request without Upgrade", { headers: { Upgrade: undefined } }, 426, "upgrade_required"],
  ["another protocol", { headers: { Upgrade: "h2c" } }, 426, "upgrade_required"],
  [
    "a protocol that contains the name",
    { headers: { Upgrade: "x-websocket" } },
    426,
    "upgrade_required",
  ],
  ["Connection without upgrade", { headers: { Connection: "close" } }, 426, "upgrade_required"],
  ["version 8", { headers: { "Sec-WebSocket-Version": "8" } }, 426, "upgrade_required"],
  ["no version", { headers: { "Sec-WebSocket-Version": undefined } }, 426, "upgrade_required"],
  ["no key", { headers: { "Sec-WebSocket-Key": undefined } }, 400, "invalid_handshake"],
  [
    "a key of 15 bytes",
    { headers: { "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAA" } },
    400,
    "invalid_handshake",
  ],
  [
    "a key with bits after its bytes",
    { headers: { "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZR==" } },
    400,
    "invalid_handshake",
  ],
  [
    "a subprotocol that the server does not speak",
    { headers: { "Sec-WebSocket-Protocol": "chat.v3" } },
    400,
    "unknown_subprotocol",
  ],
  [
    "a subprotocol in another case",
    { headers: { "Sec-WebSocket-Protocol": "CHAT.V1" } },
    400,
    "unknown_subprotocol",
  ],
];

Deno.test("websocket() refuses what is no handshake, with a problem", async () => {
  await withSocket(ECHO, { protocols: ["chat.v2", "chat.v1"] }, async (port, { errors }) => {
    for (const [why, options, status, code] of REFUSED) {
      const refusal = await handshake(port, "/", options);
      assertEquals([refusal.status, JSON.parse(refusal.body).code], [status, code], why);
      assertEquals(refusal.headers.get("Upgrade"), status === 426 ? "websocket" : null, why);
      assertEquals(refusal.headers.get("Sec-WebSocket-Version"), status === 426 ? "13" : null, why);
    }
    assertEquals(errors, []);
  });
});

Deno.test("websocket() accepts what browsers and proxies make of a handshake", async () => {
  await withSocket(ECHO, {}, async (port) => {
    for (
      const headers of [
        { Connection: "keep-alive, Upgrade" }, // Firefox
        { Connection: "upgrade", Upgrade: "WebSocket" },
      ]
    ) {
      const client = await open(port, "/", { headers });
      await client.leave();
    }
  });
});

Deno.test("websocket() refuses HEAD, POST and a handshake with content", async () => {
  await withSocket(ECHO, {}, async (port) => {
    assertEquals((await handshake(port, "/", { method: "HEAD" })).status, 426);
    assertEquals((await handshake(port, "/", { method: "POST" })).status, 405);
    const content = { headers: { "Content-Length": "5" }, content: "hello" };
    assertEquals((await handshake(port, "/", content)).status, 400);
    const chunked = { headers: { "Transfer-Encoding": "chunked" }, content: "0\r\n\r\n" };
    assertEquals((await handshake(port, "/", chunked)).status, 400);
  });
});

/** A handshake. */
const HANDSHAKE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

Deno.test("websocket() refuses with Connection: Upgrade, RFC 9110 §7.8", async () => {
  const router = createRouter().get("/", (req) => websocket(req, ECHO));
  const { status, headers } = await router.request("/"); // servers may take the field away
  assertEquals([status, headers.get("Connection")], [426, "Upgrade"]);
});

/** Fields of content, which Deno's server refuses itself. */
const CONTENT: readonly (readonly [name: string, value: string, status: number])[] = [
  ["Content-Length", "5", 400],
  ["Content-Length", "five", 400],
  ["Content-Length", "0", 101],
  ["Transfer-Encoding", "chunked", 400],
];

for (const [name, value, status] of CONTENT) {
  Deno.test(`websocket() answers ${status} to a handshake with ${name}: ${value}`, async () => {
    const router = createRouter().get("/", (req) => websocket(req, ECHO));
    const response = await router.request("/", { headers: { ...HANDSHAKE, [name]: value } });
    assertEquals(response.status, status);
    if (status === 400) assertEquals((await response.json()).code, "invalid_handshake");
  });
}

/** What the client offers, and what is selected: the client's order counts. */
const SELECTED: readonly (readonly [offered: string | undefined, selected: string | null])[] = [
  [undefined, null],
  ["chat.v1", "chat.v1"],
  ["chat.v1, chat.v2", "chat.v1"],
  ["chat.v3,chat.v2 ,chat.v1", "chat.v2"],
];

for (const [offered, selected] of SELECTED) {
  Deno.test(`websocket() selects ${selected} of ${offered}`, async () => {
    const protocols = ["chat.v2", "chat.v1"];
    const hello = { open: (socket: LiveSocket) => void socket.send(`<${socket.protocol}>`) };
    await withSocket(hello, { protocols }, async (port, log) => {
      const headers = { "Sec-WebSocket-Protocol": offered };
      const { headers: fields, client } = await handshake(port, "/", { headers });
      assertEquals(fields.get("Sec-WebSocket-Protocol"), selected);
      assertEquals(fields.get("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="); // RFC 6455 §1.3
      assertEquals(await client.next(), `<${selected ?? ""}>`);
      client.end();
      await log.closed();
    });
  });
}

Deno.test("websocket() passes texts and bytes, fragments joined, and answers pings", async () => {
  await withSocket(ECHO, {}, async (port, log) => {
    using client = await open(port, "/");
    for (const text of ["", "hello", "ä €", "x".repeat(300), "y".repeat(65_536)]) {
      await client.send(text);
      assertEquals(await client.next(), text);
    }
    await client.send(new Uint8Array([0, 1, 255]));
    assertEquals(await client.next(), "bytes 0,1,255");
    await client.frame(TEXT, new TextEncoder().encode("two "), false);
    await client.frame(PING, new Uint8Array([7]));
    await client.frame(0, new TextEncoder().encode("frames"));
    const pong = await client.read();
    assertEquals([pong?.opcode, pong?.payload.join()], [10, "7"]);
    assertEquals(await client.next(), "two frames");
    await client.close(4001, "done");
    assertEquals(await client.next(), "close 4001 done");
    assertEquals(await client.next(), "end");
    await log.closed();
    assertEquals(log.closes, ["4001 done"]);
  });
});

Deno.test("websocket() sends strings, buffers and views of a part of one", async () => {
  const { buffer } = new Uint8Array([1, 2, 3, 4]);
  await withSocket(
    {
      open(socket) {
        for (const one of ["text", buffer, new Uint8Array(buffer, 1, 2), new DataView(buffer, 3)]) {
          assert(socket.send(one));
        }
        assertThrows(() => socket.send(untyped({})), TypeError, "Cannot send message");
        socket.close(1001);
        assertEquals(socket.send("late"), false);
        socket.close(1002, "only the first one counts");
      },
    },
    {},
    async (port, log) => {
      using client = await open(port, "/");
      const received = [];
      for (let i = 0; i < 6; i++) received.push(await client.next());
      const expected = ["text", "bytes 1,2,3,4", "bytes 2,3", "bytes 4", "close 1001", "end"];
      assertEquals(received, expected);
      await log.closed();
      assertEquals(log.errors, []);
    },
  );
});

Deno.test("close() refuses codes and reasons that RFC 6455 §7.4 and §5.5 forbid", async () => {
  await withSocket(
    {
      open(socket) {
        for (const code of [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 1000.5, NaN]) {
          assertThrows(() => socket.close(code), RangeError, "code must be");
        }
        assertThrows(() => socket.close(1000, "ä".repeat(62)), RangeError, "123 bytes");
        socket.close(1000, "ä".repeat(61));
      },
    },
    {},
    async (port, { errors }) => {
      using client = await open(port, "/");
      assertEquals(await client.next(), `close 1000 ${"ä".repeat(61)}`);
      assertEquals(await client.next(), "end");
      assertEquals(errors, []);
    },
  );
});

Deno.test("websocket() handles one message at a time, in order, and close after them", async () => {
  const steps: string[] = [];
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  await withSocket(
    {
      async open() {
        await pause(10);
        steps.push("open");
      },
      async message(_socket, data) {
        steps.push(`begin ${data}`);
        await pause(5);
        steps.push(`end ${data}`);
      },
      close: () => void steps.push("close"),
    },
    {},
    async (port, log) => {
      using client = await open(port, "/");
      for (const text of ["a", "b", "c"]) await client.send(text);
      await client.close(1000);
      await log.closed();
      assertEquals(steps.join(), "open,begin a,end a,begin b,end b,begin c,end c,close");
    },
  );
});

/** What a handler does, and the error that is reported. */
const FAILING: readonly (readonly [why: string, handlers: WebSocketHandlers])[] = [
  ["open throws", { open: fail }],
  ["open rejects", { open: () => Promise.resolve().then(fail) }],
  ["message throws", { message: fail }],
  ["message rejects", { message: () => Promise.resolve().then(fail) }],
];

function fail(): never {
  throw new Error("secret");
}

for (const [why, handlers] of FAILING) {
  Deno.test(`websocket() reports an error and closes with 1011: ${why}`, async () => {
    let calls = 0;
    const counted = {
      message(socket: LiveSocket, data: string | Uint8Array<ArrayBuffer>) {
        calls++;
        return handlers.message?.(socket, data);
      },
    };
    await withSocket({ ...handlers, ...counted }, {}, async (port, log) => {
      using client = await open(port, "/");
      await client.send("one");
      await client.send("two");
      assertEquals(await client.next(), "close 1011 internal_error");
      assertEquals(await client.next(), "end");
      await log.closed();
      assertEquals(log.errors.map(String), ["Error: secret"]);
      assertEquals(calls, "message" in handlers ? 1 : 0);
    });
  });
}

Deno.test("websocket() reports an error of close", async () => {
  await withSocket({ close: fail }, {}, async (port, log) => {
    using client = await open(port, "/");
    await client.close(1000);
    assertEquals(await client.next(), "close 1000");
    await log.closed();
    assertEquals(log.errors.map(String), ["Error: secret"]);
  });
});

/** Messages by their sizes, and how the connection is closed. */
const SIZES: readonly (readonly [why: string, send: (client: SocketClient) => Promise<void>])[] = [
  ["a text of 101 bytes", (client) => client.send("x".repeat(101))],
  ["a text of 51 characters and 102 bytes", (client) => client.send("ä".repeat(51))],
  ["bytes", (client) => client.send(new Uint8Array(101))],
  ["fragments", async (client) => {
    await client.frame(BINARY, new Uint8Array(60), false);
    await client.frame(0, new Uint8Array(60));
  }],
];

Deno.test("websocket() closes with 1009 for a message that is too large", async () => {
  await withSocket(ECHO, { maxMessageBytes: 100 }, async (port, log) => {
    for (const [why, send] of SIZES) {
      using client = await open(port, "/");
      await client.send("x".repeat(100));
      assertEquals(await client.next(), "x".repeat(100));
      await send(client);
      assertEquals(await client.next(), "close 1009 The message is too large", why);
      assertEquals(await client.next(), "end");
    }
    await log.closed(SIZES.length);
    assertEquals(log.closes.every((one) => one.startsWith("1009")), true);
  });
});

Deno.test("websocket() closes with 1013 if messages arrive faster than they are handled", async () => {
  for (const size of [0, 500]) {
    let handled = 0;
    const never: WebSocketHandlers = {
      async message(socket) {
        handled++;
        await new Promise<void>((resolve) =>
          socket.signal.addEventListener("abort", () => resolve())
        );
      },
    };
    await withSocket(never, { maxBufferedBytes: 10_000 }, async (port, log) => {
      using client = await open(port, "/");
      const received = client.next();
      for (let i = 0; i < 200 && log.closes.length === 0; i++) {
        await client.send("x".repeat(size)).catch(() => {}); // the server may have closed by now
      }
      assertMatch(
        await received,
        /^(?:close 1013 Messages arrive faster than they are handled|end)$/,
      );
      await log.closed();
      assertEquals(handled, 1);
    });
  }
});

Deno.test("send() closes the connection of a client that does not read", async () => {
  let sent = 0;
  await withSocket(
    {
      async open(socket) {
        while (socket.send(new Uint8Array(65_536))) {
          sent++;
          await new Promise((resolve) => setTimeout(resolve));
        }
      },
    },
    { maxBufferedBytes: 300_000 },
    async (port, log) => {
      const client = await open(port, "/");
      while (sent === 0 || sent * 65_536 < 300_000) await new Promise((r) => setTimeout(r, 10));
      await new Promise((resolve) => setTimeout(resolve, 300));
      assertEquals(log.errors, []);
      let last = "";
      for (let text = ""; text !== "end"; text = await client.next()) {
        if (!text.startsWith("bytes")) last = text;
      }
      assertEquals(last, "close 1013 The client reads too slowly");
      client.end();
      await log.closed();
      assert(sent * 65_536 < 50_000_000, `${sent} messages were sent`);
    },
  );
});

Deno.test("websocket() tells of a connection that ends without a close frame, and of one without a code", async () => {
  let signal: AbortSignal | undefined;
  const keep: WebSocketHandlers = { open: (socket) => void (signal = socket.signal) };
  await withSocket(keep, {}, async (port, log) => {
    const first = await open(port, "/");
    first.end();
    await log.closed(1);
    assertEquals(signal?.aborted, true);
    using half = await open(port, "/");
    await half.connection.closeWrite();
    await log.closed(2);
    using bare = await open(port, "/");
    await bare.frame(CLOSE);
    await log.closed(3);
    assertEquals(log.closes, ["1006", "1006", "1005"]);
    assertEquals(log.errors, []);
  });
});

Deno.test("websocket() drops what comes after close()", async () => {
  const handled: unknown[] = [];
  await withSocket(
    {
      message(socket, data) {
        handled.push(data);
        socket.close(4000);
      },
    },
    {},
    async (port, log) => {
      using client = await open(port, "/");
      for (const text of ["a", "b", "c"]) await client.send(text);
      assertEquals(await client.next(), "close 4000");
      await log.closed();
      assertEquals(handled, ["a"]);
    },
  );
});

Deno.test("websocket() ends a connection whose client does not answer pings", async () => {
  await withSocket({}, { idleTimeout: 0.2 }, async (port, log) => {
    const client = await open(port, "/");
    await log.closed();
    client.end();
    assertEquals(log.closes[0]?.startsWith("100"), true, log.closes[0]);
  });
});

Deno.test("websocket() closes with 1001 when its signal is aborted, and when Deno's server shuts down", async () => {
  const controller = new AbortController();
  await withSocket({}, { signal: controller.signal }, async (port, log) => {
    using client = await open(port, "/");
    controller.abort();
    assertEquals(await client.next(), "close 1001 The server stops");
    using late = await open(port, "/");
    assertEquals(await late.next(), "close 1001 The server stops");
    await log.closed(2);
  });
  const router = createRouter().get("/", (req) => websocket(req, {}));
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, (request) => router.fetch(request));
  using client = await open(server.addr.port, "/");
  const stopped = server.shutdown();
  assertEquals((await client.next()).slice(0, 10), "close 1001");
  client.end();
  await stopped;
});

/** Handlers and options that are refused. */
const INVALID: readonly (readonly [
  why: string,
  handlers: unknown,
  options: unknown,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["no handlers", undefined, {}, TypeError],
  ["a misspelt handler", { onmessage() {} }, {}, TypeError],
  ["a handler that is no function", { message: "x" }, {}, TypeError],
  ["a misspelt option", {}, { maxMesageBytes: 1 }, TypeError],
  ["an origin with a path", {}, { origins: ["https://a.example/"] }, TypeError],
  ["a wildcard", {}, { origins: ["https://*.example"] }, TypeError],
  ["a protocol that is no token", {}, { protocols: ["a b"] }, TypeError],
  ["a duplicate protocol", {}, { protocols: ["a", "a"] }, TypeError],
  ["protocols that are no array", {}, { protocols: "chat" }, TypeError],
  ["no limit", {}, { maxMessageBytes: Infinity }, RangeError],
  ["nothing that may wait", {}, { maxBufferedBytes: 0 }, RangeError],
  ["no recheck", {}, { recheck: Infinity }, RangeError],
  ["recheck all the time", {}, { recheck: 0 }, RangeError],
  ["no time to live", {}, { idleTimeout: -1 }, RangeError],
];

Deno.test("websocket() rejects invalid handlers and options", async () => {
  for (const [why, handlers, options, error] of INVALID) {
    const errors: unknown[] = [];
    const router = createRouter({ onError: (error) => void errors.push(error) })
      .get("/", (req) => websocket(req, untyped(handlers), untyped(options)));
    assertEquals((await router.request("/", { headers: HANDSHAKE })).status, 500, why);
    assert(errors[0] instanceof error, why);
    assert(!String(errors[0]).includes("server"), String(errors[0]));
  }
});
