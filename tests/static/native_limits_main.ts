/**
 * Serves a folder in a process with a limit: `deno run -A [--v8-flags=--expose-gc] native_limits_main.ts <what> <folder>`.
 *
 * @module
 */

import { mountStatic } from "@gatehouse/http/native";

const [what, directory = ""] = Deno.args;
const files = mountStatic("/", { directory });
const get = () => files.fetch(new Request("http://localhost/large.bin"));

switch (what) {
  case "handles":
    await say(await statusesOf(200));
    break;
  case "forgotten":
    await say(await leftOpen(50));
    break;
}
Deno.exit(0);

/** The statuses of downloads that stay open, and of one after all are cancelled. */
async function statusesOf(downloads: number): Promise<readonly number[]> {
  const open: Response[] = [];
  for (let i = 0; i < downloads; i++) open.push(await get());
  const statuses = new Set(open.map(({ status }) => status));
  await Promise.all(open.map(({ body }) => body?.cancel()));
  const { status, body } = await get();
  await body?.cancel();
  return [...statuses, status];
}

/** How many files are open for unreferenced responses, before and after garbage collection. */
async function leftOpen(downloads: number): Promise<readonly number[]> {
  for (let i = 0; i < downloads; i++) await get();
  const before = countOpen();
  for (let i = 0; i < 20 && countOpen() > 0; i++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [before, countOpen()];
}

function countOpen(): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith(directory);
    } catch {
      return false; // the descriptor that lists the folder
    }
  }).length;
}

async function say(what: unknown): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(what) + "\n"));
}
