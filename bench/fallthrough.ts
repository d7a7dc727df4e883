/**
 * What an API route costs behind static files at `/`, in process: `deno task bench:fallthrough`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { Hono } from "hono";
import { serveStatic } from "hono/deno";
import { json, routerBuilder } from "../native.ts";
import { type Contestant, measure } from "./_measure.ts";
import { table } from "./_table.ts";

const PATHS = ["/health", "/api/users/7"];
const ALONE = "routes alone";

function gatehouse(directory?: string): (request: Request) => unknown {
  const builder = routerBuilder();
  if (directory !== undefined) builder.static("/", { directory, fallthrough: true });
  return builder.build()
    .get("/health", () => json("well"))
    .get("/api/users/:id", (req) => json(req.params.id)).fetch;
}

function hono(root: string): (request: Request) => unknown {
  return new Hono().use("*", serveStatic({ root }))
    .get("/health", (c) => c.json("well"))
    .get("/api/users/:id", (c) => c.json(c.req.param("id"))).fetch;
}

const folder = await Deno.makeTempDir();
await Deno.writeTextFile(`${folder}/index.html`, "<p>Hello");
const contestants: readonly Contestant<Request>[] = [
  { name: ALONE, run: gatehouse() },
  { name: "gatehouse, folder at /", run: gatehouse(folder) },
  { name: "hono, serveStatic at *", run: hono(folder) },
];
const rows: string[][] = contestants.map(({ name }) => [name]);
for (const path of PATHS) {
  const prepare = () => new Request(`http://localhost${path}`);
  const measured = await measure(contestants, prepare, { rounds: 41, runs: 300 });
  measured.forEach(({ ns, over }, i) =>
    rows[i]?.push(`${(ns / 1000).toFixed(1)} µs, ${over(ALONE).toFixed(1)}`)
  );
}
console.log(table(["", ...PATHS], rows));
await Deno.remove(folder, { recursive: true });
