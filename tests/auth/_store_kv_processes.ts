/**
 * Processes that share a file of Deno KV, for tests.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import type { Outcomes, RaceName } from "./_store_kv_racer.ts";

/** Four processes that are over at the end of the block. */
export interface Racers extends AsyncDisposable {
  /** Starts fifty racers in each of them, and gives what all of them came to. */
  race(name: RaceName, about: string): Promise<Outcomes>;
  /** Starts fifty racers in each of them, and kills all of them when they have written something. */
  killWhile(name: RaceName, about: string): Promise<void>;
}

/** Starts processes on a file. */
export async function startRacers(path: string): Promise<Racers> {
  const processes = await Promise.all(Array.from({ length: 4 }, () => startRacer(path)));
  return {
    async race(name, about) {
      const line = JSON.stringify([name, about]);
      const all = await Promise.all(processes.map((each) => each.ask(line)));
      const sums: Record<string, number> = {};
      for (const outcomes of all.map((answer) => JSON.parse(answer) as Outcomes)) {
        for (const [outcome, count] of Object.entries(outcomes)) {
          sums[outcome] = (sums[outcome] ?? 0) + count;
        }
      }
      return sums;
    },
    async killWhile(name, about) {
      const line = JSON.stringify([name, about]);
      const asked = processes.map((each) => each.ask(line).catch(() => {})); // nobody answers
      await new Promise((resolve) => setTimeout(resolve, 150));
      for (const each of processes) each.kill();
      await Promise.all(asked);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((each) => each.end()));
    },
  };
}

interface Racer {
  ask(line: string): Promise<string>;
  kill(): void;
  end(): Promise<void>;
}

async function startRacer(path: string): Promise<Racer> {
  const folder = join(path, "..");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--unstable-kv",
      `--allow-read=${folder}`,
      `--allow-write=${folder}`,
      fromFileUrl(import.meta.resolve("./_store_kv_racer.ts")),
      path,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = readLines(child.stdout);
  const input = child.stdin.getWriter();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("Cannot race: a process has ended");
    return value;
  };
  if (await next() !== "ready") throw new Error("Cannot race: a process did not start");
  return {
    async ask(line) {
      await input.write(new TextEncoder().encode(line));
      return await next();
    },
    kill: () => child.kill("SIGKILL"),
    async end() {
      await input.close().catch(() => {}); // it was killed
      await lines.return(undefined);
      await child.status;
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
