/**
 * Other processes that use a Deno KV file.
 *
 * @module
 */

import { dirname } from "@std/path";
import { confinedTo, type Processes, startProcesses } from "../../../contracts/_processes.ts";
import type { Work } from "./_kv_writer.ts";

/** Processes that write to a file concurrently. */
export interface Writers extends AsyncDisposable {
  /** Waits until all of them have written. */
  write(work: Work): Promise<void>;
  /** Kills all of them while they write, once something has been written. */
  killWhile(work: Work, isThere: () => Promise<boolean>): Promise<void>;
}

/** Starts four writers. */
export async function startWriters(path: string): Promise<Writers> {
  const processes = await start(4, "./_kv_writer.ts", path);
  return {
    write: async (work) => void await processes.ask(() => work),
    async killWhile(work, isThere) {
      const asked = processes.ask(() => work).catch(() => {}); // killed before it answers
      do {
        await new Promise((resolve) => setTimeout(resolve, 100));
      } while (!await isThere());
      processes.kill();
      await asked;
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

/** A process that holds the write lock of a file. */
export interface Holder extends AsyncDisposable {
  /** Releases the lock after a time. */
  release(ms: number): Promise<void>;
}

/** Starts a process that takes the write lock. */
export async function holdFile(path: string): Promise<Holder> {
  const processes = await start(1, "./_kv_holder.ts", path);
  await processes.ask(() => "BEGIN IMMEDIATE");
  return {
    async release(ms) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await processes.ask(() => "ROLLBACK");
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

async function start(count: number, program: string, path: string): Promise<Processes> {
  return await startProcesses(count, [
    ...confinedTo(dirname(path)),
    import.meta.resolve(program),
    path,
  ]);
}
