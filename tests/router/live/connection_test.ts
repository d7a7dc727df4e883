/** One connection with a transport of the test: what no runtime does on demand. */

import type { LiveSocket } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { type ConnectionRules, createConnection } from "../../../router/live/_connection.ts";
import type { Receiver, Transport } from "../../../router/live/types.ts";

/** A connection, what its handlers and its transport were called with, and the errors. */
interface Scene {
  readonly receiver: Receiver;
  readonly transport: Transport;
  readonly calls: string[];
  /** The handlers' end. */
  socket(): LiveSocket;
}

/** What the runtime answers. */
interface Runtime {
  readonly isFull?: () => boolean;
  readonly waiting?: () => number;
}

/** Creates a connection whose transport drops messages once `isFull`. */
function connect(
  { handlers, ...rules }: Partial<ConnectionRules> = {},
  { isFull = () => false, waiting = () => 0 }: Runtime = {},
): Scene {
  const calls: string[] = [];
  let socket: LiveSocket | undefined;
  const receiver = createConnection({
    handlers: {
      ...handlers,
      open(opened) {
        calls.push("open");
        socket = opened;
        return handlers?.open?.(opened);
      },
      close: (_socket, code) => void calls.push(`closed ${code}`),
    },
    protocol: "",
    maxMessageBytes: 1000,
    maxBufferedBytes: 1000,
    recheckMs: 10_000,
    signal: undefined,
    runGuards: undefined,
    report: (error) => void calls.push(String(error)),
    ...rules,
  });
  const transport: Transport = {
    send: () => !isFull(),
    close: (code) => void calls.push(`close ${code}`),
    terminate: () => void calls.push("terminate"),
    bufferedBytes: waiting,
  };
  return {
    receiver,
    transport,
    calls,
    socket() {
      if (socket === undefined) throw new Error("The connection is not open");
      return socket;
    },
  };
}

Deno.test("A connection is opened and closed once, and not at all if it breaks before", () => {
  const { receiver, transport, calls } = connect();
  receiver.open(transport);
  receiver.open(transport);
  receiver.close(1006, "");
  receiver.close(1000, "");
  receiver.open(transport);
  assertEquals(calls, ["open", "closed 1006"]);

  const broken = connect();
  broken.receiver.message("early");
  broken.receiver.close(1006, "");
  assertEquals(broken.calls, []);
});

Deno.test("Messages that arrive once the connection is closing or closed are dropped", () => {
  const handled: unknown[] = [];
  const handlers = { message: (_socket: LiveSocket, data: unknown) => void handled.push(data) };
  const { receiver, transport, socket } = connect({ handlers });
  receiver.open(transport);
  receiver.message("a");
  socket().close();
  receiver.message("b");
  receiver.close(1000, "");
  receiver.message("c");
  assertEquals(handled, ["a"]);
});

Deno.test("Handlers get bytes as an array of their own, whatever the runtime has", () => {
  const handled: unknown[] = [];
  const handlers = { message: (_socket: LiveSocket, data: unknown) => void handled.push(data) };
  const { receiver, transport } = connect({ handlers });
  receiver.open(transport);
  const shared = new Uint8Array([1, 2, 3]);
  receiver.message(shared.buffer);
  receiver.message(shared.subarray(1)); // which Bun may use again
  shared[2] = 9;
  assertEquals(handled.slice(1), [new Uint8Array([2, 3])]);
  assertEquals(handled[0] instanceof Uint8Array, true);
});

Deno.test("What waits is counted until the handler gets it, and one message alone may be larger", async () => {
  const handled: number[] = [];
  let release = () => {};
  const handlers = {
    message(_socket: LiveSocket, data: { readonly length: number }) {
      handled.push(data.length);
      return new Promise<void>((resolve) => release = resolve);
    },
  };
  const { receiver, transport, calls } = connect({ handlers, maxMessageBytes: 5000 });
  receiver.open(transport);
  receiver.message("x".repeat(3000));
  for (let i = 1; i <= 6; i++) { // two wait at any time: with 64 bytes each, 728 of 1000
    receiver.message("x".repeat(300));
    if (i === 1) continue;
    release();
    await new Promise((resolve) => setTimeout(resolve));
  }
  assertEquals([handled.length, calls], [6, ["open"]]);
  receiver.message("x".repeat(300));
  assertEquals(calls, ["open"]);
  receiver.message("x".repeat(300));
  assertEquals(calls, ["open", "close 1013"]);
  release();
  receiver.close(1013, "");
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(calls.at(-1), "closed 1013");
});

Deno.test("There is no timer without guards", () => {
  const { setInterval } = globalThis;
  let timers = 0;
  Object.assign(globalThis, { setInterval: () => ++timers });
  try {
    for (const runGuards of [undefined, () => Promise.resolve()]) {
      const { receiver, transport } = connect({ runGuards });
      receiver.open(transport);
      assertEquals(timers, runGuards === undefined ? 0 : 1);
      receiver.close(1000, "");
    }
  } finally {
    Object.assign(globalThis, { setInterval });
  }
});

Deno.test("A message that the runtime drops closes with 1013, RFC 6455 §7.4.1 and IANA", () => {
  let isFull = false;
  const { receiver, transport, calls, socket } = connect({}, { isFull: () => isFull });
  receiver.open(transport);
  assertEquals(socket().send("one"), true);
  isFull = true;
  assertEquals(socket().send("two"), false);
  receiver.close(1013, "");
  assertEquals(calls, ["open", "close 1013", "closed 1013"]);
});

Deno.test("Nothing waits for a client once its connection is closed", () => {
  const { receiver, transport, socket } = connect({}, { waiting: () => 700 });
  receiver.open(transport);
  assertEquals(socket().bufferedBytes, 700);
  receiver.close(1006, "");
  assertEquals(socket().bufferedBytes, 0);
});

Deno.test("A client that does not answer a close frame is cut off after ten seconds, with 1006", () => {
  const timers = new Map<number, () => void>();
  const { setTimeout, clearTimeout } = globalThis;
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms: number) => (timers.set(ms, run), ms),
    clearTimeout: (ms: number) => timers.delete(ms),
  });
  try {
    for (const answers of [false, true]) {
      const { receiver, transport, calls, socket } = connect();
      receiver.open(transport);
      socket().close(1000);
      assertEquals([...timers.keys()], [10_000]);
      if (answers) receiver.close(1000, "");
      else timers.get(10_000)?.();
      receiver.close(1000, "");
      const end = answers ? ["closed 1000"] : ["terminate", "closed 1006"];
      assertEquals(calls, ["open", "close 1000", ...end]);
      assertEquals(timers.size, 0);
    }
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
