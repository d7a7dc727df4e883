/**
 * Creates the folder that `paths.json` describes: `deno run -A fixture_main.ts <folder>`. Prints what could not be created.
 *
 * @module
 */

import { FILES, HARD_LINKS, LINKS, NO_RIGHTS } from "./_tree.ts";
import { dirname, join } from "@std/path";

const folder = Deno.args[0];
if (folder === undefined) throw new TypeError("Cannot make the fixture: no folder is given");
const missing: string[] = [];

for (const [path, text] of Object.entries(FILES)) {
  Deno.mkdirSync(dirname(join(folder, path)), { recursive: true });
  Deno.writeTextFileSync(join(folder, path), text);
}
for (const [path, target] of Object.entries(LINKS)) {
  attempt(path, () => Deno.symlinkSync(target.replace("ABS", folder), join(folder, path)));
}
for (const [path, target] of Object.entries(HARD_LINKS)) {
  attempt(path, () => Deno.linkSync(join(folder, target), join(folder, path)));
}
attempt("root/fifo", () => run("mkfifo", join(folder, "root/fifo")));
attempt("root/chardev", () => run("mknod", join(folder, "root/chardev"), "c", "1", "5"));
attempt("root/sock", () => Deno.listen({ transport: "unix", path: join(folder, "root/sock") }));
for (const path of NO_RIGHTS) attempt(path, () => Deno.chmodSync(join(folder, path), 0));

Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(missing)));
Deno.exit(0); // the socket file remains

function attempt(what: string, make: () => unknown): void {
  try {
    make();
  } catch {
    missing.push(what);
  }
}

function run(command: string, ...args: readonly string[]): void {
  const { success } = new Deno.Command(command, { args: [...args], stderr: "null" }).outputSync();
  if (!success) throw new Error(`${command} failed`);
}
