/**
 * Changes a file between its lookup and its opening: `deno run -A interleavings_main.ts make <folder>`, then
 * `deno run <permissions> interleavings_main.ts try <folder>`, which prints what was served.
 *
 * @module
 */

import { FILES } from "../../static/native_live.ts";
import { INTERLEAVINGS, MTIME } from "./_interleavings.ts";

const [what, folder = ""] = Deno.args;
if (what === "make") INTERLEAVINGS.forEach((_, i) => make(`${folder}/${i}`));
else await say(INTERLEAVINGS.map(({ key, change }, i) => attempt(`${folder}/${i}`, key, change)));
Deno.exit(0);

function make(at: string): void {
  for (const path of ["root/d", "spare", "outside"]) {
    Deno.mkdirSync(`${at}/${path}`, { recursive: true });
  }
  for (const path of ["root/t.txt", "root/d/t.txt", "spare/other.txt"]) {
    Deno.writeTextFileSync(`${at}/${path}`, "hello");
    Deno.utimeSync(`${at}/${path}`, MTIME, MTIME);
  }
  Deno.linkSync(`${at}/root/t.txt`, `${at}/spare/same.txt`);
  Deno.linkSync(`${at}/root/d/t.txt`, `${at}/outside/t.txt`);
  Deno.symlinkSync(`${at}/spare/same.txt`, `${at}/spare/link`);
  Deno.symlinkSync(`${at}/outside`, `${at}/spare/linkdir`);
  new Deno.Command("mkfifo", { args: [`${at}/spare/fifo`] }).outputSync();
}

function attempt(at: string, key: string, change: (folder: string) => void): boolean {
  const entry = FILES.openDirectory(`${at}/root`, undefined).lookup(key);
  if (entry === undefined) throw new Error(`${at}: there is no ${key}`);
  change(at);
  return entry.open() !== undefined;
}

async function say(served: readonly boolean[]): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(served) + "\n"));
}
