/**
 * The entry of the WebSocket servers on Deno, Node and Bun: `<script> <runtime> <module of ws>` prints the port, and ends when
 * its standard input does.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import process from "node:process";
import { bunWebSocket } from "../../mod.ts";
import { serveNode, webSocketUpgrade } from "../../serve/native_node.ts";
import { createSocketRouter } from "./socket_app.ts";

/** The part of Bun that is used here. */
interface BunServer {
  serve(options: object): { port: number };
}

/** Serves until the standard input ends. */
export async function serve(runtime: string, ws: string): Promise<void> {
  console.log(JSON.stringify({ port: await listen(runtime, ws) }));
  process.stdin.on("end", () => process.exit()).resume();
}

async function listen(runtime: string, ws: string): Promise<number> {
  const router = createSocketRouter();
  const address = { hostname: "127.0.0.1", port: 0 };
  if (runtime === "deno") {
    const options = { ...address, onListen: () => {} };
    return Deno.serve(options, (request, info) => router.fetch(request, info)).addr.port;
  }
  if (runtime === "bun") {
    const { Bun } = globalThis as unknown as { Bun: BunServer };
    return Bun.serve({ ...address, fetch: router.fetch, websocket: bunWebSocket }).port;
  }
  const { WebSocketServer } = await import(ws);
  const upgrade = webSocketUpgrade(router, WebSocketServer);
  return (await serveNode(router, { ...address, upgrade })).port;
}
