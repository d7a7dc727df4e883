/**
 * Servers for the cases of `serveNode`, and a client that sends bytes as they are.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import process from "node:process";
import {
  type NodeApplication,
  type NodeServer,
  serveNode,
  type ServeNodeOptions,
} from "../../serve/native_node.ts";
import { assert } from "./harness.ts";

/** Whether this is Node, and nothing that only has its modules. */
export const isNode: boolean = ["deno", "bun"].every((name) => !(name in process.versions));

/** Whether a server replaces the platform's classes here. */
export const areReplaced: boolean = isNode && !process.argv.includes("--native-globals");

/** Where servers listen. */
export const LOOPBACK: ServeNodeOptions = {
  port: 0,
  hostname: "127.0.0.1",
  replaceGlobals: areReplaced,
};

/** What a promise rejects with: its name and its code. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return await promise.then(() => "no error", (error) => `${error.name} ${error.code ?? ""}`);
}

/** A server under test, with the errors that it has reported. */
export interface TestServer extends NodeServer {
  readonly errors: unknown[];
}

/** Serves an application for as long as `use` takes. */
export async function withServer(
  fetch: NodeApplication["fetch"],
  use: (server: TestServer) => Promise<void>,
  options: ServeNodeOptions = {},
): Promise<void> {
  const errors: unknown[] = [];
  const server = await serveNode({ fetch }, {
    ...LOOPBACK,
    onError: (error) => errors.push(error),
    ...options,
  });
  try {
    await use({ ...server, errors });
  } finally {
    const stopped = server.shutdown();
    server.server.closeAllConnections();
    await within(stopped, "the server to stop");
  }
}

/** A connection that shows what arrives, as Latin-1. */
export interface Wire {
  readonly socket: Socket;
  /** What has arrived so far. */
  readonly received: string;
  /** Whether the server has closed the connection, and how. */
  readonly closed: Promise<"end" | "reset">;
  send(text: string): void;
  /** Waits until what has arrived has a text. */
  until(text: string): Promise<string>;
  /** Waits until the server closes the connection. */
  toEnd(): Promise<string>;
}

/** Opens a connection. */
export function openWire(port: number): Wire {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let isClosed = false;
  let wake = (): void => {};
  const closed = new Promise<"end" | "reset">((resolve) => {
    socket.on("end", () => (isClosed = true, wake(), resolve("end")));
    socket.on("error", () => (isClosed = true, wake(), resolve("reset")));
    socket.on("close", () => (isClosed = true, wake(), resolve("reset")));
  });
  socket.on("data", (chunk: Uint8Array) => {
    received += Buffer.from(chunk).toString("latin1");
    wake();
  });
  async function wait(isThere: () => boolean, what: string): Promise<string> {
    const arrival = async (): Promise<void> => {
      while (!isThere()) {
        assert(!isClosed, `closed before ${what}: ${JSON.stringify(received)}`);
        await new Promise<void>((resolve) => wake = resolve);
      }
    };
    await within(arrival(), () => `${what}; there is ${JSON.stringify(received)}`);
    return received;
  }
  return {
    socket,
    get received() {
      return received;
    },
    closed,
    send: (text) => void socket.write(Buffer.from(text, "latin1")),
    until: (text) => wait(() => received.includes(text), JSON.stringify(text)),
    async toEnd() {
      await within(closed, () => `the end; there is ${JSON.stringify(received)}`);
      return received;
    },
  };
}

/** Sends a request on a connection of its own, which it asks to be closed. @returns All that arrives. */
export async function ask(port: number, head: string, body = ""): Promise<string> {
  const wire = openWire(port);
  wire.send(`${head}\r\nConnection: close\r\n\r\n${body}`);
  const text = await wire.toEnd();
  wire.socket.destroy();
  return text;
}

/** A header with `Host`, but without its end. */
export function head(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, "Host: example.com", ...fields].join("\r\n");
}

/** Status, header and body (as UTF-8) of a message that has arrived. */
export function parse(message: string): { status: number; fields: string; body: string } {
  const end = message.indexOf("\r\n\r\n");
  return {
    status: Number(message.slice(9, 12)),
    fields: message.slice(0, end + 2).toLowerCase(),
    body: Buffer.from(message.slice(end + 4), "latin1").toString(),
  };
}

/** Anything that responds. */
export type Answer = () => Response | Promise<Response>;

/** Chunks as a stream, each in a turn of its own. */
export function streamOf(...chunks: readonly unknown[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = [...chunks];
  return new ReadableStream({
    async pull(controller) {
      await sleep(2);
      const chunk = left.shift();
      if (chunk instanceof Error) controller.error(chunk);
      else if (chunk === undefined) controller.close();
      else {controller.enqueue(
          (typeof chunk === "string" ? encode(chunk) : chunk) as Uint8Array<ArrayBuffer>,
        );}
    },
  });
}

/** A text as bytes. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const TIMEOUT_MS = 5000;

/** Fails if a promise takes too long. */
export async function within<T>(promise: Promise<T>, what: string | (() => string)): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`waited for ${typeof what === "string" ? what : what()}`)),
      TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a condition holds. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await sleep(10);
  assert(holds(), `waited for ${what}`);
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
