/**
 * Our router against Hono in process, on Deno, Node and Bun: `deno task bench:runtimes`. All run the same bundle.
 *
 * `--rounds=51` is the default. A runtime that is not there is skipped.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { bundle } from "../tests/runtimes/bundle.ts";
import { BUN } from "../tests/runtimes/versions.ts";
import { type Command, output } from "./_command.ts";
import type { Comparison } from "./_compare.ts";
import { numberOption, table } from "./_table.ts";

/** The runtimes, with the command that runs a script. */
const COMMANDS: readonly (readonly [name: string, command: Command])[] = [
  ["Deno", [Deno.execPath(), "run", "--no-config", "--no-prompt"]],
  ["Node", ["node"]],
  ["Bun", ["npx", "-y", BUN]],
];

/** What one runtime measured. */
interface Column {
  readonly head: string;
  readonly comparisons: readonly Comparison[];
}

async function writeScript(folder: string, rounds: number): Promise<string> {
  const module = await bundle(join(ROOT, "bench/_compare.ts"), folder);
  const script = join(folder, "script.mjs");
  await Deno.writeTextFile(
    script,
    `import { compare } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await compare({ rounds: ${rounds} })));\n`,
  );
  return script;
}

async function runScript(
  name: string,
  command: Command,
  script: string,
): Promise<Column | undefined> {
  let version: string;
  try {
    version = await readVersion(name, command);
  } catch (error) {
    console.error(`${name} is skipped: ${error}`);
    return undefined;
  }
  console.error(`${name} ${version} …`);
  const text = await output([...command, script]);
  return { head: `${name} ${version}`, comparisons: JSON.parse(text) as Comparison[] };
}

/** Deno says more than its number, Node puts a "v" before it. */
async function readVersion(name: string, command: Command): Promise<string> {
  if (name === "Deno") return Deno.version.deno;
  return (await output([...command, "--version"])).trim().replace(/^v/, "");
}

/** "0.71 (582 ns, 1.68)": ratio to Hono, our time, ratio to the floor. */
function cell(comparison: Comparison | undefined): string {
  if (comparison === undefined) return "";
  const { ns, overHono, overFloor } = comparison;
  return `${overHono.toFixed(2)} (${ns.toFixed(0)} ns, ${overFloor.toFixed(2)})`;
}

/** Prints a Markdown table: our time ÷ Hono's, and in parentheses ours in nanoseconds and ÷ the floor's. */
async function main(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
  try {
    const script = await writeScript(folder, numberOption("rounds", 51));
    const columns: Column[] = [];
    for (const [name, command] of COMMANDS) {
      const column = await runScript(name, command, script);
      if (column !== undefined) columns.push(column);
    }
    const cases = columns[0]?.comparisons.map(({ name }) => name) ?? [];
    console.log("gatehouse ÷ hono (ns of gatehouse, ÷ floor)\n");
    console.log(table(
      ["case", ...columns.map(({ head }) => head)],
      cases.map((name, i) => [name, ...columns.map(({ comparisons }) => cell(comparisons[i]))]),
    ));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
