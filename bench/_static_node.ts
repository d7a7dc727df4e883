/**
 * One of the applications of `static.ts` on Node: prints its port as soon as it listens. It is bundled first.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { type FileApp, live, memory, packaged } from "./_static_apps.ts";

const readFile = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path));

const APPS: Readonly<Record<string, (folder: string) => FileApp | Promise<FileApp>>> = {
  "memory": (folder) => memory(folder, readFile),
  "live": live,
  "packaged": (folder) => packaged(folder, readFile),
};

/** The part of sirv that is used here. */
interface Sirv {
  default(
    folder: string,
    options: { etag: boolean },
  ): (request: IncomingMessage, response: ServerResponse) => void;
}

/** The part of Hono's adapter that is used here. */
interface NodeServer {
  serve(
    options: { fetch: FileApp; hostname: string; port: number },
    listening: (address: AddressInfo) => void,
  ): void;
}

/** Installed beside the bundle. */
const [SIRV, NODE_SERVER]: readonly string[] = ["sirv", "@hono/node-server"];

/** As it is meant for production: it lists the folder once, when it starts. */
async function sirvServer(folder: string): Promise<Server> {
  const { default: sirv }: Sirv = await import(SIRV as string);
  const files = sirv(folder, { etag: true });
  return createServer((request, response) => {
    request.url = request.url?.slice("/assets".length) ?? "/";
    files(request, response);
  });
}

async function start(name: string, folder: string): Promise<void> {
  const print = ({ port }: AddressInfo): void => console.log(port);
  if (name === "sirv") {
    const server = await sirvServer(folder);
    server.listen(0, "127.0.0.1", () => print(server.address() as AddressInfo));
    return;
  }
  const app = await APPS[name]?.(folder);
  if (app === undefined) throw new TypeError(`Cannot serve "${name}": it is none of the table`);
  const { serve }: NodeServer = await import(NODE_SERVER as string);
  serve({ fetch: app, hostname: "127.0.0.1", port: 0 }, print);
}

const [name = "", folder = ""] = process.argv.slice(2);
await start(name, folder);
