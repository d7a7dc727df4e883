/**
 * One of the applications of `static.ts` on Deno.serve: prints its port as soon as it listens.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { Hono } from "hono";
import { serveStatic } from "hono/deno";
import { type FileApp, live, memory, packaged } from "./_static_apps.ts";

const APPS: Readonly<Record<string, (folder: string) => FileApp | Promise<FileApp>>> = {
  "memory": (folder) => memory(folder, Deno.readFileSync),
  "open and stream": openAndStream,
  "live": live,
  "packaged": (folder) => packaged(folder, Deno.readFileSync),
  "hono": hono,
};

/** What everybody writes first, without one check of where a path leads. */
function openAndStream(folder: string): FileApp {
  return async ({ url, headers: fields }) => {
    const file = await Deno.open(folder + url.slice(url.lastIndexOf("/")));
    const { size, mtime } = await file.stat();
    const etag = `W/"${size}-${mtime?.getTime()}"`;
    if (fields.get("if-none-match") === etag) {
      file.close();
      return new Response(null, { status: 304, headers: [["ETag", etag]] });
    }
    return new Response(file.readable, {
      headers: [["Content-Type", "application/octet-stream"], ["ETag", etag]],
    });
  };
}

function hono(folder: string): FileApp {
  const rewriteRequestPath = (path: string): string => path.slice("/assets".length);
  return new Hono().use("/assets/*", serveStatic({ root: folder, rewriteRequestPath })).fetch;
}

if (import.meta.main) {
  const [name = "", folder = ""] = Deno.args;
  const app = await APPS[name]?.(folder);
  if (app === undefined) throw new TypeError(`Cannot serve "${name}": it is none of the table`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, app);
}
