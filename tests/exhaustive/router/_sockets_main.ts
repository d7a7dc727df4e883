/**
 * A process of its own that opens many WebSockets, and prints what is left of them: its memory and its descriptors are counted.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createRouter, type LiveSocket, websocket } from "../../../mod.ts";
import { open, type SocketClient } from "../../router/live/_client.ts";

/** What was left. */
export interface SocketsLeft {
  /** Connections that were opened. */
  readonly opened: number;
  /** Calls of `close`, by code. */
  readonly closed: Readonly<Record<string, number>>;
  /** Connections that the application still knows. */
  readonly members: number;
  /** More open descriptors than before. */
  readonly descriptors: number;
  /** More bytes on the heap than before, after a collection. */
  readonly heap: number;
}

const members = new Set<LiveSocket>();
let opened = 0;
let closed: Record<string, number> = {};

const controller = new AbortController();
const IDLE_SECONDS = 4;
const common = { recheck: 3600, idleTimeout: IDLE_SECONDS, signal: controller.signal };
const router = createRouter()
  .get(
    "/echo",
    (req) =>
      websocket(req, { open: join, message: (s, data) => void s.send(data), close: leave }, common),
  )
  .get("/slow", (req) =>
    websocket(req, {
      async open(socket) {
        join(socket);
        while (socket.send(new Uint8Array(65_536))) await pause(1);
      },
      close: leave,
    }, { ...common, maxBufferedBytes: 262_144 }))
  .get(
    "/silent",
    (req) => websocket(req, { open: join, close: leave }, common),
  );

function join(socket: LiveSocket): void {
  opened++;
  members.add(socket);
}

function leave(socket: LiveSocket, code: number): void {
  members.delete(socket);
  closed[code] = (closed[code] ?? 0) + 1;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function descriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

async function heap(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    (globalThis as unknown as { gc(): void }).gc();
    await pause(50);
  }
  return Deno.memoryUsage().heapUsed;
}

/** Opens connections, does something with each, and measures once all have ended. */
async function measure(
  total: number,
  wave: number,
  path: string,
  use: (client: SocketClient) => Promise<void>,
): Promise<SocketsLeft> {
  opened = 0;
  closed = {};
  const [fdsBefore, heapBefore] = [descriptors(), await heap()];
  for (let done = 0; done < total; done += wave) {
    await runWave(wave, path, use);
    await settled();
  }
  const left = { opened, closed: { ...closed }, members: members.size };
  await pause(IDLE_SECONDS * 1000); // for so long Deno keeps what has ended without a close frame
  return { ...left, descriptors: descriptors() - fdsBefore, heap: await heap() - heapBefore };
}

async function runWave(
  count: number,
  path: string,
  use: (client: SocketClient) => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => {
    const client = await open(port, path);
    try {
      await use(client);
    } finally {
      client.end();
    }
  }));
}

/** Waits until the application has heard of every end, for 20 seconds at most. */
async function settled(): Promise<void> {
  for (let i = 0; i < 400 && members.size > 0; i++) await pause(50);
  await pause(200);
}

const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const server = Deno.serve(options, (request) => router.fetch(request));
const port = server.addr.port;

async function talk(client: SocketClient): Promise<void> {
  await client.send("hello");
  await client.next();
}

/** Waits until the server has ended all connections, without reading. */
async function wait(): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (members.size > 0 && Date.now() < deadline) await pause(100);
}

/** Kinds of connections: how many there are, how many at once, and what each does. */
const KINDS: Readonly<Record<string, Parameters<typeof measure>>> = {
  // 20,000 descriptors are the usual limit, and each connection has two here: in waves
  closed: [10_000, 1_000, "/echo", async (client) => {
    await talk(client);
    await client.leave();
  }],
  reset: [2_000, 500, "/echo", talk],
  halfClosed: [1_000, 500, "/echo", async (client) => {
    await talk(client);
    await client.connection.closeWrite();
    while (await client.read() !== undefined); // it cannot answer
  }],
  slow: [100, 100, "/slow", wait], // a client that does not read
  silent: [500, 500, "/silent", wait], // nor answers pings
};

// what is made once
await Promise.all(
  Object.values(KINDS).map(([, wave, path, use]) => runWave(Math.min(wave, 200), path, use)),
);
await settled();
const results: Record<string, SocketsLeft> = {};
for (const [kind, args] of Object.entries(KINDS)) results[kind] = await measure(...args);
console.log(JSON.stringify(results));
Deno.exit();
