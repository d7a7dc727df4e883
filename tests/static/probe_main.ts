/**
 * Inspects other processes: `deno run -A probe_main.ts`. For each line with a process id and a folder, it prints
 * the resources of the process.
 *
 * @module
 */

/** Resources of a process. */
export interface Held {
  /** Open files in the folder. */
  readonly files: number;
  /** Memory, in bytes. */
  readonly memory: number;
}

for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const [pid = "", folder = ""] = text.trim().split(" ");
  const held: Held = { files: countFiles(pid, folder), memory: memoryOf(pid) };
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(held) + "\n"));
}

function countFiles(pid: string, folder: string): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/fd/${name}`).startsWith(folder);
    } catch {
      return false; // closed in the meantime
    }
  }).length;
}

function memoryOf(pid: string): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
