/**
 * Cases of WebSockets, asked over sockets frame by frame.
 *
 * @module
 */

import { encodeFrame, handshake, open, PING, TEXT } from "../router/live/_client.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";

/** A server. */
export interface SocketServer {
  readonly port: number;
  /**
   * workerd does not tell how much waits for a client, compresses messages whatever the application says, and replaces what
   * is not UTF-8.
   */
  readonly isWorkerd: boolean;
}

/** A handshake, and the status and code that refuse it. */
const REFUSALS: readonly (readonly [
  why: string,
  path: string,
  headers: Readonly<Record<string, string | undefined>>,
  status: number,
  code: string,
])[] = [
  ["no Upgrade", "/echo", { Upgrade: undefined, Connection: "close" }, 426, "upgrade_required"],
  ["version 8", "/echo", { "Sec-WebSocket-Version": "8" }, 426, "upgrade_required"],
  ["no key", "/echo", { "Sec-WebSocket-Key": undefined }, 400, "invalid_handshake"],
  ["another subprotocol", "/echo", { "Sec-WebSocket-Protocol": "x" }, 400, "unknown_subprotocol"],
  ["another origin", "/echo", { Origin: "https://evil.example" }, 403, "cross_origin"],
  ["an opaque origin", "/echo", { Origin: "null" }, 403, "cross_origin"],
  ["no credential", "/in/guarded/echo", {}, 401, "unauthenticated"],
  [
    "a credential without the scope",
    "/in/guarded/echo",
    { "X-Key": "k" },
    403,
    "insufficient_scope",
  ],
  ["an error of the handler", "/in/guarded/hello/nobody", { "X-Key": "k" }, 404, "nobody_there"],
  ["no route", "/nowhere", {}, 404, "not_found"],
];

