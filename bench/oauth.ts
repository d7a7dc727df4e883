/**
 * What starting and completing a sign-in at a provider costs, beside openid-client with signature checks, on Deno, Node and
 * Bun: `deno task bench:oauth`. All run the same bundle. `--rounds=51` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { bundle } from "../tests/runtimes/bundle.ts";
import { BUN } from "../tests/runtimes/versions.ts";
import { type Command, output } from "./_command.ts";
import type { OAuthTimes } from "./_oauth_contests.ts";
import { numberOption, table } from "./_table.ts";

/** The peer, installed beside the script, so that our lock files do not name it. */
const PEER: Readonly<Record<string, string>> = { "openid-client": "6.8.9" };

/** The runtimes, with the command that runs a script. */
const COMMANDS: readonly (readonly [name: string, command: Command])[] = [
  ["Deno", [Deno.execPath(), "run", "--no-prompt", "--allow-read", "--allow-env", "--allow-sys"]],
  ["Node", ["node"]],
  ["Bun", ["npx", "-y", BUN]],
];

async function writeScript(folder: string, rounds: number): Promise<string> {
  const module = await bundle(join(ROOT, "bench/_oauth_contests.ts"), folder);
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ dependencies: PEER }));
  const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
  await output([Deno.execPath(), ...install], { cwd: folder });
  const script = join(folder, "script.mjs");
  await Deno.writeTextFile(
    script,
    `import * as peer from "openid-client";\n` +
      `import { compareOAuth } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await compareOAuth(peer, { rounds: ${rounds} })));\n`,
  );
  return script;
}

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    const script = await writeScript(folder, numberOption("rounds", 51));
    const rows: string[][] = [];
    for (const [name, command] of COMMANDS) {
      const text = await output([...command, script], { cwd: folder });
      const { start, callback, overPeer } = JSON.parse(text) as OAuthTimes;
      rows.push([name, start.toFixed(0), callback.toFixed(0), overPeer.toFixed(2)]);
    }
    console.log(table(["runtime", "start, µs", "callback, µs", "÷ openid-client 6.8.9"], rows));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
