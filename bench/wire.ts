/**
 * The router over the wire on Deno.serve, beside its peers and a hand-written floor: `deno task bench:wire`.
 *
 * Each application runs in a process of its own. They take turns under load, over several rounds. What counts is the
 * processor time of a server per request: unlike requests per second, what else the machine does hardly changes it.
 *
 * `--rounds=3 --seconds=3` are the defaults. Needs Linux, for `/proc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import type { Command } from "./_command.ts";
import { findLoader, type Loader } from "./_load.ts";
import { median } from "./_measure.ts";
import { type Case, ORIGIN, REQUESTS, sameAnswers } from "./_requests.ts";
import { findPins, type Sample, sample, type Server, startServer, stopServer } from "./_served.ts";
import { numberOption, table } from "./_table.ts";

const APPS = ["floor", "gatehouse", "hono", "elysia", "h3", "itty"];
const CASES = ["static", "param + query", "POST JSON", "3 middleware", "404"];
const WARM_UP_SECONDS = 1;
/** The command of one application. */
function serverCommand(name: string, pin: Command): Command {
  const script = new URL("./_server.ts", import.meta.url).pathname;
  const lock = new URL("./deno.lock", import.meta.url).pathname;
  return [
    ...[...pin, Deno.execPath(), "run", "--allow-net", "--allow-env", "--allow-read"],
    ...[`--lock=${lock}`, script, name],
  ];
}

/** @throws {Error} If a server does not answer what the first one does. */
async function checkServers(servers: readonly Server[]): Promise<void> {
  await sameAnswers(servers.map(({ name, origin }) => ({
    name,
    fetch: ({ url, method, headers, body }) =>
      fetch(url.replace(ORIGIN, origin), { method, headers, body }),
  })));
}

/** Samples of one case: a row for each server, a column for each round. */
async function sampleCase(
  servers: readonly Server[],
  request: Case,
  loader: Loader,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<readonly (readonly Sample[])[]> {
  const samples = servers.map((): Sample[] => []);
  for (const server of servers) await loader.run(server.origin, request, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const [i, server] of servers.entries()) {
      samples[i]?.push(await sample(server, request, loader, seconds));
    }
    console.error(`${request[0]}: round ${round + 1} of ${rounds}`);
  }
  return samples;
}

/** "4.20 (1.16), 58k/s": microseconds per request, their ratio to the floor's in the same round, requests per second. */
function cell(own: readonly Sample[], floor: readonly Sample[]): string {
  const cpu = median(own.map((one) => one.cpu));
  const ratio = median(own.map((one, round) => one.cpu / (floor[round]?.cpu ?? NaN)));
  const perSecond = median(own.map((one) => one.perSecond));
  return `${cpu.toFixed(1)} (${ratio.toFixed(2)}), ${(perSecond / 1000).toFixed(1)}k/s`;
}

/** Prints a Markdown table: processor time per request in µs (its ratio to the floor), and requests per second. */
async function main(): Promise<void> {
  const counts = { rounds: numberOption("rounds", 3), seconds: numberOption("seconds", 3) };
  const pins = await findPins();
  const loader = await findLoader(pins.load);
  const servers: Server[] = [];
  try {
    for (const name of APPS) {
      servers.push(await startServer(name, serverCommand(name, pins.server)));
    }
    await checkServers(servers);
    const rows: string[][] = [];
    for (const request of REQUESTS.filter(([name]) => CASES.includes(name))) {
      const samples = await sampleCase(servers, request, loader, counts);
      rows.push([request[0], ...samples.map((own) => cell(own, samples[0] ?? []))]);
    }
    console.log(
      `µs of server CPU per request (÷ floor), requests/s; ${loader.name}, ` +
        `${pins.server.length > 0 ? "load and server on a core each" : "cores shared"}\n`,
    );
    console.log(table(["case", ...APPS], rows));
  } finally {
    await Promise.all(servers.map(stopServer));
  }
}

if (import.meta.main) await main();