/** The cases. */
export function socketCases({ port, isWorkerd }: SocketServer): readonly RuntimeCase[] {
  async function log(count = 1): Promise<string[]> {
    const found: string[] = [];
    for (let i = 0; i < 400 && found.length < count; i++) {
      found.push(...await (await fetch(`http://127.0.0.1:${port}/log`)).json());
      if (found.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return found;
  }

  return [
    {
      name: "websocket() echoes texts, bytes and fragments, and answers pings",
      async run() {
        using client = await open(port, "/echo");
        for (const text of ["hello", "", "ä €", "x".repeat(1000)]) {
          await client.send(text);
          assertSame(await client.next(), text);
        }
        await client.send(new Uint8Array([0, 1, 255]));
        assertSame(await client.next(), "bytes 0,1,255");
        await client.frame(TEXT, new TextEncoder().encode("two "), false);
        await client.frame(PING, new Uint8Array([7]));
        await client.frame(0, new TextEncoder().encode("frames"));
        const pong = await client.read();
        assertSame([pong?.opcode, pong?.payload.join()], [10, "7"]);
        assertSame(await client.next(), "two frames");
        await client.close(4001, "done");
        assertSame((await client.next()).slice(0, 10), "close 4001");
        assertSame(await client.next(), "end");
        client.end(); // ws waits for it
        assertSame(await log(), ["4001"]);
      },
    },
    ...REFUSALS.map(([why, path, headers, status, code]): RuntimeCase => ({
      name: `websocket() refuses ${why} with ${status}`,
      async run() {
        const refusal = await handshake(port, path, { headers });
        assertSame([refusal.status, JSON.parse(refusal.body).code], [status, code]);
        assertSame(refusal.headers.get("Sec-WebSocket-Version"), status === 426 ? "13" : null);
      },
    })),
    {
      name: "websocket() accepts its own origin, a listed one, and none",
      async run() {
        for (const Origin of [`http://127.0.0.1:${port}`, "https://app.example", undefined]) {
          const client = await open(port, "/echo", { headers: { Origin } });
          await client.leave();
        }
        assertSame(await log(3), ["1000", "1000", "1000"]);
      },
    },
    {
      name: "websocket() selects a subprotocol",
      async run() {
        for (const [offered, selected] of [["x, chat.v1 ,chat.v2", "chat.v1"], [undefined, null]]) {
          const headers = { "Sec-WebSocket-Protocol": offered ?? undefined };
          const { client, headers: fields } = await handshake(port, "/protocol", { headers });
          assertSame(fields.get("Sec-WebSocket-Protocol"), selected);
          assertSame(await client.next(), `<${selected ?? ""}>`);
          await client.leave();
        }
      },
    },
    {
      name: `websocket() ${isWorkerd ? "leaves compression to the runtime" : "does not compress"}`,
      async run() {
        const headers = { "Sec-WebSocket-Extensions": "permessage-deflate" };
        const { client, headers: fields } = await handshake(port, "/echo", { headers });
        const expected = isWorkerd ? "permessage-deflate" : null;
        assertSame(fields.get("Sec-WebSocket-Extensions"), expected);
        await client.leave();
        assertSame(await log(), ["1000"]);
      },
    },
    {
      name:
        "websocket() closes with the code of the handler, 1011 for an error, 1009 for a large message",
      async run() {
        for (
          const [text, code] of [["close", 4321], ["throw", 1011], [
            "x".repeat(1001),
            1009,
          ]] as const
        ) {
          using client = await open(port, "/echo");
          await client.send(text);
          assertSame((await client.next()).slice(0, 10), `close ${code}`);
        }
        const found = await log(4);
        assertSame(found.filter((one) => one.startsWith("Error")), ["Error: secret"]);
        assertSame(found.length, 4);
      },
    },
    {
      name: "websocket() ends what breaks the protocol: a reserved opcode, text that is not UTF-8",
      async run() {
        const reserved = encodeFrame(3, new Uint8Array(0));
        const invalid = encodeFrame(TEXT, new Uint8Array([0xc3, 0x28]));
        const broken = isWorkerd ? [reserved] : [reserved, invalid];
        for (const bytes of broken) {
          using client = await open(port, "/echo");
          await client.write(bytes);
          const last = await client.next();
          assert(/^close 100[27]|^end$/.test(last), last);
        }
        assertSame((await log(broken.length)).length, broken.length);
      },
    },
    {
      name: "websocket() tells of a connection that ends without a close frame",
      async run() {
        const gone = await open(port, "/echo");
        gone.end();
        assertSame(await log(), ["1006"]);
        using half = await open(port, "/echo");
        await half.connection.closeWrite();
        assertSame(await log(), ["1006"]);
      },
    },
    {
      name: "websocket() in a mount runs the guards again, and closes with 1008",
      async run() {
        const headers = { "X-Key": "chat-1" };
        using client = await open(port, "/in/guarded/echo", { headers });
        await client.send("hello");
        assertSame(await client.next(), "hello");
        await new Promise((resolve) => setTimeout(resolve, 200));
        await client.send("still here");
        assertSame(await client.next(), "still here");
        const revoke = `http://127.0.0.1:${port}/in/guarded/revoke/chat-1`;
        await (await fetch(revoke, { method: "POST" })).body?.cancel();
        assertSame(await client.next(), "close 1008 key_revoked");
        client.end();
        assertSame((await log())[0], "1008");
      },
    },
    ...(isWorkerd ? [] : [slowCase(port, log)]),
  ];
}

function slowCase(port: number, log: () => Promise<string[]>): RuntimeCase {
  return {
    name: "websocket() closes the connection of a client that does not read",
    async run() {
      using client = await open(port, "/slow");
      await new Promise((resolve) => setTimeout(resolve, 1000));
      let last = "";
      for (let text = ""; text !== "end"; text = await client.next()) {
        if (!text.startsWith("bytes")) last = text;
      }
      client.end(); // ws waits for it
      assert(/^close 1013|^$/.test(last), last);
      assertSame((await log()).length, 1);
    },
  };
}
