/**
 * Runs the cases of `serveNode` on Node, with classes of the platform replaced and without.
 *
 * @module
 */

import { dirname, join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import { COMMANDS, runScript, type RuntimeCommand } from "./launch.ts";
import type { Outcome } from "./report.ts";

/** Runs of the cases: what is said of them behind the runtime's name, and the arguments. */
const RUNS: readonly (readonly [suffix: string, args: readonly string[]])[] = [
  ["", []],
  [", native globals", ["--native-globals"]],
];

/** Runs every case. @param folder Where the bundle goes; it must not exist. */
export async function* runNodeServers(folder: string): AsyncIterable<Outcome> {
  await Deno.mkdir(folder);
  const entry = join(ROOT, "tests/runtimes/node_server_main.ts");
  const module = await bundle(entry, folder, { nodeModules: true });
  const node = COMMANDS.find(([name]) => name === "node") as RuntimeCommand;
  for (const [i, [suffix, args]] of RUNS.entries()) {
    const script = join(dirname(module), `script${i}.mjs`);
    await Deno.writeTextFile(
      script,
      `import process from "node:process";
process.argv.push(...${JSON.stringify(args)});
const { report } = await import(${JSON.stringify(toFileUrl(module).href)});
console.log(JSON.stringify(await report()));
process.exit();
`,
    );
    const outcome = await runScript(node, script);
    yield { ...outcome, name: outcome.name + suffix };
  }
}
