/**
 * Servers under load: processes of their own, each on a core apart from the load, and the processor time that they take.
 *
 * @module
 */

import { type Command, succeeds } from "./_command.ts";
import type { Load, Loader } from "./_load.ts";
import type { Case } from "./_requests.ts";

/** Microseconds of one tick in `/proc/PID/stat`: Linux counts a hundred to the second there. */
const TICK_US = 10_000;

/** A server that runs. */
export interface Server {
  readonly name: string;
  readonly origin: string;
  readonly process: Deno.ChildProcess;
}

/** What one load cost a server. */
export interface Sample extends Load {
  /** Microseconds of processor time per request. */
  readonly cpu: number;
}

/** What stands before a command to keep it on a core. */
export interface Pins {
  readonly server: Command;
  readonly load: Command;
}

/** The load on one core, the servers on another, where there are two and `taskset` can choose. */
export async function findPins(): Promise<Pins> {
  const [server, load] = [["taskset", "-c", "0"], ["taskset", "-c", "1"]];
  const free = await succeeds([...server, "true"]) && await succeeds([...load, "true"]);
  return free ? { server, load } : { server: [], load: [] };
}

/** Starts a server that prints its port. @throws {Error} If it ends without one. */
export async function startServer(name: string, command: Command): Promise<Server> {
  const [program = "", ...args] = command;
  const process = new Deno.Command(program, { args, stdout: "piped" }).spawn();
  for await (const port of process.stdout.pipeThrough(new TextDecoderStream())) {
    return { name, process, origin: `http://127.0.0.1:${port.trim()}` };
  }
  throw new Error(`Cannot start ${name}: it ended without a port`);
}

/** Stops a server. */
export async function stopServer({ process }: Server): Promise<void> {
  process.kill();
  await process.status;
}

/** Loads a server once. */
export async function sample(
  server: Server,
  request: Case,
  loader: Loader,
  seconds: number,
): Promise<Sample> {
  const before = cpuTime(server);
  const load = await loader.run(server.origin, request, seconds);
  return { ...load, cpu: (cpuTime(server) - before) / load.requests };
}

/** Processor time of a process, user and system, in microseconds. */
function cpuTime({ process }: Server): number {
  const stat = Deno.readTextFileSync(`/proc/${process.pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before may have spaces
  return (Number(fields[11]) + Number(fields[12])) * TICK_US; // utime and stime, proc_pid_stat(5)
}

/** The most memory that a server has had so far, in MiB. */
export function peakMemory({ process }: Server): number {
  const status = Deno.readTextFileSync(`/proc/${process.pid}/status`);
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
