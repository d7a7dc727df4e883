/**
 * One of the servers of `node.ts`, on Node: prints its port as soon as it listens. It is bundled first.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { Hono } from "hono";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { createRouter, json } from "../mod.ts";
import { serveNode } from "../serve/native_node.ts";

/** Anything that answers requests. */
type Fetch = (request: Request, ...args: unknown[]) => Response | Promise<Response>;

/** The part of Hono's adapter that is used here. It is installed beside the bundle. */
interface NodeServer {
  serve(
    options: { fetch: Fetch; hostname: string; port: number },
    listening: (address: AddressInfo) => void,
  ): void;
}

const NODE_SERVER: string = "@hono/node-server";
const PLACE = { hostname: "127.0.0.1", port: 0 };
const TEXT = "Hello, world";
const CHUNK = new Uint8Array(65_536);
const CHUNKS = 16;

/** A stream of one MiB. */
function stream(): Response {
  let left = CHUNKS;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(CHUNK);
        else controller.close();
      },
    }),
  );
}

function gatehouse(): Fetch {
  const router = createRouter<unknown[]>()
    .get("/text", () => new Response(TEXT))
    .get("/api/:id", (req) => json({ id: req.params.id, tab: req.query.tab }))
    .get("/private", (req) => json({ token: req.headers.get("authorization") }))
    .post("/forms", (req) => json(req.content))
    .get("/stream", stream);
  return router.fetch;
}

function hono(): Fetch {
  const app = new Hono()
    .get("/text", (c) => c.text(TEXT))
    .get("/api/:id", (c) => c.json({ id: c.req.param("id"), tab: c.req.query("tab") }))
    .get("/private", (c) => c.json({ token: c.req.header("authorization") }))
    .post("/forms", async (c) => c.json(await c.req.json()))
    .get("/stream", stream);
  return (request) => app.fetch(request);
}

async function serveHono(fetch: Fetch): Promise<void> {
  const { serve }: NodeServer = await import(NODE_SERVER);
  serve({ fetch, ...PLACE }, ({ port }) => console.log(port));
}

async function serveOwn(fetch: Fetch, replaceGlobals: boolean): Promise<void> {
  console.log((await serveNode({ fetch }, { ...PLACE, replaceGlobals })).port);
}

/** `node:http` alone: what the same answers cost when nobody makes a standard request or response. */
function serveBare(): void {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://localhost");
    const send = (type: string, text: string): void => {
      outgoing.writeHead(200, { "Content-Type": type, "Content-Length": text.length }).end(text);
    };
    const sendJson = (data: unknown): void => send("application/json", JSON.stringify(data));
    if (url.pathname === "/text") send("text/plain", TEXT);
    else if (url.pathname === "/private") sendJson({ token: incoming.headers.authorization });
    else if (url.pathname === "/forms") {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part) => text += part);
      incoming.on("end", () => sendJson(JSON.parse(text)));
    } else if (url.pathname === "/stream") {
      let left = CHUNKS;
      const go = (): void => {
        while (left-- > 0) if (!outgoing.write(CHUNK)) return void outgoing.once("drain", go);
        outgoing.end();
      };
      go();
    } else sendJson({ id: url.pathname.slice(5), tab: url.searchParams.get("tab") });
  });
  server.listen(0, PLACE.hostname, () => console.log((server.address() as AddressInfo).port));
}

const SERVERS: Readonly<Record<string, () => void | Promise<void>>> = {
  "bare": serveBare,
  "hono": () => serveHono(hono()),
  "gatehouse-hono": () => serveHono(gatehouse()),
  "gatehouse": () => serveOwn(gatehouse(), true),
  "gatehouse-native": () => serveOwn(gatehouse(), false),
  "hono-gatehouse": () => serveOwn(hono(), true),
};

const [name = ""] = process.argv.slice(2);
await SERVERS[name]?.();
