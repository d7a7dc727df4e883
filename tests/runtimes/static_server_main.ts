/**
 * The entry of the static servers on Deno, Node and Bun: packages and a folder, over the runtime's own HTTP server.
 *
 * `<script> <server> <folder>` prints its port and its number as a process, and ends when its standard input does.
 * `server` is `deno`, `bun`, `node`, or the URL of a module with Hono's `getRequestListener`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { pathToFileURL } from "node:url";
import {
  mountStatic,
  type PackageFormat,
  packageStaticAssets,
  routerBuilder,
  sse,
  staticFeatures,
} from "../../native.ts";
import { serveNode } from "../../serve/native_node.ts";
import { SILENCE_MS } from "./silent_stream_case.ts";
import { addPackages, type Fetch } from "./static_routes.ts";

export { registerStaticAssets } from "../../native.ts"; // what a generated module imports

/** The part of Bun that is used here. */
interface BunServer {
  serve(options: { port: number; hostname: string; fetch: Fetch }): { port: number };
}

/** Serves the fixture until the standard input ends. */
export async function serve(server: string, folder: string): Promise<void> {
  const port = await listen(server, await makeFetch(folder));
  console.log(JSON.stringify({ port, pid: process.pid }));
  process.stdin.on("end", () => process.exit()).resume();
}

async function makeFetch(folder: string): Promise<Fetch> {
  const router = (await addPackages(routerBuilder({ onError: () => {} })))
    .static("/live", { directory: `${folder}/root`, cacheControl: "no-cache" })
    .static("/live-through", { directory: `${folder}/root`, fallthrough: true })
    .static("/live-features", {
      directory: `${folder}/root`,
      features: staticFeatures({ ranges: true, lastModified: true }),
    })
    .static("/current", { directory: `${folder}/current` })
    .static("/generated", { directory: "generated", live: false })
    .build()
    .get("/through/*", () => new Response("later"))
    .get("/live-through/*", () => new Response("later"))
    .get("/silent", (req) =>
      sse(req, async function* () {
        yield { data: "first" };
        await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
        yield { data: "last" };
      }))
    .get("/package", async ({ url }) => Response.json(await packageFiles(new URL(url), folder)));
  const bare = mountStatic("/bare", { directory: `${folder}/root` }).fetch;
  return (request) => request.url.includes("/bare/") ? bare(request) : router.fetch(request);
}

/** Packages the folder, and imports what is a JavaScript module. */
async function packageFiles({ searchParams }: URL, folder: string): Promise<unknown> {
  const outputDir = searchParams.get("outputDir") ?? "";
  const format = searchParams.get("format") as PackageFormat;
  const summary = await packageStaticAssets({
    directory: `${folder}/assets`,
    outputDir,
    format,
    prefix: "generated",
    compress: searchParams.has("compress"),
  });
  if (format === "js") await import(pathToFileURL(summary.files[0] ?? "").href);
  return summary;
}

async function listen(server: string, fetch: Fetch): Promise<number> {
  const hostname = "127.0.0.1";
  if (server === "deno") {
    return Deno.serve({ hostname, port: 0, onListen: () => {} }, fetch).addr.port;
  }
  if (server === "bun") {
    const { Bun } = globalThis as unknown as { Bun: BunServer };
    return Bun.serve({ hostname, port: 0, fetch }).port;
  }
  if (server === "node") return (await serveNode({ fetch }, { hostname, port: 0 })).port;
  const node = createServer((await import(server)).getRequestListener(fetch));
  await new Promise<void>((resolve) => node.listen(0, hostname, resolve));
  return (node.address() as AddressInfo).port;
}
