/**
 * README's table of runtimes, from the results of a run: `--readme` writes it, `--check-readme` compares it. What differs from
 * machine to machine is not compared: versions and counts.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT, runDeno } from "../../dev/_project.ts";
import type { Outcome } from "./report.ts";

/** Runtimes by the first word of their outcomes: what they are called, and what no result says. */
const RUNTIMES: Readonly<
  Record<string, readonly [name: string, server: string, folders: string]>
> = {
  deno: ["Deno", "`Deno.serve(router.fetch)`, `deno serve`", "yes"],
  node: ["Node", "`serveNode(router)`, or any fetch adapter", "yes"],
  bun: ["Bun", "`export default router`", "yes"],
  workerd: ["Cloudflare Workers", "`export default router`", "packaged"],
  wasi: ["WASI component", "`serveEdge(router)`", "packaged"],
};

const HEAD = "| runtime | server | static folders | passed | suites of `test:runtimes` |\n" +
  "| --- | --- | --- | --- | --- |\n";
/** The table below its comment. */
const BLOCK_REGEXP = /(?<=^<!-- runtimes: .* -->\n\n)(?:\|.*\n)*/m;
const README = join(ROOT, "README.md");

/** The table, without what was skipped. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const rows = Map.groupBy(outcomes, ({ name }) => name.split(/[ ,]/)[0] ?? "");
  return HEAD + [...rows].map(([key, all]) => formatRow(key, all)).join("");
}

/** Rows of one table that the other one does not have, but for versions and counts. */
export function differences(table: string, other: string): string[] {
  const known = stableRows(other);
  return stableRows(table).filter((row) => !known.includes(row));
}

/** Writes the table into README.md. */
export async function writeReadme(outcomes: readonly Outcome[]): Promise<void> {
  const text = await Deno.readTextFile(README);
  await Deno.writeTextFile(README, text.replace(BLOCK_REGEXP, () => formatTable(outcomes)));
  await runDeno(["fmt", README]);
}

/** What README.md has otherwise than the run, which may have skipped some. */
export async function checkReadme(outcomes: readonly Outcome[]): Promise<string[]> {
  const [written = ""] = BLOCK_REGEXP.exec(await Deno.readTextFile(README)) ?? [];
  const table = formatTable(outcomes);
  const missing = differences(table, written).map((row) => `README.md does not have: ${row}`);
  if (outcomes.some((outcome) => "skipped" in outcome)) return missing;
  return [...missing, ...differences(written, table).map((row) => `no run has: ${row}`)];
}

function formatRow(key: string, outcomes: readonly Outcome[]): string {
  const ran = outcomes.filter((outcome) => "results" in outcome);
  if (ran.length === 0) return "";
  const [name, server, folders] = RUNTIMES[key] ?? [key, "", ""];
  const version = ran[0]?.name.split(/[ ,]/)[1] ?? "";
  const passed = ran.reduce(
    (sum, { results }) => sum + results.filter(({ error }) => !error).length,
    0,
  );
  const suites = new Set(ran.flatMap(({ name }) => suitesOf(name)));
  const cells = [
    `${name} ${version}`,
    server,
    folders,
    passed.toLocaleString("en"),
    [...suites].join(", "),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

/** What stands behind a runtime: `node 20.1.0, @hono/node-server@2.1.8, static servers`. */
function suitesOf(name: string): string[] {
  const [, ...parts] = name.split(", ").map((part) => part.replace(/[ @]\d[\d.]*$/, ""));
  return parts.length === 0 ? ["core"] : parts;
}

function stableRows(table: string): string[] {
  return table.split("\n").filter((line) => line.startsWith("|")).map((line) => {
    const [, runtime = "", server = "", folders = "", , suites = ""] = line.split("|");
    return [runtime.trim().replace(/ [\d.-]+$/, ""), server, folders, suites].map((cell) =>
      cell.trim()
    ).join(" | ");
  }).filter((row) => !/^(runtime|-+) \|/.test(row));
}
