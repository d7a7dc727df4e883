/**
 * What verifying a sign-in with a passkey costs, beside Web Crypto alone and SimpleWebAuthn, on Deno, Node and Bun:
 * `deno task bench:passkeys`. All run the same bundle. `--rounds=51` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { bundle } from "../tests/runtimes/bundle.ts";
import { BUN } from "../tests/runtimes/versions.ts";
import { type Command, output } from "./_command.ts";
import type { PasskeyTimes } from "./_passkey_contests.ts";
import { numberOption, table } from "./_table.ts";

/** The peer, installed beside the script, so that our lock files do not name it. */
export const PEER: Readonly<Record<string, string>> = { "@simplewebauthn/server": "14.0.3" };

/** The runtimes, with the command that runs a script. */
const COMMANDS: readonly (readonly [name: string, command: Command])[] = [
  ["Deno", [Deno.execPath(), "run", "--no-prompt", "--allow-read", "--allow-env", "--allow-sys"]],
  ["Node", ["node"]],
  ["Bun", ["npx", "-y", BUN]],
];

async function writeScript(folder: string, rounds: number): Promise<string> {
  const module = await bundle(join(ROOT, "bench/_passkey_contests.ts"), folder);
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ dependencies: PEER }));
  const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
  await output([Deno.execPath(), ...install], { cwd: folder });
  const script = join(folder, "script.mjs");
  await Deno.writeTextFile(
    script,
    `import * as peer from "@simplewebauthn/server";\n` +
      `import { comparePasskeys } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await comparePasskeys(peer, { rounds: ${rounds} })));\n`,
  );
  return script;
}

function row(name: string, { ns, overVerify, overPrimitives, overPeer }: PasskeyTimes): string[] {
  const ratios = [overVerify, overPrimitives, overPeer].map((ratio) => ratio.toFixed(2));
  return [name, (ns / 1_000).toFixed(1), ...ratios];
}

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    const script = await writeScript(folder, numberOption("rounds", 51));
    const rows: string[][] = [];
    for (const [name, command] of COMMANDS) {
      const text = await output([...command, script], { cwd: folder });
      rows.push(row(name, JSON.parse(text) as PasskeyTimes));
    }
    console.log(table(
      ["runtime", "µs", "÷ verify", "÷ import, digests, verify", "÷ SimpleWebAuthn 14.0.3"],
      rows,
    ));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
