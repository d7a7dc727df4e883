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

import { type Command, succeeds } from "./_command.ts";
import { findLoader, type Load, type Loader } from "./_load.ts";
import { median } from "./_measure.ts";
import { type Case, ORIGIN, REQUESTS, sameAnswers } from "./_requests.ts";
import { numberOption, table } from "./_table.ts";

const APPS = ["floor", "gatehouse", "hono", "elysia", "h3", "itty"];
const CASES = ["static", "param + query", "POST JSON", "3 middleware", "404"];
const WARM_UP_SECONDS = 1;
/** Microseconds of one tick in `/proc/PID/stat`: Linux counts a hundred to the second there. */
const TICK_US = 10_000;

/** A server that runs. */
interface Server {
  readonly name: string;
  readonly origin: string;
  readonly process: Deno.ChildProcess;
}

/** What one load cost a server. */
interface Sample extends Load {
  /** Microseconds of processor time per request. */
  readonly cpu: number;
}

/** The load on one core, the servers on another, where there are two and `taskset` can choose. */
async function findPins(): Promise<{ server: Command; load: Command }> {
  const [server, load] = [["taskset", "-c", "0"], ["taskset", "-c", "1"]];
  const free = await succeeds([...server, "true"]) && await succeeds([...load, "true"]);
  return free ? { server, load } : { server: [], load: [] };
}

async function startServer(name: string, pin: Command): Promise<Server> {
  const script = new URL("./_server.ts", import.meta.url).pathname;
  const lock = new URL("./deno.lock", import.meta.url).pathname;
  const [program = "", ...args] = [
    ...[...pin, Deno.execPath(), "run", "--allow-net", "--allow-env", "--allow-read"],
    ...[`--lock=${lock}`, script, name],
  ];
  const process = new Deno.Command(program, { args, stdout: "piped" }).spawn();
  for await (const port of process.stdout.pipeThrough(new TextDecoderStream())) {
    return { name, process, origin: `http://127.0.0.1:${port.trim()}` };
  }
  throw new Error(`Cannot start ${name}: it ended without a port`);
}

async function stopServer({ process }: Server): Promise<void> {
  process.kill();
  await process.status;
}

/** Processor time of a process, user and system, in microseconds. */
function cpuTime({ process }: Server): number {
  const stat = Deno.readTextFileSync(`/proc/${process.pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may have spaces
  return (Number(fields[11]) + Number(fields[12])) * TICK_US; // utime and stime, proc_pid_stat(5)
}

async function sample(
  server: Server,
  request: Case,
  loader: Loader,
  seconds: number,
): Promise<Sample> {
  const before = cpuTime(server);
  const load = await loader.run(server.origin, request, seconds);
  return { ...load, cpu: (cpuTime(server) - before) / load.requests };
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
    for (const name of APPS) servers.push(await startServer(name, pins.server));
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
