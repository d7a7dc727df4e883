/**
 * Static files over the wire: our mounts beside Hono's on Deno, sirv on Node, files in memory, and what everybody writes
 * first: `deno task bench:static`.
 *
 * Each server runs in a process of its own. They take turns under load, over several rounds; ratios are taken round by
 * round. `--rounds=5 --seconds=2` are the defaults. Needs Linux, for `/proc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { fromFileUrl, join } from "@std/path";
import { bundle } from "../tests/runtimes/bundle.ts";
import { NODE_SERVER } from "../tests/runtimes/versions.ts";
import { type Command, output } from "./_command.ts";
import { findLoader, type Loader } from "./_load.ts";
import { median } from "./_measure.ts";
import type { Case } from "./_requests.ts";
import {
  findPins,
  peakMemory,
  type Pins,
  type Sample,
  sample,
  type Server,
  startServer,
  stopServer,
} from "./_served.ts";
import { FILES } from "./_static_apps.ts";
import { numberOption, table } from "./_table.ts";

/** A row: its name, and what serves it. The first one is what the others are compared with. */
interface Contestant {
  readonly name: string;
  readonly command: Command;
}

const BENCH = fromFileUrl(new URL(".", import.meta.url));
const WARM_UP_SECONDS = 1;
/** Serves files on Node. */
const SIRV = "sirv@3.0.2";

function onDeno(folder: string): readonly Contestant[] {
  const run = (app: string, ...permissions: readonly string[]): Command => [
    ...[Deno.execPath(), "run", ...permissions, `--lock=${join(BENCH, "deno.lock")}`],
    ...[join(BENCH, "_static_deno.ts"), app, folder],
  ];
  return [
    { name: "hono serveStatic", command: run("hono", "-A") },
    { name: "gatehouse live", command: run("live", "-A") },
    {
      name: "gatehouse live, --allow-read=folder",
      command: run("live", "--allow-net", "--allow-env", `--allow-read=${folder}`),
    },
    { name: "gatehouse packaged", command: run("packaged", "-A") },
    { name: "open and stream", command: run("open and stream", "-A") },
    { name: "files in memory", command: run("memory", "-A") },
  ];
}

async function onNode(folder: string, out: string): Promise<readonly Contestant[]> {
  const script = await bundle(join(BENCH, "_static_node.ts"), out, {
    nodeModules: true,
  });
  await output([
    "npm",
    "install",
    "--silent",
    "--prefix",
    out,
    SIRV,
    NODE_SERVER.slice("npm:".length),
  ]);
  return [
    { name: "sirv", command: ["node", script, "sirv", folder] },
    { name: "gatehouse live", command: ["node", script, "live", folder] },
    { name: "gatehouse packaged", command: ["node", script, "packaged", folder] },
    { name: "files in memory", command: ["node", script, "memory", folder] },
  ];
}

/** What is asked of a server, with the tag that it gives. */
async function casesFor({ origin }: Server): Promise<readonly Case[]> {
  const { headers, body } = await fetch(`${origin}/assets/1k.bin`);
  await body?.cancel();
  const etag = headers.get("etag");
  return [
    ...Object.keys(FILES).map((name): Case => [name, `/assets/${name}`]),
    ...(etag === null
      ? []
      : [["304", "/assets/1k.bin", { headers: { "If-None-Match": etag } }] satisfies Case]),
  ];
}

/** @throws {Error} If a server does not give the bytes of every file. */
async function checkFiles({ name, origin }: Server, folder: string): Promise<void> {
  for (const file of Object.keys(FILES)) {
    const bytes = new Uint8Array(await (await fetch(`${origin}/assets/${file}`)).arrayBuffer());
    const wanted = await Deno.readFile(join(folder, file));
    if (bytes.length !== wanted.length || bytes.some((byte, i) => byte !== wanted[i])) {
      throw new Error(`${name} gave other bytes for ${file}`);
    }
  }
}

async function compare(
  contestants: readonly Contestant[],
  folder: string,
  loader: Loader,
  pins: Pins,
): Promise<string> {
  const rounds = numberOption("rounds", 5);
  const seconds = numberOption("seconds", 2);
  const servers: Server[] = [];
  try {
    for (const { name, command } of contestants) {
      servers.push(await startServer(name, [...pins.server, ...command]));
    }
    for (const server of servers) await checkFiles(server, folder);
    const cases = await Promise.all(servers.map(casesFor));
    const names = [...Object.keys(FILES), "304"];
    const cells = servers.map((): string[] => []);
    for (const [at, name] of names.entries()) {
      const samples = servers.map((): Sample[] => []);
      for (let round = -1; round < rounds; round++) {
        for (const [i, server] of servers.entries()) {
          const request = cases[i]?.[at];
          if (request === undefined) continue;
          const one = await sample(server, request, loader, round < 0 ? WARM_UP_SECONDS : seconds);
          if (round >= 0) samples[i]?.push(one);
        }
      }
      samples.forEach((own, i) =>
        cells[i]?.push(cell(own, samples[0] ?? [], samples.at(-1) ?? []))
      );
      console.error(`${name} is measured`);
    }
    return table(
      ["", ...names, "peak MiB"],
      servers.map((server, i) => [server.name, ...cells[i] ?? [], peakMemory(server).toFixed(0)]),
    );
  } finally {
    await Promise.all(servers.map(stopServer));
  }
}

/** "31.5k/s, 1.75, 0.30": requests per second, and their ratios to the peer's and to memory's in the same rounds. */
function cell(
  own: readonly Sample[],
  peer: readonly Sample[],
  memory: readonly Sample[],
): string {
  if (own.length === 0) return "none";
  const perSecond = median(own.map((one) => one.perSecond));
  const rate = perSecond >= 1000
    ? `${(perSecond / 1000).toFixed(1)}k/s`
    : `${perSecond.toFixed(0)}/s`;
  return [rate, ratio(own, peer), ratio(own, memory)].join(", ");
}

function ratio(own: readonly Sample[], other: readonly Sample[]): string {
  if (other.length === 0) return "–";
  return median(own.map((one, i) => one.perSecond / (other[i]?.perSecond ?? NaN))).toFixed(2);
}

async function main(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  const out = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    for (const [name, size] of Object.entries(FILES)) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 2_654_435_761) >>> 13);
      await Deno.writeFile(join(folder, name), bytes);
    }
    const pins = await findPins();
    const loader = await findLoader(pins.load);
    const cores = pins.server.length > 0 ? "load and server on a core each" : "cores shared";
    console.log(`requests/s, ÷ the first row, ÷ the last row; ${loader.name}, ${cores}\n`);
    console.log(
      `Deno ${Deno.version.deno}\n\n${await compare(onDeno(folder), folder, loader, pins)}\n`,
    );
    console.log(`Node\n\n${await compare(await onNode(folder, out), folder, loader, pins)}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await Deno.remove(out, { recursive: true });
  }
}

if (import.meta.main) await main();
