/**
 * Servers on Node over the wire: `serveNode` beside `@hono/node-server` and `node:http` alone: `deno task bench:node`.
 *
 * Each server runs in a process of its own. They take turns under load, over several rounds; ratios are taken round by
 * round. `--rounds=5 --seconds=3` are the defaults, `--node=path` is another Node, `--servers=hono,gatehouse` are fewer
 * servers. Needs Linux, for `/proc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { parseArgs } from "@std/cli";
import { fromFileUrl, join } from "@std/path";
import { bundle } from "../tests/runtimes/bundle.ts";
import { NODE_SERVER } from "../tests/runtimes/versions.ts";
import { output } from "./_command.ts";
import { findLoader } from "./_load.ts";
import { median } from "./_measure.ts";
import { BODY, type Case } from "./_requests.ts";
import { findPins, type Sample, sample, type Server, startServer, stopServer } from "./_served.ts";
import { numberOption, table } from "./_table.ts";

/** Servers by their names in `_node_server.ts`. All are compared with the first one. */
const SERVERS: Readonly<Record<string, string>> = {
  "hono": "hono on @hono/node-server",
  "gatehouse": "gatehouse on serveNode",
  "gatehouse-native": "the same, native globals",
  "gatehouse-hono": "gatehouse on @hono/node-server",
  "hono-gatehouse": "hono on serveNode",
  "bare": "node:http alone",
};

const HEADERS = { "Content-Type": "application/json", "Content-Length": String(BODY.length) };

const CASES: readonly Case[] = [
  ["GET text", "/text"],
  ["GET JSON, param + query", "/api/42?tab=posts"],
  ["GET JSON, one header field", "/private", { headers: { Authorization: "Bearer abc" } }],
  ["POST JSON", "/forms", { method: "POST", body: BODY, headers: HEADERS }],
  ["GET stream of 1 MiB", "/stream"],
];

const WARM_UP_SECONDS = 1;

/** @throws {Error} If a server does not answer what the first one does. */
async function checkServers(servers: readonly Server[]): Promise<void> {
  for (const [name, path, init] of CASES) {
    const texts = await Promise.all(servers.map(async ({ origin }) => {
      const response = await fetch(origin + path, init);
      return `${response.status} ${await response.text()}`;
    }));
    texts.forEach((text, i) => {
      if (text !== texts[0]) throw new Error(`${name}: ${servers[i]?.name} gave other data`);
    });
  }
}

/** "52.1 (1.08), 15.2k/s (1.05)": microseconds per request, and requests per second, each with its ratio to the peer's. */
function cell(own: readonly Sample[], peer: readonly Sample[]): string {
  const [cpu, cpuRatio] = compare(own, peer, (one) => one.cpu);
  const [rate, rateRatio] = compare(own, peer, (one) => one.perSecond);
  return `${cpu.toFixed(1)} (${cpuRatio.toFixed(2)}), ` +
    `${(rate / 1000).toFixed(1)}k/s (${rateRatio.toFixed(2)})`;
}

function compare(
  own: readonly Sample[],
  peer: readonly Sample[],
  measure: (one: Sample) => number,
): readonly [value: number, ratio: number] {
  const ratios = own.map((one, i) => measure(one) / measure(peer[i] as Sample));
  return [median(own.map(measure)), median(ratios)];
}

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const [rounds, seconds] = [numberOption("rounds", 5), numberOption("seconds", 3)];
  const options = parseArgs(Deno.args, { string: ["node", "servers"] });
  const node = String(options.node ?? "node");
  const names = options.servers === undefined
    ? Object.keys(SERVERS)
    : String(options.servers).split(",");
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  const pins = await findPins();
  const loader = await findLoader(pins.load);
  const servers: Server[] = [];
  try {
    const entry = fromFileUrl(new URL("./_node_server.ts", import.meta.url));
    const script = await bundle(entry, join(folder), { nodeModules: true });
    const peer = NODE_SERVER.slice("npm:".length);
    await output(["npm", "install", "--silent", "--prefix", folder, peer]);
    for (const name of names) {
      const title = SERVERS[name];
      if (title === undefined) throw new TypeError(`Cannot measure: there is no server ${name}`);
      servers.push(await startServer(title, [...pins.server, node, script, name]));
    }
    await checkServers(servers);
    const rows: string[][] = servers.map(({ name }) => [name]);
    for (const request of CASES) {
      const samples = servers.map((): Sample[] => []);
      for (let round = -1; round < rounds; round++) {
        for (const [i, server] of servers.entries()) {
          const time = round < 0 ? WARM_UP_SECONDS : seconds;
          const one = await sample(server, request, loader, time);
          if (round >= 0) samples[i]?.push(one);
        }
      }
      samples.forEach((own, i) => rows[i]?.push(cell(own, samples[0] ?? [])));
      console.error(`${request[0]} is measured`);
    }
    const version = (await output([node, "--version"])).trim();
    console.log(
      `Node ${version}: µs of server CPU per request (÷ the first row), requests/s (÷ the first row); ` +
        `${loader.name}, ${
          pins.server.length > 0 ? "load and server on a core each" : "cores shared"
        }\n`,
    );
    console.log(table(["", ...CASES.map(([name]) => name)], rows));
  } finally {
    await Promise.all(servers.map(stopServer));
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
